import type { ToolDefinition } from "../bundle.ts";
import { fitCollections } from "../compile/collections/index.ts";
import { ORDER } from "../compile/collections/rows.ts";
import { findColumnReads, Reader } from "../compile/history.ts";
import { manifest } from "../compile/listing.ts";
import type { Call, Session } from "../compile/observations.ts";
import { idLike, isDataMap, type Source } from "../compile/tables/entities.ts";
import { tableName } from "../compile/tables/names.ts";
import { findEntities } from "../compile/tables/tables.ts";
import { isScalar, joinKey } from "../compile/values.ts";
import { isObject, type Json, type JsonObject } from "../json.ts";
import { lastName, type Placed, valuePathsOf } from "./leaves.ts";

/** A row of an object type as a call showed it. */
export interface Shown {
  readonly key: string;
  readonly row: JsonObject;
  readonly call: Call;
  /** It stood inside the row of another object. */
  readonly inside?: true;
}

/** A kind of thing that answers show rows of. */
export interface ObjectType {
  readonly name: string;
  readonly key: readonly string[];
  readonly shown: Shown[];
  /** The object and path that its rows stand in, where they do. */
  within: { readonly object: string; readonly path: string }[];
}

/** The object types of a system, and what is known of tools whose rows are taken and answered in lists. */
export interface Objects {
  readonly types: ReadonlyMap<string, ObjectType>;
  /** What a fitted behaviour says that a tool of lists does. */
  readonly fitted: ReadonlyMap<string, { readonly effect: "read" | "write"; readonly tables: readonly string[] }>;
}

/** Object types from the shapes of results that share a key; those that stand inside others by an id of their own come after them. */
export function findObjects(
  sessions: readonly Session[],
  byTool: ReadonlyMap<string, readonly Call[]>,
  listing: readonly ToolDefinition[],
): Objects {
  const types = new Map<string, ObjectType>();
  const collections = fitCollections(sessions, byTool, manifest(listing.length > 0 ? listing : undefined, byTool));
  const fitted = new Map(
    [...(collections?.tools ?? [])].map(([tool, { effect, behaviour }]) => [
      tool,
      { effect, tables: tablesNamed(behaviour, collections?.tables.map((table) => table.name) ?? []) },
    ]),
  );
  const inLists = [...byTool].filter(([tool]) => fitted.has(tool)).flatMap(([, calls]) => calls);
  for (const { name, key, columns } of collections?.tables ?? []) {
    const wanted = columns.map((column) => column.name).filter((column) => column !== ORDER);
    types.set(name, { name, key, within: [], shown: inLists.flatMap((call) => [...rowsIn(call, key, wanted)]) });
  }
  const others = new Map([...byTool].filter(([tool]) => !fitted.has(tool)));
  const entities = findEntities(others);
  const reader = new Reader(entities, findColumnReads(sessions, entities, others));
  for (const { name, key } of entities) types.set(name, { name, key, within: [], shown: [] });
  for (const calls of others.values())
    for (const call of calls)
      for (const { table, key, row } of reader.rows(call)) types.get(table)?.shown.push({ key, row, call });
  addMaps(types, others);
  for (const type of [...types.values()]) addNested(types, type, "map");
  for (const type of [...types.values()]) addNested(types, type, "list");
  return { types: new Map([...types].filter(([, type]) => type.shown.length > 0)), fitted };
}

/** The values of an object's key column, as text. */
export function keyValues(type: ObjectType, column: string): Set<string> {
  return new Set(type.shown.flatMap(({ row }) => (isScalar(row[column]) ? [String(row[column])] : [])));
}

function tablesNamed(behaviour: unknown, tables: readonly string[]): string[] {
  const text = JSON.stringify(behaviour);
  return tables.filter((table) => text.includes(`"${table}"`) || text.includes(`\\"${table}\\"`));
}

function* rowsIn(call: Call, key: readonly string[], columns: readonly string[]): Generator<Shown> {
  if (!call.ok) return;
  for (const value of [call.args as Json, call.value])
    for (const { records } of valuePathsOf([{ value, from: call }]))
      for (const { value: row } of records)
        if (key.every((column) => isScalar(row[column])) && columns.every((column) => Object.hasOwn(row, column)))
          yield { key: joinKey(key.map((column) => row[column] as Json)), row, call };
}

/** How much of the ids at a place must be keys of a known object for them to be that one's. */
const SAME = 0.3;
/** Fewer entries than this do not show what a map's keys and values are. */
const FEWEST = 5;

/** Answers that map ids to names or names to ids: rows of the object with these keys, else an object of their own. */
function addMaps(types: Map<string, ObjectType>, byTool: ReadonlyMap<string, readonly Call[]>): void {
  const taken = new Set(types.keys());
  const showing = new Set([...types.values()].flatMap(({ shown }) => shown.map(({ call }) => call.tool)));
  for (const [tool, calls] of byTool) {
    if (showing.has(tool)) continue;
    const maps = calls.filter((call) => call.ok && isObject(call.value));
    const values = maps.map((call) => call.value as JsonObject);
    if (maps.length === 0 || maps.length < calls.filter((call) => call.ok).length) continue;
    if (!values.every((value) => Object.values(value).every(isScalar))) continue;
    const pairs = maps.flatMap((call) =>
      Object.entries(call.value as JsonObject).map(([key, value]) => ({ key, value, call })),
    );
    const known = [...types.values()].find((type) => {
      const ids = type.key.length === 1 ? keyValues(type, type.key[0] as string) : new Set<string>();
      const of = (texts: readonly string[]) =>
        texts.length >= FEWEST && texts.filter((text) => ids.has(text)).length >= texts.length * SAME;
      return of(pairs.map(({ value }) => String(value))) || of(pairs.map(({ key }) => key));
    });
    if (known) {
      const column = known.key[0] as string;
      const ids = keyValues(known, column);
      for (const { key, value, call } of pairs) {
        const id = ids.has(key) ? key : String(value);
        known.shown.push({ key: id, row: { [column]: id }, call });
      }
      continue;
    }
    if (!isDataMap(values)) continue;
    const source: Source = { tool, place: "$", list: false, instances: maps.map((call) => ({ call, row: {} })) };
    const name = tableName(["key"], [source], taken);
    taken.add(name);
    const shown = pairs.map(({ key, value, call }) => ({ key, row: { key, value }, call }));
    types.set(name, { name, key: ["key"], within: [], shown });
  }
}

/** Objects that stand inside rows of another, in maps by their id or in lists with an id column. */
function addNested(types: Map<string, ObjectType>, outer: ObjectType, form: "map" | "list"): void {
  const values = outer.shown.map(({ row, call }): Placed<Call> => ({ value: row, from: call }));
  for (const { path, entries, records } of valuePathsOf(values)) {
    if (path === "") continue;
    const found =
      form === "map"
        ? entries.flatMap(({ key, value, from }) => (isObject(value) ? [{ id: key, row: value, call: from }] : []))
        : path.endsWith("[]")
          ? records.map(({ value, from }) => ({ id: undefined, row: value, call: from }))
          : [];
    if (found.length === 0) continue;
    const column = idColumn(found);
    if (column === undefined && form === "list") continue;
    if (form === "list" && hasKnownId(types, found)) continue;
    const key = column ?? "key";
    const shown = found.map(({ id, row, call }): Shown => {
      const whole = column === undefined ? { key: id as string, ...row } : row;
      return { key: String(whole[key]), row: whole, call, inside: true };
    });
    const ids = new Set(shown.map((one) => one.key));
    const known = [...types.values()].find((type) => {
      if (type === outer || type.key.length !== 1) return false;
      const theirs = keyValues(type, type.key[0] as string);
      return [...ids].filter((id) => theirs.has(id)).length >= ids.size * SAME;
    });
    if (known) {
      known.shown.push(...shown);
      known.within.push({ object: outer.name, path });
      continue;
    }
    const taken = new Set(types.keys());
    const plain = tableName([key], [], new Set());
    const name = tableName([plain === "rows" ? lastName(path) : key], [], taken);
    types.set(name, { name, key: [key], shown, within: [{ object: outer.name, path }] });
  }
}

/** The column that holds each entry's own id: equal to the map's key, or in a list an id that no two rows share. */
function idColumn(found: readonly { id: string | undefined; row: JsonObject }[]): string | undefined {
  const columns = Object.keys(found[0]?.row ?? {});
  if (found[0]?.id !== undefined) return columns.find((column) => found.every(({ id, row }) => row[column] === id));
  return columns.find((column) => {
    const values = found.map(({ row }) => row[column] as Json);
    if (!values.every(isScalar) || idLike(column, values) < 3) return false;
    const rows = new Map<string, string>();
    return found.every(({ row }) => {
      const [id, text] = [String(row[column]), JSON.stringify(row)];
      const before = rows.get(id);
      rows.set(id, text);
      return before === undefined || before === text;
    });
  });
}

/** Whether a column of these rows holds keys of a known object: they are lines about it, not objects of their own. */
function hasKnownId(types: ReadonlyMap<string, ObjectType>, found: readonly { row: JsonObject }[]): boolean {
  return Object.keys(found[0]?.row ?? {}).some((column) => {
    const ids = new Set(found.flatMap(({ row }) => (isScalar(row[column]) ? [String(row[column])] : [])));
    return [...types.values()].some((type) =>
      type.key.some((part) => {
        if (idLike(part, ["x"]) < 2) return false;
        const theirs = keyValues(type, part);
        return ids.size > 1 && [...ids].filter((id) => theirs.has(id)).length >= ids.size * SAME;
      }),
    );
  });
}
