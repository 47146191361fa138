import { getOwn, type Json, type JsonObject } from "../../../json.ts";
import type { Order } from "./tables.ts";

/** Rows in the order in which lists show them, with what is not known of it. */
export interface Placing {
  readonly rows: ReadonlyMap<string, JsonObject>;
  /** The column that all lists are in order of. */
  readonly sorted: Order | undefined;
  /** Of rows that no column and no list tells the order of: those of one tie are in order where they are in one run. */
  readonly ties: ReadonlyMap<string, { readonly tie: number; readonly run: number }>;
}

/** Neighbours in lists that have to be in a column's order, strictly, so that the rest is taken to be. */
const NEIGHBOURS = 8;

/** Puts rows in the one order that all lists are in, as far as that is told. Rows that no list shows come last. */
export function placed(
  rows: ReadonlyMap<string, JsonObject>,
  lists: readonly (readonly string[])[],
  columns: readonly string[],
): Placing {
  const after = new Map<string, Set<string>>();
  const listed = new Set<string>();
  for (const list of lists)
    for (const [i, key] of list.entries()) {
      listed.add(key);
      const next = list[i + 1];
      if (next !== undefined && next !== key) after.set(key, (after.get(key) ?? new Set()).add(next));
    }
  const sorted = orderIn(rows, after, columns);
  const placeOf = (key: string): Json | undefined => (sorted ? getOwn(rows.get(key) ?? {}, sorted.by) : undefined);
  const groups = [
    ...Map.groupBy(
      [...rows.keys()].filter((key) => listed.has(key)),
      placeOf,
    ),
  ];
  if (sorted)
    groups.sort(([a], [b]) => {
      const less = (a as string | number) < (b as string | number);
      return less === sorted.descending ? 1 : -1;
    });
  const ties = new Map<string, { tie: number; run: number }>();
  const order: string[] = [];
  for (const [tie, [, keys]] of groups.entries()) {
    const runs = runsOf(keys, after);
    order.push(...runs.flat());
    if (runs.length > 1) for (const [run, of] of runs.entries()) for (const key of of) ties.set(key, { tie, run });
  }
  for (const key of rows.keys()) if (!listed.has(key)) order.push(key);
  return { rows: new Map(order.map((key) => [key, rows.get(key) as JsonObject])), sorted, ties };
}

/** The column whose values never fall, or never rise, from one row of a list to the next. */
function orderIn(
  rows: ReadonlyMap<string, JsonObject>,
  after: ReadonlyMap<string, ReadonlySet<string>>,
  columns: readonly string[],
): Order | undefined {
  let best: { order: Order; strict: number } | undefined;
  for (const by of columns)
    for (const descending of [false, true]) {
      let strict = 0;
      const held = [...rows.values()].every((row) => {
        const value = getOwn(row, by);
        return value === undefined || typeof value === "string" || typeof value === "number";
      });
      const fits = [...after].every(([key, next]) =>
        [...next].every((other) => {
          const [a, b] = [getOwn(rows.get(key) ?? {}, by), getOwn(rows.get(other) ?? {}, by)];
          if (a === undefined || b === undefined || a === null || b === null || typeof a !== typeof b) return false;
          if (a === b) return true;
          strict++;
          return a < b !== descending;
        }),
      );
      if (held && fits && strict >= NEIGHBOURS && (!best || strict > best.strict))
        best = { order: { by, descending }, strict };
    }
  return best?.order;
}

/** Rows in an order that agrees with all lists, cut between neighbours that were never adjacent; contradictions stand alone. */
function runsOf(keys: readonly string[], after: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const own = new Set(keys);
  const next = (key: string): string[] => [...(after.get(key) ?? [])].filter((one) => own.has(one));
  const waiting = new Map(keys.map((key) => [key, 0]));
  for (const key of keys) for (const one of next(key)) waiting.set(one, (waiting.get(one) ?? 0) + 1);
  const ready = keys.filter((key) => waiting.get(key) === 0);
  const runs: string[][] = [];
  let last: string | undefined;
  let n = 0;
  while (ready.length > 0) {
    const follows = last === undefined ? -1 : ready.findIndex((key) => after.get(last as string)?.has(key));
    const [key] = ready.splice(Math.max(0, follows), 1) as [string];
    if (follows >= 0) runs.at(-1)?.push(key);
    else runs.push([key]);
    n++;
    for (const one of next(key)) {
      waiting.set(one, (waiting.get(one) as number) - 1);
      if (waiting.get(one) === 0) ready.push(one);
    }
    last = key;
  }
  return n === keys.length ? runs : keys.map((key) => [key]);
}
