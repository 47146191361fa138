import type { PairedTask } from "./permutation.ts";

/** The least that a comparison can show: so many tasks that flip one try each, all one way, and the difference of rates that is. */
export interface SmallestShown {
  readonly flips: number;
  readonly difference: number;
}

/** The fewest tasks that must differ, all one way, for the exact two-sided test to reach the band: 2 / 2^m <= 1 - high / 100. */
export function fewestFlips(high: number): number {
  let flips = 1;
  while (high < 100 && 2 ** (1 - flips) > 1 - high / 100 + 1e-12) flips += 1;
  return high < 100 ? flips : Number.POSITIVE_INFINITY;
}

/**
 * The smallest difference that a comparison of such tasks and tries can show at all: the fewest tasks that must differ,
 * each by the least that its tries allow, all others tied. It is what is possible, not what is likely to be found.
 * Undefined when not even all tasks flipping would do.
 */
export function smallestShown(pairs: readonly PairedTask[], high: number): SmallestShown | undefined {
  const flips = fewestFlips(high);
  if (flips > pairs.length) return undefined;
  const steps = pairs.map(({ a, b }) => 1 / lcm(a.n, b.n)).sort((x, y) => x - y);
  const least = steps.slice(0, flips).reduce((sum, step) => sum + step, 0);
  return { flips, difference: least / pairs.length };
}

function lcm(x: number, y: number): number {
  let [a, b] = [x, y];
  while (b !== 0) [a, b] = [b, a % b];
  return (x / a) * y;
}
