import type { PairedTask } from "../../statistics/permutation.ts";
import type { RewardedTrial } from "../groups/group-data.ts";
import { endsOf } from "../trials/rates.ts";
import type { Missing, Side } from "./compare-types.ts";

type Pairs = readonly (readonly [Side, Side])[];

/** An arm's planned trials on the tasks that both ran under the same terms: those that have a verdict, and those that have none. */
export interface Planned {
  readonly planned: number;
  readonly missing: Missing;
  /** The rate if every missing trial had failed, and if every one had been met; 0 to 1 with nothing planned. */
  readonly bounds: { readonly low: number; readonly high: number };
}

/** How trials without a verdict may be counted. */
export const CONVENTIONS = ["left out", "counted as failed", "counted as met"] as const;
export type Convention = (typeof CONVENTIONS)[number];

/** What was planned of one arm and what has no verdict. */
export function plannedOf(sides: readonly Side[]): Planned {
  const counted = sides.map(countsOf);
  const total = (of: (counts: ReturnType<typeof countsOf>) => number) => counted.reduce((sum, one) => sum + of(one), 0);
  const planned = total((one) => one.planned);
  const missing = {
    infra: total((one) => one.infra),
    invalid: total((one) => one.invalid),
    not_played: total((one) => one.not_played),
  };
  const met = total((one) => one.met);
  const bounds =
    planned === 0
      ? { low: 0, high: 1 }
      : { low: met / planned, high: (planned - total((one) => one.failed)) / planned };
  return { planned, missing, bounds };
}

/** How many trials have no verdict. */
export function lost({ infra, invalid, not_played }: Missing): number {
  return infra + invalid + not_played;
}

/** What the rewards of the valid trials come to, where they are compared by rewards: one without is 1 when met, else 0. */
export function rewardsOf(trials: readonly RewardedTrial[]): number | undefined {
  if (!trials.some(({ reward }) => reward !== undefined)) return undefined;
  const valid = trials.filter(({ end }) => end === "met" || end === "failed");
  return valid.reduce((sum, { reward, end }) => sum + (reward ?? Number(end === "met")), 0);
}

/** The pairs as one convention counts them. */
export function countedAs(pairs: Pairs, convention: Convention): PairedTask[] {
  const arm = (side: Side) => {
    const { met, failed, planned } = countsOf(side);
    if (convention === "left out") return { met, n: met + failed };
    return { met: convention === "counted as met" ? planned - failed : met, n: planned };
  };
  return pairs.map(([a, b]) => ({ a: arm(a), b: arm(b) }));
}

function countsOf({ run, trials }: Side) {
  const ends = endsOf(trials);
  const planned = Math.max(run.trials, trials.length);
  const met = rewardsOf(trials) ?? ends.met;
  // Of a reward between 0 and 1 the rest failed.
  return { ...ends, met, failed: ends.met + ends.failed - met, planned, not_played: planned - trials.length };
}
