import { z } from "zod";
import { countOf } from "../../../chapters/count-of.ts";
import { orgRef } from "../../../chapters/fields.ts";
import { Counted, LeftOut } from "../../../chapters/records/runs/grading.ts";
import { GradingTier } from "../../../chapters/records/runs/runs.ts";
import { gid, ofRun } from "../../../chapters/runs/fields.ts";
import { listRecounts, recountGroup } from "../../../chapters/runs/grading/recount.ts";
import { operation, shaped } from "../../kernel/operation.ts";

const Recount = z.object({
  ...ofRun,
  counted_at: z.number(),
  by: z.string(),
  before: Counted,
  after: Counted,
  left: z.array(LeftOut).describe("Tasks whose trials no longer count."),
});

/** Count a group again; counts of a group. */
export const recount = [
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
      skipped.length === 0 ? words : `${words} ${countOf(skipped.length, "run was", "runs were")} not counted.`,
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
    title: "List counts of a group",
    description:
      "Lists every recount of a run group, oldest first, with its numbers before and after. The newest is what is read everywhere.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/runs/group/{gid}/recount",
    input: z.object({ ...orgRef, gid }),
    output: z.object({ org: z.string(), group: z.string(), runs: z.array(Recount), tier: GradingTier }),
    handle: listRecounts,
  }),
];

function sum(rows: readonly z.infer<typeof Recount>[], key: "met" | "valid"): number {
  return rows.reduce((total, { after }) => total + after[key], 0);
}
