import type { Json } from "../../../json.ts";
import { same } from "../../values.ts";
import { constant, evaluate, UNKNOWN, type Value } from "../expressions/expr.ts";
import { RIGHT, UNTOLD, type Verdict, WRONG } from "../expressions/level.ts";

/** What may be done to a list with one value. */
export const LISTS = ["append", "remove", "include", "insert", "last"] as const;

/** How a changed list stands against what was observed: made only where its length may be right. */
export function changedList(op: (typeof LISTS)[number], held: Value, entry: Value, target: Json): Verdict {
  if (!Array.isArray(held) || entry === UNKNOWN) return UNTOLD;
  if (!Array.isArray(target)) return WRONG;
  if (op === "append") {
    if (target.length !== held.length + 1 || !same(target.at(-1), entry)) return WRONG;
    return held.every((one, k) => same(one, target[k])) ? RIGHT : WRONG;
  }
  if (op === "remove") {
    if (target.length > held.length) return WRONG;
    const rest = held.filter((one) => !same(one, entry));
    return same(rest, target) ? RIGHT : WRONG;
  }
  if (target.length !== held.length && target.length !== held.length + 1) return WRONG;
  if (!target.some((one) => same(one, entry))) return WRONG;
  const made = evaluate({ op, list: constant(held), value: constant(entry) }, NOTHING);
  return same(made as Json, target) ? RIGHT : WRONG;
}

const NOTHING = { args: {}, facts: { cells: new Map(), tables: new Map() } };
