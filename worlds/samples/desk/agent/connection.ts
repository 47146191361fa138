import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Reader, Said } from "./reply.ts";

/** The desk as the agent sees it: tools that are called by name. */
export interface DeskTools {
  call(tool: string, args: Record<string, unknown>): Promise<Said>;
  close(): Promise<void>;
}

/** Connects to the tool server of this trial; `read` makes sense of what it answers. */
export async function connect(url: string, token: string, read: Reader): Promise<DeskTools> {
  const client = new Client({ name: "desk-agent", version: "1.0.0" });
  const headers = { Authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return {
    async call(tool, args) {
      const answer = await client.callTool({ name: tool, arguments: args });
      const text = answer.content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
      return read(text, answer.isError === true);
    },
    close: () => client.close(),
  };
}
