import { likeness } from "./words.ts";

/** A record of the desk. */
export type Row = Record<string, unknown>;

export function isRow(value: unknown): value is Row {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The fields of a record that hold one value, nested ones by their path; lists are left out. */
export function fieldsOf(row: Row, prefix = ""): [path: string, value: unknown][] {
  return Object.entries(row).flatMap(([key, value]): [string, unknown][] => {
    const path = prefix === "" ? key : `${prefix}.${key}`;
    if (isRow(value)) return fieldsOf(value, path);
    return Array.isArray(value) ? [] : [[path, value]];
  });
}

/** The field that a phrase names best, with how well; undefined when none is near. */
export function fieldNamed(row: Row, phrase: string): { path: string; value: unknown; score: number } | undefined {
  let best: { path: string; value: unknown; score: number } | undefined;
  for (const [path, value] of fieldsOf(row)) {
    const score = likeness(phrase, path);
    if (score > (best?.score ?? 0.45)) best = { path, value, score };
  }
  return best;
}

/** The rows of a list field. */
export function rowsIn(row: Row, field: string): Row[] {
  const list = row[field];
  return Array.isArray(list) ? list.filter(isRow) : [];
}
