import type { DeskTools } from "./desk.ts";
import { McpClient } from "./mcp-client.ts";
import type { Reader } from "./reply.ts";

/** Connects to the tool server of this trial; `read` makes sense of what it answers. */
export async function connect(url: string, token: string, read: Reader): Promise<DeskTools> {
  const client = new McpClient(url, token);
  await client.initialize({ name: "desk-agent", version: "1.0.0" });
  return {
    async call(tool, args) {
      const { content, isError } = await client.callTool(tool, args);
      const text = content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
      return read(text, isError === true);
    },
    close: () => client.close(),
  };
}
