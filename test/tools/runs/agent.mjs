// A command agent that knows the right calls and answer of each request and makes them over MCP. FAULT plants a fault:
// skip (makes no write), crash, silent (no answer).
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const key = JSON.parse(readFileSync(process.env.KEY, "utf8"));
const client = new Client({ name: "test-agent", version: "1" });
const headers = { authorization: `Bearer ${process.env.SVC_TRIAL_MCP_TOKEN}` };
await client.connect(
  new StreamableHTTPClientTransport(new URL(process.env.SVC_TRIAL_MCP_URL), { requestInit: { headers } }),
);
for await (const line of createInterface({ input: process.stdin })) {
  const { turn, text } = JSON.parse(line);
  const known = key[text];
  if (turn === 1 && known) {
    if (process.env.FAULT === "crash") process.exit(1);
    const calls = process.env.FAULT === "skip" ? known.calls.filter((call) => !call.changed) : known.calls;
    for (const { tool, args } of calls) await client.callTool({ name: tool, arguments: args });
  }
  const answer = known?.answer ?? key.last ?? "";
  console.log(JSON.stringify(process.env.FAULT === "silent" ? { answer: "" } : { answer, class: known?.class }));
  if (known) key.last = known.answer;
}
await client.close();
