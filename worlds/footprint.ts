import type { Footprint, TableModel } from "./bundle.ts";
import { isObject, type Json, type JsonObject } from "./json.ts";
import { KEY_SEPARATOR } from "./state/keys.ts";
import type { WorldState } from "./state/state.ts";
import { UNKNOWN } from "./unknown.ts";

/** What joins a column and what lies within it. */
export const WITHIN = "\u001f";

type TableFootprint = Footprint["tables"][string];

/** Every text and number in a value, as text. */
function scalars(value: Json | undefined, into = new Set<string>()): Set<string> {
  if (typeof value === "string" || typeof value === "number") into.add(String(value));
  else if (Array.isArray(value)) for (const item of value) scalars(item, into);
  else if (isObject(value) && value !== UNKNOWN)
    for (const key of Object.keys(value)) scalars(value[key], into.add(key));
  return into;
}

/** Whether a row holds one of some texts in a column: calls that name no row may mean all that hold what they name. */
export const holdsText = (row: JsonObject, names: ReadonlySet<string>): boolean =>
  Object.values(row).some((value) => typeof value === "string" && value !== "" && names.has(value));

/** What calls of one tool may change, ready to be made unknown. */
export class PreparedFootprint {
  private readonly reaches: readonly (readonly [table: string, reach: TableFootprint])[];
  private readonly doubted: readonly (readonly [table: string, reach: TableFootprint])[];
  private readonly tables: readonly string[];

  constructor({ tables }: Footprint, models: readonly TableModel[]) {
    this.reaches = Object.entries(tables);
    this.doubted = this.reaches.flatMap(([table, { doubted }]) => (doubted ? [[table, doubted] as const] : []));
    this.tables = models.filter(({ internal }) => internal !== true).map(({ name }) => name);
  }

  /** Makes unknown what a call with these arguments may have changed. */
  forget(state: WorldState, args: JsonObject): void {
    this.leave(state, args, this.reaches);
  }

  /** Makes unknown what a call that was answered may have changed besides what its behaviour tells. */
  doubt(state: WorldState, args: JsonObject): void {
    if (this.doubted.length > 0) this.leave(state, args, this.doubted);
  }

  private leave(
    state: WorldState,
    args: JsonObject,
    reaches: readonly (readonly [table: string, reach: TableFootprint])[],
  ): void {
    const names = scalars(args);
    const named = new Map(this.tables.map((table) => [table, rowsNamed(state, table, names)]));
    const beside = new Set<string>();
    for (const [table, keys] of named) for (const key of keys) scalars(state.get(table, key), beside);
    for (const [table, reach] of reaches) {
      const own = named.get(table) ?? [];
      const near =
        reach.near === undefined ? [] : [...rowsNamed(state, table, beside), ...rowsHolding(state, table, names)];
      for (const key of own) leave(state, table, key, reach.named, names);
      for (const key of new Set(near)) if (!own.includes(key)) leave(state, table, key, reach.near, names);
      if (reach.others === "*") state.forgetTable(table, { all: true });
      else if (reach.others && reach.others.length > 0)
        state.forgetTable(table, { columns: reach.others.map((path) => path.split(WITHIN)[0] as string) });
      if (reach.made) state.forgetTable(table, { made: true });
    }
  }
}

function leave(
  state: WorldState,
  table: string,
  key: string,
  cells: TableFootprint["named"],
  names: ReadonlySet<string>,
): void {
  if (cells === "*") {
    state.forget(table, key);
    return;
  }
  const columns = (cells ?? []).filter((cell) => !cell.includes(WITHIN));
  if (columns.length > 0) state.forget(table, key, columns);
  for (const cell of cells ?? []) {
    const [column, ...within] = cell.split(WITHIN) as [string, ...string[]];
    if (within.length === 0) continue;
    const row = state.get(table, key);
    if (row === undefined || row === UNKNOWN || !Object.hasOwn(row, column)) continue;
    const value = without(row[column] as Json, within, names);
    if (value !== row[column]) state.put(table, key, { ...row, [column]: value });
  }
}

/** A value with what stands at a path within it unknown; `*` are the members that some names name. */
function without(value: Json, path: readonly string[], names: ReadonlySet<string>): Json {
  const [part, ...rest] = path;
  if (part === undefined || value === UNKNOWN) return UNKNOWN;
  if (!isObject(value)) return value;
  let out = value;
  for (const name of part === "*" ? names : [part])
    if (Object.hasOwn(value, name)) out = { ...out, [name]: without(value[name] as Json, rest, names) };
  return out;
}

/** Rows of a table whose key is made of some names. */
function rowsNamed(state: WorldState, table: string, names: ReadonlySet<string>): string[] {
  const out: string[] = [];
  for (const name of names) if (state.get(table, name) !== undefined) out.push(name);
  if (state.rowKeys(table)[0]?.includes(KEY_SEPARATOR))
    for (const key of state.rowKeys(table))
      if (key.split(KEY_SEPARATOR).every((part) => names.has(part))) out.push(key);
  return out;
}

/** Rows of a table that hold one of some texts. */
function rowsHolding(state: WorldState, table: string, names: ReadonlySet<string>): string[] {
  return [...state.entries(table)].flatMap(([key, row]) => (holdsText(row, names) ? [key] : []));
}
