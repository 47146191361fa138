import { z } from "zod";
import { countOf } from "../../chapters/count-of.ts";
import { GroupStatusSchema } from "../../chapters/job-view.ts";
import { Counted, LeftOut, MovedCheck } from "../../chapters/records/runs/grading.ts";
import { GradingTier, Player, RootCause, TrialEnd } from "../../chapters/records/runs/runs.ts";
import { listRecounts, recountGroup } from "../../chapters/runs/grading/recount.ts";
import { listRegrades, regradeGroup } from "../../chapters/runs/grading/regrade.ts";
import { groupVersions } from "../../chapters/runs/groups/group-versions.ts";
import { groupLevels } from "../../chapters/runs/groups/levels.ts";
import { Tier } from "../../chapters/tier.ts";
import { CheckVerdict } from "../../worlds/tasks/schema.ts";
import { orgRef, recordId } from "../kernel/fields.ts";
import { operation, shaped } from "../kernel/operation.ts";

const gid = recordId("run group");
const ofRun = { run: z.string() };
const Recount = z.object({
  ...ofRun,
  counted_at: z.number(),
  by: z.string(),
  before: Counted,
  after: Counted,
  left: z.array(LeftOut).describe("Tasks whose trials no longer count."),
});
const Regrades = z.object({
  org: z.string(),
  group: z.string(),
  runs: z.array(z.object({ ...ofRun, version: z.number().int(), graded_at: z.number(), by: z.string() })),
  changed: z
    .array(z.object({ ...ofRun, task: z.string(), n: z.number().int(), from: TrialEnd, to: TrialEnd }))
    .describe("Tries that end otherwise than in the version before."),
  moved: z.array(MovedCheck.extend(ofRun)).describe("Checks whose verdict moved against the version before."),
  skipped: z.array(LeftOut.extend(ofRun)),
  versions: z.number().int().describe("The newest version; 0 when the group was never graded again."),
  tier: GradingTier,
});
const Level = z.object({
  met: z.number().int(),
  of: z.number().int(),
  unit: z.enum(["calls", "trials"]),
  tier: GradingTier,
});

/** Grading and counting a group again, and reading it by level and by version. */
export const grading = [
  operation({
    name: "run_group_versions",
    title: "Versions a group could run",
    description:
      "Lists every version of a run group's agent with whether it could be run on the group's environments now, on how many tasks, and the sentence a start would be refused with. Starts nothing.",
    scope: "read",
    effect: "read",
    route: "GET /v0/orgs/{orgtag}/runs/group/{gid}/versions",
    input: z.object({ ...orgRef, gid }),
    output: z.object({
      org: z.string(),
      group: z.string(),
      agent: z.string(),
      note: z.string().optional(),
      versions: z.array(
        z.object({
          version: z.string(),
          current: z.boolean().describe("Whether the group ran it."),
          runnable: z.boolean(),
          tasks: z.number().int(),
          environments: z.number().int(),
          refusal: z.string().optional(),
        }),
      ),
      tier: Tier,
    }),
    handle: groupVersions,
  }),
  shaped({
    name: "run_group_levels",
    title: "Read a group at three levels",
    description:
      "Use it to decide what to change in an agent: a run group at three levels (do its calls work, are they the right calls, did the job get done), failures by root cause with examples, and what to improve.",
    scope: "read",
    effect: "read",
    route: "GET /v0/orgs/{orgtag}/runs/group/{gid}/levels",
    input: z.object({ ...orgRef, gid }),
    output: z.object({
      org: z.string(),
      group: z.string(),
      status: GroupStatusSchema,
      player: Player,
      levels: z.object({ call_works: Level, right_call: Level, job_done: Level }),
      failures: z.array(
        z.object({
          cause: RootCause,
          trials: z.number().int(),
          advice: z.string(),
          examples: z.array(z.object({ run: z.string(), trial: z.string() })),
        }),
      ),
      reports: z.object({ customer: z.string(), staff: z.string().optional() }),
      tier: GradingTier,
    }),
    verdict: ({ levels: { call_works, right_call, job_done }, failures }) => {
      const first = failures[0] ? ` Most failures: ${failures[0].cause} (${failures[0].trials}).` : "";
      return `Calls that work ${call_works.met} of ${call_works.of}; trials with the right calls ${right_call.met} of ${right_call.of}; jobs done ${job_done.met} of ${job_done.of}.${first}`;
    },
    counts: ({ levels: { call_works, right_call, job_done } }) => [
      {
        name: "calls that work",
        value: call_works.met,
        of: call_works.of,
        tier: call_works.tier,
        how: "answer class of every stored call",
      },
      {
        name: "trials with the right calls",
        value: right_call.met,
        of: right_call.of,
        tier: right_call.tier,
        how: "stored calls against each task's script",
      },
      {
        name: "jobs done",
        value: job_done.met,
        of: job_done.of,
        tier: job_done.tier,
        how: "checks on stored trials, of valid ones",
      },
    ],
    next: ({ failures }) =>
      failures[0]?.examples[0]
        ? `run_trace with rid ${failures[0].examples[0].run} and trial ${failures[0].examples[0].trial}`
        : undefined,
    handle: groupLevels,
  }),
  shaped({
    name: "recount_group",
    title: "Count a group again",
    description:
      "Counts a group's landed trials again against the review and keys as they stand now; use it after tasks were retired, refused or changed. Verdicts stay; no agent and no model is asked.",
    scope: "push",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/runs/group/{gid}/recount",
    input: z.object({ ...orgRef, gid }),
    output: z.object({
      org: z.string(),
      group: z.string(),
      counted_at: z.number(),
      counts: z.array(Recount),
      skipped: z.array(z.object({ ...ofRun, reason: z.string() })),
      words: z.string(),
      model_calls: z.number().int(),
      tier: GradingTier,
    }),
    verdict: ({ words, skipped }) =>
      skipped.length === 0 ? words : `${words} ${skipped.length} runs were not counted.`,
    counts: ({ counts, tier }) => [
      {
        name: "met",
        value: sum(counts, "met"),
        of: sum(counts, "valid"),
        tier,
        how: "stored verdicts of tasks that count now",
      },
      {
        name: "tasks left out",
        value: counts.reduce((n, { left }) => n + left.length, 0),
        tier: "deterministic",
        how: "against the live review",
      },
    ],
    next: ({ group }) => `run_group with gid ${group}`,
    handle: recountGroup,
  }),
  operation({
    name: "run_group_recounts",
    title: "Counts of a group",
    description:
      "Lists every recount of a run group, oldest first, with its numbers before and after. The newest is what is read everywhere.",
    scope: "read",
    effect: "read",
    route: "GET /v0/orgs/{orgtag}/runs/group/{gid}/recount",
    input: z.object({ ...orgRef, gid }),
    output: z.object({ org: z.string(), group: z.string(), runs: z.array(Recount), tier: GradingTier }),
    handle: listRecounts,
  }),
  shaped({
    name: "regrade_group",
    title: "Grade a group again",
    description:
      "Runs the checks again on every stored try of a group, by code alone, as a new version of its verdicts. Use it after the checks' own code changed; no agent runs.",
    scope: "push",
    effect: "update",
    hints: { idempotent: false },
    route: "POST /v0/orgs/{orgtag}/runs/group/{gid}/regrade",
    input: z.object({ ...orgRef, gid }),
    output: Regrades.extend({
      graded_at: z.number(),
      model_calls: z.number().int(),
      cost_usd: z.number(),
      trials_started: z.number().int(),
    }),
    verdict: ({ versions, changed, moved }) =>
      changed.length + moved.length === 0
        ? `Graded again as version ${versions}: nothing moved.`
        : `Graded again as version ${versions}: ${countOf(moved.length, "check")} moved, ${changed.length === 1 ? "1 try ends" : `${changed.length} tries end`} otherwise.`,
    counts: ({ moved, changed, tier }) => [
      { name: "checks moved", value: moved.length, tier: "deterministic", how: "verdicts against the version before" },
      { name: "tries changed", value: changed.length, tier, how: "ends against the version before" },
    ],
    next: ({ group }) => `run_group with gid ${group}`,
    handle: regradeGroup,
  }),
  operation({
    name: "run_group_regrades",
    title: "Gradings of a group",
    description: "Answers what the newest regrade of a group moved, or that of `version`, then with each try's checks.",
    scope: "read",
    effect: "read",
    route: "GET /v0/orgs/{orgtag}/runs/group/{gid}/regrade",
    input: z.object({ ...orgRef, gid, version: z.number().int().min(1).optional() }),
    output: Regrades.extend({
      tries: z
        .array(
          z.object({
            ...ofRun,
            tries: z.array(
              z.object({ task: z.string(), n: z.number().int(), end: TrialEnd, checks: z.array(CheckVerdict) }),
            ),
          }),
        )
        .optional(),
    }),
    handle: listRegrades,
  }),
];

function sum(rows: readonly z.infer<typeof Recount>[], key: "met" | "valid"): number {
  return rows.reduce((total, { after }) => total + after[key], 0);
}
