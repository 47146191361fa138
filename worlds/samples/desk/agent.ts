import { createInterface } from "node:readline";
import { Assistant } from "./agent/assistant.ts";
import { connect } from "./agent/connection.ts";

/**
 * A command agent under the trial contract: a JSON line per user turn in, a JSON line per answer out, its tools behind
 * SVC_TRIAL_MCP_URL. `--version 2` is the next release of it.
 */
async function main(): Promise<void> {
  const { SVC_TRIAL_MCP_URL: url, SVC_TRIAL_MCP_TOKEN: token } = process.env;
  if (!url || !token) throw new Error("SVC_TRIAL_MCP_URL and SVC_TRIAL_MCP_TOKEN must be set");
  const tools = await connect(url, token);
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
