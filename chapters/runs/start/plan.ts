import { z } from "zod";
import { countOf } from "../../count-of.ts";
import type { TrialRow } from "../../records/runs/runs.ts";
import type { ConfidenceBands } from "../../statistics/bands.ts";
import { methodOf, powerOf, tasksFor } from "../../statistics/power.ts";

/** The chance of showing the wanted difference that a plan is made for. */
const POWER = 0.8;
/** The difference that is planned for where nobody names one. */
export const WANTED = 0.05;

/** How large a comparison like this one would have to be to show a wanted difference, and what it would cost. */
export const ComparisonPlan = z.object({
  /** Of rates, 0 to 1. */
  difference: z.number(),
  /** The chance of showing it, were it there. */
  power: z.number(),
  /** That chance with the tasks compared here. */
  power_now: z.number(),
  /** Tasks that both arms run; absent where no size in reach would do. */
  tasks: z.number().int().optional(),
  /** Tries a task in each arm, as here. */
  tries: z.number().int(),
  /** Trials of both arms. */
  trials: z.number().int().optional(),
  /** US dollars of those, at the mean of the trials here whose cost is known; absent where none is. */
  usd: z.number().optional(),
  /** Seconds that agents would work, at the mean of the trials here. */
  agent_seconds: z.number().optional(),
  formula: z.string(),
});
export type ComparisonPlan = z.infer<typeof ComparisonPlan>;

/**
 * A plan from the differences of the tasks that were compared: how much single tasks differed here is taken to stay
 * as it was. Undefined where nothing was compared.
 */
export function planFor(
  deltas: readonly number[],
  trials: readonly TrialRow[],
  tries: number,
  bands: ConfidenceBands,
  wanted: number,
): ComparisonPlan | undefined {
  if (deltas.length === 0) return undefined;
  const alpha = 1 - bands.high / 100;
  const wantedCase = { difference: wanted, spread: spreadFor(deltas, tries, wanted), tries, alpha };
  const needed = tasksFor(wantedCase, POWER);
  const all = needed === undefined ? undefined : 2 * needed * tries;
  const priced = trials.flatMap(({ usd }) => (usd === undefined ? [] : [usd]));
  return {
    difference: wanted,
    power: POWER,
    power_now: powerOf(deltas.length, wantedCase),
    ...(needed === undefined ? {} : { tasks: needed }),
    tries,
    ...(all === undefined ? {} : { trials: all }),
    ...(all === undefined || priced.length === 0 ? {} : { usd: all * mean(priced) }),
    ...(all === undefined || trials.length === 0
      ? {}
      : { agent_seconds: (all * mean(trials.map(({ ms }) => ms))) / 1000 }),
    formula: methodOf(needed ?? deltas.length, wantedCase),
  };
}

/** Mean squared difference of single tasks, were the mean difference the wanted one. */
function spreadFor(deltas: readonly number[], tries: number, wanted: number): number {
  const spread = mean(deltas.map((delta) => delta * delta));
  if (tries === 1) return Math.max(spread, wanted);
  const center = mean(deltas);
  return spread - center * center + wanted * wanted;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The plan in words: what the tasks at hand can show, and how many tasks, tries and dollars would show the difference. */
export function planSentence(plan: ComparisonPlan): string {
  const { difference, power, tasks, tries, trials, usd, power_now } = plan;
  const points = `${(100 * difference).toFixed(1)} points`;
  const now = `So many tasks show a difference of ${points} ${countOf(Math.round(100 * power_now), "time")} in 100.`;
  if (tasks === undefined || trials === undefined) return `${now} No size in reach would show it.`;
  const cost = usd === undefined ? "; what that costs is not known here" : `, about $${usd.toFixed(2)}`;
  const each = countOf(tries, "try", "tries");
  return `${now} ${Math.round(100 * power)} times in 100 takes ${countOf(tasks, "task")} with ${each} in each arm: ${countOf(trials, "trial")}${cost}.`;
}
