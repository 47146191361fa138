import { z } from "zod";
import { GradingTier, RootCause, type RunTask } from "../../records/runs/runs.ts";
import { EndedAtOnce } from "../ended-at-once.ts";
import type { RewardedTrial, RunDoc } from "../groups/group-data.ts";
import { IsolationSummary } from "../isolation.ts";
import { ComparisonPlan } from "../start/plan.ts";
import { CallsDiffer } from "./compare-calls.ts";

/** One arm's trials, of one task or of many. Rates are met of valid; infra and invalid stand beside. */
export const Arm = z.object({
  met: z.number().int(),
  valid: z.number().int(),
  infra: z.number().int(),
  invalid: z.number().int(),
});
export type Arm = z.infer<typeof Arm> & Rewarded;
/** What rewards come to where recorded ones between 0 and 1 are compared; groups that were played here have none. */
interface Rewarded {
  /** The sum over the valid trials, each 0 to 1. */
  readonly rewards?: number;
}

/** How many failed trials have this root cause. */
export const CauseCount = z.object({ cause: RootCause, trials: z.number().int() });
export type CauseCount = z.infer<typeof CauseCount>;

/** A task that both arms ran under the same terms. */
export const ComparedTask = z.object({
  environment: z.string(),
  label: z.string(),
  task: z.string(),
  index: z.number().int(),
  family: z.string(),
  request: z.string(),
  a: Arm,
  b: Arm,
  /** Rate of b less rate of a, -1 to 1. */
  delta: z.number(),
  /** Root causes of the trials that failed, per arm, most frequent first. */
  causes: z.object({ a: z.array(CauseCount), b: z.array(CauseCount) }),
  calls: z.array(CallsDiffer),
});
export type ComparedTask = z.infer<typeof ComparedTask> & { readonly a: Rewarded; readonly b: Rewarded };

/** A task of either arm that is not compared, and why. */
export const RefusedTask = z.object({
  environment: z.string(),
  label: z.string(),
  task: z.string(),
  index: z.number().int(),
  reason: z.string(),
  way_out: z.string().optional().describe("What would make it comparable."),
});
export type RefusedTask = z.infer<typeof RefusedTask>;

/** Trials that were planned of the tasks both arms ran under the same terms and have no verdict, by how that came. */
export const Missing = z.object({
  infra: z.number().int(),
  invalid: z.number().int(),
  /** Stopped, dropped or never begun. */
  not_played: z.number().int(),
});
export type Missing = z.infer<typeof Missing>;

/** Why a comparison has no verdict, and what to do for one. */
const CannotTell = z.object({ reason: z.string(), way_out: z.string() });
export type CannotTell = z.infer<typeof CannotTell>;

/** One arm over the compared tasks, with its 95 % interval over tasks, and who its trials are of. */
const ComparedArm = Arm.extend({
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
  ended_at_once: EndedAtOnce.optional().describe("Where it did not begin in most of its trials."),
});
/** What is answered now says what was planned; answers of before may lack it. */
type Planned = "planned" | "missing" | "bounds";
export type ComparedArm = z.infer<typeof ComparedArm> &
  Rewarded & {
    readonly [K in Planned]: NonNullable<z.infer<typeof ComparedArm>[K]>;
  };
/** Who an arm's trials are of. */
export type ArmName = Pick<ComparedArm, "group" | "name" | "version" | "isolation" | "ended_at_once">;
/** An arm's figures. */
export type Totals = Omit<ComparedArm, keyof ArmName>;

/** Two groups paired by task, with the verdict. Every figure is deterministic: nothing was graded or run for it. */
export const Comparison = z.object({
  a: ComparedArm,
  b: ComparedArm,
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
  /** Tasks whose outcome went from all met to none or the other way, largest change first. */
  flips: z.array(ComparedTask),
  /** Mean over tasks of rate b less rate a. */
  difference: z.number(),
  p: z.number(),
  /** 0 to 100. */
  confidence: z.number(),
  /** By the bands; never more than "no difference shown" at a p above 0.5, and never "shown" where nothing can be told. */
  words: z.enum(["no difference shown", "leaning", "shown"]),
  bands: z.object({ low: z.number(), high: z.number() }),
  /** The smallest difference that such a design could have shown; absent when none could. */
  smallest: z.object({ flips: z.number().int(), difference: z.number() }).optional(),
  /** The arm that met less; absent where none did, where that is as likely chance as not, and where nothing can be told. */
  worse: z.enum(["a", "b"]).optional(),
  /** Root causes of the worse arm's failures on tasks where it met less, most frequent first. */
  causes: z.array(CauseCount),
  verdict: z.string(),
  cannot_tell: CannotTell.optional().describe("Set where there is no verdict: why, and what to do."),
  chosen_by_outcome: z
    .string()
    .optional()
    .describe("How an arm's tasks were chosen by how trials on them had ended: then there is no confidence."),
  /** Absent where nothing was compared. */
  plan: ComparisonPlan.optional().describe(
    "How many tasks and trials showing the difference takes, and what that costs.",
  ),
  /** The weaker of the two groups' grading. */
  tier: GradingTier,
});
export type Comparison = Omit<z.infer<typeof Comparison>, "a" | "b" | "tasks" | "flips"> & {
  readonly a: ComparedArm;
  readonly b: ComparedArm;
  readonly tasks: ComparedTask[];
  readonly flips: ComparedTask[];
};

/** One arm's side of a task. */
export interface Side {
  readonly run: RunDoc;
  readonly task: RunTask;
  readonly trials: readonly RewardedTrial[];
}
