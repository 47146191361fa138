import type { Json } from "../../../json.ts";
import { byText, canon, isScalar, same } from "../../values.ts";
import { arg, constant, type Expr, evaluate, UNKNOWN } from "./expr.ts";
import type { Example } from "./search.ts";

/** A value is unsettled where at most so many examples stand for each that fails: one failure of many is an exception. */
const RIGHT_PER_WRONG = 2;
/** Examples with other values that have to stand as the expression says. */
const LEAST = 5;

interface Tally {
  readonly value: Json;
  right: number;
  wrong: number;
}

/**
 * An expression that is not known for a few values of one argument, where all examples that contradict it were given
 * those: what the call does with them rests on something that was not found. Otherwise the expression itself. An argument
 * of `key` names the row that is changed: contradictions under it are about a row, and not about what the call does.
 */
export function exceptUnsettled(expr: Expr, examples: readonly Example[], key: readonly Expr[] = []): Expr {
  const judged = examples.flatMap((example) => {
    const value = evaluate(expr, example.env);
    return value === UNKNOWN ? [] : [{ args: example.env.args, right: same(value, example.target) }];
  });
  const wrong = judged.filter(({ right }) => !right).length;
  if (wrong === 0) return expr;
  let best: { name: string; values: Json[]; lost: number } | undefined;
  const naming = new Set(key.flatMap((part) => (part.op === "arg" ? part.path.slice(0, 1) : [])));
  for (const name of [...new Set(judged.flatMap(({ args }) => Object.keys(args)))].sort(byText)) {
    if (naming.has(name)) continue;
    const tallies = new Map<string, Tally>();
    for (const { args, right } of judged) {
      const value = args[name];
      if (!isScalar(value)) continue;
      const tally = tallies.get(canon(value)) ?? { value, right: 0, wrong: 0 };
      tallies.set(canon(value), tally);
      if (right) tally.right++;
      else tally.wrong++;
    }
    const bad = [...tallies.values()].filter((one) => one.wrong * RIGHT_PER_WRONG >= one.right);
    const sum = (of: "right" | "wrong"): number => bad.reduce((all, one) => all + one[of], 0);
    const others = judged.length - wrong - sum("right");
    if (sum("wrong") < wrong || others < LEAST || bad.length * 2 > tallies.size) continue;
    if (!best || sum("right") < best.lost) best = { name, values: bad.map(({ value }) => value), lost: sum("right") };
  }
  if (!best) return expr;
  const test: Expr = { op: "contains", a: constant(best.values), b: arg(best.name) };
  return { op: "if", test, met: { op: "unknown" }, otherwise: expr };
}
