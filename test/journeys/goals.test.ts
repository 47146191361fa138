import { afterAll, beforeAll, expect, it } from "vitest";
import { startApp, type TestApp, type TestMcp } from "../helpers/app.ts";
import { deskStore } from "./desk-store.ts";
import { GoalSession } from "./goal-session.ts";

let app: TestApp;
const lists = new Map<string, TestMcp>();
beforeAll(async () => {
  app = await startApp();
  const org = await app.org();
  await deskStore(app, org, 3);
  lists.set("core", await app.mcp(org.admin, { toolset: "core" }));
  lists.set("all", await app.mcp(org.admin));
}, 600_000);
afterAll(() => app.close());

interface Goal {
  readonly said: string;
  /** How many calls it takes at least, for somebody who knows every tool. */
  readonly shortest: number;
  /** Whether it was reached. */
  readonly go: (s: GoalSession) => Promise<boolean>;
}

const newestTwo = async (s: GoalSession): Promise<[string, string]> => {
  const { body } = await s.use("run_groups_list");
  return [body.groups[1].group, body.groups[0].group];
};
const environmentOf = async (s: GoalSession): Promise<string> =>
  (await s.use("surfaces_list")).body.surfaces[0].environments[0].id;

/** Eleven goals of the audit of experience, then thirteen more. */
const GOALS: readonly Goal[] = [
  { said: "Where do we stand?", shortest: 1, go: async (s) => /task/.test((await s.use("org_status")).text) },
  {
    said: "Did the change make it worse, and why?",
    shortest: 3,
    async go(s) {
      const [a, b] = await newestTwo(s);
      const { text } = await s.use("compare_runs", { a, b });
      const why = await s.use("run_group_levels", { gid: b }, "why does it fail: root causes of a run group");
      return /met \d+ of \d+/.test(text) && !why.refused;
    },
  },
  {
    said: "What did that check want?",
    shortest: 2,
    async go(s) {
      const env_id = await environmentOf(s);
      const { body } = await s.use("environment_task_checks", { env_id, index: 0 }, "what did that check want?");
      return body.checks.length > 0;
    },
  },
  { said: "What does my agent never test?", shortest: 1, go: async (s) => !(await s.use("coverage_matrix")).refused },
  {
    said: "Make tasks about refunds",
    shortest: 2,
    async go(s) {
      const wanted = { surface: "desk", tasks: 4, selection: { operation: ["refund"] } };
      const words = "write new tasks for a selection such as refunds";
      const { refused, body, text } = await s.use("generate_environments", wanted, words);
      // No operation of that name: the refusal has to say which there are.
      if (refused) return /there are|known/i.test(text);
      const job = await s.until("job_status", { job_id: body.job }, ({ body: row }) => row.ended_at !== null);
      return job.body.status === "landed";
    },
  },
  {
    said: "Run version 1 on the same tasks as version 2, then compare",
    shortest: 5,
    async go(s) {
      const { agents } = (await s.use("agents_list")).body;
      const agent = agents.find((row: { name: string }) => row.name === "desk agent").id;
      const [, b] = await newestTwo(s);
      const environment = await environmentOf(s);
      const started = (await s.use("start_run", { agent, agent_version: "1", environment })).body;
      await s.until("job_status", { job_id: started.job }, ({ body }) => body.ended_at !== null);
      const { text } = await s.use("compare_runs", { a: started.group, b });
      return /met \d+ of \d+/.test(text);
    },
  },
  {
    said: "Add my own task in plain words",
    shortest: 1,
    async go(s) {
      const env_id = await environmentOf(s);
      const task = { env_id, request: "Refund order 7", criteria: "The refund is made once." };
      return !(await s.use("environment_tasks_post", task, "add my own task in plain words")).refused;
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
    shortest: 3,
    async go(s) {
      const [a, b] = await newestTwo(s);
      const { body } = await s.use("reports_post", { kind: "comparison", id: a, against: b });
      const shared = await s.use("reports_share", { report_id: body.id, on: true }, "share a report by a link");
      return /https?:|\/r\//.test(shared.text);
    },
  },
  {
    said: "Put the verdict on the pull request",
    shortest: 2,
    async go(s) {
      const [against, gid] = await newestTwo(s);
      const asked = { gid, against, dry_run: true };
      return !(await s.use("comment_on_pr", asked, "put the verdict on the pull request")).refused;
    },
  },
  {
    said: "Which traces call a refund?",
    shortest: 2,
    async go(s) {
      const { evidence } = (await s.use("evidence_list", {}, "list the stored evidence")).body;
      const eid = evidence.find((row: { kind: string }) => row.kind === "traces").id;
      return !(await s.use("evidence_match", { eid }, "find traces where a refund was refused")).refused;
    },
  },
  {
    said: "Show me a trial that failed",
    shortest: 3,
    async go(s) {
      const [, gid] = await newestTwo(s);
      const { body } = await s.use("run_group", { gid });
      const rid = JSON.stringify(body).match(/run_[0-9a-z]{26}/)?.[0] ?? body.run;
      return !(await s.use("run_trace", { rid })).refused;
    },
  },
  {
    said: "What have we spent?",
    shortest: 1,
    go: async (s) => /USD/.test((await s.use("spend_summary", {}, "what have we spent?")).text),
  },
  {
    said: "Set a daily budget of five dollars",
    shortest: 1,
    go: async (s) => !(await s.use("budget_put", { usd_per_day: 5 }, "set a daily budget")).refused,
  },
  {
    said: "Add a colleague",
    shortest: 1,
    async go(s) {
      const person = { email: "b@example.com", name: "B" };
      return !(await s.use("members_post", person, "add a colleague")).refused;
    },
  },
  {
    said: "Remove the colleague again",
    shortest: 2,
    async go(s) {
      const { members } = (await s.use("members_list", {}, "who are the members?")).body;
      const mid = members.find((row: { email: string }) => row.email === "b@example.com")?.id;
      return !(await s.use("members_delete", { mid }, "remove a member")).refused;
    },
  },
  {
    said: "Note what a customer complained about",
    shortest: 1,
    async go(s) {
      const note = { text: "It told me that my order was sent, and it was not." };
      return !(await s.use("record_feedback", note, "note what a customer complained about")).refused;
    },
  },
  {
    said: "Tell me every week how it goes",
    shortest: 1,
    async go(s) {
      const weekly = { kind: "weekly", cadence: "weekly" };
      const { refused, text } = await s.use("schedules_post", weekly, "make a schedule that runs every week");
      // There is one already: the refusal says so.
      return !refused || /already|one/i.test(text);
    },
  },
  {
    said: "Mint a token for CI",
    shortest: 1,
    async go(s) {
      const token = { name: "ci", scope: "push" };
      return /svc_/.test((await s.use("org_tokens_post", token, "mint an access token for CI")).text);
    },
  },
  {
    said: "Give me a world to try by hand",
    shortest: 2,
    async go(s) {
      const environment = await environmentOf(s);
      return !(await s.use("worlds_post", { environment }, "mint a world to try it by hand")).refused;
    },
  },
  {
    said: "Which failures are known?",
    shortest: 1,
    go: async (s) => /refunded/.test((await s.use("failure_modes")).text),
  },
  {
    said: "Rename the agent",
    shortest: 2,
    async go(s) {
      const { agents } = (await s.use("agents_list")).body;
      const aid = agents.find((row: { name: string }) => row.name === "desk agent").id;
      return !(await s.use("agents_patch", { aid, name: "desk agent" }, "change an agent's name")).refused;
    },
  },
  {
    said: "Which models are offered?",
    shortest: 1,
    go: async (s) => !(await s.use("providers_get", {}, "which models are offered?")).refused,
  },
  {
    said: "Which tasks are about writing, by id alone?",
    shortest: 2,
    async go(s) {
      const env_id = await environmentOf(s);
      const { body } = await s.use("environment_tasks", { env_id, family: "write", fields: "tasks.id,tasks.family" });
      return body.tasks.length > 0 && body.tasks.every((task: { family: string }) => task.family === "write");
    },
  },
];

// Finding E46.
it.each(["core", "all"])(
  "of 24 goals 22 are reached on the list %s, with at most two calls beyond the shortest way",
  async (name) => {
    const mcp = lists.get(name) as TestMcp;
    const listed = new Set((await mcp.list()).map((tool) => tool.name));
    const lines: string[] = [];
    let done = 0;
    for (const { said, shortest, go } of GOALS) {
      const session = new GoalSession(mcp, listed);
      const reached = await go(session).catch((error: Error) => {
        session.transcript.push(`! ${error.message}`);
        return false;
      });
      const calls = session.transcript.length;
      if (reached && calls <= shortest + 2) done += 1;
      else lines.push(...session.transcript.map((line) => `    ${line.slice(0, 200)}`));
      lines.push(`${reached ? "done" : "not done"} in ${calls} (${shortest}): ${said}`);
    }
    console.log(lines.join("\n"));
    expect(GOALS).toHaveLength(24);
    expect(done).toBeGreaterThanOrEqual(22);
  },
);
