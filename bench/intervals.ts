import { clusteredInterval } from "../chapters/statistics/clustered.ts";
import { coverage } from "../test/chapters/statistics/coverage.ts";
import type { BenchLine } from "./harness.ts";
import { REJECTED } from "./interval-methods.ts";

const ROUNDS = 4_000;
/** Tasks and tries; the first four are the designs that are promised, the others are small or large ones. */
const DESIGNS = [
  [20, 1],
  [20, 4],
  [50, 4],
  [20, 10],
  [2, 4],
  [5, 1],
  [5, 4],
  [10, 4],
  [10, 10],
  [200, 4],
] as const;

/**
 * How often the 95 % interval of a met rate holds the true rate, in 4,000 runs at each rate from .1 to .9 and each
 * correlation within tasks of 0, .3 and .7: the mean over these points, and at the point where it does so least.
 */
export async function bench(): Promise<BenchLine[]> {
  return DESIGNS.flatMap(([tasks, tries]) => {
    const found = coverage({ "in use": clusteredInterval, ...REJECTED }, { tasks, tries }, ROUNDS);
    return Object.entries(found).map(([method, { mean, least, at, width }]) => ({
      name: `${tasks} tasks x ${tries}, ${method}, width ${width.toFixed(3)}`,
      value: 100 * mean,
      unit: "%",
      floor: { name: `least, ${at}`, value: 100 * least },
    }));
  });
}
