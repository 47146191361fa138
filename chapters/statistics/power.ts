import { drawnPower } from "./drawn-power.ts";
import { normalCdf } from "./normal.ts";
import { studentPoint } from "./student.ts";

/** What a comparison would be of: a true difference of rates, how much single tasks differ, and the test's level. */
export interface PowerCase {
  /** True mean over tasks of rate b less rate a; the sign does not matter. */
  readonly difference: number;
  /** Mean over tasks of the squared difference; with one try a task the share of tasks that one arm alone meets. */
  readonly spread: number;
  /** Tries a task in each arm. */
  readonly tries: number;
  /** Two-sided level: 1 less the band from which a difference is shown. */
  readonly alpha: number;
}

/** Up to so many tasks cases of several tries are drawn; beyond, the approximation is as good. */
const DRAWN_TASKS = 20;
/** Up to so many tasks that differ one-try cases are counted exactly; beyond, the approximation is as good. */
const EXACT_DIFFERING = 200;

type Method = "exact" | "drawn" | "approximate";

const METHODS: Readonly<Record<Method, string>> = {
  exact: "exact unconditional power of McNemar's exact test (Duffy 1984)",
  drawn: "the share of 4,000 drawn comparisons in which the paired permutation test shows it",
  approximate:
    "power of the paired t test by the normal approximation of the noncentral t (Abramowitz and Stegun 26.7.10)",
};

/** How the power of so many tasks is found, in words. */
export function methodOf(tasks: number, wanted: PowerCase): string {
  return METHODS[chosenFor(tasks, wanted)];
}

function chosenFor(tasks: number, { difference, spread, tries }: PowerCase): Method {
  if (tries === 1 && tasks * Math.max(spread, Math.abs(difference)) <= EXACT_DIFFERING) return "exact";
  return tries > 1 && tasks <= DRAWN_TASKS ? "drawn" : "approximate";
}

/**
 * The chance that the paired permutation test shows the difference in its true direction. With one try a task the test is
 * McNemar's, and this is its exact unconditional power (Duffy 1984). With more tries and few tasks it is counted over
 * drawn comparisons. With many tasks it is the paired t test's, which the permutation test is near to (Fisher 1935): the
 * normal approximation of the noncentral t distribution (Abramowitz and Stegun 1964, 26.7.10), less half a step of the
 * differences' grid.
 */
export function powerOf(tasks: number, wanted: PowerCase): number {
  const { difference, spread, tries, alpha } = wanted;
  const size = Math.abs(difference);
  // So few tasks that even all of them one way would not be shown.
  if (size === 0 || 2 ** (1 - tasks) > alpha + 1e-12) return 0;
  const method = chosenFor(tasks, wanted);
  if (method === "exact") return exactMcNemar(tasks, size, Math.max(spread, size), alpha);
  const square = Math.max(spread, size * size);
  return method === "drawn"
    ? drawnPower(tasks, size, square, tries, alpha)
    : pairedT(tasks, size, square, tries, alpha);
}

/** The fewest tasks that reach the power; undefined beyond a million. */
export function tasksFor(wanted: PowerCase, power: number): number | undefined {
  const reaches = (tasks: number) => powerOf(tasks, wanted) >= power;
  // Drawn power is dear: it is asked for from where the approximation, which promises too much there, would begin.
  if (wanted.tries > 1) {
    const { difference, spread, tries, alpha } = wanted;
    const size = Math.abs(difference);
    let from = 2;
    while (from <= DRAWN_TASKS && pairedT(from, size, Math.max(spread, size * size), tries, alpha) < power) from++;
    for (let tasks = from; tasks <= DRAWN_TASKS && size > 0; tasks++)
      if (reaches(tasks) && reaches(tasks + 1)) return tasks;
  }
  let high = wanted.tries > 1 ? DRAWN_TASKS + 1 : 1;
  while (!reaches(high)) {
    high *= 2;
    if (high > 1_000_000) return undefined;
  }
  let low = Math.max(wanted.tries > 1 ? DRAWN_TASKS : 0, Math.floor(high / 2));
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (reaches(middle)) high = middle;
    else low = middle;
  }
  // Exact power goes up in teeth: what one more task would lose again does not count as reached.
  while (!reaches(high) || !reaches(high + 1)) high += 1;
  return high;
}

function pairedT(tasks: number, size: number, spread: number, tries: number, alpha: number): number {
  const freedom = tasks - 1;
  const noise = Math.sqrt(Math.max(0, spread - size * size) / tasks);
  if (noise === 0) return 1;
  const critical = studentPoint(1 - alpha / 2, freedom);
  const shift = (size - 1 / (tries * tasks)) / noise;
  return normalCdf((shift - critical * (1 - 1 / (4 * freedom))) / Math.sqrt(1 + (critical * critical) / (2 * freedom)));
}

/** Sums over how many tasks go one way only, and over which way each of these goes. */
function exactMcNemar(tasks: number, size: number, spread: number, alpha: number): number {
  const share = (spread + size) / 2 / spread;
  const logs = logFactorials(tasks);
  let power = 0;
  for (let m = 1; m <= tasks; m++) {
    const chance = binomial(logs, tasks, m, spread);
    if (chance < 1e-12) continue;
    const from = critical(logs, m, alpha);
    let shown = 0;
    for (let k = from; k <= m; k++) shown += binomial(logs, m, k, share);
    power += chance * shown;
  }
  return Math.min(1, power);
}

/** The fewest of m that the two-sided exact test takes as shown; m + 1 where none is. */
function critical(logs: readonly number[], m: number, alpha: number): number {
  let tail = 0;
  for (let k = m; k >= 0; k--) {
    tail += binomial(logs, m, k, 0.5);
    if (2 * tail > alpha + 1e-12) return k + 1;
  }
  return 0;
}

function binomial(logs: readonly number[], n: number, k: number, p: number): number {
  if (p >= 1) return k === n ? 1 : 0;
  if (p <= 0) return k === 0 ? 1 : 0;
  const ways = (logs[n] ?? 0) - (logs[k] ?? 0) - (logs[n - k] ?? 0);
  return Math.exp(ways + k * Math.log(p) + (n - k) * Math.log(1 - p));
}

function logFactorials(n: number): number[] {
  const logs = [0];
  for (let i = 1; i <= n; i++) logs.push((logs[i - 1] ?? 0) + Math.log(i));
  return logs;
}
