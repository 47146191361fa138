import type { History } from "./history.ts";

/** What a column becomes that a call changes in a way that nothing explains: unknown, until something sets it. */
export const UNKNOWN = "dyn(null)";

/** Whether rows of a table may hold nothing in a column. */
export function isNullable(history: History, table: string, column: string): boolean {
  return (
    Object.values(history.base[table] ?? {}).some((row) => row[column] === null) ||
    (history.entities.get(table)?.placed ?? []).some(({ source }) =>
      source.instances.some(({ row }) => row[column] === null),
    )
  );
}
