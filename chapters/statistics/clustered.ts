import { studentPoint } from "./student.ts";
import { type Interval, wilson } from "./wilson.ts";

/** Trials of one task: they are not independent of each other. */
export interface Cluster {
  readonly met: number;
  readonly n: number;
}

/** How much of a task that is met whole, and of one that fails whole, is added to the data before its spread is measured. */
const PRIOR = 0.25;

/**
 * The met rate over all trials with an interval at 95 % that counts tasks, not trials: Wilson's at the effective sample
 * size, with Student's t for so many tasks. `npm run bench -- intervals` measures what it covers beside other methods.
 */
export function clusteredInterval(clusters: readonly Cluster[]): Interval {
  const counted = clusters.filter((cluster) => cluster.n > 0);
  const tasks = counted.length;
  if (tasks === 0) return wilson(0, 0);
  const n = counted.reduce((sum, cluster) => sum + cluster.n, 0);
  const met = counted.reduce((sum, cluster) => sum + cluster.met, 0);
  const size = effectiveSize(counted, met, n);
  return wilson((met / n) * size, size, studentPoint(0.975, Math.max(1, tasks - 1)));
}

/**
 * How many independent trials the data is worth: n over the design effect, the cluster-robust variance of the rate over
 * its binomial one. It never leaves the range from the number of tasks (trials of a task say the same) to the number of
 * trials. Few tasks that failed say little of how alike the tries of a task are, so half a task that is wholly one way
 * or the other stands beside the data.
 */
function effectiveSize(clusters: readonly Cluster[], met: number, n: number): number {
  const tries = n / clusters.length;
  const all = n + 2 * PRIOR * tries;
  const rate = (met + PRIOR * tries) / all;
  const observed = clusters.reduce((sum, cluster) => sum + (cluster.met - rate * cluster.n) ** 2, 0);
  const spread = observed + PRIOR * tries * tries * (rate ** 2 + (1 - rate) ** 2);
  const groups = clusters.length + 2 * PRIOR;
  const robust = (groups / (groups - 1)) * (spread / (all * all));
  const effect = robust / ((rate * (1 - rate)) / all);
  return Math.min(n, Math.max(clusters.length, n / effect));
}
