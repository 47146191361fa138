import type { BaseState, Bundle } from "../../bundle.ts";
import { isObject, type Json, type JsonObject } from "../../json.ts";
import { Starts } from "../../starts.ts";
import { literal, member } from "../conditions/term.ts";
import type { History } from "../history.ts";
import type { Call, Session } from "../observations.ts";
import { byText, isScalar, scalarsOf } from "../values.ts";

/** The keyed rows that sessions are about, as far as readings of a thing without a key may rest on them. */
export interface OwnRows {
  /** By group of sessions, by table, the key of its row. */
  readonly ids: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** What their columns were before a call, by feature. */
  readonly before: ReadonlyMap<Call, ReadonlyMap<string, string>>;
  /** Every such feature. */
  readonly features: readonly string[];
}

/** How many mentions by a call that only looks one by a call that changes something is worth. */
const CHANGES = 3;
/** Columns of one table beyond these are a document's. */
const MAX_COLUMNS = 12;

const PREFIX = "row.";

/** The column of a session's readings that holds the key of its row of a table. */
export const ownColumn = (table: string): string => `own_${table}`;

/** The columns that hold the keys of sessions' rows, unknown where nothing tells of which rows a session is. */
export function ownKeys(own: OwnRows | undefined): Record<string, null> {
  const tables = new Set([...(own?.ids.values() ?? [])].flatMap((of) => [...of.keys()]));
  return Object.fromEntries([...tables].sort(byText).map((table) => [ownColumn(table), null]));
}

/** The name that a row's column goes by in an expression; undefined for what is no feature of a row. */
export const rowName = (feature: string): string | undefined =>
  feature.startsWith(PREFIX) ? `o_${feature.slice(PREFIX.length).replace(/\W/g, "_")}` : undefined;

/** The table of a row's feature; undefined for any other feature. */
export const tableOf = (feature: string): string | undefined =>
  feature.startsWith(PREFIX) ? feature.slice(PREFIX.length).split(".")[0] : undefined;

/** Steps that give the features of rows their names, for those that a text mentions. */
export function rowSteps(own: OwnRows | undefined, used: string): { op: "let"; name: string; expr: string }[] {
  return (own?.features ?? []).flatMap((feature) => {
    const name = rowName(feature) as string;
    if (!new RegExp(`\\b${name}\\b`).test(used)) return [];
    const [table, ...path] = feature.slice(PREFIX.length).split(".") as [string, ...string[]];
    const key = `s.${ownColumn(table)}`;
    const row = `lookup(${literal(table)}, ${key})`;
    const cells = path.map((_, i) => path.slice(0, i + 1).reduce(member, row));
    const there = [`${key} == null`, `${row} == null`, ...cells.map((cell) => `!has(${cell})`)].join(" || ");
    const cell = cells.at(-1) as string;
    return [
      { op: "let" as const, name, expr: `unknown_as_null(${there} || ${cell} == null ? null : string(${cell}))` },
    ];
  });
}

/** Finds the rows that a group's sessions are about, and their state before every call. Undefined where they never change. */
export function findOwnRows(
  compiled: { readonly bundle: Bundle; readonly base: BaseState },
  sessions: readonly Session[],
  { entities, base, writers }: History,
  keyless: ReadonlySet<string>,
): OwnRows | undefined {
  const tables = [...entities.values()].filter(({ key }) => key.length === 1).map(({ name }) => name);
  const ids = idsOf(sessions, tables, base, (call) =>
    keyless.has(call.tool) ? 0 : writers.has(call.tool) ? CHANGES : 1,
  );
  if (ids.size === 0) return undefined;
  const all = follow(compiled, sessions, ids, keyless);
  const moving = movingColumns(all);
  if (moving.size === 0) return undefined;
  const before: OwnRows["before"] = new Map(
    [...all].map(([call, rows]) => [
      call,
      new Map(
        rows.flatMap(({ table, cells }) =>
          [...cells].flatMap(([path, text]) =>
            moving.has(`${table}.${path}`) ? [[`${PREFIX}${table}.${path}`, text] as const] : [],
          ),
        ),
      ),
    ]),
  );
  const kept = new Set([...moving].map((column) => column.split(".")[0] as string));
  const own = [...ids].map(([group, of]) => [group, new Map([...of].filter(([table]) => kept.has(table)))] as const);
  const features = [...moving].map((column) => `${PREFIX}${column}`).sort(byText);
  return { ids: new Map(own), before, features };
}

/** By group and table the row that its calls name most. */
function idsOf(
  sessions: readonly Session[],
  tables: readonly string[],
  base: History["base"],
  worth: (call: Call) => number,
): Map<string, Map<string, string>> {
  const counts = new Map<string, Map<string, Map<string, number>>>();
  for (const { group, calls } of sessions)
    for (const call of calls) {
      const n = call.ok ? worth(call) : 0;
      if (n === 0) continue;
      for (const value of new Set([...scalarsOf(call.args)].map(String)))
        for (const table of tables) {
          if (!Object.hasOwn(base[table] ?? {}, value)) continue;
          const byTable = counts.get(group) ?? new Map<string, Map<string, number>>();
          counts.set(group, byTable);
          const keys = byTable.get(table) ?? new Map<string, number>();
          byTable.set(table, keys.set(value, (keys.get(value) ?? 0) + n));
        }
    }
  const most = (keys: ReadonlyMap<string, number>): string =>
    [...keys].sort((a, b) => b[1] - a[1] || byText(a[0], b[0]))[0]?.[0] as string;
  return new Map(
    [...counts].map(([group, byTable]) => [group, new Map([...byTable].map(([table, keys]) => [table, most(keys)]))]),
  );
}

interface Row {
  readonly table: string;
  readonly key: string;
  readonly cells: ReadonlyMap<string, string>;
}

function follow(
  compiled: { readonly bundle: Bundle; readonly base: BaseState },
  sessions: readonly Session[],
  ids: OwnRows["ids"],
  keyless: ReadonlySet<string>,
): Map<Call, Row[]> {
  const starts = new Starts(compiled);
  const out = new Map<Call, Row[]>();
  for (const { group, calls } of sessions) {
    const own = ids.get(group);
    if (!own) continue;
    const world = starts.fresh(group);
    let rows: Row[] | undefined;
    for (const call of calls) {
      rows ??= [...own].map(([table, key]) => ({ table, key, cells: cellsOf(world.row(table, key) ?? {}) }));
      out.set(call, rows);
      if (keyless.has(call.tool)) continue;
      world.call(call.tool, call.args);
      rows = undefined;
    }
  }
  return out;
}

/** The scalars of a row, those of its nested objects by their path. */
function cellsOf(row: JsonObject): Map<string, string> {
  const out = new Map<string, string>();
  const add = (path: string, value: Json) => {
    if (isScalar(value) && /^[\w.]+$/.test(path)) out.set(path, String(value));
  };
  for (const [column, value] of Object.entries(row)) {
    if (!isObject(value)) add(column, value);
    else for (const [name, inner] of Object.entries(value)) add(`${column}.${name}`, inner);
  }
  return out;
}

/** Columns that some row had now so, now otherwise. */
function movingColumns(all: ReadonlyMap<Call, readonly Row[]>): Set<string> {
  const first = new Map<string, string>();
  const out = new Map<string, Set<string>>();
  for (const rows of all.values())
    for (const { table, key, cells } of rows)
      for (const [path, text] of cells) {
        const cell = `${table}\n${key}\n${path}`;
        const before = first.get(cell);
        if (before === undefined) first.set(cell, text);
        else if (before !== text) out.set(table, (out.get(table) ?? new Set()).add(path));
      }
  return new Set(
    [...out].flatMap(([table, paths]) =>
      paths.size > MAX_COLUMNS ? [] : [...paths].map((path) => `${table}.${path}`),
    ),
  );
}
