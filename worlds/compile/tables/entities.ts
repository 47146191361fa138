import { isObject, type Json, type JsonObject } from "../../json.ts";
import type { Call } from "../observations.ts";
import { byText, isScalar } from "../values.ts";

/** One object of a result that may be a row. */
export interface Instance {
  readonly call: Call;
  readonly row: JsonObject;
}

/** The objects that one tool answers at one place of its result. */
export interface Source {
  readonly tool: string;
  /** Where they stand: wrapper keys, then one `[]` per list level. */
  readonly place: string;
  readonly list: boolean;
  readonly instances: Instance[];
}

const PAGING =
  /^(count|total|total_count|page|pages|limit|offset|next|previous|cursor|next_cursor|has_more|query|size|n|ok|success|status)$/i;

function isRowList(value: Json | undefined): value is Json[] {
  return Array.isArray(value) && value.some((item) => isObject(item) || isRowList(item));
}

/** Wrapper keys around the rows of a result: the path to walk before rows begin. */
export function wrapperOf(value: Json): string[] {
  if (!isObject(value)) return [];
  const keys = Object.keys(value);
  const inner = keys.filter((key) => isRowList(value[key]) || isObject(value[key]));
  const only = inner[0];
  if (inner.length !== 1 || only === undefined) return [];
  if (keys.length === 1 || (isRowList(value[only]) && keys.every((key) => key === only || PAGING.test(key))))
    return [only];
  return [];
}

function* rowsAt(value: Json, place: string): Generator<[place: string, row: JsonObject, list: boolean]> {
  if (isObject(value)) yield [place, value, place.endsWith("]")];
  else if (Array.isArray(value)) for (const item of value) yield* rowsAt(item, `${place}[]`);
}

/** Whether an object is a map with data for keys (ids, names): its values are alike and no two observed key sets are the same. */
export function isDataMap(objects: readonly JsonObject[]): boolean {
  const sizes = objects.map((object) => Object.keys(object).length);
  const keys = new Map<string, number>();
  for (const object of objects) for (const key of Object.keys(object)) keys.set(key, (keys.get(key) ?? 0) + 1);
  const filled = objects.filter((_, i) => (sizes[i] ?? 0) > 0).length;
  if (filled === 0 || keys.size === 0) return false;
  const values = objects.flatMap((object) => Object.values(object));
  const alike =
    values.every((value) => isObject(value)) ||
    values.every((value) => typeof value === "string" || Array.isArray(value));
  if (!alike) return false;
  const ids = [...keys.keys()].filter((key) => /\d{3,}|^[A-Z0-9#-]{3,}$| /.test(key)).length;
  return ids / keys.size > 0.8 || (keys.size >= 8 && [...keys.values()].every((n) => n <= filled * 0.5));
}

/** Objects of two kinds share no more of their columns than this. */
const OTHER_KIND = 0.25;

/** The instances of a place by kind: those that a tool answers for one id and for another may share next to no column. */
function byKind({ list, instances }: Source): Instance[][] {
  if (list || instances.length < 2) return [[...instances]];
  const kinds: { columns: Set<string>; instances: Instance[] }[] = [];
  const shapes = new Map<string, Instance[]>();
  for (const instance of instances) {
    const shape = Object.keys(instance.row).sort().join("\n");
    const list = shapes.get(shape);
    if (list) list.push(instance);
    else shapes.set(shape, [instance]);
  }
  for (const [shape, own] of [...shapes].sort(([a], [b]) => b.length - a.length || byText(a, b))) {
    const columns = new Set(shape.split("\n"));
    const like = kinds.filter((kind) => {
      const shared = [...columns].filter((column) => kind.columns.has(column)).length;
      return shared > OTHER_KIND * (columns.size + kind.columns.size - shared);
    });
    const [into, ...others] = like;
    if (!into) {
      kinds.push({ columns, instances: [...own] });
      continue;
    }
    for (const column of columns) into.columns.add(column);
    into.instances.push(...own);
    for (const other of others) {
      for (const column of other.columns) into.columns.add(column);
      into.instances.push(...other.instances);
      kinds.splice(kinds.indexOf(other), 1);
    }
  }
  return kinds.map(({ instances: own }) => own);
}

/** The sources of a tool's successful calls: objects at the root or in its lists, nested ones left inside, several kinds apart. */
export function sourcesOf(tool: string, calls: readonly Call[]): Source[] {
  const places = new Map<string, Source>();
  for (const call of calls) {
    if (!call.ok) continue;
    const wrapper = wrapperOf(call.value);
    const inner = wrapper.reduce<Json>((value, key) => (isObject(value) ? (value[key] as Json) : value), call.value);
    for (const [place, row, list] of rowsAt(inner, `$${wrapper.map((key) => `.${key}`).join("")}`)) {
      const source = places.get(place) ?? { tool, place, list, instances: [] };
      source.instances.push({ call, row });
      places.set(place, source);
    }
  }
  return [...places.values()]
    .filter((source) => !isDataMap(source.instances.map((instance) => instance.row)))
    .flatMap((source) => byKind(source).map((instances) => ({ ...source, instances })))
    .filter((source) => source.instances.some(({ row }) => Object.keys(row).length > 1));
}

/** Objects one level deeper in those of a source, by the column that always holds one. */
export function innerSources({ instances, place, ...source }: Source): Source[] {
  const columns = Object.keys(instances[0]?.row ?? {}).filter((column) =>
    instances.every(({ row }) => isObject(row[column])),
  );
  return columns.map((column) => ({
    ...source,
    place: `${place}.${column}`,
    instances: instances.map(({ call, row }) => ({ call, row: row[column] as JsonObject })),
  }));
}

/** Columns present in every instance with a scalar value. */
export function scalarColumns(rows: readonly JsonObject[]): string[] {
  const first = rows[0];
  if (!first) return [];
  return Object.keys(first).filter((column) => rows.every((row) => isScalar(row[column])));
}

/** Scalar arguments that every call of the source carries, by dotted path's first key. */
export function scalarArgs(instances: readonly Instance[]): string[] {
  const first = instances[0];
  if (!first) return [];
  return Object.keys(first.call.args).filter((name) => instances.every(({ call }) => isScalar(call.args[name])));
}

/** All columns seen in a source's rows. */
export function columnsOf(instances: readonly Instance[]): Set<string> {
  const out = new Set<string>();
  for (const { row } of instances) for (const column of Object.keys(row)) out.add(column);
  return out;
}

/** How id-like a column's name and values are, 0..3. */
export function idLike(column: string, values: readonly Json[]): number {
  const name = /(^|_)(id|key|number|no|code|sku|uuid|ref|reference|slug)$|Id$|ID$/.test(column)
    ? 2
    : /^(name|email|username|handle|symbol)$/.test(column)
      ? 1
      : 0;
  const texts = values.every((value) => typeof value === "string" && value.length > 0 && value.length <= 64);
  return name + (texts ? 1 : 0);
}
