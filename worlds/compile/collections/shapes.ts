import type { ToolDefinition } from "../../bundle.ts";
import { isObject, type Json, type JsonObject } from "../../json.ts";
import { declaredEffect, effectByName } from "../effects.ts";
import type { Call } from "../observations.ts";
import { idLike } from "../tables/entities.ts";
import { byText, canon, isScalar, unusedName } from "../values.ts";

/** A table whose rows tools take and answer in lists. */
export interface Collection {
  readonly name: string;
  /** In the order in which answers show them. */
  readonly columns: readonly string[];
  readonly key: readonly string[];
  /** Columns that hold texts, and columns that hold lists of texts. */
  readonly texts: readonly string[];
  readonly lists: readonly string[];
  /** Columns that hold another collection's key. */
  readonly refers: ReadonlyMap<string, string>;
}

/** A tool that answers rows in lists: at the root (`field` empty), or in fields of one object. */
export interface ListReader {
  readonly tool: string;
  readonly fields: readonly { readonly field: string; readonly table: string }[];
  readonly calls: readonly Call[];
}

/** An argument that holds a list. */
export interface Batch {
  readonly tool: string;
  readonly arg: string;
  readonly items: readonly Json[];
  readonly calls: readonly Call[];
}

/** What tools over lists of whole rows show of their system. */
export interface Shapes {
  readonly collections: readonly Collection[];
  readonly readers: readonly ListReader[];
  readonly batches: readonly Batch[];
}

interface Rows {
  readonly columns: readonly string[];
  readonly field: string;
  readonly lists: JsonObject[][];
}

const shapeOf = (row: JsonObject): string => Object.keys(row).sort(byText).join("\u0000");

/** The lists that an answer consists of, by field; undefined for an answer that is not made of lists of objects alone. */
export function listsOf(value: Json): Map<string, JsonObject[]> | undefined {
  if (Array.isArray(value)) return value.every(isObject) ? new Map([["", value]]) : undefined;
  if (!isObject(value)) return undefined;
  const fields = Object.entries(value);
  if (fields.length === 0) return undefined;
  const out = new Map<string, JsonObject[]>();
  for (const [field, list] of fields) {
    if (!Array.isArray(list) || !list.every(isObject)) return undefined;
    out.set(field, list);
  }
  return out;
}

/** List tools: tables that reads answer in lists and that at least one write takes as rows; undefined where there are none. */
export function findShapes(
  byTool: ReadonlyMap<string, readonly Call[]>,
  tools: ReadonlyMap<string, ToolDefinition>,
): Shapes | undefined {
  const batches = findBatches(byTool, tools);
  const whole = new Set(batches.flatMap(({ items }) => items.filter(isObject).map(shapeOf)));
  if (whole.size === 0) return undefined;
  const found = new Map<string, Rows>();
  const readers: { tool: string; fields: Map<string, string>; calls: readonly Call[] }[] = [];
  for (const [tool, calls] of byTool) {
    if ((declaredEffect(tools.get(tool)) ?? effectByName(tool)) === "write") continue;
    const fields = fieldsOf(tool, calls, found);
    if (fields) readers.push({ tool, fields, calls });
  }
  for (const { calls } of batches) addAnswered(calls, found);
  const shapes = [...found].filter(([, { lists }]) => lists.length > 1);
  if (!shapes.some(([shape]) => whole.has(shape))) return undefined;
  const tables = named(shapes);
  // A field that was empty in every answer holds what the field of that name holds elsewhere.
  const byField = new Map(readers.flatMap(({ fields }) => [...fields].filter(([, shape]) => shape !== "")));
  return {
    collections: [...tables.values()].map((table) => ({
      ...table,
      refers: refersTo(table, [...tables.values()], found),
    })),
    readers: readers
      .map(({ tool, fields, calls }) => ({
        tool,
        calls,
        fields: [...fields].flatMap(([field, shape]) => {
          const table = tables.get(shape || (byField.get(field) ?? ""))?.name;
          return table === undefined ? [] : [{ field, table }];
        }),
        width: fields.size,
      }))
      .filter(({ fields, width }) => fields.length === width),
    batches,
  };
}

function findBatches(
  byTool: ReadonlyMap<string, readonly Call[]>,
  tools: ReadonlyMap<string, ToolDefinition>,
): Batch[] {
  const out: Batch[] = [];
  for (const [tool, calls] of byTool) {
    if ((declaredEffect(tools.get(tool)) ?? effectByName(tool)) === "read") continue;
    const names = [...new Set(calls.flatMap(({ args }) => Object.keys(args)))];
    const [arg] = names;
    if (arg === undefined || names.length !== 1 || !calls.every(({ args }) => Array.isArray(args[arg]))) continue;
    out.push({ tool, arg, calls, items: calls.flatMap(({ args }) => args[arg] as Json[]) });
  }
  return out;
}

/** Row shapes by field of a tool's answers, gathered into `found`; undefined for mixed shapes or answers without lists. */
function fieldsOf(tool: string, calls: readonly Call[], found: Map<string, Rows>): Map<string, string> | undefined {
  const fields = new Map<string, string>();
  const lists: [shape: string, field: string, rows: JsonObject[]][] = [];
  const ok = calls.filter((call) => call.ok);
  for (const { value } of ok) {
    const answer = listsOf(value);
    if (!answer) return undefined;
    for (const [field, rows] of answer) {
      const shapes = new Set(rows.map(shapeOf));
      const [shape] = shapes;
      if (shape === undefined) {
        if (!fields.has(field)) fields.set(field, "");
        continue;
      }
      if (shapes.size > 1 || (fields.get(field) || shape) !== shape) return undefined;
      fields.set(field, shape);
      lists.push([shape, field === "" ? tool : field, rows]);
    }
  }
  for (const [shape, field, rows] of lists) {
    const entry: Rows = found.get(shape) ?? { columns: Object.keys(rows[0] as JsonObject), field, lists: [] };
    entry.lists.push(rows);
    found.set(shape, entry);
  }
  return lists.length > 0 ? fields : undefined;
}

/** Rows that a write answers stood beside each other too: they tell of their key. */
function addAnswered(calls: readonly Call[], found: ReadonlyMap<string, Rows>): void {
  for (const { ok, value } of calls)
    for (const rows of ok ? (listsOf(value)?.values() ?? []) : [])
      if (rows[0]) found.get(shapeOf(rows[0]))?.lists.push(rows);
}

function named(shapes: readonly (readonly [string, Rows])[]): Map<string, Omit<Collection, "refers">> {
  const out = new Map<string, Omit<Collection, "refers">>();
  const taken = new Set<string>();
  for (const [shape, rows] of [...shapes].sort(([a], [b]) => byText(a, b))) {
    const others = shapes.filter(([other]) => other !== shape).flatMap(([, other]) => other.lists.flat());
    const key = keyOf(rows, new Set(others.flatMap((row) => Object.values(row))));
    if (!key) continue;
    const stem = rows.field.replace(/\W+/g, "_").replace(/^(?=\d)/, "t_");
    const name = unusedName(stem, taken);
    taken.add(name);
    const values = (column: string) => rows.lists.flat().map((row) => row[column] as Json);
    out.set(shape, {
      name,
      columns: rows.columns,
      key,
      texts: rows.columns.filter((column) => values(column).every((value) => typeof value === "string")),
      lists: rows.columns.filter((column) =>
        values(column).every((value) => Array.isArray(value) && value.every((item) => typeof item === "string")),
      ),
    });
  }
  return out;
}

/** Answers of several rows after which a column that never repeats counts as a key, whatever its name. */
const MANY = 30;

/** The key column: unique within each answer, id-like names first, no `foreign` key; else all identifying columns. */
function keyOf({ columns, lists }: Rows, foreign: ReadonlySet<Json>): string[] | undefined {
  const scalars = columns.filter((column) => lists.every((rows) => rows.every((row) => isScalar(row[column]))));
  const values = (column: string) => lists.flat().map((row) => row[column] as Json);
  const weight = (column: string) => idLike(column, values(column));
  const ranked = [...scalars].sort((a, b) => weight(b) - weight(a) || columns.indexOf(a) - columns.indexOf(b));
  const several = lists.filter((rows) => rows.length > 1);
  const unique = (key: readonly string[]) =>
    several.every(
      (rows) => new Set(rows.map((row) => canon(key.map((column) => row[column] as Json)))).size === rows.length,
    );
  const refers = (column: string) => {
    const all = values(column);
    return all.filter((value) => foreign.has(value)).length >= all.length * 0.5;
  };
  const only = ranked.find(
    (column) => (weight(column) > 1 || (several.length >= MANY && !refers(column))) && unique([column]),
  );
  if (only !== undefined) return [only];
  return scalars.length > 0 && unique(scalars) ? scalars : undefined;
}

function refersTo(
  table: Omit<Collection, "refers">,
  all: readonly Omit<Collection, "refers">[],
  found: ReadonlyMap<string, Rows>,
): Map<string, string> {
  const rowsOf = (of: Omit<Collection, "refers">) =>
    [...found.values()].filter(({ columns }) => columns === of.columns).flatMap(({ lists }) => lists.flat());
  const out = new Map<string, string>();
  for (const other of all) {
    const [key] = other.key;
    if (other === table || other.key.length !== 1 || key === undefined) continue;
    const keys = new Set(rowsOf(other).map((row) => row[key]));
    for (const column of table.texts) {
      const values = rowsOf(table).map((row) => row[column]);
      if (values.filter((value) => keys.has(value)).length >= values.length * 0.5) out.set(column, other.name);
    }
  }
  return out;
}
