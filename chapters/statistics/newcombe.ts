import { wilson } from "./wilson.ts";

/** `part` of `n`. */
export interface Share {
  readonly part: number;
  readonly n: number;
}

/** The difference of two independent shares, -1 to 1, with its interval at 95 %. */
export interface Difference {
  readonly difference: number;
  readonly low: number;
  readonly high: number;
}

/** The difference of two shares with Newcombe's interval from Wilson's bounds (1998, method 10). Undefined for an empty arm. */
export function differenceOf(a: Share, b: Share): Difference | undefined {
  if (a.n <= 0 || b.n <= 0) return undefined;
  const [of, against] = [a.part / a.n, b.part / b.n];
  const [one, two] = [wilson(a.part, a.n), wilson(b.part, b.n)];
  const difference = of - against;
  return {
    difference,
    low: Math.max(-1, difference - Math.hypot(of - one.low, two.high - against)),
    high: Math.min(1, difference + Math.hypot(one.high - of, against - two.low)),
  };
}
