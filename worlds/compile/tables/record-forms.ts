import { isObject, type Json, type JsonObject } from "../../json.ts";
import { byText, isScalar, joinKey, same } from "../values.ts";

/** A row of an export with the keys of the maps that it stands in, outermost first. */
export interface Exported {
  readonly names: readonly string[];
  readonly row: JsonObject;
}

/** The rows of an export's table in one form: as they stand, or those nested in them with the rest around them. */
export interface Form {
  readonly inner: readonly string[];
  readonly rows: readonly Exported[];
}

/** How deep rows are looked for in the rows of an export. */
const DEEPEST = 2;
/** Rows that columns are taken from. */
const LOOKED_AT = 50;

/** The rows of an export's table, given as a list or by key. */
export function rowsOf(value: unknown): Exported[] {
  const json = value as Json;
  if (Array.isArray(json)) return json.filter(isObject).map((row) => ({ names: [], row }));
  if (!isObject(json)) return [];
  return Object.entries(json).flatMap(([name, row]) => (isObject(row) ? [{ names: [name], row }] : []));
}

/** The columns of some rows. */
export const columnsOf = (rows: readonly JsonObject[]): Set<string> =>
  new Set(rows.slice(0, LOOKED_AT).flatMap((row) => Object.keys(row)));

/** Every form of an export's rows: as they stand, and each part of a map or list that they hold with the other columns around it. */
export function formsOf(rows: readonly Exported[], inner: readonly string[] = []): Form[] {
  const here: Form = { inner, rows };
  if (inner.length >= DEEPEST) return [here];
  const nested = [...columnsOf(rows.map(({ row }) => row))].filter(
    (column) =>
      rows.every(({ row }) => row[column] === undefined || partsOf(row[column] as Json) !== undefined) &&
      rows.some(({ row }) => (partsOf(row[column] ?? null)?.length ?? 0) > 0),
  );
  const deeper = nested.sort(byText).flatMap((column) => formsOf(unfolded(rows, column), [...inner, column]));
  return [here, ...deeper];
}

function unfolded(rows: readonly Exported[], column: string): Exported[] {
  return rows.flatMap(({ names, row }) => {
    const { [column]: parts, ...around } = row;
    return (partsOf(parts ?? null) ?? []).map((part) => ({
      names: part.name === undefined ? names : [...names, part.name],
      row: { ...around, ...part.row },
    }));
  });
}

function partsOf(value: Json): { name: string | undefined; row: JsonObject }[] | undefined {
  if (Array.isArray(value)) return value.every(isObject) ? value.map((row) => ({ name: undefined, row })) : undefined;
  if (!isObject(value)) return undefined;
  const parts = Object.entries(value);
  return parts.every(([, row]) => isObject(row))
    ? parts.map(([name, row]) => ({ name, row: row as JsonObject }))
    : undefined;
}

/** The form's rows by a table's key; key columns they lack come from the names that they stand under, in every possible way. */
export function keyedForms(form: Form, key: readonly string[]): Map<string, JsonObject>[] {
  const lacking = key.filter((column) => !form.rows.some(({ row }) => Object.hasOwn(row, column)));
  const depth = Math.min(...form.rows.map(({ names }) => names.length));
  if (form.rows.length === 0 || lacking.length > depth) return [];
  return assignments(lacking, depth).flatMap((taken) => {
    const keyed = keyedRows(form.rows, key, taken);
    return keyed ? [keyed] : [];
  });
}

/** Which name each lacking column is taken from: every choice of different names, those that stand deepest first. */
function assignments(columns: readonly string[], depth: number): ReadonlyMap<string, number>[] {
  const [first, ...rest] = columns;
  if (first === undefined) return [new Map()];
  return assignments(rest, depth).flatMap((others) => {
    const free = Array.from({ length: depth }, (_, i) => depth - 1 - i).filter(
      (name) => ![...others.values()].includes(name),
    );
    return free.map((name) => new Map([...others, [first, name]]));
  });
}

/** The rows by key; undefined where two different rows stand under one. */
function keyedRows(
  rows: readonly Exported[],
  columns: readonly string[],
  taken: ReadonlyMap<string, number>,
): Map<string, JsonObject> | undefined {
  const out = new Map<string, JsonObject>();
  for (const { names, row } of rows) {
    const whole: JsonObject = {};
    for (const column of columns) {
      const name = taken.get(column);
      if (name !== undefined) whole[column] = names[name] as string;
      // Some rows may leave out the one column that they stand under.
      else if (row[column] === undefined && columns.length === 1 && names.length === 1)
        whole[column] = names[0] as string;
    }
    Object.assign(whole, row);
    const values = columns.map((column) => whole[column]);
    if (!values.every(isScalar)) continue;
    const id = joinKey(values as Json[]);
    const held = out.get(id);
    if (held && !same(held, whole)) return undefined;
    out.set(id, whole);
  }
  return out.size > 0 ? out : undefined;
}
