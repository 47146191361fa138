import type { JsonObject } from "../json.ts";
import { leaves } from "../tasks/leaves.ts";

const LEAST_ROWS = 4;

/** The dates of a row outside of its lists, by path. */
export function dateColumns(row: JsonObject): Map<string, string> {
  return new Map(
    leaves(row).flatMap((l) =>
      !l.generic.includes("[*]") && typeof l.value === "string" && /^\d{4}-\d{2}-\d{2}/.test(l.value)
        ? [[l.generic, l.value] as const]
        : [],
    ),
  );
}

/** Pairs of date columns of which one is never after the other. */
export function findOrders(rows: readonly JsonObject[]): { before: string; after: string }[] {
  const all = rows.map(dateColumns);
  const columns = [...new Set(all.flatMap((m) => [...m.keys()]))].sort();
  const found: { before: string; after: string }[] = [];
  for (const before of columns) {
    for (const after of columns) {
      const both = all.filter((m) => m.has(before) && m.has(after));
      if (before === after || both.length < LEAST_ROWS) continue;
      if (
        both.every((m) => (m.get(before) as string) <= (m.get(after) as string)) &&
        both.some((m) => m.get(before) !== m.get(after))
      )
        found.push({ before, after });
    }
  }
  return found;
}
