import type { JsonObject } from "../json.ts";
import { isMap, leaves } from "../tasks/leaves.ts";
import { elements, readPath } from "../tasks/select.ts";

/** The sum of a list's numbers, each times another where `times` says so. */
export interface Sum {
  readonly list: string;
  readonly field: string;
  readonly times?: string;
}

/** A total: a number of the row that is such a sum. */
export interface Total extends Sum {
  readonly column: string;
}

const LEAST_ROWS = 4;

/** What a row's list adds up to, to the cent; undefined where a number is missing. */
export function sumOf(row: JsonObject, rule: Sum): number | undefined {
  const list = readPath(row, rule.list)[0];
  if (list === undefined) return undefined;
  let sum = 0;
  for (const element of elements(list)) {
    const item = element as JsonObject;
    const value = item[rule.field];
    const times = rule.times === undefined ? 1 : item[rule.times];
    if (typeof value !== "number" || typeof times !== "number") return undefined;
    sum += value * times;
  }
  return Math.round(sum * 100) / 100;
}

/** Every sum that rows' lists could be added up to. */
function* sums(rows: readonly JsonObject[]): Generator<Sum> {
  if (rows.length < LEAST_ROWS) return;
  // A row that was seen in part may lack its list.
  const lists = columnsOf(rows).filter(
    (c) =>
      rows.some((r) => elements(r[c] ?? null).length > 1) &&
      rows.every((r) => r[c] === undefined || Array.isArray(r[c]) || isMap(r[c] ?? null)),
  );
  for (const list of lists) {
    const sample = rows.flatMap((r) => elements(r[list] ?? null))[0];
    if (typeof sample !== "object" || sample === null) continue;
    const fields = Object.keys(sample).filter((f) => typeof (sample as JsonObject)[f] === "number");
    for (const field of fields) {
      yield { list, field };
      for (const times of fields.filter((f) => f > field)) yield { list, field, times };
      for (const times of fields.filter((f) => f < field)) yield { list, field, times };
    }
  }
}

const columnsOf = (rows: readonly JsonObject[]) => [...new Set(rows.flatMap((row) => Object.keys(row)))];

/** The totals that all rows keep, as far as these were seen whole. */
export function findTotals(rows: readonly JsonObject[]): Total[] {
  const found: Total[] = [];
  const numbers = columnsOf(rows).filter((c) => rows.every((r) => r[c] === undefined || typeof r[c] === "number"));
  const all = [...sums(rows)];
  for (const column of numbers)
    for (const sum of all) {
      const full = rows.filter((r) => elements(r[sum.list] ?? null).length > 0 && r[column] !== undefined);
      const holds =
        full.length >= LEAST_ROWS &&
        full.every((r) => Math.abs((sumOf(r, sum) ?? Number.NaN) - (r[column] as number)) < 0.01);
      if (holds && !found.some((t) => t.column === column && t.list === sum.list)) found.push({ column, ...sum });
    }
  return found;
}

/** Share of rows that have to hold a sum somewhere. */
const MOSTLY = 0.9;

/** The sums that most rows hold as a number outside of the list, wherever it stands; what most rows hold first. */
export function findSums(rows: readonly JsonObject[]): Sum[] {
  return [...sums(rows)]
    .map((sum) => {
      const full = rows.filter((row) => elements(row[sum.list] ?? null).length > 0);
      const held = full.filter((row) => {
        const total = sumOf(row, sum);
        const { [sum.list]: _, ...rest } = row;
        return total !== undefined && leaves(rest).some(({ value }) => typeof value === "number" && near(value, total));
      });
      return { sum, share: full.length < LEAST_ROWS ? 0 : held.length / full.length };
    })
    .filter(({ share }) => share >= MOSTLY)
    .sort((a, b) => b.share - a.share)
    .map(({ sum }) => sum);
}

/** Equal to the cent. */
export const near = (a: number, b: number): boolean => Math.abs(a - b) < 0.01;
