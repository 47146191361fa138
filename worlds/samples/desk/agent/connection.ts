import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

/** What a tool said: data where it is JSON, and whether it is a refusal. */
export interface Said {
  readonly text: string;
  readonly refused: boolean;
  readonly value: unknown;
}

/** The desk as the agent sees it: a tool server behind an address and a token. */
export interface DeskTools {
  call(tool: string, args: Record<string, unknown>): Promise<Said>;
  close(): Promise<void>;
}

/** Connects to the tool server of this trial. */
export async function connect(url: string, token: string): Promise<DeskTools> {
  const client = new Client({ name: "desk-agent", version: "1.0.0" });
  const headers = { Authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return {
    async call(tool, args) {
      const answer = await client.callTool({ name: tool, arguments: args });
      const text = answer.content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
      return { text, refused: answer.isError === true, value: parsed(text) };
    },
    close: () => client.close(),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
