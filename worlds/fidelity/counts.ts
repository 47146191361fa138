import { WRONG_COSTS } from "../confidence.ts";

/** What became of a number of calls; weighted where calls do not count alike. */
export interface Counts {
  calls: number;
  /** Equal as data once the ids that were paired before are renamed. */
  identical: number;
  /** Identical, or equal but for newly generated ids, clocks, the day on which it was and the rounding noise of binary fractions. */
  identical_volatile: number;
  not_served: number;
  /** Successes where the system refused or answered otherwise. */
  wrong_success: number;
  /** Served answers that are not the system's, wrong refusals included. */
  wrong_answer: number;
}

/** How an answer compares with the observed one. */
export type Outcome = "identical" | "identical_volatile" | "not_served" | "wrong_success" | "wrong_refusal";

export function noCounts(): Counts {
  return { calls: 0, identical: 0, identical_volatile: 0, not_served: 0, wrong_success: 0, wrong_answer: 0 };
}

export function count(counts: Counts, outcome: Outcome, weight = 1): void {
  counts.calls += weight;
  if (outcome === "identical") counts.identical += weight;
  if (outcome === "identical" || outcome === "identical_volatile") counts.identical_volatile += weight;
  if (outcome === "not_served") counts.not_served += weight;
  if (outcome === "wrong_success") counts.wrong_success += weight;
  if (outcome === "wrong_success" || outcome === "wrong_refusal") counts.wrong_answer += weight;
}

/** Identical answers less what the wrong ones cost, as a share of the calls; 0 without calls. */
export function utility({ calls, identical_volatile, wrong_answer }: Counts): number {
  return calls === 0 ? 0 : (identical_volatile - WRONG_COSTS * wrong_answer) / calls;
}

/** An answer that promised how likely it is right. */
export interface Promise_ {
  readonly confidence: number;
  readonly right: boolean;
}

/** What promises came to. Shares 0..1. */
export interface Promised {
  /** Largest share of all calls that can be answered, surest first, with at most 2 % of those answers wrong. */
  readonly coverage_at_2: number;
  /** Answers from each confidence up, surest first: their share of all calls, and the share of them that is right. */
  readonly curve: readonly { readonly confidence: number; readonly coverage: number; readonly precision: number }[];
  /** By tenth of confidence: the mean promise, and the share that was right. */
  readonly calibration: readonly { readonly promised: number; readonly met: number; readonly n: number }[];
}

/** The largest share of wrong answers that a coverage is told for. */
const WRONG = 0.02;

/** The curve of coverage and precision over `calls` calls; undefined where nothing was promised. */
export function promisedOf(promises: readonly Promise_[], calls: number): Promised | undefined {
  if (promises.length === 0 || calls === 0) return undefined;
  const byConfidence = new Map<number, { n: number; right: number }>();
  for (const { confidence, right } of promises) {
    const at = byConfidence.get(confidence) ?? { n: 0, right: 0 };
    at.n++;
    if (right) at.right++;
    byConfidence.set(confidence, at);
  }
  let [n, right, coverage] = [0, 0, 0];
  const curve = [...byConfidence]
    .sort(([a], [b]) => b - a)
    .map(([confidence, own]) => {
      n += own.n;
      right += own.right;
      if (n - right <= WRONG * n) coverage = n / calls;
      return { confidence: rounded(confidence), coverage: rounded(n / calls), precision: rounded(right / n) };
    });
  return { coverage_at_2: rounded(coverage), curve: thinned(curve), calibration: calibrationOf(promises) };
}

/** At most this many points of a curve are told. */
const POINTS = 40;

function thinned<T>(curve: readonly T[]): T[] {
  const step = Math.max(1, Math.ceil(curve.length / POINTS));
  return curve.filter((_, i) => i % step === step - 1 || i === curve.length - 1);
}

function calibrationOf(promises: readonly Promise_[]): Promised["calibration"] {
  const bins = new Map<number, { sum: number; right: number; n: number }>();
  for (const { confidence, right } of promises) {
    const bin = Math.min(9, Math.floor(confidence * 10));
    const at = bins.get(bin) ?? { sum: 0, right: 0, n: 0 };
    at.sum += confidence;
    at.n++;
    if (right) at.right++;
    bins.set(bin, at);
  }
  return [...bins]
    .sort(([a], [b]) => a - b)
    .map(([, { sum, right, n }]) => ({ promised: rounded(sum / n), met: rounded(right / n), n }));
}

export function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
