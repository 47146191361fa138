import { getOwn, isObject, type Json, type JsonObject } from "../../../json.ts";
import type { Session } from "../../observations.ts";
import { rowsOf } from "../../tables/record-forms.ts";
import { rowsAsShown } from "../../tables/record-values.ts";
import { byText, isScalar } from "../../values.ts";
import type { Facts, Row, Rows } from "../expressions/expr.ts";
import { plainNames } from "../expressions/names.ts";
import type { Names } from "../expressions/print.ts";
import type { Derived } from "./derived-columns.ts";

/**
 * A table of rows that a session starts with, in the order in which lists show them: of an export, or of the rows that
 * answers showed.
 */
export interface ExportTable {
  readonly name: string;
  /** Its name in the stored world. */
  readonly stored: string;
  readonly key: string;
  readonly columns: readonly string[];
  readonly rows: ReadonlyMap<string, JsonObject>;
  /** Whether a key that is not here has no row. */
  readonly complete: boolean;
  /** Answers showed its rows: there may be others, and not every column of each is known. */
  readonly shown?: {
    /** The column that its rows are in order of, where one is. */
    readonly sorted: Order | undefined;
    /** The form that every key has, as a pattern, where keys are counted. */
    readonly pattern: string | undefined;
    /** Whether sessions showed each of its rows so often that others are not to be expected. */
    readonly closed: boolean;
  };
  /** The columns that others of their row tell. */
  readonly derived: Derived;
}

/** Whether all rows of a table are known, and all their columns. */
export const isClosedTable = ({ shown }: ExportTable): boolean => !shown || shown.closed;

/** An order of rows by a column. */
export interface Order {
  readonly by: string;
  readonly descending: boolean;
}

/** The column that holds the order in which rows came to be. */
export const MADE = "made_as";
/** A row that no list showed is there without a known place: 0 where lists showed it, else 1 (2 where changed while worlds are learnt). */
export const UNLISTED = "never_listed";
/** Rows of one tie stand in an order that is known where they are in one run. */
export const TIE = "tied_in";
export const RUN = "tied_as";

export const ENDS_AS_ID = /(?:^|[_\-. ])(?:id|uuid|guid|key|no|number|code|sku)$|[a-z](?:Id|ID|Uuid|Key)$/i;

/** The column whose values tell all rows apart: one with a name of a key before others, then the first. */
function keyColumn(columns: readonly string[], rows: readonly JsonObject[]): string | undefined {
  const unique = columns.filter((column) => {
    const seen = new Set<string>();
    for (const row of rows) {
      const value = getOwn(row, column);
      if ((typeof value !== "string" || value === "") && !Number.isInteger(value)) return false;
      seen.add(String(value));
    }
    return seen.size === rows.length;
  });
  const named = unique.filter((column) => ENDS_AS_ID.test(column));
  return named[0] ?? (unique[0] === columns[0] ? unique[0] : undefined);
}

/** The tables of an export whose rows a column tells apart, their values in the form in which answers show them. */
export function exportTables(records: Readonly<Record<string, unknown>>, sessions: readonly Session[]): ExportTable[] {
  const names = Object.keys(records).sort(byText);
  const stored = plainNames(names, ["counters"]);
  return names.flatMap((name): ExportTable[] => {
    const given = rowsOf(getOwn(records, name));
    const nameless = given.every(({ names: [own], row }) => own === undefined || Object.values(row).includes(own));
    const list = given.map(({ names: [own], row }) => (nameless || own === undefined ? row : { key: own, ...row }));
    const columns = [...new Set(list.flatMap((row) => Object.keys(row)))];
    const key = keyColumn(columns, list);
    if (key === undefined) return [];
    const rows = new Map(list.map((row) => [String(getOwn(row, key)), row]));
    const shown = shownRows(sessions, key, rows);
    const whole = rowsAsShown(rows, { shown, observed: () => undefined });
    return [
      { name, stored: stored.get(name) as string, key, columns, rows: whole, complete: true, derived: new Map() },
    ];
  });
}

/** Every object of an answer. */
function* objectsIn(value: Json): Generator<JsonObject> {
  if (isObject(value)) yield value;
  if (Array.isArray(value) || isObject(value)) for (const part of Object.values(value)) yield* objectsIn(part);
}

const MOST_SHOWN = 200;

/** Objects of answers that hold a row's key and nothing but columns of its table. */
function shownRows(sessions: readonly Session[], key: string, rows: ReadonlyMap<string, JsonObject>): JsonObject[] {
  const out: JsonObject[] = [];
  for (const { calls } of sessions)
    for (const { ok, value } of calls) {
      if (!ok) continue;
      for (const object of objectsIn(value)) {
        const named = getOwn(object, key);
        const row = isScalar(named) ? rows.get(String(named)) : undefined;
        if (row && Object.keys(object).every((name) => Object.hasOwn(row, name))) out.push(object);
        if (out.length >= MOST_SHOWN) return out;
      }
    }
  return out;
}

/** What a session starts with. */
export function startFacts(tables: readonly ExportTable[]): Facts {
  const held = tables.map(({ name, rows, complete }): [string, Rows] => [
    name,
    { rows: rows as ReadonlyMap<string, Row>, complete },
  ]);
  return { cells: new Map(), tables: new Map(held) };
}

/** Names of the stored world. */
export function namesOf(tables: readonly ExportTable[]): Names {
  const byName = new Map(tables.map((table) => [table.name, table]));
  const columns = new Map(tables.map((table) => [table.name, plainNames(table.columns, [MADE, UNLISTED, TIE, RUN])]));
  const column = (table: string, name: string): string => columns.get(table)?.get(name) ?? name;
  return {
    table: (table) => byName.get(table)?.stored ?? table,
    column,
    complete: (table) => byName.get(table)?.complete ?? true,
    cells: "",
    key: (table) => column(table, byName.get(table)?.key ?? "id"),
    made: MADE,
  };
}

const NUMBERED = /^(.*?)(\d+)$/;

/** How a table's keys are counted: the text before the number, and the width that it is filled up to with zeros; 0 where it is not. */
export interface KeyForm {
  readonly prefix: string;
  readonly width: number;
  readonly number: boolean;
}

/** The form that all keys of a table share; undefined where they are not counted. */
export function keyForm({ key, rows }: Pick<ExportTable, "key" | "rows">): KeyForm | undefined {
  const keys = [...rows.keys()];
  const first = NUMBERED.exec(keys[0] ?? "");
  if (!first) return undefined;
  const prefix = first[1] as string;
  const digits: string[] = [];
  for (const text of keys) {
    const match = NUMBERED.exec(text);
    if (match?.[1] !== prefix || (match[2] as string).length > 15) return undefined;
    digits.push(match[2] as string);
  }
  const padded = digits.some((text) => text.length > 1 && text.startsWith("0"));
  const number = [...rows.values()].every((row) => typeof getOwn(row, key) === "number");
  return { prefix, width: padded ? Math.max(...digits.map((text) => text.length)) : 0, number };
}

/** The key after the largest of those that there are. */
export function nextKey(keys: Iterable<string>, { prefix, width }: KeyForm): string {
  let largest = 0;
  for (const key of keys) {
    if (!key.startsWith(prefix)) continue;
    const number = Number(key.slice(prefix.length));
    if (number > largest && NUMBERED.exec(key)?.[1] === prefix) largest = number;
  }
  return prefix + String(largest + 1).padStart(width, "0");
}

/** Values of a column over all rows of an export, without those that are made of parts. */
export function columnValues(table: ExportTable, column: string): Set<Json> {
  const out = new Set<Json>();
  for (const row of table.rows.values()) {
    const value = getOwn(row, column);
    if (isScalar(value)) out.add(value);
  }
  return out;
}

/** Whether a column holds a few texts again and again, so that others are not to be expected. */
export function isClosed(table: ExportTable, column: string): boolean {
  const values = columnValues(table, column);
  const texts = [...values].every((value) => typeof value === "string" && value.length <= 40);
  return texts && values.size > 0 && values.size <= 12 && table.rows.size >= values.size * 5;
}

/** The list in an answer: the answer itself, or its only list, with its name. */
export function listIn(value: Json): { readonly name: string | undefined; readonly list: Json[] } | undefined {
  if (Array.isArray(value)) return { name: undefined, list: value };
  if (!isObject(value)) return undefined;
  const lists = Object.keys(value).filter((name) => Array.isArray(value[name]));
  const [name] = lists;
  return lists.length === 1 && name !== undefined ? { name, list: value[name] as Json[] } : undefined;
}
