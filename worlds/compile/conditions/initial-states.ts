import type { Json, JsonObject } from "../../json.ts";
import type { History } from "../history.ts";
import type { Session } from "../observations.ts";
import { byText, canon } from "../values.ts";

/** Columns by row key, by table. */
type Columns = Record<string, Record<string, JsonObject>>;

/** An initial state of which every column is every session's, and what sessions of one group alone start with. */
export interface InitialStates {
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
export function initialStates(history: History, sessions: readonly Session[]): InitialStates {
  const first = firstObservations(history, sessions);
  const base: Record<string, Record<string, JsonObject>> = {};
  const starts = new Map<string, Columns>();
  const undated = history.starts.every((at) => at === 0);
  for (const [table, rows] of Object.entries(history.base)) {
    const kept: Record<string, JsonObject> = {};
    const exported = history.exported?.get(table);
    for (const [key, row] of Object.entries(rows)) {
      const given = exported?.get(key);
      const steady = given ? asExported(table, key, row, given, first, starts) : row;
      kept[key] = withoutVarying(table, key, steady, first, starts, undated, given);
    }
    base[table] = kept;
  }
  if (starts.size === 0) return { history, starts };
  return { history: { ...history, base, own: sessions.map(({ group }) => starts.get(group)) }, starts };
}

const nameOf = (table: string, key: string, column: string): string => `${table}\n${key}\n${column}`;

/** What every session saw first of a column before it could have changed, sessions in order. */
function firstObservations(history: History, sessions: readonly Session[]): Map<string, Seen[]> {
  const out = new Map<string, Seen[]>();
  for (const [t, { group }] of sessions.entries()) {
    const here = new Set<string>();
    for (const { table, key, row, clean } of history.observations[t] ?? []) {
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

function withoutVarying(
  table: string,
  key: string,
  row: JsonObject,
  first: ReadonlyMap<string, readonly Seen[]>,
  starts: Map<string, Columns>,
  undated: boolean,
  given: JsonObject = {},
): JsonObject {
  let out = row;
  for (const column of Object.keys(row).sort(byText)) {
    if (Object.hasOwn(given, column)) continue;
    const seen = first.get(nameOf(table, key, column)) ?? [];
    if (switches(seen) < BACK_AND_FORTH && !(undated && tasksDiffer(seen))) continue;
    const { [column]: _, ...rest } = out;
    out = rest;
    for (const [group, value] of agreed(seen)) startWith(starts, group, table, key, column, value);
  }
  return out;
}

function startWith(
  starts: Map<string, Columns>,
  group: string,
  table: string,
  key: string,
  column: string,
  value: Json,
): void {
  const tables = starts.get(group) ?? {};
  starts.set(group, tables);
  const rows = tables[table] ?? {};
  tables[table] = rows;
  rows[key] = { ...rows[key], [column]: value };
}

/** Groups that must all find one thing for an export that has another to be older than they are. */
const NEWER = 3;

/** A row as a database export has it: what sessions of a group find otherwise is their own start, but for what all of several do. */
function asExported(
  table: string,
  key: string,
  row: JsonObject,
  given: JsonObject,
  first: ReadonlyMap<string, readonly Seen[]>,
  starts: Map<string, Columns>,
): JsonObject {
  const out = { ...row };
  for (const [column, value] of Object.entries(given)) {
    const seen = first.get(nameOf(table, key, column)) ?? [];
    const told = agreed(seen);
    const values = new Set(seen.map((one) => canon(one.value)));
    if (values.size === 1 && told.size >= NEWER) continue;
    out[column] = value;
    for (const [group, own] of told) if (canon(own) !== canon(value)) startWith(starts, group, table, key, column, own);
  }
  return out;
}

function switches(seen: readonly Seen[]): number {
  let n = 0;
  for (const [i, { value }] of seen.entries()) if (i > 0 && canon(value) !== canon(seen[i - 1]?.value)) n++;
  return n;
}

/** Whether sessions of one group kept finding each of these values and others did not: without times none is the later one. */
function tasksDiffer(seen: readonly Seen[]): boolean {
  const told = agreed(seen);
  if (told.size < new Set(seen.map(({ group }) => group)).size) return false;
  const again = new Set<string>();
  for (const [group, value] of told) if (seen.filter((one) => one.group === group).length > 1) again.add(canon(value));
  return again.size > 1;
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
