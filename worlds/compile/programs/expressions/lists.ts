import type { Json } from "../../../json.ts";
import { canon, same } from "../../values.ts";

/** What a value does to a list: appended, removed, inserted in order, appended if missing, or moved to its end. */
export type ListChange = "append" | "remove" | "insert" | "include" | "last";

/** A list after values changed it, one after the other. */
export const changedByEach = (op: ListChange, list: readonly Json[], values: readonly Json[]): Json[] =>
  values.reduce((held: Json[], value) => changedBy(op, held, value), [...list]);

function changedBy(op: ListChange, list: Json[], value: Json): Json[] {
  if (op === "append") return [...list, value];
  if (op === "last") return [...list.filter((entry) => !same(entry, value)), value];
  if (op === "remove") return list.filter((entry) => !same(entry, value));
  if (list.some((entry) => same(entry, value))) return list;
  return op === "include" ? [...list, value] : [...list, value].sort(order);
}

const order = (a: Json, b: Json): number => (canon(a) < canon(b) ? -1 : 1);
