import { WRONG_COSTS } from "../../../confidence.ts";
import type { Json } from "../../../json.ts";
import { canon, isScalar, same } from "../../values.ts";
import { constant, type Expr, evaluate, UNKNOWN } from "./expr.ts";
import { HOPELESS } from "./level.ts";
import { type Example, Search, UNANIMOUS } from "./search.ts";

export type { Example } from "./search.ts";

/** An expression with how it stands against the examples: those that it cannot tell count neither way. */
export interface Fitted {
  readonly expr: Expr;
  readonly right: number;
  readonly wrong: number;
}

/** Examples looked at: more of them tell nothing new. */
const ENOUGH = 400;

/** How an expression stands: right and wrong. */
export function standing(expr: Expr, examples: readonly Example[]): Fitted {
  let right = 0;
  let wrong = 0;
  for (const { env, target } of examples) {
    const value = evaluate(expr, env);
    if (value === UNKNOWN) continue;
    if (same(value, target)) right++;
    else if (++wrong >= HOPELESS && wrong * WRONG_COSTS > right) break;
  }
  return { expr, right, wrong };
}

const spread = <T>(list: readonly T[], most: number): readonly T[] => {
  if (list.length <= most) return list;
  const step = list.length / most;
  return Array.from({ length: most }, (_, i) => list[Math.floor(i * step)] as T);
};

/** The best expression for what was observed; undefined where none is worth anything. `own` is the value before, where there is one. */
export function fitExpression(
  all: readonly Example[],
  given: readonly Expr[],
  own?: Expr,
  depth = 2,
  named?: string,
): Fitted | undefined {
  const examples = spread(all, ENOUGH);
  return examples.length === 0 ? undefined : new Search(examples, own, named).best(given, depth);
}

/** Whether a value is a scalar or empty. */
export const isPlain = (value: Json): boolean => value === null || isScalar(value) || canon(value).length === 2;

/** The one scalar or empty value that all examples of several sessions show: not worth its bits, but nothing else was ever seen. */
export function unanimous(examples: readonly Example[]): Expr | undefined {
  const [first] = examples;
  if (!first || examples.length < UNANIMOUS || !isPlain(first.target)) return undefined;
  if (examples.some(({ target }) => !same(target, first.target))) return undefined;
  return examples.some(({ session }) => session !== first.session) ? constant(first.target) : undefined;
}
