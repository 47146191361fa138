import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { Assistant } from "./agent/assistant.ts";
import { connect } from "./agent/connection.ts";
import { READERS } from "./agent/reply.ts";

/**
 * A command agent under the trial contract: a JSON line per user turn in, a JSON line per answer out, its tools behind
 * SVC_TRIAL_MCP_URL. `--version 2` is its next release, which holds a planted fault.
 */
async function main(): Promise<void> {
  const { SVC_TRIAL_MCP_URL: url, SVC_TRIAL_MCP_TOKEN: token } = process.env;
  if (!url || !token) throw new Error("SVC_TRIAL_MCP_URL and SVC_TRIAL_MCP_TOKEN must be set");
  const { values } = parseArgs({ options: { version: { type: "string", default: "1" } } });
  const read = READERS[values.version];
  if (!read) throw new Error("There are versions 1 and 2 of this agent");
  const tools = await connect(url, token, read);
  const assistant = new Assistant(tools);
  for await (const line of createInterface({ input: process.stdin })) {
    if (line.trim() === "") continue;
    const { text } = JSON.parse(line) as { text: string };
    const answer = await assistant.turn(text);
    process.stdout.write(`${JSON.stringify({ answer: answer.text, class: answer.class })}\n`);
  }
  await tools.close();
}

await main();
