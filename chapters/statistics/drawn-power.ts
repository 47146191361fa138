/** Comparisons that are drawn: a share of them is known to 1.3 points (two standard errors at 80 %). */
const DRAWN = 4_000;

/**
 * The share of drawn comparisons of few tasks with several tries in which the paired permutation test shows the
 * difference in its true direction: its p takes few values there, which no approximation by a curve follows. Drawn are
 * tries that are met or not, about rates that lie around a half as far apart as the difference; tasks differ among
 * themselves by as much as the spread asks for. The same case always draws the same.
 */
export function drawnPower(tasks: number, size: number, spread: number, tries: number, alpha: number): number {
  const next = randomOf(tasks * 31 + tries);
  const draw = drawer(size, spread, tries);
  // What a comparison must reach depends on how many tasks differ by how much alone: the same again is not worked out anew.
  const known = new Map<string, number>();
  const counts = new Array<number>(tries + 1);
  let shown = 0;
  for (let i = 0; i < DRAWN; i++) {
    counts.fill(0);
    let sum = 0;
    for (let task = 0; task < tasks; task++) {
      const difference = draw(next);
      const by = Math.abs(difference);
      counts[by] = (counts[by] ?? 0) + 1;
      sum += difference;
    }
    if (sum <= 0) continue;
    const key = counts.join();
    let needed = known.get(key);
    if (needed === undefined) {
      needed = fewestShown(counts, alpha);
      known.set(key, needed);
    }
    if (sum >= needed) shown++;
  }
  return shown / DRAWN;
}

/**
 * The least sum of differences that the paired permutation test shows, where `counts` of the tasks differ by so many
 * tries: its p is the share of all sign choices whose sum is as far from zero.
 */
function fewestShown(counts: readonly number[], alpha: number): number {
  const sizes = counts.flatMap((count, size) => (size === 0 ? [] : new Array<number>(count).fill(size)));
  const reach = sizes.reduce((sum, size) => sum + size, 0);
  // Index i holds the share of choices in which sizes of i in all go up: their sum is 2i - reach.
  const shares = new Float64Array(reach + 1);
  shares[0] = 1;
  let filled = 0;
  for (const size of sizes) {
    filled += size;
    for (let i = filled; i >= 0; i--) shares[i] = ((shares[i] ?? 0) + (i < size ? 0 : (shares[i - size] ?? 0))) / 2;
  }
  let tail = 0;
  let needed = Number.POSITIVE_INFINITY;
  for (let i = reach; 2 * i > reach; i--) {
    tail += 2 * (shares[i] ?? 0);
    if (tail > alpha + 1e-9) break;
    if ((shares[i] ?? 0) > 0) needed = 2 * i - reach;
  }
  return needed;
}

/** Draws by how many tries one task differs, so that the share it is has this mean and this mean square. */
function drawer(size: number, spread: number, tries: number) {
  const wanted = Math.max(0, spread - size * size) * tries;
  // Of tries about the middle c: 2c(1 - c) less half the square of the size; more than its most is a spread among tasks.
  const most = 0.5 - (size * size) / 2;
  const c = wanted >= most ? 0.5 : 0.5 - Math.sqrt(Math.max(0, (most - wanted) / 2));
  const center = Math.min(1 - size / 2, Math.max(size / 2, c));
  const apart = wanted > most && tries > 1 ? Math.sqrt((wanted - most) / (tries - 0.5)) : 0;
  return (next: () => number) => {
    const shift = (size + (next() < 0.5 ? apart : -apart)) / 2;
    const met = (rate: number) => {
      let count = 0;
      for (let i = 0; i < tries; i++) if (next() < rate) count++;
      return count;
    };
    return met(center + shift) - met(center - shift);
  };
}

/** mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
