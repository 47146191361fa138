// A command agent that asks which row is meant and acts on what it is told. FAULT: forever (only asks), guess (acts on a
// row of its own choice and asks nothing). KEY has the call of each request with "<row>" for the row.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const key = JSON.parse(readFileSync(process.env.KEY, "utf8"));
const headers = {
  authorization: `Bearer ${process.env.SVC_TRIAL_MCP_TOKEN}`,
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
  "mcp-protocol-version": "2025-06-18",
};

async function call(name, args) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } });
  const response = await fetch(process.env.SVC_TRIAL_MCP_URL, { method: "POST", headers, body });
  await response.text();
}

const say = (answer) => console.log(JSON.stringify({ answer }));
let wish;
for await (const line of createInterface({ input: process.stdin })) {
  const { text } = JSON.parse(line);
  wish ??= key[text];
  const told = process.env.FAULT === "guess" ? wish.other : /number is (\S+?)\.?$/.exec(text)?.[1];
  if (told === undefined || process.env.FAULT === "forever") say("Which one is it? Please tell me its number.");
  else {
    await call(wish.tool, JSON.parse(JSON.stringify(wish.args).replaceAll("<row>", told)));
    say("Done: it has been changed as you asked.");
  }
}
