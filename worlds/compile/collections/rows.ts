import { isObject, type JsonObject } from "../../json.ts";
import type { Session } from "../observations.ts";
import { byText, joinKey, scalarsOf } from "../values.ts";
import { type Collection, type ListReader, listsOf } from "./shapes.ts";

/** The column that keeps rows in the order in which they came to be; named as systems name none of theirs. */
export const ORDER = "_order_no";

/**
 * The rows that stood before any session: what reads show that no earlier write of their session names, numbered in
 * the order in which answers list them. A row that sessions show differently stays as the newest showed it.
 */
export function initialRows(
  sessions: readonly Session[],
  collections: readonly Collection[],
  readers: readonly ListReader[],
): Record<string, Record<string, JsonObject>> {
  const tables = new Map(collections.map((table) => [table.name, table]));
  const fields = new Map(readers.map(({ tool, fields: of }) => [tool, of]));
  const rows = new Map(collections.map(({ name }) => [name, new Map<string, JsonObject>()]));
  const lists = new Map(collections.map(({ name }) => [name, [] as string[][]]));
  for (const session of sessions) {
    const written = new Set<unknown>();
    for (const call of session.calls) {
      const shown = fields.get(call.tool);
      if (!shown) {
        for (const value of scalarsOf(call.args)) written.add(value);
        continue;
      }
      const answer = call.ok ? listsOf(call.value) : undefined;
      for (const { field, table } of answer ? shown : []) {
        const { key } = tables.get(table) as Collection;
        const known = (answer?.get(field) ?? []).filter(
          (row) => isObject(row) && !key.some((column) => written.has(row[column])),
        );
        const keys = known.map((row) => joinKey(key.map((column) => row[column] ?? null)));
        known.forEach((row, i) => void rows.get(table)?.set(keys[i] as string, row));
        if (keys.length > 0) lists.get(table)?.push(keys);
      }
    }
  }
  return Object.fromEntries(
    collections.map(({ name }) => {
      const ranks = new Map(inOrder(lists.get(name) as string[][]).map((key, i) => [key, i + 1]));
      const entries = [...(rows.get(name) as Map<string, JsonObject>)].sort(([a], [b]) => byText(a, b));
      return [name, Object.fromEntries(entries.map(([key, row]) => [key, { ...row, [ORDER]: ranks.get(key) ?? 0 }]))];
    }),
  );
}

/** One order that lists agree with: the longest first, and what it lacks behind what stands before it in others. */
function inOrder(lists: readonly (readonly string[])[]): string[] {
  const order: string[] = [];
  const held = new Set<string>();
  const longest = [...lists].sort((a, b) => b.length - a.length || byText(a.join("\n"), b.join("\n")));
  for (const keys of longest) {
    let at = 0;
    for (const key of keys) {
      if (held.has(key)) at = order.indexOf(key) + 1;
      else {
        order.splice(at++, 0, key);
        held.add(key);
      }
    }
  }
  return order;
}
