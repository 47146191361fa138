import { afterAll, beforeAll, expect, it } from "vitest";
import { sample } from "../../src/evaluate/sample.ts";
import type { TestApp, TestMcp } from "../helpers/app.ts";
import { deskStore } from "./desk-store.ts";
import { GoalSession } from "./goal-session.ts";

const apps: TestApp[] = [];
const lists = new Map<string, TestMcp>();
beforeAll(async () => {
  // A store of its own for each: what one walk adds and retires is not there for the other.
  for (const [name, query] of [
    ["core", { toolset: "core" }],
    ["all", {}],
  ] as const) {
    const { app, org } = await deskStore();
    apps.push(app);
    lists.set(name, await app.mcp(org.admin, query));
  }
});
afterAll(() => Promise.all(apps.map((app) => app.close())));

interface Goal {
  readonly said: string;
  /** How many calls it takes at least, for somebody who knows every tool. */
  readonly shortest: number;
  /** Whether it was reached. */
  readonly go: (s: GoalSession) => Promise<boolean>;
}

/** The newest whole runs of the agent's two versions, the older version first. */
const newestTwo = async (s: GoalSession): Promise<[string, string]> => {
  const { groups } = (await s.use("run_groups_list", { limit: 100 })).body as { groups: GroupRow[] };
  const [a, b] = ["1", "2"].map((version) =>
    groups.find(
      ({ player, status, selection }) =>
        player.name === "desk agent" && player.version === version && status === "landed" && selection === "full",
    ),
  );
  return [String(a?.group), String(b?.group)];
};
interface GroupRow {
  readonly group: string;
  readonly status: string;
  readonly selection: string;
  readonly player: { readonly name: string; readonly version: string };
}
/** The environment with the most tasks: others are made on the way. */
const environmentOf = async (s: GoalSession): Promise<string> => {
  const { surfaces } = (await s.use("surfaces_list")).body as {
    surfaces: { environments?: { id: string; tasks: number }[] }[];
  };
  const all = surfaces.flatMap(({ environments = [] }) => environments);
  return all.sort((a, b) => b.tasks - a.tasks)[0]?.id ?? "";
};

/** The twelve goals of the audit of experience, then twelve that a stranger wrote down before seeing any list. */
const GOALS: readonly Goal[] = [
  { said: "Where do we stand?", shortest: 1, go: async (s) => /task/.test((await s.use("org_status")).text) },
  {
    said: "Did the change make it worse, and why?",
    shortest: 3,
    async go(s) {
      const [a, b] = await newestTwo(s);
      const { text } = await s.use("compare_runs", { a, b });
      const why = await s.use("run_group", { gid: b });
      return /met \d+ of \d+/.test(text) && why.body.root_causes.length > 0;
    },
  },
  {
    said: "What did that check want?",
    shortest: 3,
    async go(s) {
      const env_id = await environmentOf(s);
      const { body } = await s.use("environment_task_checks", { env_id, index: 0 }, "what did that check want?");
      return body.checks.length > 0 && body.checks.every(({ decides }: { decides: string }) => decides.length > 0);
    },
  },
  {
    said: "What does my agent never test?",
    shortest: 1,
    async go(s) {
      const { body, text } = await s.use("coverage_matrix");
      return (
        body.untested_tools.length > 0 && body.untested_tools.every(({ tool }: { tool: string }) => text.includes(tool))
      );
    },
  },
  {
    said: "Make tasks about returns",
    shortest: 4,
    async go(s) {
      const wanted = (operation: string) => ({ surface: "desk", tasks: 4, selection: { operation: [operation] } });
      const words = "make tasks about returns";
      // No operation of that name: the refusal has to say which there are.
      const refused = await s.use("generate_environments", wanted("returns"), words);
      const operation = /return[a-z_]+/.exec(refused.text.split("names")[2] ?? "")?.[0] ?? "";
      const { body } = await s.again("generate_environments", wanted(operation));
      const job = await s.until("job_status", { job_id: body.job }, ({ body: row }) => row.ended_at !== null);
      return job.body.status === "landed" && job.body.result.environments[0].certified > 0;
    },
  },
  {
    said: "Run version 1 on the same tasks as version 2, then compare",
    shortest: 4,
    async go(s) {
      const [, group] = await newestTwo(s);
      const started = (await s.use("start_run", { agent: "desk agent", agent_version: "1", group })).body;
      await s.until("job_status", { job_id: started.job }, ({ body }) => body.ended_at !== null);
      const { body } = await s.use("compare_runs", { a: started.group, b: group });
      return body.refused.length === 0 && body.a.valid > 0;
    },
  },
  {
    said: "Add my own task in plain words",
    shortest: 5,
    async go(s) {
      const env_id = await environmentOf(s);
      const { groups } = (await s.use("run_groups_list")).body;
      const reference = groups.find((row: { player: { harness: string } }) => row.player.harness === "reference");
      const rid = reference.environments[0].run;
      const { tree } = (await s.use("run_trace", { rid, trial: await lookupTrial(s, env_id) })).body;
      const calls = tree.calls.map(({ tool, args }: { tool: string; args: object }) => ({ tool, args }));
      const facts = factsOf(await s.use("environment_tasks", { env_id, family: "lookup", limit: 1 }));
      const right = { kind: "answer", calls, answer: tree.answers.at(-1).text, facts };
      const stated = [{ request: `Hello there! ${tree.request}`, right }];
      return !(await s.use("environment_tasks_post", { env_id, stated }, "add my own task in plain words")).refused;
    },
  },
  {
    said: "Is the fake world faithful?",
    shortest: 2,
    go: async (s) =>
      (await s.use("environment_fidelity", { env_id: await environmentOf(s) })).body.fidelity.all.calls > 0,
  },
  {
    said: "Redact names and share a report",
    shortest: 4,
    async go(s) {
      const [a, b] = await newestTwo(s);
      const { body } = await s.use("reports_post", { kind: "comparison", id: a, against: b });
      const shared = await s.use("reports_share", { report_id: body.id, on: true }, "share a report with a link");
      return /\/r\/svc_share_/.test(shared.text) && /What was taken out/.test(shared.text + JSON.stringify(body));
    },
  },
  {
    said: "Put the verdict on the pull request",
    shortest: 3,
    async go(s) {
      const [against, gid] = await newestTwo(s);
      const asked = { gid, against, dry_run: true };
      const { body } = await s.use("comment_on_pr", asked, "put the verdict on the pull request");
      return /met/.test(body.body);
    },
  },
  {
    said: "Compare the two models of these public result files",
    shortest: 4,
    async go(s) {
      const groups: string[] = [];
      const words = "compare two result files with rewards";
      for (const rewards of [REWARDS_A, REWARDS_B]) {
        const args = { results: tau2Results(rewards) };
        const stored = groups.length === 0 ? await s.use("runs_post", args, words) : await s.again("runs_post", args);
        groups.push(stored.body.group);
      }
      const { body } = await s.use("compare_runs", { a: groups[0], b: groups[1] });
      return body.a.met === 1 && body.b.met === 3 && body.a.valid === 4;
    },
  },
  {
    said: "Find traces where a refund was refused",
    shortest: 4,
    async go(s) {
      const { evidence } = (await s.use("evidence_list", {}, "list the stored evidence")).body;
      const eid = evidence.find(
        (row: { surface: string; kind: string }) => row.surface === "desk" && row.kind === "traces",
      ).id;
      const words = "find traces where a refund was refused";
      // Words are read in as long as a search may take: what it says of that is heeded.
      const asked = { eid, q: "refund" };
      const { body } = await s.until("evidence_match", asked, (reply) => reply.body.found.note === undefined, words);
      return body.found.n > 0 && body.found.traces.length > 0;
    },
  },
  {
    said: "Push these trace files of my agent",
    shortest: 1,
    async go(s) {
      const content = [
        { role: "user", content: "Where is order 7?" },
        { role: "assistant", content: null, tool_calls: [call("find_order", { id: "7" })] },
        { role: "tool", tool_call_id: "c1", content: '{"id":"7","status":"sent"}' },
        { role: "assistant", content: "It was sent." },
      ];
      const { body } = await s.use("evidence_post", { content: [{ messages: content }], surface: "pushed" });
      return body.stats.traces === 1 && body.stats.calls === 1;
    },
  },
  {
    said: "Which tools does my agent call in the traces, and how often does each fail?",
    shortest: 4,
    async go(s) {
      const { evidence } = (await s.use("evidence_list", { kind: "traces" }, "list the stored evidence")).body;
      const row = evidence.find(({ surface }: { surface: string }) => surface === "desk") ?? evidence[0];
      const words = "which tools are called in the traces and how often does each fail";
      const { body } = await s.use("evidence_get", { eid: row.id, summary: true }, words);
      const sum = body.tools.reduce((all: number, { calls }: { calls: number }) => all + calls, 0);
      const told = body.tools.every(({ errors, calls }: { errors: number; calls: number }) => errors <= calls);
      return body.tools.length > 0 && sum === row.stats.calls && told;
    },
  },
  {
    said: "Register my agent and check that it answers",
    shortest: 4,
    async go(s) {
      const command = sample().agent.versions[0]?.command;
      const { agent } = (await s.use("agents_post", { kind: "command", name: `smoke ${named++}`, command })).body;
      const { body } = await s.use("smoke_agent", { aid: agent.id }, "check that an agent answers");
      const job = await s.until("job_status", { job_id: body.job }, ({ body: row }) => row.ended_at !== null);
      return job.body.status === "landed" && job.body.result.graded.checks.length > 0;
    },
  },
  {
    said: "Run my agent on 5 tasks, two trials each, and wait until it ends",
    shortest: 3,
    async go(s) {
      const environment = await environmentOf(s);
      const asked = { agent: "desk agent", agent_version: "2", environment, selection: "smoke-5", trials: 2 };
      const { body } = await s.use("start_run", asked);
      const watched = await s.until("watch_job", { job_id: body.job }, (reply) => reply.body.ended_at !== null);
      return watched.body.tally.met + watched.body.tally.failed === 10;
    },
  },
  {
    said: "Show me, step by step, one trial that failed",
    shortest: 3,
    async go(s) {
      const { body } = await s.use("run_groups_list", { limit: 50 });
      const row = body.groups.find(({ counts }: { counts: { failed: number } }) => counts.failed > 0);
      const { text } = await s.use("run_group", { gid: row.group });
      const next = JSON.parse(/^Call: (.*)$/m.exec(text)?.[1] ?? "{}");
      const { tree } = (await s.use(next.tool, next.arguments)).body;
      return tree.end === "failed" && tree.checks.some(({ verdict }: { verdict: string }) => verdict === "not_met");
    },
  },
  {
    said: "Which failure reasons come up most in the last run?",
    shortest: 2,
    async go(s) {
      const [, gid] = await newestTwo(s);
      const { body } = await s.use("run_group", { gid });
      return body.rates.failed === 0 || body.root_causes[0].trials > 0;
    },
  },
  {
    said: "Stop a run that is going",
    shortest: 4,
    async go(s) {
      const environment = await environmentOf(s);
      const asked = { agent: "desk agent", agent_version: "2", environment, trials: 20 };
      const { body } = await s.use("start_run", asked);
      await s.use("job_stop", { job_id: body.job }, "stop a run");
      const job = await s.until("job_status", { job_id: body.job }, ({ body: row }) => row.ended_at !== null);
      return job.body.status === "stopped";
    },
  },
  {
    said: "What did the last run cost?",
    shortest: 3,
    async go(s) {
      const { groups } = (await s.use("run_groups_list", { limit: 1 })).body;
      const rid = groups[0].environments[0].run;
      const { body } = await s.use("run_get", { rid }, "cost of a run, tokens and money");
      return Array.isArray(body.trials) && "summary" in body;
    },
  },
  {
    said: "One task is wrong: take it out of the set",
    shortest: 4,
    async go(s) {
      const env_id = await environmentOf(s);
      const { body } = await s.use("environment_tasks", { env_id, family: "write" });
      const args = { env_id, indexes: [body.tasks[0].index], reason: "its check is too strict" };
      const retired = await s.use("environment_tasks_retire", args, "take a wrong task out of the set");
      const { reason: _reason, ...back } = args;
      await s.uncounted("environment_tasks_restore", back);
      return retired.body.retired[0] === body.tasks[0].index;
    },
  },
  {
    said: "Record a failure that I saw, and find it again",
    shortest: 3,
    async go(s) {
      const mode = { title: "promises without checking", description: "Says done without a call." };
      await s.use("failure_modes_post", mode, "record a failure mode");
      return /promises without checking/.test((await s.use("failure_modes")).text);
    },
  },
  {
    said: "Run my agent every night by itself",
    shortest: 2,
    async go(s) {
      const nightly = { kind: "run", surface: "desk", cadence: "daily", agent: "desk agent" };
      const { refused, text } = await s.use("schedules_post", nightly, "run my agent every night");
      // There is one already on the second list: the refusal says so.
      return !refused || /already/i.test(text);
    },
  },
  {
    said: "A customer asks to be forgotten",
    shortest: 1,
    async go(s) {
      // Only the operator may, and no tool: the search has to say so, and where there is none, the assistant.
      const said = s.searches
        ? await s.use("find_operations", { query: "erase the traces of a customer who asks to be forgotten" })
        : await s.use("root_post", { text: "How do I erase the data of a customer who asks to be forgotten?" });
      return said.text.includes("svc operator erase_person");
    },
  },
];

const REWARDS_A = [1, 0, 0, 0];
const REWARDS_B = [1, 1, 1, 0];
let named = 0;

/** A results file of the tau2 benchmark, a simulation for each reward. */
function tau2Results(rewards: readonly number[]): object {
  return {
    timestamp: "2025-08-01T00:00:00",
    info: {
      num_trials: 1,
      max_steps: 100,
      environment_info: { domain_name: "made" },
      agent_info: { implementation: "llm_agent", llm: `model-${rewards.join("")}` },
      user_info: { implementation: "user_simulator", llm: "user" },
    },
    tasks: rewards.map((_, id) => ({ id: String(id) })),
    simulations: rewards.map((reward, id) => ({
      id: `sim-${rewards.join("")}-${id}`,
      task_id: String(id),
      trial: 0,
      timestamp: "2025-08-01T00:00:00",
      start_time: "2025-08-01T00:00:00",
      end_time: "2025-08-01T00:01:00",
      duration: 60,
      termination_reason: "user_stop",
      reward_info: { reward },
      messages: [
        { role: "user", content: `Order ${id}?` },
        { role: "assistant", content: "Sent." },
      ],
    })),
  };
}

function call(name: string, args: object) {
  return { id: "c1", type: "function", function: { name, arguments: JSON.stringify(args) } };
}

async function lookupTrial(s: GoalSession, env_id: string): Promise<string> {
  const { body } = await s.use("environment_tasks", { env_id, family: "lookup", limit: 1 });
  return `${body.tasks[0].id}.1`;
}

/** What the answer of a listed task has to say, as its check's words tell. */
function factsOf({ body }: { body: { tasks: { checks: { kind: string; decides: string }[] }[] } }): string[] {
  const says = body.tasks[0]?.checks.find(({ kind }) => kind === "answer_includes")?.decides ?? "";
  return [says.replace(/^The answer says /, "").replace(/\.$/, "")];
}

/** The goals that were reached on each list. */
const reachedOn = new Map<string, readonly string[]>();

// Finding E46.
it.each(["core", "all"])(
  "of 24 goals 22 are reached on the list %s, with at most two calls beyond the shortest way",
  async (name) => {
    const mcp = lists.get(name) as TestMcp;
    const listed = new Set((await mcp.list()).map((tool) => tool.name));
    const lines: string[] = [];
    const done: string[] = [];
    for (const { said, shortest, go } of GOALS) {
      const session = new GoalSession(mcp, listed);
      const reached = await go(session).catch((error: Error) => {
        session.transcript.push(`! ${error.message}`);
        return false;
      });
      const calls = session.transcript.length;
      if (reached && calls <= shortest + 2) done.push(said);
      else lines.push(...session.transcript.map((line) => `    ${line.slice(0, 1500)}`));
      lines.push(`${reached ? "done" : "not done"} in ${calls} (${shortest}): ${said}`);
    }
    console.log(lines.join("\n"));
    expect(GOALS).toHaveLength(24);
    expect(done.length).toBeGreaterThanOrEqual(22);
    // Whoever sees all operations does no worse than whoever sees the core alone.
    expect(reachedOn.get("core")?.filter((goal) => !done.includes(goal)) ?? []).toEqual([]);
    reachedOn.set(name, done);
  },
);
