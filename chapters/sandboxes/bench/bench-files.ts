import type { FinishedTrial, Task } from "../../../worlds/tasks/schema.ts";

/** Where the world of a task's container answers. */
const PORT = 8765;
const ENDPOINT = `http://127.0.0.1:${PORT}/mcp`;
const SHELL = "#!/bin/sh\nset -eu\n";
/** The user that the image's base has beside root. */
export const AGENT_USER = "node";

/** The servers of a task's environment, as task.toml has them. */
export const MCP_SERVERS = `[[environment.mcp_servers]]
name = "world"
transport = "streamable-http"
url = "${ENDPOINT}"
`;

/** The agent is not started before the world answers; where an entry point was not run, this says so. */
export const HEALTHCHECK = `[environment.healthcheck]
command = "world list > /dev/null"
interval_sec = 1.0
timeout_sec = 10.0
start_period_sec = 30.0
retries = 3
`;

/** The world and its journal are root's: the agent reaches them by their tools alone. */
export const DOCKERFILE = `FROM node:24-slim
COPY world /opt/world
COPY bin /usr/local/bin
COPY tools.json /app/tools.json
RUN chmod 755 /usr/local/bin/world /usr/local/bin/with-world
RUN chmod -R go-rwx /opt/world
RUN mkdir -p /var/lib/world /logs && chmod 700 /var/lib/world && chmod 1777 /app
WORKDIR /app
ENTRYPOINT ["/usr/local/bin/with-world"]
CMD ["sleep", "infinity"]
`;

/** Starts the world, waits until it answers, and runs what it is given. */
export const WITH_WORLD = `${SHELL}node /opt/world/program.mjs serve /opt/world /var/lib/world/calls.jsonl "\${WORLD_PORT:-${PORT}}" &
world_pid=$!
tries=0
until world list >/dev/null 2>&1; do
  kill -0 "$world_pid" || { echo "the world did not start" >&2; exit 70; }
  tries=$((tries + 1))
  [ "$tries" -lt 300 ] || { echo "the world did not answer within 30 s" >&2; exit 70; }
  sleep 0.1
done
exec "$@"
`;

/** Calls the world's tools from a shell. */
export const WORLD_COMMAND = `#!/usr/bin/env node
// world list | world call NAME [JSON]: ends with 1 where the tool answered with an error.
const [act, name, json = "{}"] = process.argv.slice(2);
const url = "http://127.0.0.1:" + (process.env.WORLD_PORT ?? "${PORT}") + "/mcp";
async function ask(method, params) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const headers = { "content-type": "application/json", accept: "application/json" };
  const answer = await (await fetch(url, { method: "POST", headers, body })).json();
  if (answer.error) throw new Error(answer.error.message);
  return answer.result;
}
try {
  if (act === "list") console.log(JSON.stringify((await ask("tools/list", {})).tools, null, 1));
  else if (act === "call" && name) {
    const result = await ask("tools/call", { name, arguments: JSON.parse(json) });
    for (const part of result.content) console.log(part.text);
    if (result.isError) process.exitCode = 1;
  } else throw new Error("world list | world call NAME [JSON]");
} catch (error) {
  console.error(error.message);
  process.exitCode = 2;
}
`;

/** What the image's test command runs. */
export const TEST = `${SHELL}exec node /tests/program.mjs verify /tests /logs /var/lib/world/calls.jsonl /app\n`;

/** What the agent is asked, and where its tools and its answers are. */
export function instruction({ request, turns }: Task): string {
  const others = turns.map((turn, i) => `\n\n## Turn ${i + 2}\n\n${turn}`).join("");
  const answers =
    turns.length === 0
      ? "Write your answer to `/app/answer.txt`."
      : "Write your answer to the first turn to `/app/answer.txt`, to the second to `/app/answer-2.txt`, and so on.";
  return `${request}${others}

---

Your tools are those of the MCP server \`world\` (${ENDPOINT}). From a shell: \`world list\` shows them, and
\`world call NAME '{"argument": "value"}'\` calls one. ${answers}
`;
}

/** The reference as commands: its calls, and what it says. */
export function solution({ calls, answers }: FinishedTrial): string {
  const made = calls.map(
    ({ tool, args }) => `world call ${quoted(tool)} ${quoted(JSON.stringify(args))} || [ $? -eq 1 ]\n`,
  );
  const said = answers.map(
    ({ text }, i) => `printf '%s\\n' ${quoted(text)} > /app/answer${i === 0 ? "" : `-${i + 1}`}.txt\n`,
  );
  return `${SHELL}${made.join("")}${said.join("")}`;
}

/** A word of a shell command as it stands. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

export const README = `# Tasks on a drawn world

One directory per task, in Harbor's task format; it has not been run in Harbor. \`instruction.md\` is what the agent is
asked, \`environment/\` the image with the world that it works in, \`tests/\` decides what it did, and \`solution/\` plays the
reference.

The image's entry point starts the world, an MCP server at ${ENDPOINT} (\`WORLD_PORT\` sets another port), before the
command that it is given; \`world list\` and \`world call NAME JSON\` reach it from a shell. The world and the calls that it
keeps belong to root, and \`task.toml\` has the agent run as \`${AGENT_USER}\`: an agent that runs as root can read the world's rows
without a call.

\`tests/test.sh\` plays the calls that the world kept on the drawn rows again and decides by what that comes to; nothing that
an agent reports of answers or changes is believed. What the agent said is read from \`/app/answer.txt\` (\`answer-2.txt\` of a
second turn). Where the agent ran elsewhere, its captured trial at \`/logs/artifacts/trial.json\` stands for both:

    {"calls": [{"tool", "args"}], "answers": [{"text", "class"?}]}

The reward is written to \`/logs/verifier/reward.txt\` (1 where every check is met, else 0) and each check's verdict to
\`/logs/verifier/verdict.json\`. A trial that cannot be decided (no calls and no trial, a gap of the world in a call that the
task needs, a check that could not decide) gets no reward: the verifier ends with status 3 and says why. World and verifier
need Node 22 or newer and nothing else.
`;
