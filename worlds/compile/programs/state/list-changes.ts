import type { Json } from "../../../json.ts";
import { same } from "../../values.ts";
import { UNKNOWN, type Value } from "../expressions/expr.ts";
import { RIGHT, UNTOLD, type Verdict, WRONG } from "../expressions/level.ts";
import { changedByEach, type ListChange } from "../expressions/lists.ts";

/** What may be done to a list with one value, and with each entry of another list. */
export const ONE = (["append", "remove", "include", "insert", "last"] as const).map((op) => ({ op }));
export const EACH = (["append", "remove", "include", "insert"] as const).map((op) => ({ op, each: true as const }));

/** How a changed list stands against what was observed: made only where its length may be right. */
export function changedList(
  { op, each }: { readonly op: ListChange; readonly each?: true },
  held: Value,
  entry: Value,
  target: Json,
): Verdict {
  if (!Array.isArray(held) || entry === UNKNOWN || (each && !Array.isArray(entry))) return UNTOLD;
  const values = each ? (entry as Json[]) : [entry];
  if (!Array.isArray(target) || target.length > held.length + values.length) return WRONG;
  if (op === "append" && target.length !== held.length + values.length) return WRONG;
  if (op !== "remove" && !values.every((value) => target.some((one) => same(one, value)))) return WRONG;
  return same(changedByEach(op, held, values), target) ? RIGHT : WRONG;
}
