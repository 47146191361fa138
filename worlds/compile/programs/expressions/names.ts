import { byText } from "../../values.ts";
import type { Learnt } from "../effects.ts";
import type { Names } from "./print.ts";

/** The stored tables of cells, and of the numbers that keys of new rows are counted by. */
export const CELLS = "state";
export const COUNTERS = "counters";
/** The column that holds the order in which rows came to be. */
export const MADE = "made_as";

const PLAIN = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Whether sessions differ in which rows of a table they start with, each under one key. */
export const isDoubted = ({ layout, starts }: Learnt, table: string): boolean =>
  layout.tables.get(table)?.length === 1 && (starts.differing.get(table)?.size ?? 0) > 0;

/** The names under which tables and columns are stored, each its own. */
export function namesOf(learnt: Learnt, columns: ReadonlyMap<string, ReadonlySet<string>>): Names {
  const taken = new Map<string, Map<string, string>>();
  for (const table of ["", ...learnt.layout.tables.keys()]) {
    const of = new Map<string, string>();
    const used = new Set(["of", MADE]);
    for (const column of [
      ...(learnt.layout.tables.get(table) ?? []),
      ...[...(columns.get(table) ?? [])].sort(byText),
    ]) {
      if (of.has(column)) continue;
      const base = PLAIN.test(column) ? column : column.replace(/[^A-Za-z0-9_]+/g, "_").replace(/^(?=\d)|^$/, "c");
      let name = base;
      for (let n = 2; used.has(name); n++) name = `${base}_${n}`;
      used.add(name);
      of.set(column, name);
    }
    taken.set(table, of);
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
