import type { Json, JsonObject } from "../../../../worlds/json.ts";
import type { DocumentFormat, Item, Reading, RecordTable } from "../format.ts";
import { object } from "../values.ts";
import { parseCsv, tooWide } from "./csv.ts";

/** Database exports: a JSON object of tables (each an object keyed by id, or a list of rows), a list of rows, or CSV with a header line. */
export const records: DocumentFormat = {
  name: "records",
  kind: "document",
  detect(sample) {
    if (sample.type === "text/csv" || sample.type === "text/tab-separated-values")
      return { score: 0.9, why: "the media type says rows" };
    if (sample.shape === "text")
      return isLikelyCsv(sample.text) ? { score: 0.5, why: "lines with the same number of fields" } : undefined;
    if (sample.shape !== "object") {
      const flat = sample.items.length > 0 && sample.items.every(({ value }) => isRow(object(value)));
      return flat ? { score: 0.3, why: "a list of flat rows" } : undefined;
    }
    const tables = Object.values(tablesOf(sample.items, sample.header));
    return tables.length > 0 && tables.every((rows) => rows !== undefined && rows.length > 0)
      ? { score: 0.55, why: "an object of tables of rows" }
      : undefined;
  },
  document(items, text, reading) {
    if (items.length === 0 && Object.keys(reading.header).length === 0)
      return { texts: [], tables: [csvTable(text, reading)] };
    const bare = items.every(({ member, value }) => member === undefined && !holdsTables(value));
    const found = bare ? { rows: rowsOf(items.map(({ value }) => value)) ?? [] } : tablesOf(items, reading.header);
    const tables = Object.entries(found).flatMap(([name, rows]) => {
      if (rows) return [table(name, rows)];
      reading.lose("member_without_rows");
      return [];
    });
    return { texts: [], tables };
  },
};

function isRow(value: JsonObject | undefined): boolean {
  return value !== undefined && !("role" in value) && !("content" in value) && Object.keys(value).length > 0;
}

function holdsTables(value: unknown): boolean {
  const fields = Object.values(object(value) ?? {});
  return fields.length > 0 && fields.every((field) => rowsOf(field) !== undefined);
}

/** Tables by name; undefined for a member that holds no rows. */
function tablesOf(items: readonly Item[], header: JsonObject): Record<string, JsonObject[] | undefined> {
  const tables: Record<string, JsonObject[] | undefined> = {};
  const add = (name: string, given: unknown) => {
    tables[name] = rowsOf(given) ?? tables[name];
  };
  for (const [name, given] of Object.entries(header)) add(name, given);
  const split = new Map<string, unknown[]>();
  for (const { member, value } of items) {
    if (member !== undefined) split.set(member, [...(split.get(member) ?? []), value]);
    else for (const [name, given] of Object.entries(object(value) ?? {})) add(name, given);
  }
  for (const [name, rows] of split) add(name, rows);
  return tables;
}

/** Rows of a list of objects, or of an object of objects keyed by id; the key is kept as `id` where a row does not hold it. */
function rowsOf(given: unknown): JsonObject[] | undefined {
  if (Array.isArray(given))
    return given.length > 0 && given.every((row) => object(row)) ? (given as JsonObject[]) : undefined;
  const keyed = object(given);
  if (!keyed || Object.keys(keyed).length === 0 || !Object.values(keyed).every((row) => object(row))) return undefined;
  return Object.entries(keyed).map(([key, value]) => {
    const row = value as JsonObject;
    return Object.values(row).includes(key) ? row : { id: key, ...row };
  });
}

function table(name: string, rows: readonly JsonObject[]): RecordTable {
  const columns = new Set<string>();
  for (const row of rows) for (const column of Object.keys(row)) columns.add(column);
  return { name, columns: [...columns], rows };
}

function isLikelyCsv(text: string): boolean {
  // Text of one very long line, or a table that is refused once somebody says that it is one.
  if (tooWide(text)) return false;
  const widths = parseCsv(text, undefined, 5).map((fields) => fields.length);
  return (
    widths.length >= 2 &&
    (widths[0] ?? 0) >= 2 &&
    widths.every((width) => width === widths[0]) &&
    !/^\s*[#<*-]/.test(text)
  );
}

function csvTable(text: string, reading: Reading): RecordTable {
  let open = false;
  const [header, ...lines] = parseCsv(text, () => {
    open = true;
  });
  const columns = header ?? [];
  const rows = lines.flatMap((fields, i) => {
    if (fields.length !== columns.length) {
      reading.refuse(i + 2, "a row with another number of fields than the header");
      return [];
    }
    return [Object.fromEntries(columns.map((column, c) => [column, cell(fields[c] ?? "")]))];
  });
  if (open) reading.refuse(lines.length + 2, "a row with a quote that does not end");
  return { name: "rows", columns, rows };
}

/** A CSV field as a value: whole and decimal numbers that print back the same, true, false, and empty as null. */
function cell(field: string): Json {
  if (field === "") return null;
  if (field === "true" || field === "false") return field === "true";
  const n = Number(field);
  return /^-?\d/.test(field) && String(n) === field ? n : field;
}
