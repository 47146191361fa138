import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { AgentProcess } from "../src/agents/agent-process.ts";
import { runCommand } from "../src/agents/command.ts";
import { Sandbox } from "../src/agents/isolation/sandbox.ts";
import { DEFAULT_ISOLATION, guardedBy } from "../src/agents/isolation/settings.ts";
import { Leftovers } from "../src/agents/leftovers.ts";
import { WorldRelay } from "../src/agents/world-relay.ts";

// Plays trials one after the other and ends. Started by `trials` in a process namespace of its own, which counts the time of
// every process there: bubblewrap goes before the processes that it began, and nobody else would count those.
const [how, count] = process.argv.slice(2);
const command = ["/bin/sh", "-c", `read turn; curl -s "$SVC_TRIAL_MCP_URL" >/dev/null; echo '{"answer":""}'`];
const world = createServer((_, res) => res.end("{}"));
await new Promise<void>((resolve) => world.listen(0, "127.0.0.1", resolve));
const mcpUrl = `http://127.0.0.1:${(world.address() as AddressInfo).port}/mcp`;
const sandbox = await Sandbox.open(DEFAULT_ISOLATION, guardedBy(undefined));
if (typeof sandbox === "string") throw new Error(sandbox);
const host = {
  relay: new WorldRelay(),
  leftovers: new Leftovers(),
  sandbox: async () => sandbox,
  outOfMemoryKills: () => 0,
};

for (let i = 0; i < Number(count); i++) {
  if (how === "bare") {
    const env = { PATH: process.env.PATH, SVC_TRIAL_MCP_URL: mcpUrl };
    const agent = await AgentProcess.start({ command, cwd: "/", env });
    agent.write("{}");
    agent.endInput();
    await Promise.all([agent.whole(), agent.exit()]);
    continue;
  }
  const brief = { trial: "t", turns: ["x"], mcpUrl, mcpToken: `token ${i}`, timeoutSeconds: 60 };
  const target = { kind: "command", adapter: "svc", command, env: {} } as const;
  const { cause, answers } = await runCommand(target, brief, new AbortController().signal, host);
  if (cause !== undefined || answers.length !== 1) throw new Error(`a trial ended with ${cause}`);
}
process.exit(0);
