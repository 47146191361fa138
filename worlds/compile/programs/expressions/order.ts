import { getOwn } from "../../../json.ts";
import { type Row, UNKNOWN, type Value } from "./expr.ts";

/** How a list stands: by a column, rows that are equal in it as they came to be; `newest` where the last one comes first. */
export interface Order {
  /** Undefined where rows stand as they came to be. */
  readonly by: string | undefined;
  readonly descending: boolean;
  readonly newest: boolean;
  /** The column that rows stand by among those that are equal in the other; as they came to be where it is undefined. */
  readonly ties: string | undefined;
}

/** A list as it was shown, and the rows of its table that are known, in the order in which they came to be. */
export interface Listed {
  readonly shown: readonly string[];
  readonly rows: readonly { readonly key: string; readonly row: Row }[];
}

/** How likely some order may explain all lists by chance. */
const CHANCE = 0.1;

/** The order that explains how lists stood; undefined where none does: then no list of several rows may be claimed. */
export function orderOf(lists: readonly Listed[], columns: readonly string[], key?: string): Order | undefined {
  const several = lists.filter(({ shown }) => shown.length > 1).map(placed);
  let best: { order: Order; bits: number } | undefined;
  let tried = 0;
  for (const by of [undefined, ...columns])
    for (const [descending, newest, ties] of ways(by, key)) {
      const order: Order = { by, descending, newest, ties };
      tried++;
      let bits = 0;
      const stands = several.map((rows) => ({ rows, so: standsSo(rows, order) }));
      if (stands.some(({ so }) => so === false)) continue;
      for (const { rows, so } of stands) if (so) bits += permutations(rows.length);
      if (bits > (best?.bits ?? 0)) best = { order, bits };
    }
  return best && best.bits >= Math.log2(tried / CHANCE) ? best.order : undefined;
}

/** The keys of rows in an order; undefined where a value that it rests on is not known. */
export function sorted(rows: Listed["rows"], order: Order | undefined): string[] | undefined {
  const all = rows.map(({ key, row }, at) => ({ key, row, at }));
  if (!order) return all.map(({ key }) => key);
  let known = true;
  all.sort((a, b) => {
    const by = between(a, b, order);
    if (by === undefined) known = false;
    return by ?? 0;
  });
  return known ? all.map(({ key }) => key) : undefined;
}

/** How rows may stand that have one column to stand by, or none. */
function* ways(by: string | undefined, key: string | undefined): Generator<[boolean, boolean, string | undefined]> {
  for (const ties of by === undefined || by === key || key === undefined ? [undefined] : [undefined, key])
    for (const descending of by === undefined ? [false] : [false, true])
      for (const newest of [false, true]) yield [descending, newest, ties];
}

/** How many orders so many rows may stand in, in bits. */
function permutations(rows: number): number {
  let bits = 0;
  for (let n = 2; n <= rows; n++) bits += Math.log2(n);
  return bits;
}

interface Placed {
  readonly at: number;
  readonly row: Row;
}

/** The rows of a list as it stood, each with its place among all. Rows that nobody knows are left out. */
function placed({ shown, rows }: Listed): Placed[] {
  const known = new Map(rows.map(({ key, row }, at) => [key, { at, row }]));
  return shown.flatMap((key) => known.get(key) ?? []);
}

/** Whether rows stand in an order; undefined where a value that it rests on is not known. */
function standsSo(rows: readonly Placed[], order: Order): boolean | undefined {
  for (let i = 1; i < rows.length; i++) {
    const by = between(rows[i - 1] as Placed, rows[i] as Placed, order);
    if (by === undefined) return undefined;
    if (by > 0) return false;
  }
  return true;
}

/** Which of two rows stands first in an order; undefined where nobody knows. */
function between(a: Placed, b: Placed, { by, descending, newest, ties }: Order): number | undefined {
  const sign = by === undefined ? 0 : compare(getOwn(a.row, by), getOwn(b.row, by));
  if (sign === undefined) return undefined;
  if (sign !== 0) return descending ? -sign : sign;
  const tied = ties === undefined ? 0 : compare(getOwn(a.row, ties), getOwn(b.row, ties));
  if (tied === undefined) return undefined;
  const last = tied === 0 ? a.at - b.at : tied;
  return newest ? -last : last;
}

/** Which of two values comes first; undefined where nobody knows. */
function compare(a: Value | undefined, b: Value | undefined): number | undefined {
  if (a === undefined || b === undefined || a === UNKNOWN || b === UNKNOWN) return undefined;
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "string" && typeof b === "string") return a < b ? -1 : a > b ? 1 : 0;
  return a === b ? 0 : undefined;
}
