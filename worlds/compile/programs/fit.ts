import type { Json, JsonObject } from "../../json.ts";
import { canon, isScalar, same } from "../values.ts";
import { constant, type Expr, evaluate, type Path, UNKNOWN } from "./expr.ts";
import { HOPELESS, PRICE } from "./level.ts";
import { type Example, Search } from "./search.ts";

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
    else if (++wrong >= HOPELESS && wrong * PRICE > right) break;
  }
  return { expr, right, wrong };
}

const spread = <T>(list: readonly T[], most: number): readonly T[] => {
  if (list.length <= most) return list;
  const step = list.length / most;
  return Array.from({ length: most }, (_, i) => list[Math.floor(i * step)] as T);
};

/** The best expression for what was observed, from terms; undefined where none is worth anything. `own` is the value before, where there is one. */
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

/** Sights of one scalar that are enough to take it for fixed where it is known that something is put there. */
const UNANIMOUS = 3;

const isPlain = (value: Json): boolean => value === null || isScalar(value) || canon(value).length === 2;

/** The one scalar, or empty value, that all examples of more than one session show; too plain to be worth its bits, but nothing else was ever seen. */
export function unanimous(examples: readonly Example[]): Expr | undefined {
  const [first] = examples;
  if (!first || examples.length < UNANIMOUS || !isPlain(first.target)) return undefined;
  if (examples.some(({ target }) => !same(target, first.target))) return undefined;
  return examples.some(({ session }) => session !== first.session) ? constant(first.target) : undefined;
}

/** Paths of arguments with a value that is a scalar or a list in some call, two levels deep. */
export function argumentPaths(calls: readonly { readonly args: JsonObject }[]): Path[] {
  const out = new Map<string, Path>();
  for (const { args } of calls)
    for (const [name, value] of Object.entries(args)) {
      out.set(name, [name]);
      if (typeof value === "object" && value !== null && !Array.isArray(value))
        for (const inner of Object.keys(value)) out.set(`${name}.${inner}`, [name, inner]);
    }
  return [...out.keys()].sort().map((key) => out.get(key) as Path);
}
