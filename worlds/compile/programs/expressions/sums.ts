import type { Json } from "../../../json.ts";
import { constant, rounded } from "./expr.ts";
import { type Level, RIGHT, UNTOLD, type Verdict, WRONG } from "./level.ts";
import type { Vector } from "./vectors.ts";

/**
 * Sums, differences and products of two terms, terms with a step added, and what was there before with a product added or
 * taken away, for targets that are all numbers.
 */
export function considerSums(
  level: Level,
  terms: readonly Vector[],
  target: (i: number) => Json,
  own: Vector | undefined,
): void {
  const { at } = level;
  const numeric = terms.filter((term) => term.some(at, (value) => typeof value === "number"));
  /** How a computed number stands: rounded only where it may be right. */
  const judged = (value: number, i: number): Verdict => {
    if (Number.isNaN(value)) return UNTOLD;
    const wanted = target(i) as number;
    return Math.abs(value - wanted) <= 1e-8 && rounded(value) === wanted ? RIGHT : WRONG;
  };
  if (own) considerProducts(level, own, numeric, judged);
  for (const [p, x] of numeric.entries()) {
    const a = x.expr;
    const as = x.numbers;
    const step = commonStep(at, as, target);
    if (step)
      level.consider(
        () => ({ op: "add", a, b: constant(step) }),
        (i) => judged((as[i] as number) + step, i),
      );
    for (const [q, y] of numeric.entries()) {
      if (p === q) continue;
      const b = y.expr;
      const bs = y.numbers;
      // Those that come to the same both ways were considered the other way round.
      if (p < q)
        level.consider(
          () => ({ op: "add", a, b }),
          (i) => judged((as[i] as number) + (bs[i] as number), i),
        );
      level.consider(
        () => ({ op: "subtract", a, b }),
        (i) => judged((as[i] as number) - (bs[i] as number), i),
      );
      if (p < q)
        level.consider(
          () => ({ op: "multiply", a, b }),
          (i) => judged((as[i] as number) * (bs[i] as number), i),
        );
    }
  }
}

/** Terms that are multiplied to be added, the first ones. */
const FACTORS = 8;

/** What was there with a product of two terms added or taken away. */
function considerProducts(
  level: Level,
  own: Vector,
  numeric: readonly Vector[],
  judged: (value: number, i: number) => Verdict,
): void {
  const factors = numeric.filter(({ expr }) => expr !== own.expr).slice(0, FACTORS);
  for (const [p, x] of factors.entries())
    for (const y of factors.slice(p + 1))
      for (const [op, sign] of [
        ["add", 1],
        ["subtract", -1],
      ] as const)
        level.consider(
          () => ({ op, a: own.expr, b: { op: "multiply", a: x.expr, b: y.expr } }),
          (i) => judged((own.numbers[i] as number) + sign * (x.numbers[i] as number) * (y.numbers[i] as number), i),
        );
}

/** The step from a term to the target that most examples agree in; undefined where no two do, or where it is none. */
function commonStep(at: Int32Array, numbers: Float64Array, target: (i: number) => Json): number | undefined {
  const steps = new Map<number, number>();
  for (const i of at) {
    const value = numbers[i] as number;
    if (Number.isNaN(value)) continue;
    const step = rounded((target(i) as number) - value);
    steps.set(step, (steps.get(step) ?? 0) + 1);
  }
  let best = 0;
  let most = 0;
  for (const [step, n] of steps)
    if (n > most) {
      best = step;
      most = n;
    }
  return most > 1 && best !== 0 ? best : undefined;
}
