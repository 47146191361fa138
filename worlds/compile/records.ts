import { isObject, type Json, type JsonObject } from "../json.ts";
import type { History } from "./history.ts";
import { byText, isScalar, joinKey } from "./values.ts";

function rowsOf(value: unknown): { key: string | undefined; row: JsonObject }[] {
  const json = value as Json;
  if (Array.isArray(json)) return json.filter(isObject).map((row) => ({ key: undefined, row }));
  if (!isObject(json)) return [];
  return Object.entries(json).flatMap(([key, row]) => (isObject(row) ? [{ key, row }] : []));
}

/** Rows of a database export put under the observed ones: a table of the export joins the entity whose columns it shares most; columns that traces showed stay as they showed them. */
export function addRecords(history: History, records: Readonly<Record<string, unknown>>): History {
  const base: Record<string, Record<string, JsonObject>> = { ...history.base };
  for (const name of Object.keys(records).sort(byText)) {
    const rows = rowsOf(records[name]);
    const columns = new Set(rows.slice(0, 50).flatMap(({ row }) => Object.keys(row)));
    const scored = [...history.entities.values()]
      .map((entity) => {
        const known = new Set(
          Object.values(base[entity.name] ?? {})
            .slice(0, 50)
            .flatMap((row) => Object.keys(row)),
        );
        const shared = [...columns].filter((column) => known.has(column)).length;
        return {
          entity,
          share: shared / Math.max(1, Math.min(known.size, columns.size)) + (entity.name === name ? 0.5 : 0),
        };
      })
      .sort((a, b) => b.share - a.share || byText(a.entity.name, b.entity.name))[0];
    if (!scored || scored.share < 0.6) continue;
    const { entity } = scored;
    const merged: Record<string, JsonObject> = { ...base[entity.name] };
    for (const { key, row } of rows) {
      const only = entity.key.length === 1 ? entity.key[0] : undefined;
      const whole: JsonObject =
        only !== undefined && key !== undefined && row[only] === undefined ? { [only]: key, ...row } : row;
      const values = entity.key.map((column) => whole[column]);
      if (!values.every(isScalar)) continue;
      const id = joinKey(values as Json[]);
      merged[id] = { ...whole, ...merged[id] };
    }
    base[entity.name] = Object.fromEntries(Object.entries(merged).sort(([a], [b]) => byText(a, b)));
  }
  return { ...history, base };
}
