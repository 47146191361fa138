// A command agent that knows the right calls and answer of each request and makes them over MCP, written against the
// wire alone. FAULT plants a fault: skip (makes no write), crash, silent (no answer).
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

// To import it, or to call fetch, takes longer than the rest of a trial: both load what fetch is made of.
const { request } = process.getBuiltinModule("node:http");
const key = JSON.parse(readFileSync(process.env.KEY, "utf8"));
const headers = {
  authorization: `Bearer ${process.env.SVC_TRIAL_MCP_TOKEN}`,
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
  "mcp-protocol-version": "2025-06-18",
};
let id = 0;

async function rpc(method, params) {
  id += 1;
  const body = JSON.stringify({ jsonrpc: "2.0", id, method, params });
  const [response] = await once(
    request(process.env.SVC_TRIAL_MCP_URL, { method: "POST", headers }).end(body),
    "response",
  );
  const text = Buffer.concat(await response.toArray()).toString();
  const data = text.startsWith("{") ? text : /^data: (.*)$/m.exec(text)?.[1];
  const answer = JSON.parse(data ?? "{}");
  if (answer.result === undefined) throw new Error(`${method}: ${response.statusCode} ${text.slice(0, 200)}`);
  return answer.result;
}

const clientInfo = { name: "test-agent", version: "1" };
await rpc("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
let asking;
for await (const line of createInterface({ input: process.stdin })) {
  const { turn, text } = JSON.parse(line);
  const known = key[text] ?? asking;
  const first = turn === 1 && known;
  if (first && process.env.FAULT === "crash") process.exit(1);
  if (first && known.questions) asking = { ...known, questions: [...known.questions] };
  // What it has to ask it asks before it acts.
  if (asking?.questions.length > 0 && process.env.FAULT !== "silent") {
    console.log(JSON.stringify({ answer: asking.questions.shift() }));
    continue;
  }
  if (first || asking) {
    asking = undefined;
    const calls = process.env.FAULT === "skip" ? known.calls.filter((call) => !call.changed) : known.calls;
    for (const { tool, args } of calls) await rpc("tools/call", { name: tool, arguments: args });
  }
  const answer = known?.answer ?? key.last ?? "";
  console.log(JSON.stringify(process.env.FAULT === "silent" ? { answer: "" } : { answer, class: known?.class }));
  if (known) key.last = known.answer;
}
