import { type Random, random } from "../../../worlds/tasks/random.ts";
import { distance, type Profile } from "./profiles.ts";

/** Combinations that the search looks at; what is beyond them is drawn by how many traces have it. */
const SEARCHED = 1200;
const RESTARTS = 4;
const ROUNDS = 30;
/** Most groups where nobody says how many. */
const MOST_FOUND = 12;
/** What another group has to take off the spread of all traces to be one, as a share of it. */
const WORTH = 0.1;

/**
 * The `k` combinations that the others differ least from, by seeded k-medoids over traces; fewer where there are fewer
 * combinations. Without `k` there are as many as each take a tenth off the spread that one group would have. The same
 * profiles and seed give the same medoids.
 */
export function medoidsOf(profiles: readonly Profile[], seed: string, k?: number): Profile[] {
  if (profiles.length === 0) return [];
  const rng = random(seed);
  const searched = sampled(profiles, rng.fork("sample"));
  const far = distances(searched);
  if (k !== undefined) return found(searched, far, Math.min(k, searched.length), rng).map((i) => searched[i]!);
  const weights = weightsOf(searched);
  let best: { readonly medoids: readonly number[]; readonly left: number } | undefined;
  let whole = 0;
  for (let size = 1; size <= Math.min(MOST_FOUND, searched.length); size++) {
    const medoids = found(searched, far, size, rng);
    const cost = costOf(far, weights, medoids);
    if (size === 1) whole = cost;
    const left = (whole === 0 ? 0 : cost / whole) + WORTH * size;
    if (!best || left < best.left) best = { medoids, left };
  }
  return (best?.medoids ?? []).map((i) => searched[i]!);
}

/** Which of the medoids a combination is nearest to; the first of equals. */
export function nearest(codes: Uint16Array, medoids: readonly Profile[]): number {
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  for (const [i, medoid] of medoids.entries()) {
    const far = distance(codes, medoid.codes);
    if (far < least) {
      least = far;
      best = i;
    }
  }
  return best;
}

/** All, or as many as are searched, drawn without replacement by weight. */
function sampled(profiles: readonly Profile[], rng: Random): readonly Profile[] {
  if (profiles.length <= SEARCHED) return profiles;
  const drawn = profiles.map((profile, i) => ({ i, key: rng.next() ** (1 / profile.positions.length) }));
  drawn.sort((a, b) => b.key - a.key || a.i - b.i);
  const taken = drawn.slice(0, SEARCHED).sort((a, b) => a.i - b.i);
  return taken.map(({ i }) => profiles[i]!);
}

/** Row by row. */
function distances(profiles: readonly Profile[]): Float32Array {
  const n = profiles.length;
  const far = new Float32Array(n * n);
  for (let a = 0; a < n; a++)
    for (let b = a + 1; b < n; b++) {
      const d = distance(profiles[a]!.codes, profiles[b]!.codes);
      far[a * n + b] = d;
      far[b * n + a] = d;
    }
  return far;
}

function weightsOf(profiles: readonly Profile[]): Float64Array {
  return Float64Array.from(profiles, ({ positions }) => positions.length);
}

/** The best of some starts, by the traces' summed distance to their medoid. */
function found(profiles: readonly Profile[], far: Float32Array, k: number, rng: Random): number[] {
  const weights = weightsOf(profiles);
  let best: { readonly medoids: number[]; readonly cost: number } | undefined;
  for (let start = 0; start < RESTARTS; start++) {
    const medoids = settled(far, weights, starting(far, weights, k, rng.fork(`${k}.${start}`)));
    const cost = costOf(far, weights, medoids);
    if (!best || cost < best.cost) best = { medoids, cost };
  }
  return best!.medoids;
}

/** k-means++: each next one is drawn by how far, and how many, the combinations are from those drawn before. */
function starting(far: Float32Array, weights: Float64Array, k: number, rng: Random): number[] {
  const n = weights.length;
  const medoids = [drawn(weights, rng)];
  const least = Float64Array.from({ length: n }, (_, i) => far[medoids[0]! * n + i]!);
  while (medoids.length < k) {
    const pull = least.map((d, i) => (medoids.includes(i) ? 0 : d * d * weights[i]!));
    const next = drawn(pull, rng);
    medoids.push(next);
    for (let i = 0; i < n; i++) least[i] = Math.min(least[i]!, far[next * n + i]!);
  }
  return medoids;
}

function drawn(weights: Float64Array, rng: Random): number {
  let left = rng.next() * weights.reduce((sum, weight) => sum + weight, 0);
  for (let i = 0; i < weights.length; i++) {
    left -= weights[i]!;
    if (left < 0 && weights[i]! > 0) return i;
  }
  return weights.findLastIndex((weight) => weight > 0);
}

/** Medoids moved to the middle of their groups until none moves. */
function settled(far: Float32Array, weights: Float64Array, start: readonly number[]): number[] {
  let medoids = [...start];
  for (let round = 0; round < ROUNDS; round++) {
    const groups = medoids.map((): number[] => []);
    for (let i = 0; i < weights.length; i++) groups[nearestOf(far, weights.length, medoids, i)]!.push(i);
    const moved = medoids.map((medoid, g) => middle(far, weights, groups[g]!, medoid));
    if (moved.every((medoid, g) => medoid === medoids[g])) break;
    medoids = moved;
  }
  return medoids;
}

function nearestOf(far: Float32Array, n: number, medoids: readonly number[], i: number): number {
  let best = 0;
  for (let g = 1; g < medoids.length; g++) if (far[medoids[g]! * n + i]! < far[medoids[best]! * n + i]!) best = g;
  return best;
}

function middle(far: Float32Array, weights: Float64Array, group: readonly number[], medoid: number): number {
  const n = weights.length;
  const cost = (from: number) => group.reduce((sum, i) => sum + far[from * n + i]! * weights[i]!, 0);
  let best = medoid;
  let least = cost(medoid);
  for (const one of group) {
    const sum = cost(one);
    if (sum < least - 1e-9) {
      least = sum;
      best = one;
    }
  }
  return best;
}

function costOf(far: Float32Array, weights: Float64Array, medoids: readonly number[]): number {
  const n = weights.length;
  let cost = 0;
  for (let i = 0; i < n; i++) cost += far[medoids[nearestOf(far, n, medoids, i)]! * n + i]! * weights[i]!;
  return cost;
}
