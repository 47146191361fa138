import type { Json, JsonObject } from "../json.ts";
import type { History } from "./history.ts";
import type { Session } from "./observations.ts";
import { byText, canon } from "./values.ts";

/** Columns by row key, by table. */
type Columns = Record<string, Record<string, JsonObject>>;

/** An initial state of which every column is every session's, and what sessions of one group alone start with. */
export interface Steadied {
  readonly history: History;
  readonly starts: ReadonlyMap<string, Columns>;
}

/** A value that is left and comes back this often is no change of the system: sessions start otherwise. */
const BACK_AND_FORTH = 2;

interface Seen {
  readonly group: string;
  readonly value: Json;
}

/**
 * Takes columns out of the initial state that sessions find now so, now otherwise, before anything was done: their state
 * is their session's own. A value that changed once and stayed is the system's, as it is now.
 */
export function steadied(history: History, sessions: readonly Session[]): Steadied {
  const first = firstSights(history, sessions);
  const base: Record<string, Record<string, JsonObject>> = {};
  const starts = new Map<string, Columns>();
  for (const [table, rows] of Object.entries(history.base)) {
    const kept: Record<string, JsonObject> = {};
    for (const [key, row] of Object.entries(rows)) kept[key] = withoutUnsteady(table, key, row, first, starts);
    base[table] = kept;
  }
  return starts.size === 0 ? { history, starts } : { history: { ...history, base }, starts };
}

const nameOf = (table: string, key: string, column: string): string => `${table}\n${key}\n${column}`;

/** What every session saw first of a column before it could have changed, sessions in order. */
function firstSights(history: History, sessions: readonly Session[]): Map<string, Seen[]> {
  const out = new Map<string, Seen[]>();
  for (const [t, { group }] of sessions.entries()) {
    const here = new Set<string>();
    for (const { table, key, row, clean } of history.sights[t] ?? []) {
      if (!clean) continue;
      for (const [column, value] of Object.entries(row)) {
        const name = nameOf(table, key, column);
        if (here.has(name)) continue;
        here.add(name);
        const list = out.get(name) ?? [];
        list.push({ group, value });
        out.set(name, list);
      }
    }
  }
  return out;
}

function withoutUnsteady(
  table: string,
  key: string,
  row: JsonObject,
  first: ReadonlyMap<string, readonly Seen[]>,
  starts: Map<string, Columns>,
): JsonObject {
  let out = row;
  for (const column of Object.keys(row).sort(byText)) {
    const seen = first.get(nameOf(table, key, column)) ?? [];
    if (switches(seen) < BACK_AND_FORTH) continue;
    const { [column]: _, ...rest } = out;
    out = rest;
    for (const [group, value] of agreed(seen)) {
      const tables = starts.get(group) ?? {};
      starts.set(group, tables);
      const rows = tables[table] ?? {};
      tables[table] = rows;
      rows[key] = { ...rows[key], [column]: value };
    }
  }
  return out;
}

function switches(seen: readonly Seen[]): number {
  let n = 0;
  for (const [i, { value }] of seen.entries()) if (i > 0 && canon(value) !== canon(seen[i - 1]?.value)) n++;
  return n;
}

/** Groups whose sessions all saw one value, with it. */
function agreed(seen: readonly Seen[]): Map<string, Json> {
  const values = new Map<string, Map<string, Json>>();
  for (const { group, value } of seen)
    values.set(group, (values.get(group) ?? new Map<string, Json>()).set(canon(value), value));
  return new Map(
    [...values].flatMap(([group, of]) => (of.size === 1 ? [[group, [...of.values()][0] as Json] as const] : [])),
  );
}
