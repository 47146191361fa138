import type { Cluster } from "../../../chapters/statistics/clustered.ts";
import type { Interval } from "../../../chapters/statistics/wilson.ts";
import { seeded } from "./seeded.ts";

type Random = () => number;

/** Tasks and tries of a simulated run. */
export interface Design {
  readonly tasks: number;
  readonly tries: number;
}

/** How often an interval held the true rate, 0 to 1: over all points, and at the point where it did so least. */
export interface Coverage {
  readonly mean: number;
  readonly least: number;
  readonly at: string;
  readonly width: number;
}

export const RATES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
export const ALIKE = [0, 0.3, 0.7];

/**
 * What methods cover in `rounds` runs at each rate and each correlation of tries within a task. All see the same runs.
 * Each task's own rate is drawn from the beta distribution that has the mean and the correlation.
 */
export function coverage<Name extends string>(
  methods: Readonly<Record<Name, (clusters: readonly Cluster[]) => Interval>>,
  { tasks, tries }: Design,
  rounds: number,
): Record<Name, Coverage> {
  const names = Object.keys(methods) as Name[];
  const points: { at: string; held: Record<string, number>; width: Record<string, number> }[] = [];
  for (const alike of tries === 1 ? [0] : ALIKE)
    for (const rate of RATES) {
      const random = seeded(tasks * 100_000 + tries * 1_000 + rate * 100 + alike * 10);
      const held: Record<string, number> = Object.fromEntries(names.map((name) => [name, 0]));
      const width: Record<string, number> = { ...held };
      for (let round = 0; round < rounds; round++) {
        const run = drawRun(random, { tasks, tries }, rate, alike);
        for (const name of names) {
          const { low, high } = methods[name](run);
          if (low <= rate + 1e-12 && rate <= high + 1e-12) held[name] = (held[name] ?? 0) + 1;
          width[name] = (width[name] ?? 0) + high - low;
        }
      }
      points.push({ at: `rate ${rate}, correlation ${alike}`, held, width });
    }
  const over = (name: Name): Coverage => {
    const shares = points.map(({ at, held }) => ({ at, share: (held[name] ?? 0) / rounds }));
    const [first] = [...shares].sort((x, y) => x.share - y.share);
    return {
      mean: shares.reduce((sum, { share }) => sum + share, 0) / shares.length,
      least: first?.share ?? 0,
      at: first?.at ?? "",
      width: points.reduce((sum, { width }) => sum + (width[name] ?? 0), 0) / points.length / rounds,
    };
  };
  return Object.fromEntries(names.map((name) => [name, over(name)])) as Record<Name, Coverage>;
}

function drawRun(random: Random, { tasks, tries }: Design, rate: number, alike: number): Cluster[] {
  const size = alike === 0 ? 0 : (1 - alike) / alike;
  return Array.from({ length: tasks }, () => {
    const own = alike === 0 ? rate : drawBeta(random, rate * size, (1 - rate) * size);
    let met = 0;
    for (let i = 0; i < tries; i++) if (random() < own) met++;
    return { met, n: tries };
  });
}

/** A draw of the beta distribution. */
export function drawBeta(random: Random, a: number, b: number): number {
  const [x, y] = [drawGamma(random, a), drawGamma(random, b)];
  // Both may be too small for a number: then the whole weight lies at one end.
  if (x + y === 0) return random() < a / (a + b) ? 1 : 0;
  return x / (x + y);
}

/** Marsaglia and Tsang 2000. */
function drawGamma(random: Random, shape: number): number {
  const open = () => Math.max(random(), 1e-12);
  if (shape < 1) return drawGamma(random, shape + 1) * open() ** (1 / shape);
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = Math.sqrt(-2 * Math.log(open())) * Math.cos(2 * Math.PI * random());
    const v = (1 + c * x) ** 3;
    if (v > 0 && Math.log(open()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v;
  }
}
