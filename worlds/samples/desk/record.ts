import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Random } from "./random.ts";
import { drawScenarios, KINDS } from "./scenarios/index.ts";
import { Deck, type Reply, type Scenario } from "./scenarios/scenario.ts";
import { seedRows, TODAY } from "./seed.ts";

const SERVER = fileURLToPath(new URL("./server.ts", import.meta.url));
const OPENING = Date.parse(`${TODAY}T08:00:00Z`) / 1000;

/** A client of a desk that runs in a process of its own, over a database of its own that numbers on after `issued` ids. */
export async function openDeskClient(issued = 0): Promise<Client> {
  const client = new Client({ name: "desk-recorder", version: "1.0.0" });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [SERVER, "--issued", String(issued)] }),
  );
  return client;
}

interface Message {
  role: "user" | "assistant";
  content: string | Record<string, unknown>[];
}

interface Recording {
  readonly session: string;
  readonly created: number;
  readonly model: string;
  readonly task_id: string;
  readonly reward: number;
  readonly messages: Message[];
}

/** Plays one scenario against a desk of its own and writes the conversation down. */
async function record(
  scenario: Scenario,
  names: { session: string; task: string; created: number; issued: number },
  habits: Random,
): Promise<Recording> {
  const client = await openDeskClient(names.issued);
  const messages: Message[] = [{ role: "user", content: scenario.request }];
  const steps = scenario.steps(habits);
  let next = steps.next();
  for (let i = 1; !next.done; i++) {
    const { tool, args } = next.value;
    const id = `toolu_${names.session.slice(-3)}${String(i).padStart(2, "0")}`;
    messages.push({ role: "assistant", content: [{ type: "tool_use", id, name: tool, input: args }] });
    const answer = await client.callTool({ name: tool, arguments: args });
    const flag = answer.isError ? { is_error: true } : {};
    messages.push({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: id, content: answer.content, ...flag }],
    });
    const [block] = answer.content as { text: string }[];
    const text = block?.text ?? "";
    const reply: Reply = { text, isError: answer.isError === true, value: answer.isError ? text : JSON.parse(text) };
    next = steps.next(reply);
  }
  await client.close();
  messages.push({ role: "assistant", content: [{ type: "text", text: next.value.answer }] });
  return {
    session: names.session,
    created: names.created,
    model: "scripted-client",
    task_id: names.task,
    reward: next.value.reached ? 1 : 0,
    messages,
  };
}

/** Records the first `most` sessions of the sample, all when absent, in their fixed order, four desks at a time. */
export async function recordSessions(most = Number.POSITIVE_INFINITY): Promise<Recording[]> {
  const random = new Random(7);
  const n = KINDS.reduce((sum, [weight]) => sum + weight, 0);
  const scenarios = drawScenarios(new Deck(seedRows(), random), random, n).slice(0, most);
  const recordings: Recording[] = [];
  let taken = 0;
  const lane = async () => {
    for (let i = taken++; i < scenarios.length; i = taken++) {
      const scenario = scenarios[i] as Scenario;
      const number = String(i + 1).padStart(3, "0");
      const names = {
        session: `desk-${number}`,
        task: `${scenario.kind}-${number}`,
        created: OPENING + i * 95,
        issued: i * 3,
      };
      recordings[i] = await record(scenario, names, new Random(1000 + i));
    }
  };
  await Promise.all([lane(), lane(), lane(), lane()]);
  return recordings;
}

if (import.meta.main) {
  const client = await openDeskClient();
  const { tools } = await client.listTools();
  await client.close();
  const recordings = await recordSessions();
  writeFileSync(new URL("./tools.json", import.meta.url), `${JSON.stringify({ tools }, null, 2)}\n`);
  writeFileSync(
    new URL("./traces.jsonl", import.meta.url),
    recordings.map((row) => `${JSON.stringify(row)}\n`).join(""),
  );
  const calls = recordings.reduce((sum, row) => sum + (row.messages.length - 2) / 2, 0);
  console.error(`${recordings.length} sessions, ${calls} calls, ${tools.length} tools`);
}
