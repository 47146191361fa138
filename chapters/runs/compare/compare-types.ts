import { z } from "zod";
import { type GradingTier, RootCause, type RunTask, type TrialRow } from "../../records/runs/runs.ts";
import type { ConfidenceBands, ConfidenceWords } from "../../statistics/bands.ts";
import type { SmallestShown } from "../../statistics/smallest-shown.ts";
import type { RunDoc } from "../groups/group-data.ts";
import type { IsolationSummary } from "../isolation.ts";
import type { ComparisonPlan } from "../start/plan.ts";
import { CallsDiffer } from "./compare-calls.ts";

/** One arm's trials, of one task or of many. Rates are met of valid; infra and invalid stand beside. */
export const Arm = z.object({
  met: z.number().int(),
  valid: z.number().int(),
  infra: z.number().int(),
  invalid: z.number().int(),
});
export type Arm = z.infer<typeof Arm>;

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
export type ComparedTask = z.infer<typeof ComparedTask>;

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
export interface CannotTell {
  readonly reason: string;
  readonly way_out: string;
}

/** Who an arm's trials are of. */
export interface ArmName {
  readonly group: string;
  readonly name: string;
  readonly version: string | null;
  /** Of trials that were started as a process of ours. */
  readonly isolation?: IsolationSummary;
}

/** One arm over the compared tasks, with its 95 % interval over tasks. */
export interface Totals extends Arm {
  readonly low: number;
  readonly high: number;
  /** Trials planned of the tasks that both arms ran under the same terms, those without a valid trial included. */
  readonly planned: number;
  readonly missing: Missing;
  /** The rate of the planned trials if every missing one had failed, and if every one had been met. */
  readonly bounds: { readonly low: number; readonly high: number };
}

/** Two groups paired by task, with the verdict. Every figure is deterministic: nothing was graded or run for it. */
export interface Comparison {
  readonly a: ArmName & Totals;
  readonly b: ArmName & Totals;
  readonly tasks: readonly ComparedTask[];
  readonly refused: readonly RefusedTask[];
  readonly environments: readonly {
    environment: string;
    label: string;
    tasks: number;
    a: Arm;
    b: Arm;
    delta: number;
  }[];
  /** Tasks whose outcome went from all met to none or the other way, largest change first. */
  readonly flips: readonly ComparedTask[];
  /** Mean over tasks of rate b less rate a. */
  readonly difference: number;
  readonly p: number;
  /** 0 to 100. */
  readonly confidence: number;
  /** By the bands; never more than "no difference shown" at a p above 0.5, and never "shown" where nothing can be told. */
  readonly words: ConfidenceWords;
  readonly bands: ConfidenceBands;
  /** The smallest difference that such a design could have shown; absent when none could. */
  readonly smallest?: SmallestShown;
  /** The arm that met less; absent where none did, where that is as likely chance as not, and where nothing can be told. */
  readonly worse?: "a" | "b";
  /** Root causes of the worse arm's failures on tasks where it met less, most frequent first. */
  readonly causes: readonly CauseCount[];
  readonly verdict: string;
  /** Set where there is no verdict. */
  readonly cannot_tell?: CannotTell;
  /** How the tasks of an arm were chosen, where that was by how trials on them had ended: then there is no confidence. */
  readonly chosen_by_outcome?: string;
  /** What showing a wanted difference takes; absent where nothing was compared. */
  readonly plan?: ComparisonPlan;
  /** The weaker of the two groups' grading. */
  readonly tier: GradingTier;
}

/** One arm's side of a task. */
export interface Side {
  readonly run: RunDoc;
  readonly task: RunTask;
  readonly trials: readonly TrialRow[];
}
