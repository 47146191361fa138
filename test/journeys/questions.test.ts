import { afterAll, beforeAll, expect, it } from "vitest";
import { invoker } from "../helpers/app.ts";
import { deskStore } from "./desk-store.ts";

let store: Awaited<ReturnType<typeof deskStore>>;
let ask: (text: string) => Promise<{ answer: string; cites: { tool: string }[] }>;
let read: (tool: string, args?: Record<string, unknown>) => Promise<Record<string, never>>;
beforeAll(async () => {
  store = await deskStore();
  const invoke = invoker(store.app, "rest", store.org);
  read = async (tool, args = {}) => (await invoke(tool, args)).body;
  ask = async (text) => (await invoke("root_post", { text })).body;
});
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
  ["Are any jobs still running or stuck?", /^\d+ jobs? runs? now/],
  ["What are the most common failure modes?", /^1 failure mode, 1 of them open/],
  ["How many trials do I need to see a 5 point difference?", /^To show a difference of 5\.0 points 80 times in 100/],
  ["Who has access to this organization?", /members_list/],
  ["When were the last traces pushed?", /^The newest traces were stored at \d{4}-/],
  ["Which tasks changed their result between the two agents?", /desk agent/],
  ["What will the weather be in Paris tomorrow?", /cannot be told/],
  ["How many agents do I have?", /^1 connected agent: desk agent/],
  ["What did version 1 score?", /^desk agent 1 met/],
  ["Is version 2 better than version 1?", /desk agent/],
  ["Which task family does my agent do worst at?", /^desk agent 2 does worst at/],
  ["What is the most frequent reason for failures?", /^Most failures of desk agent 2 are \w+: \d+ of \d+ failed trial/],
  ["How often do the tools return errors in the last run?", /of \d+ calls in \d+ trials of desk agent 2/],
  ["Which environment should I use for a run?", /^1 environment: desk 1/],
  ["Are there any tasks that were refused in review?", /^\d+ tasks in .* refused/],
  ["How many calls does an average trace have?", /^\d+\.\d tool calls a trace on average/],
  ["What schedules are set up?", /^1 schedule/],
  ["How much have I spent today?", /USD spent on models from (\d{4}-\d\d-\d\d) to \1 .* today \d/],
  ["Do my traces contain personal data?", /^Evidence records by data access: \d+ full/],
  ["What should I do next?", /^Next: /],
  ["Which tasks are about refunds?", /^\d+ of \d+ tasks? (is|are) about refunds/],
  ["When did the last run finish?", /^The run of desk agent 2 took/],
  ["Who pushed the traces?", /^The newest traces were stored at .* by /],
  ["Which tasks fail in version 1 but not in version 2?", /desk agent/],
  ["How many environments are there?", /1 environment/],
  ["Can I share a report with my boss?", /^reports_(post|share) does that/],
  ["How do I add a new version of my agent?", /^agent_versions_post does that/],
  ["Please summarise where we stand.", /^\d+ certified tasks/],
  ["Tell me a joke.", /cannot be told/],
  ["Who has admin rights here?", /^members_list/],
  ["How many people can log in?", /^members_list/],
  ["Which access tokens are still valid?", /^org_tokens_list tells that, to a token of scope admin/],
  ["How much did we spend on models this month?", /USD spent on models from \d{4}-\d\d-01 to/],
  ["Where do our traces come from?", /^No source is connected/],
  ["Is the Langfuse import still working?", /^No source is connected/],
  ["Is GitHub hooked up?", /^No code host is connected/],
  ["What formats did you receive?", /^\d+ traces with \d+ tool calls/],
  ["Show me sessions where a tool returned an error", /^evidence_match with filter/],
  ["What kinds of requests do users make?", /^\d+ use cases seen in traces/],
  ["Which use cases have no tests at all?", /use cases seen in traces ha(s|ve) no task/],
  ["What business objects does the agent work with?", /^desk has \d+ objects: .*orders/],
  ["What is in the starting database of the world?", /begins with \d+ tables of rows: .*orders \d+/],
  ["Which parts of the API can't be simulated yet?", /of held-out calls answered as observed/],
  ["Is there an environment I can point my own agent at?", /^1 environment: /],
  ["Are all tasks proven?", /^\d+ tasks in 1 environment, \d+ of them certified/],
  ["What does the first task ask for?", /^Task 0 of .* asks: "/],
  ["Which agents are registered?", /^1 connected agent: desk agent/],
  ["Which version is live in production?", /^\d+ agent versions; none is labelled/],
  ["What is different between the two versions of my agent?", /desk agent/],
  ["What can my agent do well?", /^desk agent 2 does best at/],
  ["How flaky is my agent?", /tried more than once ended both ways|tried each task once/],
  ["Can I trust that difference or is it noise?", /desk agent/],
  ["How long does a trial take on average?", /^A trial of desk agent 2 took .* on average/],
  ["How many tokens did the last run burn?", /^How many tokens the run of desk agent 2 .* is not known/],
  ["Can I export the tasks for training?", /^org_export .* answers that as a file/],
  ["What should the developers fix first?", /^Most failures of desk agent 2 are/],
  ["Is there an open failure mode nobody looks after?", /^1 failure mode/],
  ["What do I have to do now?", /^Next: /],
  ["How long did the evaluation take?", /^The run of desk agent 2 took/],
  ["Which agent is the primary one?", /^1 connected agent: desk agent/],
  ["Which systems do you know?", /^1 surface: desk/],
  ["How often does the agent call cancel_order?", /^cancel_order is called \d+ times of \d+ calls/],
  ["What do users ask for most often?", /^\d+ use cases seen in traces/],
  ["How many rows are in the world's orders table?", /begins with \d+ tables of rows: .*orders \d+/],
  ["Are there tasks nobody solved?", /^\d+ of \d+ tasks? (was|were) met by none/],
  ["How many trials did version 1 fail?", /^desk agent 1 met \d+ of \d+ valid trials/],
  ["Which agent was tested last?", /^desk agent 2 met \d+ of \d+ valid trials/],
  ["Which failures are new in version 2?", /desk agent/],
  ["Which tasks do both versions fail?", /met by none of \d+ agent versions/],
  // What is said in words of another meaning is not answered by chance.
  ["Who deleted something last week?", /not clear what is asked/],
  ["Which exports have been made so far?", /not clear what is asked/],
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
