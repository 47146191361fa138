import { afterAll, beforeAll, expect, it } from "vitest";
import { invoker } from "../helpers/app.ts";
import { deskStore } from "./desk-store.ts";

let store: Awaited<ReturnType<typeof deskStore>>;
let ask: (text: string) => Promise<{ answer: string; cites: { tool: string }[] }>;
let read: (tool: string, args?: Record<string, unknown>) => Promise<Record<string, never>>;
beforeAll(async () => {
  store = await deskStore(3);
  const invoke = invoker(store.app, "rest", store.org);
  read = async (tool, args = {}) => (await invoke(tool, args)).body;
  ask = async (text) => (await invoke("root_post", { text })).body;
}, 600_000);
afterAll(() => store.app.close());

/** Questions of people who had not seen how they are answered, and what the first line of an answer to the point says. */
const QUESTIONS: readonly (readonly [string, RegExp])[] = [
  ["How many traces do I have?", /^\d+ traces with \d+ tool calls/],
  ["Which tool does my agent call most often?", /^\w+ is called most often: \d+ of \d+ calls in \d+ traces/],
  ["Which tool fails most often?", /fails most often: \d+ of its \d+ call|^No tool fails/],
  ["What is my agent's pass rate?", /^desk agent 2 met \d+ of \d+ valid trials/],
  ["Did the last run do better than the one before it?", /desk agent/],
  ["Which tasks does my agent always fail?", /^desk agent 2 failed \d+ of \d+ tasks in every trial/],
  ["Why did the last failed trial fail?", /^Trial .* of desk agent 2 failed by/],
  ["How faithful is the simulated desk?", /of held-out calls answered as observed/],
  ["Which tools has my agent never been tested on?", /needed by (no )?a?\s?certified task/],
  [
    "How many tasks are there, and how many of them were certified?",
    /^\d+ tasks in 1 environment, \d+ of them certified/,
  ],
  ["What did the last run cost?", /desk agent 2 .* cost/],
  ["How long did the last run take?", /^The run of desk agent 2 took/],
  ["Is the new agent version safe to ship?", /desk agent/],
  ["Are any jobs still running or stuck?", /^0 jobs run now/],
  ["What are the most common failure modes?", /^1 failure mode:/],
  ["How many trials do I need to see a 5 point difference?", /^To show a difference of 5\.0 points 80 times in 100/],
  ["Who has access to this organization?", /members_list/],
  ["When were the last traces pushed?", /^The newest traces were stored at \d{4}-/],
  ["Which tasks changed their result between the two agents?", /desk agent/],
  ["What will the weather be in Paris tomorrow?", /cannot be told/],
  ["How many agents do I have?", /^1 connected agent,/],
  ["What did version 1 score?", /^desk agent 1 met/],
  ["Is version 2 better than version 1?", /desk agent/],
  ["Which task family does my agent do worst at?", /^desk agent 2 does worst at/],
  ["What is the most frequent reason for failures?", /^Most failures of desk agent 2 are \w+: \d+ of \d+ failed trial/],
  ["How often do the tools return errors in the last run?", /of \d+ calls in \d+ trials of desk agent 2/],
  ["Which environment should I use for a run?", /cannot be told/],
  ["Are there any tasks that were refused in review?", /^\d+ tasks in .* refused/],
  ["How many calls does an average trace have?", /^\d+\.\d tool calls a trace on average/],
  ["What schedules are set up?", /^1 schedule/],
  ["How much have I spent today?", /USD spent today/],
  ["Do my traces contain personal data?", /^Evidence records by data access: \d+ full/],
  ["What should I do next?", /^Next: /],
  ["Which tasks are about refunds?", /^\d+ of \d+ tasks? (is|are) about refunds/],
  ["When did the last run finish?", /^The run of desk agent 2 took/],
  ["Who pushed the traces?", /^The newest traces were stored at .* by /],
  ["Which tasks fail in version 1 but not in version 2?", /desk agent/],
  ["How many environments are there?", /1 environment/],
  ["Can I share a report with my boss?", /^reports_post does that/],
  ["How do I add a new version of my agent?", /^agent_versions_post does that/],
  ["Please summarise where we stand.", /^\d+ certified tasks/],
  ["Tell me a joke.", /cannot be told/],
];

it("answers plain questions to the point, or says that it cannot", async () => {
  const beside: string[] = [];
  for (const [question, says] of QUESTIONS) {
    const { answer } = await ask(question);
    if (!says.test(answer.split("\n")[0] ?? "")) beside.push(`${question} -> ${answer.slice(0, 300)}`);
  }
  expect(beside).toEqual([]);
});

it("tells the numbers that other calls tell", async () => {
  const { evidence } = (await read("evidence_list", { kind: "traces" })) as unknown as {
    evidence: { id: string; stats: { calls: number } }[];
  };
  const uses = new Map<string, number>();
  for (const { id } of evidence) {
    const { tools } = (await read("evidence_get", { eid: id, summary: true })) as unknown as {
      tools: { tool: string; calls: number }[];
    };
    for (const { tool, calls } of tools) uses.set(tool, (uses.get(tool) ?? 0) + calls);
  }
  const calls = evidence.reduce((sum, { stats }) => sum + stats.calls, 0);
  expect([...uses.values()].reduce((a, b) => a + b, 0)).toBe(calls);
  const [[most, n]] = [...uses].sort((a, b) => b[1] - a[1]) as [[string, number]];
  const { answer } = await ask("Which tool is used most often?");
  expect(answer).toContain(`${most} is called most often: ${n} of ${calls} calls`);

  const group = (await read("run_group", { gid: store.groups[3] })) as unknown as {
    tasks: { ends: { met: number; failed: number } }[];
  };
  // A task whose trials all met a gap was not tried.
  const tried = group.tasks.filter(({ ends }) => ends.met + ends.failed > 0);
  const lost = tried.filter(({ ends }) => ends.met === 0).length;
  expect((await ask("Which tasks does my agent always fail?")).answer).toContain(
    `failed ${lost} of ${tried.length} tasks in every trial`,
  );
  const { untested_tools: untested } = (await read("coverage_matrix")) as unknown as {
    untested_tools: { tool: string }[];
  };
  const said = (await ask("Which tools are never tested?")).answer;
  for (const { tool } of untested) expect(said).toContain(tool);
});
