import { getOwn, type Json } from "../../../json.ts";
import { literal } from "../../conditions/term.ts";
import type { Call } from "../../observations.ts";
import { byText, isScalar } from "../../values.ts";
import { arg, type Env } from "../expressions/expr.ts";
import { type Printing, print } from "../expressions/print.ts";
import { given, isGiven } from "./filters.ts";
import type { Order } from "./tables.ts";

/** How arguments cut a list: how many entries it has at most, and where it begins. */
export interface Cut {
  /** The argument that says how many. */
  readonly limit?: string;
  /** The argument that counts pages, and the number of the first. */
  readonly page?: { readonly arg: string; readonly first: number };
  /** The argument that says how many entries come before the list. */
  readonly offset?: string;
}

/** An argument that says what a list is in order of: an order by each of its values. */
export interface Sorting {
  readonly arg: string;
  readonly orders: readonly (readonly [value: Json, order: Order | undefined])[];
}

/** Entries before a list, and the most that it has: undefined without a limit, or where an argument is no count. */
export interface Window {
  readonly start: number;
  readonly most: number | undefined;
}

const isCount = (value: Json | undefined, least: number): value is number =>
  Number.isInteger(value) && (value as number) >= least;

/** The window that arguments ask for; `most` is the number of entries where none says it. Undefined where one is no count. */
export function windowOf(
  { limit, page, offset }: Cut,
  most: number | undefined,
  args: Env["args"],
): Window | undefined {
  const asked = (name: string | undefined, least: number): number | undefined => {
    const value = name !== undefined && isGiven(args, name) ? getOwn(args, name) : undefined;
    return value === undefined ? undefined : isCount(value, least) ? value : Number.NaN;
  };
  const first = page?.first ?? 0;
  const [many = most, at = first, skipped = 0] = [asked(limit, 1), asked(page?.arg, first), asked(offset, 0)];
  const pages = at - first;
  if (Number.isNaN(many) || Number.isNaN(pages) || Number.isNaN(skipped)) return undefined;
  if (pages > 0 && many === undefined) return undefined;
  return { start: pages * (many ?? 0) + skipped, most: many };
}

/** The most arguments that may be counts of a list, so that each is tried as each. */
const COUNTS = 3;

/** The ways in which arguments of calls may cut a list: none first. */
export function cutsOf(calls: readonly Call[], names: readonly string[]): Cut[] {
  const counts = names
    .filter((name) => {
      const values = calls.flatMap(({ args }) => (isGiven(args, name) ? [getOwn(args, name)] : []));
      return values.length > 0 && values.every((value) => isCount(value, 0));
    })
    .sort(byText)
    .slice(0, COUNTS);
  const begins = counts.flatMap((name): Cut[] => [
    { page: { arg: name, first: 1 } },
    { page: { arg: name, first: 0 } },
    { offset: name },
  ]);
  const limits = counts.map((limit): Cut => ({ limit }));
  const both = limits.flatMap(({ limit }) =>
    begins
      .filter(({ page, offset }) => page?.arg !== limit && offset !== limit)
      .map((begin): Cut => ({ ...begin, limit: limit as string })),
  );
  return [{}, ...begins, ...limits, ...both];
}

export const argumentsOf = ({ limit, page, offset }: Cut): string[] =>
  [limit, page?.arg, offset].filter((name) => name !== undefined);

/** The arguments of few texts that nothing else explains: they may say what lists are in order of. */
export function sortArguments(calls: readonly Call[], names: readonly string[]): string[] {
  return names.filter((name) => {
    const values = new Set(calls.flatMap(({ args }) => (isGiven(args, name) ? [getOwn(args, name)] : [])));
    return values.size > 0 && values.size <= MOST_ORDERS && [...values].every(isScalar);
  });
}

const MOST_ORDERS = 8;

/** An argument that is a count of at least so much in the stored language; what stands where it is not given. */
function printCount(name: string, least: number, otherwise: string, at: Printing): string {
  const value = print(arg(name), at);
  const counted = `type(${value}) == "number" && ${value} >= ${least} && int(${value}) == ${value}`;
  return `(${print(given(name), at)} ? (${counted} ? ${value} : unknown()) : ${otherwise})`;
}

/** Where a window begins in the stored language, and where it ends: null without an end. */
export function printWindow(
  { limit, page, offset }: Cut,
  most: number | undefined,
  at: Printing,
): { from: string; to: string } {
  const many = limit === undefined ? String(most ?? null) : printCount(limit, 1, String(most ?? null), at);
  const skipped = offset === undefined ? "0" : printCount(offset, 0, "0", at);
  const pages = page && `(${printCount(page.arg, page.first, String(page.first), at)} - ${page.first})`;
  const from = pages ? `(${pages} * ${many} + ${skipped})` : skipped;
  return {
    from,
    to:
      limit === undefined
        ? most === undefined
          ? "null"
          : `${from} + ${many}`
        : `(${many} == null ? null : ${from} + ${many})`,
  };
}

/** A list of rows in the order that arguments ask for; `order` writes a list in one order. */
export function printSorted(
  { arg: name, orders }: Sorting,
  list: string,
  order: (list: string, by: Order) => string,
  at: Printing,
): string {
  const value = print(arg(name), at);
  const cases = orders.map(([of, by]) => `${value} == ${literal(of)} ? ${by ? order(list, by) : list} : `);
  return `(${print(given(name), at)} ? (${cases.join("")}unknown()) : ${list})`;
}
