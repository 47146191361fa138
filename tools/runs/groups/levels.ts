import { z } from "zod";
import { orgRef } from "../../../chapters/fields.ts";
import { GroupStatusSchema } from "../../../chapters/job-view.ts";
import { GradingTier, Player, RootCause } from "../../../chapters/records/runs/runs.ts";
import { gid } from "../../../chapters/runs/fields.ts";
import { groupLevels } from "../../../chapters/runs/groups/levels.ts";
import { shaped } from "../../kernel/operation.ts";

const Level = z.object({
  met: z.number().int(),
  of: z.number().int(),
  unit: z.enum(["calls", "trials"]),
  tier: GradingTier,
});

/** Read a group at three levels. */
export const levels = [
  shaped({
    name: "run_group_levels",
    title: "Read a group at three levels",
    description:
      "Use it to decide what to change in an agent: a run group at three levels (do its calls work, are they the right calls, did the job get done), failures by root cause with examples, and what to improve.",
    scope: "read",
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
];
