import { z } from "zod";
import { GroupStatusSchema } from "../../../chapters/job-view.ts";
import { GradingTier } from "../../../chapters/records/runs/runs.ts";
import { CompareRunsInput, compareRuns } from "../../../chapters/runs/compare/compare-runs.ts";
import { Arm, CauseCount, ComparedTask, Missing, RefusedTask } from "../../../chapters/runs/compare/compare-types.ts";
import { IsolationSummary } from "../../../chapters/runs/isolation.ts";
import { ComparisonPlan } from "../../../chapters/runs/start/plan.ts";
import { shaped } from "../../kernel/operation.ts";

const Side = Arm.extend({
  low: z.number().describe("The 95 % interval of the rate, over tasks."),
  high: z.number(),
  planned: z.number().int().optional().describe("Trials planned of the tasks that both ran under the same terms."),
  missing: Missing.optional().describe("Those of them without a verdict."),
  bounds: z
    .object({ low: z.number(), high: z.number() })
    .optional()
    .describe("The rate of the planned trials if every missing one had failed, and if every one had been met."),
  group: z.string(),
  name: z.string(),
  version: z.string().nullable(),
  isolation: IsolationSummary.optional().describe("Of its trials that were started as a process here."),
});
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
      a: Side,
      b: Side,
      tasks: z.array(ComparedTask),
      refused: z.array(RefusedTask),
      environments: z.array(
        z.object({
          environment: z.string(),
          label: z.string(),
          tasks: z.number().int(),
          a: Arm,
          b: Arm,
          delta: z.number(),
        }),
      ),
      flips: z.array(ComparedTask),
      difference: z.number(),
      p: z.number(),
      confidence: z.number(),
      words: z.enum(["no difference shown", "leaning", "shown"]),
      bands: z.object({ low: z.number(), high: z.number() }),
      smallest: z.object({ flips: z.number().int(), difference: z.number() }).optional(),
      worse: z.enum(["a", "b"]).optional(),
      causes: z.array(CauseCount),
      verdict: z.string(),
      cannot_tell: z
        .object({ reason: z.string(), way_out: z.string() })
        .optional()
        .describe("Set where there is no verdict: why, and what to do."),
      chosen_by_outcome: z
        .string()
        .optional()
        .describe("How an arm's tasks were chosen by how trials on them had ended: then there is no confidence."),
      plan: ComparisonPlan.optional().describe(
        "How many tasks and trials showing the difference takes, and what that costs.",
      ),
      tier: GradingTier,
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
