import { getOwn } from "../../../json.ts";
import { type Row, UNKNOWN, type Value } from "./expr.ts";

/**
 * How a list stands: by a column, rows that are equal in it by another one or as they came to be; `newest` where of these
 * the last one comes first.
 */
export interface Order {
  /** Undefined where rows stand as they came to be. */
  readonly by: string | undefined;
  readonly descending: boolean;
  /** Undefined where rows that are equal stand as they came to be. */
  readonly then: string | undefined;
  readonly newest: boolean;
}

/** A list as it was shown, and the rows of its table that are known, in the order in which they came to be. */
export interface Listed {
  readonly shown: readonly string[];
  readonly rows: readonly { readonly key: string; readonly row: Row }[];
}

/** How likely some order may explain all lists by chance. */
const CHANCE = 0.1;

/** The order that explains how lists stood; undefined where none does: then no list of several rows may be claimed. */
export function orderOf(lists: readonly Listed[], columns: readonly string[]): Order | undefined {
  const several = lists.filter(({ shown }) => shown.length > 1).map(placed);
  const plain = [undefined, ...columns].flatMap((by) => ordersBy(by, undefined));
  const found = bestOrder(several, plain, plain.length);
  if (found) return found;
  const finer = columns.flatMap((by) => columns.flatMap((then) => (then === by ? [] : ordersBy(by, then))));
  return bestOrder(several, finer, plain.length + finer.length);
}

const ordersBy = (by: string | undefined, then: string | undefined): Order[] =>
  (by === undefined ? [false] : [false, true]).flatMap((descending) =>
    [false, true].map((newest) => ({ by, descending, then, newest })),
  );

/** The order that explains most, if that is more than one of so many as were tried may do by chance. */
function bestOrder(
  several: readonly (readonly Placed[])[],
  orders: readonly Order[],
  tried: number,
): Order | undefined {
  let best: { order: Order; bits: number } | undefined;
  for (const order of orders) {
    let bits = 0;
    const stands = several.map((rows) => ({ rows, so: standsSo(rows, order) }));
    if (stands.some(({ so }) => so === false)) continue;
    for (const { rows, so } of stands) if (so) bits += permutations(rows.length);
    if (bits > (best?.bits ?? 0)) best = { order, bits };
  }
  return best && best.bits >= Math.log2(tried / CHANCE) ? best.order : undefined;
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
function standsSo(rows: readonly Placed[], { by, descending, then, newest }: Order): boolean | undefined {
  for (let i = 1; i < rows.length; i++) {
    const [a, b] = [rows[i - 1] as Placed, rows[i] as Placed];
    const sign = by === undefined ? 0 : compare(getOwn(a.row, by), getOwn(b.row, by));
    if (sign === undefined) return undefined;
    const tie = then === undefined ? a.at - b.at : compare(getOwn(a.row, then), getOwn(b.row, then));
    // What leaves two rows equal does not tell how they stand.
    if (sign === 0 && (tie === undefined || tie === 0)) return undefined;
    const between = sign === 0 ? (newest ? -1 : 1) * (tie as number) : descending ? -sign : sign;
    if (between > 0) return false;
  }
  return true;
}

/** Which of two values comes first; undefined where nobody knows. */
function compare(a: Value | undefined, b: Value | undefined): number | undefined {
  if (a === undefined || b === undefined || a === UNKNOWN || b === UNKNOWN) return undefined;
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "string" && typeof b === "string") return a < b ? -1 : a > b ? 1 : 0;
  return a === b ? 0 : undefined;
}
