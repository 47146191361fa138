import { getOwn, type JsonObject, setOwn } from "../../json.ts";
import { canon } from "../values.ts";

/** Rows by table and key. */
export type Rows = Record<string, Record<string, JsonObject>>;

/** The row of a table under a key, if there is one. */
export const rowIn = (rows: Rows, table: string, key: string): JsonObject | undefined => {
  const of = getOwn(rows, table);
  return of && getOwn(of, key);
};

/** Rows in which one state differs from another, with the columns that do. */
export function differing(from: Rows, to: Rows): Rows {
  const out: Rows = {};
  for (const [table, rows] of Object.entries(to))
    for (const [key, row] of Object.entries(rows)) {
      const base = rowIn(from, table, key);
      if (base === row) continue;
      const own = Object.fromEntries(
        Object.entries(row).filter(([name, value]) => canon(base && getOwn(base, name)) !== canon(value)),
      );
      if (Object.keys(own).length === 0) continue;
      const into = getOwn(out, table) ?? {};
      setOwn(into, key, own);
      setOwn(out, table, into);
    }
  return out;
}
