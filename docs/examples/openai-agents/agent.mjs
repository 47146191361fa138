// An agent of the OpenAI Agents SDK as a command: a line for each turn of the user on standard input, an answer for each
// on standard output, tools from the trial's MCP endpoint. OPENAI_API_KEY and MODEL say which model answers.
import { createInterface } from "node:readline";
import { Agent, MCPServerStreamableHttp, run, setOpenAIAPI, setTracingDisabled } from "@openai/agents";

setTracingDisabled(true);
// Providers other than OpenAI (OPENAI_BASE_URL) speak chat completions.
if (process.env.OPENAI_BASE_URL) setOpenAIAPI("chat_completions");

const { SVC_TRIAL_MCP_URL: url, SVC_TRIAL_MCP_TOKEN: token, MODEL: model = "gpt-5-mini" } = process.env;
const headers = { authorization: `Bearer ${token}` };
const world = new MCPServerStreamableHttp({ url, name: "world", requestInit: { headers } });
await world.connect();
const agent = new Agent({
  name: "desk",
  model,
  instructions: "Help the user. Use the tools; never guess.",
  mcpServers: [world],
});

let history = [];
for await (const line of createInterface({ input: process.stdin })) {
  const { text } = JSON.parse(line);
  const result = await run(agent, [...history, { role: "user", content: text }], { maxTurns: 30 });
  history = result.history;
  console.log(JSON.stringify({ answer: result.finalOutput ?? "" }));
}
await world.close();
