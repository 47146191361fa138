import { type Json, type JsonObject, setOwn } from "../json.ts";
import { UNKNOWN } from "../unknown.ts";

/** The table of what is unknown of other tables, by their name: no system's table, and shown nowhere but in the journal. */
export const DOUBTS = "\u001funknown";

/** What is unknown of a table's rows as drawn since a call that is not understood. */
export interface TableUnknowns {
  /** Columns, of every row. */
  readonly columns: ReadonlySet<string>;
  /** Rows may have been made that nobody saw. */
  readonly made: boolean;
  /** Any row may be another, or gone. */
  readonly all: boolean;
  readonly masked: WeakMap<JsonObject, JsonObject>;
}

const parsed = new WeakMap<JsonObject, TableUnknowns>();

/** What a row of the table of doubts says. */
export function tableUnknownsOf(row: JsonObject): TableUnknowns {
  let doubt = parsed.get(row);
  if (doubt === undefined) {
    const columns = new Set(Object.keys((row.columns ?? {}) as JsonObject));
    doubt = { columns, made: row.made === true, all: row.all === true, masked: new WeakMap() };
    parsed.set(row, doubt);
  }
  return doubt;
}

/** A row of the table of doubts with more in doubt. */
export function doubted(
  row: JsonObject | undefined,
  more: { columns?: readonly string[]; made?: true; all?: true },
): JsonObject {
  const columns: JsonObject = { ...((row?.columns ?? {}) as JsonObject) };
  for (const column of more.columns ?? []) setOwn(columns, column, true);
  return {
    columns,
    made: row?.made === true || more.made === true || more.all === true,
    all: row?.all === true || more.all === true,
  };
}

/** A row whose doubted columns are unknown. */
export function masked(row: JsonObject, columns: Iterable<string>): JsonObject {
  const out: JsonObject = { ...row };
  for (const column of columns) setOwn(out, column, UNKNOWN as Json);
  return Object.freeze(out);
}

/** A row as drawn under what is in doubt of its table. */
export function underDoubt(row: JsonObject, tableUnknowns: TableUnknowns): JsonObject {
  if (tableUnknowns.all) return UNKNOWN;
  if (tableUnknowns.columns.size === 0) return row;
  let made = tableUnknowns.masked.get(row);
  if (made === undefined) {
    made = masked(row, tableUnknowns.columns);
    tableUnknowns.masked.set(row, made);
  }
  return made;
}
