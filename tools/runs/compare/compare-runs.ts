import { z } from "zod";
import { GroupStatusSchema } from "../../../chapters/job-view.ts";
import { CompareRunsInput, compareRuns } from "../../../chapters/runs/compare/compare-runs.ts";
import { Comparison } from "../../../chapters/runs/compare/compare-types.ts";
import { shaped } from "../../kernel/operation.ts";

/** Two groups side by side. */
export const compare = [
  shaped({
    name: "compare_runs",
    title: "Compare two run groups",
    description:
      "Use it to tell whether a change made an agent better or worse: compares two run groups paired by task, with confidence and the root causes of new failures; tasks not run under the same terms are refused with the reason. Nothing is run or graded again.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/runs/compare",
    input: CompareRunsInput,
    output: z.object({
      org: z.string(),
      status: z.object({ a: GroupStatusSchema, b: GroupStatusSchema }),
      ...Comparison.shape,
    }),
    answer: "file",
    verdict: (answer) => answer.verdict,
    counts: ({ a, b, tasks, refused, confidence, flips, tier, cannot_tell }) => [
      { name: "a met", value: a.met, of: a.valid, tier, how: "valid trials on the tasks compared" },
      { name: "b met", value: b.met, of: b.valid, tier, how: "valid trials on the tasks compared" },
      {
        name: "tasks",
        value: tasks.length,
        of: tasks.length + refused.length,
        tier: "deterministic",
        how: "run by both under the same terms",
      },
      {
        name: "flips",
        value: flips.length,
        of: tasks.length,
        tier,
        how: "tasks whose outcome changed sides",
      },
      ...(cannot_tell === undefined
        ? [
            {
              name: "confidence",
              value: Math.floor(confidence),
              of: 100,
              tier,
              how: "exact paired permutation test over task differences",
            },
          ]
        : []),
    ],
    next: ({ flips, b }) =>
      flips.length === 0 ? undefined : `run_group with gid ${b.group}, then run_trace of a flipped task's trial`,
    handle: compareRuns,
  }),
];
