import { getOwn, type JsonObject } from "../../../json.ts";
import { byText } from "../../values.ts";
import { type Listed, type Order, orderOf, sorted } from "../expressions/order.ts";

/** The orders that the values of an argument ask for. */
export interface Sorting {
  readonly argument: string;
  readonly orders: readonly (readonly [value: string, order: Order])[];
}

/** Which of the rows in order a list shows. */
export interface Window {
  /** How many where no argument says it; undefined for all. */
  readonly most: number | undefined;
  /** The argument that says how many. */
  readonly size: string | undefined;
  /** The argument that says where to begin: at a row, or at a page. */
  readonly from: { readonly argument: string; readonly by: "row" | "page" } | undefined;
}

/** A list that a call showed, with all rows that may have been in it. */
export interface ListRequest extends Listed {
  readonly args: JsonObject;
  /** All rows that meet the conditions of the list, in the order in which they came to be. */
  readonly met: Listed["rows"];
}

/** Values of an argument past which it asks for no order. */
const SORTS = 6;
/** Lists that have to be cut as a window says, for each of its arguments. */
const LEAST = 3;
/** Share of lists that a window may say otherwise. */
const WRONG = 0.05;

/** The argument whose values tell the order of lists that have no common one. */
export function sortingOf(
  lists: readonly ListRequest[],
  columns: readonly string[],
  ties: string | undefined,
  names: readonly string[],
): { sorting: Sorting; order: Order | undefined } | undefined {
  let best: { sorting: Sorting; order: Order | undefined; lists: number } | undefined;
  for (const argument of names) {
    const byValue = Map.groupBy(lists, ({ args }) => getOwn(args, argument) ?? null);
    const values = [...byValue.keys()].filter((value) => value !== null);
    if (values.length === 0 || values.length > SORTS || !values.every((value) => typeof value === "string")) continue;
    const found = [...byValue].map(([value, of]) => ({ value, of, order: orderOf(of, columns, ties) }));
    const orders = found.flatMap(({ value, order }) =>
      order && typeof value === "string" ? [[value, order] as const] : [],
    );
    const explained = found.reduce((sum, { of, order }) => sum + (order ? of.length : 0), 0);
    if (orders.length === 0 || explained <= (best?.lists ?? 0)) continue;
    const sorting = { argument, orders: orders.sort(([a], [b]) => byText(a, b)) };
    best = { sorting, order: found.find(({ value }) => value === null)?.order, lists: explained };
  }
  return best;
}

/** The order that a call asks for. */
export function orderFor(args: JsonObject, sorting: Sorting | undefined, order: Order | undefined): Order | undefined {
  const value = sorting && getOwn(args, sorting.argument);
  if (!sorting || value === undefined || value === null) return order;
  return sorting.orders.find(([of]) => of === value)?.[1];
}

/** The window that numbers among the arguments give lists; undefined where none explains how they were cut. */
export function windowOf(
  lists: readonly ListRequest[],
  numbers: readonly string[],
  order: (args: JsonObject) => Order | undefined,
): Window | undefined {
  const rows = lists.flatMap(({ args, shown, met }) => {
    const by = order(args);
    const all = by || met.length < 2 ? sorted(met, by) : undefined;
    return all ? [{ args, shown, all }] : [];
  });
  let best: { window: Window; right: number } | undefined;
  for (const window of windows(lists, numbers)) {
    let [right, wrong] = [0, 0];
    const explained = new Map<string, number>();
    for (const { args, shown, all } of rows) {
      const [start, end] = bounds(window, args);
      const said = all.slice(start, end);
      if (said.length !== shown.length || said.some((key, i) => key !== shown[i])) wrong++;
      else {
        right++;
        for (const name of all.length > shown.length ? argumentsOf(window) : [])
          if (isNumber(args, name)) explained.set(name, (explained.get(name) ?? 0) + 1);
      }
    }
    if (wrong > right * WRONG || argumentsOf(window).some((name) => (explained.get(name) ?? 0) < LEAST)) continue;
    if (right > (best?.right ?? 0)) best = { window, right };
  }
  return best?.window;
}

/** The place of the first row that a list shows, and of the first one after it. */
function bounds({ most, size, from }: Window, args: JsonObject): [number, number | undefined] {
  const number = (name: string): number | undefined => {
    const value = getOwn(args, name);
    return typeof value === "number" ? value : undefined;
  };
  const count = (size === undefined ? undefined : number(size)) ?? most;
  const at = from && number(from.argument);
  const start = at === undefined ? 0 : from?.by === "page" ? (at - 1) * (count ?? 0) : at;
  return [start, count === undefined ? undefined : start + count];
}

const argumentsOf = ({ size, from }: Window): string[] => [
  ...(size === undefined ? [] : [size]),
  ...(from === undefined ? [] : [from.argument]),
];

const isNumber = (args: JsonObject, name: string): boolean => typeof getOwn(args, name) === "number";

function* windows(lists: readonly ListRequest[], numbers: readonly string[]): Generator<Window> {
  for (const size of [undefined, ...numbers]) {
    const free = size === undefined ? lists : lists.filter(({ args }) => !isNumber(args, size));
    const longest = Math.max(0, ...free.map(({ shown }) => shown.length));
    for (const most of longest === 0 ? [undefined] : [undefined, longest]) {
      if (size !== undefined) yield { most, size, from: undefined };
      for (const argument of numbers)
        if (argument !== size)
          for (const by of ["row", "page"] as const)
            if (by === "row" || most !== undefined) yield { most, size, from: { argument, by } };
    }
  }
}
