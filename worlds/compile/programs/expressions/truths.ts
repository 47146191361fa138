import type { Json } from "../../../json.ts";
import { constant, type Expr } from "./expr.ts";
import { type Level, RIGHT, UNTOLD, type Verdict, WRONG } from "./level.ts";
import { UNKNOWN_ID, type Vector } from "./vectors.ts";

/** Values of a term past which cases on it are no rule. */
export const CASES = 24;

/** Tests of a term against a value or another term, for targets that are all truth values. */
export function considerTruths(level: Level, terms: readonly Vector[], target: (i: number) => Json): void {
  const { at } = level;
  const numeric = terms.filter((term) => term.some(at, (value) => typeof value === "number"));
  const right = (i: number, told: boolean): Verdict => (target(i) === told ? RIGHT : WRONG);
  for (const term of terms) {
    const a = term.expr;
    const values = valuesOf(term, at);
    if (values.size <= CASES)
      for (const [id, value] of values) {
        const test = (): Expr => ({ op: "eq", a, b: constant(value) });
        const told = (i: number) => term.id(i) === id;
        const unknown = (i: number) => term.id(i) === UNKNOWN_ID;
        level.consider(test, (i) => (unknown(i) ? UNTOLD : right(i, told(i))));
        level.consider(
          () => ({ op: "not", a: test() }),
          (i) => (unknown(i) ? UNTOLD : right(i, !told(i))),
        );
      }
    if (![...values.values()].some((value) => typeof value === "number")) continue;
    for (const other of numeric) {
      if (other === term) continue;
      for (const op of ["less", "most"] as const) {
        const told = op === "less" ? <T>(x: T, y: T) => x < y : <T>(x: T, y: T) => x <= y;
        level.consider(
          () => ({ op, a, b: other.expr }),
          (i) => {
            const [x, y] = [term.value(i), other.value(i)];
            const texts = typeof x === "string" && typeof y === "string";
            return texts || (typeof x === "number" && typeof y === "number") ? right(i, told(x, y)) : UNTOLD;
          },
        );
      }
    }
  }
}

/** The known values of a term by their ids, the most frequent first. */
function valuesOf(term: Vector, at: Int32Array): Map<number, Json> {
  const counts = new Map<number, { value: Json; n: number }>();
  for (const i of at) {
    const id = term.id(i);
    if (id === UNKNOWN_ID) continue;
    const row = counts.get(id);
    if (row) row.n++;
    else counts.set(id, { value: term.value(i) as Json, n: 1 });
  }
  return new Map([...counts].sort(([, a], [, b]) => b.n - a.n).map(([id, { value }]) => [id, value]));
}
