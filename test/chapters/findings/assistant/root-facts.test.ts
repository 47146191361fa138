import { expect, it } from "vitest";
import { answerByRule } from "../../../../chapters/findings/assistant/root-router.ts";
import type { FoundTool, NearAnswer, ReadTools } from "../../../../chapters/findings/assistant/root-tools.ts";
import { readTools } from "../../../../src/mcp/read-tools.ts";
import { chapters } from "../../../../tools/index.ts";
import { Registry } from "../../../../tools/kernel/registry.ts";

const counts = (certified: number, refused: number) => ({ draft: 0, certified, held: 0, refused, retired: 0 });
const run = (name: string, met: number, failed: number, created_at: number, over: object = {}) => ({
  group: `rg_${name}_${created_at}`,
  status: "landed",
  selection: "full",
  player: { name, version: "1" },
  environments: [{ environment: "env_car", run: `run_${name}`, label: "car 1" }],
  counts: { met, failed, infra: 0, invalid: 0, planned: met + failed },
  ...over,
});
const worse = { calls: 9, identical_volatile: 0, not_served: 8, wrong_answer: 1 };
const better = { calls: 4, identical_volatile: 3, not_served: 1, wrong_answer: 0 };
/** A workspace of two worlds, three agents of which one was run twice, and jobs of each end. */
const STORE: Readonly<Record<string, (args: Readonly<Record<string, unknown>>) => object>> = {
  surfaces_list: () => ({
    surfaces: [
      { name: "car", environments: [{ id: "env_car", label: "car 1", created_at: 2 }] },
      { name: "board", environments: [{ id: "env_board", label: "board 1", created_at: 1 }] },
    ],
  }),
  org_status: () => ({ environments: 2, tasks: counts(7, 2), jobs: { queued: 0, running: 0, held: 0 } }),
  environment_get: ({ env_id }) => ({ counts: env_id === "env_car" ? counts(3, 2) : counts(4, 0) }),
  environment_fidelity: ({ env_id }) => ({
    fidelity: {
      all: { calls: 9, recording: { identical_volatile: 5 } },
      tools: env_id === "env_car" ? { brake: better } : { plan: worse },
    },
  }),
  run_groups_list: () => ({
    groups: [
      run("slow", 1, 2, 4),
      run("quick", 2, 1, 3),
      run("slow", 3, 0, 2),
      run("rule", 3, 0, 1, { player: { harness: "rule" } }),
    ],
  }),
  run_group: ({ gid }) => ({
    tasks: ["a", "b", "c"].map((task, index) => {
      const met = { rg_slow_4: "a", rg_quick_3: "ab", rg_slow_2: "abc", rg_rule_1: "abc" }[String(gid)]?.includes(task);
      const ends = { met: met ? 1 : 0, failed: met ? 0 : 1, infra: 0, invalid: 0 };
      return { task, index, family: "write", request: `Do ${task}`, ends, root_causes: met ? [] : ["missing_call"] };
    }),
  }),
  jobs_list: () => ({
    jobs: [
      { id: "job_1", kind: "pipeline", status: "failed", note: "The disk is full.", parent: null, ended_at: 1 },
      { id: "job_2", kind: "run", status: "stopped", note: null, parent: null, ended_at: 1 },
      { id: "job_3", kind: "run", status: "failed", note: null, parent: "job_1", ended_at: 1 },
      { id: "job_4", kind: "run", status: "landed", note: null, parent: null, ended_at: 1 },
    ],
  }),
  evidence_list: () => ({
    evidence: [
      { id: "ev_1", surface: "car", stats: { refused: 2 } },
      { id: "ev_2", stats: { refused: 0, losses: { reasoning: 3 } } },
    ],
  }),
  evidence_get: () => ({ refused: [{ line: 3, reason: "It holds a secret" }] }),
  spend_summary: () => ({ today: { spent_usd: 1, usd_per_day: 10 }, days: [{ day: "2000-01-01", usd: 8 }] }),
  judge_get: () => ({ org: "acme", judge: { model: null, note: "The operator can set models." } }),
};

const { nearest } = readTools(
  new Registry(chapters),
  () => {
    throw new Error("nothing is called here");
  },
  { kind: "org", name: "reader", scope: "read", org: { id: "o", tag: "acme" } },
  { id: "o", tag: "acme" },
);

const found = (name: string, over: Partial<FoundTool>, score = 2): NearAnswer => ({
  score,
  question: `what ${name} answers`,
  tool: toolOf(name, over),
});
const toolOf = (name: string, over: Partial<FoundTool>): FoundTool => ({
  name,
  title: `The title of ${name}`,
  description: `What ${name} does.`,
  reads: false,
  file: false,
  effect: "create",
  scope: "push",
  takes: [],
  required: [],
  ...over,
});

function workspace(finds: readonly NearAnswer[] = [], store = STORE): ReadTools {
  return {
    nearest: (text) => (finds.length > 0 ? finds : nearest(text)),
    named: (name) => finds.flatMap((near) => ("tool" in near ? [near.tool] : [])).find((tool) => tool.name === name),
    list: () => [],
    async call(name, args) {
      const body = store[name]?.(args);
      if (body === undefined) return { status: 404, body: {} };
      return name === "judge_get" ? { status: 200, body } : { status: 200, body, verdict: `Verdict of ${name}.` };
    },
  };
}

const answerTo = async (text: string, finds: readonly NearAnswer[] = [], over: typeof STORE = {}): Promise<string[]> =>
  (await answerByRule(workspace(finds, { ...STORE, ...over }), text, new AbortController().signal)).answer.split("\n");

it("tells the failed jobs, with what else did not come to its end, once for each piece of work", async () => {
  expect(await answerTo("Which jobs failed?")).toEqual([
    "2 jobs failed or ended before the end, of 3: 1 failed, 1 stopped, 1 landed.",
    "- pipeline job_1, failed 1970-01-01 00:00 UTC: The disk is full.",
    "- run job_2, stopped 1970-01-01 00:00 UTC",
  ]);
});

it("tells of each world whether it can be relied on, and of the one that is named alone", async () => {
  const all = await answerTo("Is the simulated system good enough to rely on?");
  expect(all.slice(0, 2)).toEqual([
    "car 1: Verdict of environment_fidelity. A plain recording answers 5 of 9.",
    "board 1: Verdict of environment_fidelity. A plain recording answers 5 of 9.",
  ]);
  const one = await answerTo("How faithful is the fake board?");
  expect(one.join("\n")).not.toContain("car 1");
  expect(one).toContain("- plan of board 1: 0 of 9 calls as observed, 8 not served, 1 wrong");
});

it("tells the tool that is answered worst over all worlds", async () => {
  expect((await answerTo("Which tool of the fake system is answered worst?"))[0]).toBe(
    "Worst is plan of board 1: 0 of 9 calls as observed, 8 not served, 1 wrong.",
  );
});

it("counts the tasks of the environment that is named before those of all", async () => {
  expect(await answerTo("How many tasks does the car environment have?")).toEqual([
    "car 1: 5 tasks, 3 of them certified; 0 held, 2 refused, 0 not reviewed",
    "- in all: 9 tasks in 2 environments, 7 of them certified; 0 held, 2 refused, 0 not reviewed.",
  ]);
});

it("ranks agents by their newest runs, harnesses left out", async () => {
  const lines = await answerTo("Which agent is best right now?");
  expect(lines.slice(0, 2)).toEqual([
    "quick 1 met 2 of 3 valid trials on car 1, the highest share of 2 agent versions.",
    "- slow 1 met 1 of 3 valid trials on car 1",
  ]);
  expect((await answerTo("Which agent is the worst?"))[0]).toContain("slow 1 met 1 of 3");
});

it("tells the tasks that no agent met, by the newest run of each", async () => {
  expect(await answerTo("Which tasks does no agent solve?")).toEqual([
    "1 of 3 tasks was met by none of 2 agent versions in its newest run: slow 1, quick 1.",
    '- task 2, "Do c" (write): missing_call',
  ]);
});

it("tells what of the evidence was refused, with the reason", async () => {
  expect((await answerTo("Was any trace refused because of a secret?")).slice(0, 2)).toEqual([
    "2 items of 2 evidence records were refused, in 1 of them; read with losses: reasoning 3.",
    "- car, item 3: It holds a secret",
  ]);
});

it("counts of the spend the days that are asked for", async () => {
  expect((await answerTo("How much money have we spent this month?"))[0]).toMatch(
    /^0\.00 USD spent on models from \d{4}-\d\d-01 to \d{4}-\d\d-\d\d \(UTC\); today 1\.00 of 10\.00 USD, so that 9\.00 USD are left\.$/,
  );
});

it("says of a judge that there is none, and reads no bare name of the org out", async () => {
  const judge = found("judge_get", { reads: true, effect: "read", scope: "read" });
  expect(await answerTo("Which model judges here?", [judge])).toEqual([
    "No model judges here. The operator can set models.",
  ]);
});

it("names another tool that may be meant as well with what it takes, and none that is further", async () => {
  const finds = [
    found("reports_post", { required: ["kind"], takes: ["kind", "title"] }),
    found("reports_share", { required: ["rid"] }, 1.6),
    found("reports_list", {}, 1.5),
  ];
  expect(await answerTo("How do I share it?", finds)).toEqual([
    'reports_post does that ("The title of reports_post"), with a token of scope push. This assistant only reads: call the tool itself.',
    "- What reports_post does.",
    "- svc call reports_post kind=…; it needs kind; it may be given title",
    'Or, if "what reports_share answers" is meant:',
    'reports_share does that ("The title of reports_share"), with a token of scope push. This assistant only reads: call the tool itself.',
    "- What reports_share does.",
    "- svc call reports_share rid=…; it needs rid",
  ]);
  expect(await answerTo("How do I share it?", [finds[0]!, found("reports_share", {}, 1.4)])).toHaveLength(3);
});

it("names a tool from a lower score on than it tells what is stored", async () => {
  expect((await answerTo("How do I share it?", [found("reports_share", {}, 1.3)]))[0]).toMatch(/^reports_share does/);
  const read = { reads: true, effect: "read", scope: "read" };
  expect((await answerTo("How is it?", [found("org_status", read, 1.3)]))[0]).toMatch(/^It is not clear/);
});

it("tells what two are about where both may be meant and are only read, the nearer one first", async () => {
  const read = { reads: true, effect: "read", scope: "read" };
  expect(await answerTo("How is it?", [found("org_status", read), found("surfaces_list", read, 1.9)])).toEqual([
    "Verdict of org_status.",
    'Or, if "what surfaces_list answers" is meant:',
    "Verdict of surfaces_list.",
  ]);
});

it("names the operator's command where that is the nearest", async () => {
  const told = "By whoever runs the service: svc operator erase_trace: Erases a trace.";
  const near = { score: 2, question: "erase a trace", text: told };
  expect(await answerTo("How do I erase the data of a customer?", [near])).toEqual([told]);
  expect(await answerTo("How do I erase it?", [near, { ...near, question: "erase it" }])).toEqual([told]);
});

it("tells the newest record of a list where a tool needs one, and says so", async () => {
  const newest = found("sources_get", { reads: true, effect: "read", scope: "read", required: ["sid"] });
  const sources = ["2", "1"].map((n) => ({ kind: "upload", id: `so_${n.repeat(26)}` }));
  const lines = await answerTo("Read one source", [newest], {
    sources_list: () => ({ sources }),
    sources_get: () => ({}),
  });
  expect(lines).toEqual(["Verdict of sources_get.", `- of the newest, so_${"2".repeat(26)}; sources_list lists all`]);
});

it("counts the trials that say nothing of their agent, also of a run without a verdict", async () => {
  const asked = "How many trials ended infra or invalid?";
  const lost = { met: 0, failed: 0, infra: 4, invalid: 1, planned: 5 };
  const groups = [run("slow", 0, 0, 9, { counts: lost }), run("slow", 3, 0, 2)];
  expect((await answerTo(asked, [], { run_groups_list: () => ({ groups }) }))[0]).toMatch(
    /^4 trials of the newest runs ended infra .* and 1 invalid/,
  );
});

it("counts tasks over all environments first, also where there are more than it lists", async () => {
  const environments = Array.from({ length: 7 }, (_, i) => ({ id: `env_${i}`, label: `fleet ${i}`, created_at: i }));
  const lines = await answerTo("How many tasks are there?", [], {
    surfaces_list: () => ({ surfaces: [{ name: "fleet", environments }] }),
    org_status: () => ({ environments: 7, tasks: counts(28, 0), jobs: { queued: 0, running: 0, held: 0 } }),
  });
  expect(lines[0]).toMatch(/^28 tasks in 7 environments/);
  expect(lines.at(-1)).toBe("- and 1 more environment");
});

it("tells of an operation that is named what it takes", async () => {
  const finds = [found("start_run", { takes: ["agent", "trials"] })];
  expect(await answerTo("Which arguments does start_run take?", finds)).toEqual([
    "start_run: The title of start_run (scope push, changes something).",
    "- What start_run does.",
    "- svc call start_run; it may be given agent, trials",
  ]);
});

it("asks no tool that is not near, and names what comes nearest with its tool", async () => {
  const near = found("org_status", { reads: true, effect: "read", scope: "read" }, 0.9);
  expect((await answerTo("What is the colour of money?", [near])).slice(0, 2)).toEqual([
    "It is not clear what is asked. The nearest that can be answered, to be asked in these words:",
    '- "what org_status answers" (org_status)',
  ]);
  const far = { ...near, score: 0.4 };
  expect((await answerTo("What is the colour of money?", [far]))[0]).toMatch(/^That cannot be told by this assistant/);
});

// "How many … task" is of a kind that is known; what is asked of them is not.
it.each([
  "How many requests has nobody written a task for?",
  "Are there any tasks with a purple lining?",
  "What is a lining?",
])("leaves unanswered what a kind of question does not account for: %s", async (text) => {
  expect((await answerTo(text))[0]).toMatch(/^(That cannot be told|It is not clear what is asked)/);
});

it("tells of the agent that is named, not of the newest", async () => {
  expect(
    (await answerTo("Which tasks did the quick agent fail?", [{ score: 2, question: "", fact: "failedTasks" }]))[0],
  ).toMatch(/^quick 1 failed/);
});

it.each([
  ["In version 2, what does task 3 ask?", 3],
  ["In version 2, what does the first task ask?", 0],
  ["What does task number 1 of car 1 ask?", 1],
] as const)("tells the task that is named, whatever else has a number: %s", async (text, index) => {
  const tasks = [0, 1, 2, 3].map((n) => ({
    index: n,
    status: "certified",
    request: `Do ${n}`,
    family: "w",
    checks: [],
  }));
  const [first] = await answerTo(text, [], { environment_tasks: () => ({ tasks }) });
  expect(first).toMatch(new RegExp(`^Task ${index} of car 1 .* asks: "Do ${index}"`));
});

it.each([
  ["Which agents are connected?", "- a1 "],
  ["Which model does each agent version use?", "- a10 v10, since 1970-01-01 00:01 UTC"],
  ["Which sources are connected?", "- pull "],
  ["Which failure modes are there?", '- "mode 1"'],
])("says how many more there are than it lists: %s", async (text, first) => {
  const ten = Array.from({ length: 10 }, (_, i) => i + 1);
  // Agents in the order of their names, versions as they were made.
  const versions = (n: number) => [{ version: `v${n}`, kind: "command", command: ["x"], created_at: n * 10 }];
  const lines = await answerTo(text, [], {
    agents_list: () => ({ agents: ten.map((n) => ({ name: `a${n}`, kind: "agent", versions: versions(n) })) }),
    version_labels_get: () => ({ by_version: {} }),
    sources_list: () => ({ sources: ten.map((n) => ({ id: n, kind: "pull", cadence: "day", consent: "yes" })) }),
    failure_modes: () => ({ failure_modes: ten.map((n) => ({ title: `mode ${n}`, status: "open", by: "me" })) }),
  });
  expect(lines[1]).toContain(first);
  expect(lines.slice(9)).toEqual(["- and 2 more"]);
});

it("tells how many calls a trial makes, and not which tool is called most", async () => {
  const trials = [2, 4].map((calls, n) => ({ task: "a", n, calls, end: "met", ms: 1000 }));
  expect(await answerTo("How many tool calls does a trial need?", [], { run_get: () => ({ trials }) })).toEqual([
    "slow 1 made 3.0 tool calls a trial on average, 2 at least and 4 at most, in 2 trials.",
  ]);
});

it("points at a tool that told nothing", async () => {
  const nothing = found("agent_discoveries", { reads: true, effect: "read", scope: "read" });
  expect((await answerTo("What does it go about?", [nothing]))[0]).toMatch(/^agent_discoveries .* tells that/);
});

it("tells how the trials of all runs ended together, and says where older ones are left out", async () => {
  expect((await answerTo("Over all runs together, how many trials failed?")).slice(0, 2)).toEqual([
    "3 of 12 trials failed and 9 were met, over 4 run groups; 0 ended infra, 0 invalid.",
    "- slow 1: met 1 and failed 2 of 3",
  ]);
  const run_groups_list = () => ({ groups: [run("slow", 1, 2, 4)], next: "older" });
  expect((await answerTo("How many trials failed in total?", [], { run_groups_list }))[0]).toContain(
    "over the newest 1 run group;",
  );
});

it("tells which of two versions takes longer, with both", async () => {
  const run_get = ({ rid }: Readonly<Record<string, unknown>>) => ({
    trials: [{ ms: rid === "run_slow" ? 3000 : 1000 }],
  });
  expect(await answerTo("Which version is slower?", [], { run_get })).toEqual([
    "slow 1 takes longer a trial: slow 1 3.0 s on average, of 1 trial; quick 1 1.0 s on average, of 1 trial.",
  ]);
});

it("tells the families of tasks that a version fails at", async () => {
  const families = [
    { family: "write", met: 3, valid: 3 },
    { family: "multi_write", met: 0, valid: 2 },
  ];
  const lines = await answerTo("What kinds of tasks does version 1 still fail at?", [], {
    run_group: () => ({ families }),
  });
  expect(lines.slice(0, 2)).toEqual([
    "slow 1 does worst at multi write: 0 of 2 trials met.",
    "- multi write: 0 of 2 met",
  ]);
});

it("tells where the steps of a failed trial are", async () => {
  const tree = { request: "Do c", checks: [], answers: [], calls: [], root_cause: "missing_call" };
  const lines = await answerTo("Why did the last trial fail?", [], {
    run_trace: ({ trial }) => ({ trials: [{ trial: "c 0", end: "failed" }], tree: { ...tree, trial } }),
  });
  expect(lines[0]).toMatch(/^Trial c 0 of slow 1 failed by missing_call/);
  expect(lines[1]).toMatch(/svc call run_trace rid=run_slow trial=c 0/);
});

it("tells what a word means by the glossary's sentence", async () => {
  expect((await answerTo("What is a bundle?"))[0]).toMatch(/^bundle: What the compiler makes of a surface's evidence/);
  expect((await answerTo("What does certified mean?"))[0]).toMatch(/^certificate: The proof that a task's checks/);
  const both = await answerTo("What is the difference between a surface and an environment?");
  expect(both.map((line) => line.split(":")[0])).toEqual(["surface", "environment"]);
});

it("says of an answer that heeds no span of time that it is not narrowed to the one asked for", async () => {
  const asked = "How many tasks do we have this week?";
  const near = { score: 2, question: "", fact: "taskCounts" };
  expect((await answerTo(asked, [near])).at(-1)).toBe(
    '- of the newest or of all that is stored: it is not narrowed to "this week"',
  );
});

it("tells the jobs of the span of time that is asked for, with the newest where there are none", async () => {
  const lines = await answerTo("Did last night's job finish?");
  expect(lines[0]).toBe("0 jobs of last night (UTC), the newest first.");
  expect(lines[1]).toMatch(/^- the newest: /);
});

it("tells the tasks that every agent met", async () => {
  expect(await answerTo("Which tasks always pass?")).toEqual([
    "1 of 3 tasks was met by each trial of 2 agent versions in its newest run: slow 1, quick 1.",
    '- task 0, "Do a" (write)',
  ]);
});
