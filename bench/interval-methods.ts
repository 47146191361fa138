import { incompleteBeta } from "../chapters/statistics/beta.ts";
import type { Cluster } from "../chapters/statistics/clustered.ts";
import { studentPoint } from "../chapters/statistics/student.ts";
import { type Interval, wilson, Z_95 } from "../chapters/statistics/wilson.ts";
import { seeded } from "../test/chapters/statistics/seeded.ts";

/** Intervals that were tried and not taken, each for the same: a met rate over trials that are alike within a task. */
export const REJECTED = {
  /** Trials counted as if they were independent. */
  "Wilson over trials": (clusters) => {
    const { met, n } = sums(clusters);
    return wilson(met, n);
  },
  /** The normal point at the effective size that the data shows. */
  "Wilson at effective size": (clusters) => {
    const { rate, size } = effective(clusters);
    return wilson(rate * size, size);
  },
  "Wilson at effective size, t": (clusters) => {
    const { rate, size } = effective(clusters);
    return wilson(rate * size, size, point(clusters));
  },
  /** Korn and Graubard 1998: Clopper and Pearson's bounds at an effective size that the t quantile shrinks. */
  "Korn-Graubard": (clusters) => {
    const { rate, size } = effective(clusters);
    return betaBounds(rate, size * (Z_95 / point(clusters)) ** 2);
  },
  "Clopper-Pearson at effective size": (clusters) => {
    const { rate, size } = effective(clusters);
    return betaBounds(rate, size);
  },
  /** Cluster-robust, on the rate itself. */
  "mean, t": (clusters) => {
    const { rate, error } = sums(clusters);
    const half = point(clusters) * error;
    return { low: Math.max(0, rate - half), high: Math.min(1, rate + half) };
  },
  /** Cluster-robust, on the log odds. */
  "log odds, t": (clusters) => {
    const { rate, error } = sums(clusters);
    if (rate === 0 || rate === 1 || clusters.length < 2) return wilson(rate * clusters.length, clusters.length);
    const middle = Math.log(rate / (1 - rate));
    const half = (point(clusters) * error) / (rate * (1 - rate));
    const back = (odds: number) => 1 / (1 + Math.exp(-odds));
    return { low: back(middle - half), high: back(middle + half) };
  },
  /** Tasks drawn anew 199 times, each draw told in its own standard errors. */
  "bootstrap t": (clusters) => {
    const { rate, error } = sums(clusters);
    if (error === 0) return wilson(rate * clusters.length, clusters.length);
    const random = seeded(clusters.reduce((sum, { met, n }) => (sum * 31 + met * 17 + n) | 0, 7));
    const drawn: number[] = [];
    for (let i = 0; i < 199; i++) {
      const again = clusters.map(() => clusters[Math.floor(random() * clusters.length)] as Cluster);
      const told = sums(again);
      drawn.push(told.error === 0 ? Math.sign(told.rate - rate) * 1e6 : (told.rate - rate) / told.error);
    }
    drawn.sort((x, y) => x - y);
    const at = (i: number) => drawn[i] ?? 0;
    return { low: Math.max(0, rate - at(194) * error), high: Math.min(1, rate - at(4) * error) };
  },
} satisfies Record<string, (clusters: readonly Cluster[]) => Interval>;

function sums(clusters: readonly Cluster[]) {
  const n = clusters.reduce((sum, cluster) => sum + cluster.n, 0);
  const met = clusters.reduce((sum, cluster) => sum + cluster.met, 0);
  const rate = met / n;
  const spread = clusters.reduce((sum, cluster) => sum + (cluster.met - rate * cluster.n) ** 2, 0);
  const g = clusters.length;
  return { n, met, rate, error: g < 2 ? 0 : Math.sqrt((g / (g - 1)) * spread) / n };
}

function effective(clusters: readonly Cluster[]) {
  const { n, rate, error } = sums(clusters);
  const binomial = rate * (1 - rate);
  const size = clusters.length < 2 || binomial === 0 || error === 0 ? clusters.length : binomial / error ** 2;
  return { rate, size: Math.min(n, Math.max(clusters.length, size)) };
}

function point(clusters: readonly Cluster[]): number {
  return studentPoint(0.975, Math.max(1, clusters.length - 1));
}

/** Clopper and Pearson's bounds of a share of an effective size. */
function betaBounds(rate: number, size: number): Interval {
  const met = rate * size;
  return {
    low: met <= 0 ? 0 : betaPoint(0.025, met, size - met + 1),
    high: met >= size ? 1 : betaPoint(0.975, met + 1, size - met),
  };
}

function betaPoint(share: number, a: number, b: number): number {
  let [low, high] = [0, 1];
  for (let i = 0; i < 40; i++) {
    const middle = (low + high) / 2;
    if (incompleteBeta(middle, a, b) < share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
