import { isObject, type Json, type JsonObject } from "../json.ts";
import { filledByKeyPart } from "./determined.ts";
import type { History } from "./history.ts";
import type { Entity } from "./tables.ts";
import { byText, isScalar, joinKey, same } from "./values.ts";

/** A row of an export with the key that it stands under, where it stands under one. */
interface Exported {
  readonly key: string | undefined;
  readonly row: JsonObject;
}

/** The share of its columns that an export's table has to have in common with the observed one it joins. */
const ALIKE = 0.6;
/** Rows that columns are taken from. */
const LOOKED_AT = 50;

function rowsOf(value: unknown): Exported[] {
  const json = value as Json;
  if (Array.isArray(json)) return json.filter(isObject).map((row) => ({ key: undefined, row }));
  if (!isObject(json)) return [];
  return Object.entries(json).flatMap(([key, row]) => (isObject(row) ? [{ key, row }] : []));
}

const columnsOf = (rows: readonly JsonObject[]): Set<string> =>
  new Set(rows.slice(0, LOOKED_AT).flatMap((row) => Object.keys(row)));

/** The export's rows one level deeper: where a row holds its parts in a map or a list, each part with the row's other columns around it. */
function unfolded(rows: readonly Exported[], missing: string): { rows: Exported[]; inner: string }[] {
  const nested = [...columnsOf(rows.map(({ row }) => row))].filter((column) =>
    rows.every(({ row }) => row[column] === undefined || partsOf(row[column] as Json) !== undefined),
  );
  return nested.sort(byText).map((inner) => ({
    inner,
    rows: rows.flatMap(({ key, row }) => {
      const { [inner]: parts, ...around } = row;
      return (partsOf(parts ?? null) ?? []).map((part) => ({
        key,
        row: { ...around, ...(part.name === undefined ? {} : { [missing]: part.name }), ...part.row },
      }));
    }),
  }));
}

function partsOf(value: Json): { name: string | undefined; row: JsonObject }[] | undefined {
  if (Array.isArray(value)) return value.every(isObject) ? value.map((row) => ({ name: undefined, row })) : undefined;
  if (!isObject(value)) return undefined;
  const parts = Object.entries(value);
  return parts.every(([, row]) => isObject(row))
    ? parts.map(([name, row]) => ({ name, row: row as JsonObject }))
    : undefined;
}

/** The table that an export's rows belong to, and the rows in its form: as they stand, or one level deeper where its key asks for that. */
function placed(
  name: string,
  rows: readonly Exported[],
  history: History,
): { entity: Entity; rows: readonly Exported[] } | undefined {
  const found = [...history.entities.values()].flatMap((entity) => {
    const known = columnsOf(Object.values(history.base[entity.name] ?? {}));
    const lacking = entity.key.filter((column) => !rows.some(({ row }) => Object.hasOwn(row, column)));
    const [missing] = lacking;
    const keyed = rows.some(({ key }) => key !== undefined);
    const forms =
      missing === undefined || (keyed && entity.key.length === 1)
        ? [rows]
        : lacking.length === 1
          ? unfolded(rows, missing).map(({ rows: deeper }) => deeper)
          : [];
    return forms.map((form) => {
      const columns = columnsOf(form.map(({ row }) => row));
      const shared = [...columns].filter((column) => known.has(column)).length;
      const share = shared / Math.max(1, Math.min(known.size, columns.size));
      return { entity, rows: form, share: share + (entity.name === name ? 0.5 : 0) };
    });
  });
  const [best] = found.sort((a, b) => b.share - a.share || byText(a.entity.name, b.entity.name));
  return best && best.share >= ALIKE ? best : undefined;
}

/** The rows by key; undefined where two different rows stand under one. */
function keyedRows(rows: readonly Exported[], columns: readonly string[]): Map<string, JsonObject> | undefined {
  const only = columns.length === 1 ? columns[0] : undefined;
  const out = new Map<string, JsonObject>();
  for (const { key, row } of rows) {
    const whole: JsonObject =
      only !== undefined && key !== undefined && row[only] === undefined ? { [only]: key, ...row } : row;
    const values = columns.map((column) => whole[column]);
    if (!values.every(isScalar)) continue;
    const id = joinKey(values as Json[]);
    const held = out.get(id);
    if (held && !same(held, whole)) return undefined;
    out.set(id, whole);
  }
  return out;
}

/**
 * Rows of a database export put under the observed ones: a table of the export joins the entity whose columns it shares
 * most, and what that entity's key finds nested in its rows is taken out of them. Columns that traces showed stay as
 * they showed them. A table that an export names is whole: a key that it lacks is no row.
 */
export function addRecords(history: History, records: Readonly<Record<string, unknown>>): History {
  const base: Record<string, Record<string, JsonObject>> = { ...history.base };
  const complete = new Set<string>();
  for (const name of Object.keys(records).sort(byText)) {
    const found = placed(name, rowsOf(records[name]), { ...history, base });
    if (!found) continue;
    const { entity, rows } = found;
    const merged: Record<string, JsonObject> = { ...base[entity.name] };
    const keyed = keyedRows(rows, entity.key);
    // Rows that share what was taken for their key are told apart by what evidence did not show: they cannot be joined.
    if (!keyed) continue;
    for (const [id, row] of keyed) merged[id] = { ...row, ...merged[id] };
    complete.add(entity.name);
    const filled = filledByKeyPart(merged, entity.key);
    base[entity.name] = Object.fromEntries(Object.entries(filled).sort(([a], [b]) => byText(a, b)));
  }
  return { ...history, base, complete };
}
