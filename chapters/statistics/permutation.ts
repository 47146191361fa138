/** One task in two arms: met of valid trials in each, or the sum of their rewards, each 0 to 1. */
export interface PairedTask {
  readonly a: { readonly met: number; readonly n: number };
  readonly b: { readonly met: number; readonly n: number };
}

/** What the test found. */
export interface PermutationTest {
  /** Mean over tasks of rate b less rate a, -1 to 1. */
  readonly difference: number;
  /** Two-sided: the chance of a difference at least this large, either way, were the arms alike. */
  readonly p: number;
  /** Tasks counted. */
  readonly tasks: number;
}

/** Sums are counted on a grid of at most this many steps; finer differences are rounded to it. */
const STEPS = 500_000;

/**
 * The paired permutation test over task differences: if the arms were alike, each task's difference could as well have
 * the other sign. The distribution of the sum over all 2^n sign choices is built by dynamic programming on the
 * differences' common denominator: exact, no sampling. Tasks without a valid trial in both arms do not count.
 */
export function pairedPermutation(pairs: readonly PairedTask[]): PermutationTest {
  const counted = pairs.filter(({ a, b }) => a.n > 0 && b.n > 0);
  if (counted.length === 0) return { difference: 0, p: 1, tasks: 0 };
  const differences = onGrid(counted);
  const observed = Math.abs(differences.reduce((sum, d) => sum + d, 0));
  const difference = counted.reduce((sum, { a, b }) => sum + b.met / b.n - a.met / a.n, 0) / counted.length;
  return { difference, p: tailShare(differences.map(Math.abs), observed), tasks: counted.length };
}

/** Differences as whole multiples of one step. */
function onGrid(pairs: readonly PairedTask[]): number[] {
  const finest = Math.floor(STEPS / pairs.length);
  const counts = pairs.every(({ a, b }) => Number.isInteger(a.met) && Number.isInteger(b.met));
  let denominator = counts ? 1 : finest;
  for (const { a, b } of pairs) denominator = Math.min(finest, lcm(lcm(denominator, a.n), b.n));
  const whole = pairs.map(({ a, b }) => Math.round((b.met / b.n - a.met / a.n) * denominator));
  const step = whole.reduce((divisor, d) => gcd(divisor, Math.abs(d)), 0);
  return step > 1 ? whole.map((d) => d / step) : whole;
}

/** Share of sign choices whose sum lies at least `observed` from zero. */
function tailShare(sizes: readonly number[], observed: number): number {
  if (observed === 0) return 1;
  const moving = sizes.filter((size) => size > 0).sort((x, y) => x - y);
  const reach = moving.reduce((sum, size) => sum + size, 0);
  // Index i holds the share of choices whose sum is i - reach; each size moves half of it up and half down.
  let shares = new Float64Array(2 * reach + 1);
  let next = new Float64Array(2 * reach + 1);
  shares[reach] = 1;
  let spread = 0;
  for (const size of moving) {
    next.fill(0, reach - spread - size, reach + spread + size + 1);
    for (let i = reach - spread; i <= reach + spread; i++) {
      const half = (shares[i] as number) / 2;
      if (half === 0) continue;
      next[i - size] = (next[i - size] as number) + half;
      next[i + size] = (next[i + size] as number) + half;
    }
    [shares, next] = [next, shares];
    spread += size;
  }
  let tail = 0;
  // From the outside in: the smallest shares are added first.
  for (let i = 0; i <= reach - observed; i++) tail += (shares[i] as number) + (shares[2 * reach - i] as number);
  return Math.min(1, tail);
}

function gcd(x: number, y: number): number {
  while (y !== 0) [x, y] = [y, x % y];
  return x;
}

function lcm(x: number, y: number): number {
  return (x / gcd(x, y)) * y;
}
