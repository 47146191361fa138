import { byText, unusedName } from "../../values.ts";
import type { Learnt } from "../effects.ts";
import type { Names } from "./print.ts";

/** The stored tables of cells, and of the numbers that keys of new rows are counted by. */
export const CELLS = "state";
export const COUNTERS = "counters";
/** The column that holds the order in which rows came to be. */
export const MADE = "made_as";

const PLAIN = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Names that the stored language takes, each its own. */
export function plainNames(names: Iterable<string>, taken: readonly string[]): Map<string, string> {
  const used = new Set(taken);
  const out = new Map<string, string>();
  for (const name of names) {
    const base = PLAIN.test(name) ? name : name.replace(/[^A-Za-z0-9_]+/g, "_").replace(/^(?=\d)|^$/, "c");
    const plain = unusedName(base, used);
    used.add(plain);
    out.set(name, plain);
  }
  return out;
}

/** Whether sessions differ in which rows of a table they start with, each under one key. */
export const isDoubted = ({ layout, starts }: Learnt, table: string): boolean =>
  layout.tables.get(table)?.length === 1 && (starts.differing.get(table)?.size ?? 0) > 0;

/** The names under which tables and columns are stored, each its own. */
export function namesOf(learnt: Learnt, columns: ReadonlyMap<string, ReadonlySet<string>>): Names {
  const taken = new Map<string, Map<string, string>>();
  for (const table of ["", ...learnt.layout.tables.keys()]) {
    const all = [...(learnt.layout.tables.get(table) ?? []), ...[...(columns.get(table) ?? [])].sort(byText)];
    taken.set(table, plainNames(new Set(all), ["of", MADE]));
  }
  return {
    table: (table) => (table === CELLS || table === COUNTERS ? `${table}_rows` : table),
    column: (table, column) => taken.get(table)?.get(column) ?? column.replace(/[^A-Za-z0-9_]+/g, "_"),
    stored: (table, column) => taken.get(table)?.has(column) ?? false,
    complete: (table) => learnt.starts.common.tables.get(table)?.complete ?? false,
    doubted: (table) => isDoubted(learnt, table),
    cells: CELLS,
    made: MADE,
    key: (table) => {
      const [name] = learnt.layout.tables.get(table) ?? [];
      return name === undefined ? "id" : (taken.get(table)?.get(name) ?? name);
    },
  };
}
