import { isObject, type Json, type JsonObject } from "../../json.ts";
import { canon, isScalar } from "../values.ts";

/** Values of a key part that must show a column in two rows or more, always alike, for it to follow from that part. */
const LEAST = 3;
/** The share of those values that may have one and the same column value: more say nothing of the key part. */
const USUAL = 0.5;

/**
 * Rows with the columns that one part of their key determines (where a line begins, whatever the day) put in where a row
 * lacks them. Only where every part value seen twice shows one column value, and the column tells part values apart.
 */
export function filledByKeyPart(
  rows: Readonly<Record<string, JsonObject>>,
  key: readonly string[],
): Record<string, JsonObject> {
  const out: Record<string, JsonObject> = { ...rows };
  if (key.length < 2) return out;
  const columns = new Set(Object.values(rows).flatMap((row) => Object.keys(row)));
  for (const column of key) columns.delete(column);
  for (const part of key)
    for (const column of columns) {
      if (Object.values(out).every((row) => Object.hasOwn(row, column))) continue;
      const known = determined(Object.values(out), part, column);
      for (const [id, row] of Object.entries(known ? out : {})) {
        const value = known?.get(canon(row[part]));
        if (value !== undefined && !Object.hasOwn(row, column)) out[id] = { ...row, [column]: value };
      }
    }
  return out;
}

/** The column's value by the key part's, where the one follows from the other. */
function determined(rows: readonly JsonObject[], part: string, column: string): Map<string, Json> | undefined {
  const known = new Map<string, { value: Json; n: number }>();
  for (const row of rows) {
    const value = row[column];
    if (value === undefined) continue;
    if (isObject(value) || Array.isArray(value)) return undefined;
    const held = known.get(canon(row[part]));
    if (held && held.value !== value) return undefined;
    known.set(canon(row[part]), { value, n: (held?.n ?? 0) + 1 });
  }
  const shown = [...known.values()].filter(({ n, value }) => n > 1 && isScalar(value));
  const times = new Map<Json, number>();
  for (const { value } of shown) times.set(value, (times.get(value) ?? 0) + 1);
  if (shown.length < LEAST || Math.max(...times.values()) > shown.length * USUAL) return undefined;
  return new Map([...known].map(([name, { value }]) => [name, value]));
}
