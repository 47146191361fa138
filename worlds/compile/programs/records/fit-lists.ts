import { getOwn, type Json, type JsonObject } from "../../../json.ts";
import { type Expr, evaluate, type Row, UNKNOWN } from "../expressions/expr.ts";
import { chooseFilters, type Filter, isGiven, type Listed } from "./filters.ts";
import type { ExportTable, Order } from "./tables.ts";
import { argumentsOf, type Cut, type Sorting, sortArguments, windowOf } from "./windows.ts";

/** A list with what stands beside it in its answer. */
export interface ListSeen extends Omit<Listed, "from"> {
  readonly otherFields: JsonObject;
}

/** What keeps, orders and cuts a tool's lists, and which of them it explains. */
export interface FittedLists {
  readonly cut: Cut;
  readonly chosen: readonly Filter[];
  readonly blind: string[];
  readonly order: Order | undefined;
  readonly sorting: Sorting | undefined;
  readonly limit: number | undefined;
  /** Entries of the longest list. */
  readonly longest: number;
  readonly judged: readonly Judged[];
  readonly right: number;
}

export interface Judged {
  readonly one: ListSeen;
  /** The rows that meet the question, in the order in which they came to be. */
  readonly kept: readonly string[] | undefined;
  readonly right: boolean;
}

/** How keys are ordered and cut. */
export type Arrangement = Pick<FittedLists, "order" | "sorting" | "limit" | "cut">;

/** The field beside lists that counts all rows which meet the question; `undefined` where none may. */
export function totalIn(lists: readonly ListSeen[]): string | undefined {
  const [first] = lists;
  return Object.keys(first?.otherFields ?? {}).find(
    (name) =>
      lists.every(({ otherFields, shown }) => {
        const value = getOwn(otherFields, name);
        return Number.isInteger(value) && (value as number) >= shown.length;
      }) && new Set(lists.map(({ otherFields }) => otherFields[name])).size > 1,
  );
}

/** Lists of several entries that have to stand in an order that an argument asks for, and the share of them that has to. */
const SORTED = 2;
const AGREED = 0.9;

/** Fits filters, then the order, to lists that arguments cut in one way. */
export function fitLists(
  lists: readonly ListSeen[],
  table: ExportTable,
  names: readonly string[],
  cut: Cut,
  total: string | undefined,
): FittedLists {
  const counts = new Set(argumentsOf(cut));
  const longest = Math.max(
    0,
    ...lists.flatMap(({ call, shown }) => (cut.limit && isGiven(call.args, cut.limit) ? [] : [shown.length])),
  );
  const examples = lists.map((one): Listed => {
    const all = total === undefined ? undefined : (one.otherFields[total] as number);
    const size = new Set(one.shown).size;
    const window = windowOf(cut, longest > 1 || cut.page ? longest : undefined, one.call.args);
    const left = (rows: number): number => Math.max(0, rows - (window?.start ?? 0));
    const from = (rows: number): boolean =>
      all === undefined ? Math.min(left(rows), window?.most ?? rows) === size : rows === all;
    return { ...one, from };
  });
  const { chosen, blind } = chooseFilters(
    examples,
    table,
    names.filter((name) => !counts.has(name)),
  );
  const kept = lists.map((one) => keptBy(one, chosen));
  const spilled = lists.some(({ shown }, i) => (kept[i]?.length ?? 0) > shown.length && shown.length === longest);
  const limit = spilled || cut.page ? longest : undefined;
  const sorts = sortArguments(
    lists.map(({ call }) => call),
    names.filter((name) => !counts.has(name) && !chosen.some((filter) => filter.name === name && !filter.idle)),
  );
  const pairs = lists.map((one, i) => ({ one, kept: kept[i] }));
  const plain = orderOf(pairs, table, { order: undefined, sorting: undefined, limit, cut });
  let best = arranged(pairs, { order: plain, sorting: undefined, limit, cut });
  for (const arg of sorts) {
    const order = orderOf(
      pairs.filter(({ one }) => !isGiven(one.call.args, arg)),
      table,
      { order: undefined, sorting: undefined, limit, cut },
    );
    const values = new Map(
      lists.flatMap(({ call }) =>
        isGiven(call.args, arg) ? [[JSON.stringify(call.args[arg]), call.args[arg] as Json]] : [],
      ),
    );
    const orders = [...values.values()].flatMap((value): [Json, Order | undefined][] => {
      const asked = pairs.filter(({ one }) => getOwn(one.call.args, arg) === value);
      const sorting = (by: Order | undefined): Sorting => ({ arg, orders: [[value, by]] });
      const by = orderOf(asked, table, { order, sorting: undefined, limit, cut }, sorting, String(value));
      const several = asked.filter(({ one }) => one.shown.length > 1);
      const right = several.filter((pair) => isShown(pair, { order, sorting: sorting(by), limit, cut })).length;
      return right >= SORTED && right >= several.length * AGREED ? [[value, by]] : [];
    });
    const found = arranged(pairs, { order, sorting: { arg, orders }, limit, cut });
    if (found.right > best.right) best = found;
  }
  const asked = best.sorting?.arg;
  return { ...best, chosen: chosen.filter(({ name }) => name !== asked), blind: [...blind], longest };
}

interface Pair {
  readonly one: ListSeen;
  readonly kept: readonly string[] | undefined;
}

function arranged(pairs: readonly Pair[], how: Arrangement): Arrangement & Pick<FittedLists, "judged" | "right"> {
  const judged = pairs.map((pair): Judged => ({ ...pair, right: isShown(pair, how) }));
  return { ...how, judged, right: judged.filter(({ right }) => right).length };
}

export const isShown = ({ one, kept }: Pair, how: Arrangement): boolean => {
  if (!kept || kept.length < one.shown.length) return false;
  const keys = arrange(one, kept, how);
  return keys !== undefined && keys.length === one.shown.length && keys.every((key, i) => key === one.shown[i]);
};

/** The keys that filters leave, in the order in which rows came to be; undefined where one is unknown. */
export function keptBy(
  one: Pick<Listed, "call" | "before" | "rows">,
  filters: readonly Filter[],
): string[] | undefined {
  const { args } = one.call;
  const tests = filters.flatMap(({ name, atoms: [atom] }): Expr[] => (atom && isGiven(args, name) ? [atom] : []));
  const out: string[] = [];
  for (const [key, row] of one.rows) {
    const env = { args, facts: one.before, row };
    const met = tests.map((test) => evaluate(test, env));
    if (met.includes(UNKNOWN) && !met.includes(false)) return undefined;
    if (met.every((value) => value === true)) out.push(key);
  }
  return out;
}

type Rows = Pick<Listed, "call" | "rows">;

/** Keys in the order and the part that a call asks for; undefined where a value that this rests on is not known. */
export function arrange(one: Rows, keys: readonly string[], how: Arrangement): string[] | undefined {
  const { args } = one.call;
  let out = inOrder(one, keys, how.order);
  const { sorting } = how;
  if (out && sorting && isGiven(args, sorting.arg)) {
    const asked = sorting.orders.find(([value]) => value === args[sorting.arg]);
    out = asked && inOrder(one, out, asked[1]);
  }
  const window = windowOf(how.cut, how.limit, args);
  return out && window && out.slice(window.start, window.most === undefined ? undefined : window.start + window.most);
}

/** Keys in the order of a column; of rows that are alike the one that stood first stays first, whichever way they are ordered. */
function inOrder({ rows: all }: Rows, keys: readonly string[], order: Order | undefined): string[] | undefined {
  if (!order) return [...keys];
  const rows = byKey(all);
  const values = new Map(keys.map((key) => [key, getOwn(rows.get(key) ?? {}, order.by)]));
  if ([...values.values()].some((value) => typeof value !== "string" && typeof value !== "number")) return undefined;
  const by = (key: string): string | number => values.get(key) as string | number;
  const sign = order.descending ? -1 : 1;
  return [...keys].sort((a, b) => sign * (by(a) < by(b) ? -1 : by(a) > by(b) ? 1 : 0));
}

const maps = new WeakMap<Rows["rows"], ReadonlyMap<string, Row>>();

/** Rows by key, put together once: a list is tried in every order. */
function byKey(rows: Rows["rows"]): ReadonlyMap<string, Row> {
  const known = maps.get(rows);
  if (known) return known;
  const made = new Map(rows);
  maps.set(rows, made);
  return made;
}

/** The order that lists the rows as observed: the one at hand unless a column says more. */
function orderOf(
  pairs: readonly Pair[],
  table: ExportTable,
  how: Arrangement,
  sorting: (by: Order | undefined) => Sorting | undefined = () => undefined,
  asked?: string,
): Order | undefined {
  const several = pairs.filter(({ one, kept }) => kept && kept.length > 1 && one.shown.length > 1);
  let best: { order: Order | undefined; right: number } = { order: undefined, right: -1 };
  const columns = table.columns.flatMap((by): Order[] => [
    { by, descending: false },
    { by, descending: true },
  ]);
  // Of orders that say the same of what was seen, the one that is asked for by name.
  const named = columns.filter(({ by }) => by === asked);
  for (const order of [...named, undefined, ...columns]) {
    const sorted = sorting(order);
    const arrangement = sorted ? { ...how, sorting: sorted } : { ...how, order };
    const right = several.filter((pair) => isShown(pair, arrangement)).length;
    if (right > best.right) best = { order, right };
  }
  return best.order;
}
