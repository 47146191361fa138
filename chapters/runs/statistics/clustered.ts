import { type Interval, wilson } from "./wilson.ts";

/** Trials of one task: they are not independent of each other. */
export interface Cluster {
  readonly met: number;
  readonly n: number;
}

/**
 * The met rate over all trials with an interval at 95 % that counts tasks, not trials: Wilson's at the effective
 * sample size n / deff, where deff is the cluster-robust variance of the rate over its binomial one. The effective size
 * never leaves the range from the number of tasks (trials of a task say the same) to the number of trials.
 */
export function clusteredInterval(clusters: readonly Cluster[]): Interval {
  const counted = clusters.filter((cluster) => cluster.n > 0);
  const n = counted.reduce((sum, cluster) => sum + cluster.n, 0);
  const met = counted.reduce((sum, cluster) => sum + cluster.met, 0);
  const tasks = counted.length;
  if (tasks === 0) return wilson(0, 0);
  const rate = met / n;
  const binomial = (rate * (1 - rate)) / n;
  // All met or none: the data cannot tell how alike trials of a task are, so each task counts once.
  const effective = tasks === 1 || binomial === 0 ? tasks : n / (robustVariance(counted, rate, n) / binomial);
  const size = Math.min(n, Math.max(tasks, effective));
  return wilson(rate * size, size);
}

/** Variance of the rate from the spread between clusters, with the small-sample factor G / (G - 1). */
function robustVariance(clusters: readonly Cluster[], rate: number, n: number): number {
  const spread = clusters.reduce((sum, cluster) => sum + (cluster.met - rate * cluster.n) ** 2, 0);
  return (clusters.length / (clusters.length - 1)) * (spread / (n * n));
}
