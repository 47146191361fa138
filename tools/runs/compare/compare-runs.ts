import { z } from "zod";
import { orgRef, recordId } from "../../../chapters/fields.ts";
import { GroupStatusSchema } from "../../../chapters/job-view.ts";
import { GradingTier, RootCause } from "../../../chapters/records/runs/runs.ts";
import { compareRuns } from "../../../chapters/runs/compare/compare-runs.ts";
import { IsolationTold } from "../../../chapters/runs/isolation.ts";
import { ComparisonPlan } from "../../../chapters/runs/start/plan.ts";
import { shaped } from "../../kernel/operation.ts";

const arm = {
  met: z.number().int(),
  valid: z.number().int(),
  infra: z.number().int(),
  invalid: z.number().int(),
};
const Arm = z.object(arm);
const Side = z.object({
  ...arm,
  low: z.number().describe("The 95 % interval of the rate, over tasks."),
  high: z.number(),
  planned: z.number().int().optional().describe("Trials planned of the tasks that both ran under the same terms."),
  missing: z
    .object({ infra: z.number().int(), invalid: z.number().int(), not_played: z.number().int() })
    .optional()
    .describe("Those of them without a verdict."),
  bounds: z
    .object({ low: z.number(), high: z.number() })
    .optional()
    .describe("The rate of the planned trials if every missing one had failed, and if every one had been met."),
  group: z.string(),
  name: z.string(),
  version: z.string().nullable(),
  isolation: IsolationTold.optional().describe("Of its trials that were started as a process here."),
});
const Causes = z.array(z.object({ cause: RootCause, trials: z.number().int() }));
const CallSeen = z.object({ tool: z.string(), answer_class: z.string() }).nullable();
const ComparedTask = z.object({
  environment: z.string(),
  label: z.string(),
  task: z.string(),
  index: z.number().int(),
  family: z.string(),
  request: z.string(),
  a: Arm,
  b: Arm,
  delta: z.number(),
  causes: z.object({ a: Causes, b: Causes }),
  calls: z.array(
    z.object({
      n: z.number().int(),
      at: z.number().int(),
      a: CallSeen,
      b: CallSeen,
      what: z.enum(["tool", "arguments", "answer", "length"]),
      calls: z.object({ a: z.number().int(), b: z.number().int() }),
    }),
  ),
});

/** Two groups side by side. */
export const compare = [
  shaped({
    name: "compare_runs",
    title: "Compare two run groups",
    description:
      "Use it to tell whether a change made an agent better or worse: compares two run groups paired by task, with confidence and the root causes of new failures; tasks not run under the same terms are refused with the reason. Nothing is run or graded again.",
    scope: "read",
    effect: "read",
    route: "GET /v0/orgs/{orgtag}/runs/compare",
    input: z.object({
      ...orgRef,
      a: recordId("first run group, usually the version before"),
      b: recordId("second run group, usually the new version"),
      format: z.enum(["markdown", "json"]).optional().describe("The file's form; Markdown when absent."),
      difference: z
        .number()
        .gt(0)
        .max(1)
        .optional()
        .describe("The difference of rates, 0 to 1, to plan for; 0.05 when absent."),
      main: z.enum(["a", "b"]).optional().describe("Which one is told first, as a; a when absent."),
    }),
    output: z.object({
      org: z.string(),
      status: z.object({ a: GroupStatusSchema, b: GroupStatusSchema }),
      a: Side,
      b: Side,
      tasks: z.array(ComparedTask),
      refused: z.array(
        z.object({
          environment: z.string(),
          label: z.string(),
          task: z.string(),
          index: z.number().int(),
          reason: z.string(),
          way_out: z.string().optional().describe("What would make it comparable."),
        }),
      ),
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
      causes: Causes,
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
