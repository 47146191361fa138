import { formatTime, parseTime } from "../../behaviour/functions/times.ts";
import type { Json, JsonObject, Scalar } from "../../json.ts";
import { writingOf } from "../fit/writings.ts";
import { byText, isScalar } from "../values.ts";
import { literal, member } from "./term.ts";

/** Two rows that stand beside each other in an answer. */
export interface RowPair {
  readonly a: JsonObject;
  readonly b: JsonObject;
}

/** A test of couples that leaves open whether they belong to an answer. */
export interface OpenTest {
  readonly cel: string;
  holds(a: JsonObject, b: JsonObject): boolean;
}

/** What makes two rows a couple: a test of the first row `a`, or of the second `b` beside it, and the columns that it looks at. */
export interface Link {
  readonly side: "a" | "b";
  readonly cel: string;
  readonly from: string;
  readonly of: string;
  /** It puts two columns in order. */
  readonly compares?: boolean;
  /** Couples of which evidence does not tell whether they are in order. */
  readonly openTests?: readonly OpenTest[];
  holds(a: JsonObject, b: JsonObject): boolean;
}

/** Values that two columns must share for them to be joined: fewer are chance. */
const DISTINCT = 3;
/** More comparisons than this are no rule. */
const MAX_ORDERS = 4;
/** Comparisons that explain as much as the best one, and are held against it. */
const MAX_RIVALS = 4;
/** The share of couples that were left out which no comparison need explain. */
const UNEXPLAINED = 0.02;

const columnsOf = (rows: readonly JsonObject[]): string[] =>
  [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((column) => rows.every((row) => isScalar(row[column])));

/** Columns of the second row that in every couple hold what another column of the first one does, with as many values or more. */
export function linksBetween(couples: readonly RowPair[], distinct = DISTINCT): Link[] {
  const from = columnsOf(couples.map(({ a }) => a)).sort(byText);
  const to = columnsOf(couples.map(({ b }) => b)).sort(byText);
  return from.flatMap((x) =>
    to.flatMap((y): Link[] => {
      if (x === y || !couples.every(({ a, b }) => a[x] === b[y])) return [];
      if (new Set(couples.map(({ a }) => a[x])).size < distinct) return [];
      return [
        { side: "b", cel: `${member("b", y)} == ${member("a", x)}`, from: x, of: y, holds: (a, b) => a[x] === b[y] },
      ];
    }),
  );
}

const DAY = 86_400;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const NEXT = /\+(\d+)$/;

/** Days that a text such as `01:30+1` says it is later. */
const daysIn = (text: unknown): number => Number(NEXT.exec(String(text))?.[1] ?? 0);

/** A join of keys by day: the same day, or later by the day offset (`+1`) that the first row's text ends with. */
export function dayOffsetOf(
  couples: readonly RowPair[],
  key: readonly string[],
  rows: readonly JsonObject[],
): Link | undefined {
  for (const column of key) {
    const dates = couples.every(({ a, b }) => DATE.test(String(a[column])) && DATE.test(String(b[column])));
    if (!dates) continue;
    for (const text of columnsOf(couples.map(({ a }) => a)).sort(byText)) {
      if (!rows.some((row) => daysIn(row[text]) > 0)) continue;
      const later = (a: JsonObject) => formatTime(parseTime(String(a[column])) + DAY * daysIn(a[text]), "%F");
      const holds = (a: JsonObject, b: JsonObject) => DATE.test(String(a[column])) && b[column] === later(a);
      if (!couples.every(({ a, b }) => holds(a, b))) continue;
      const days = `regex.extract(${member("a", text)}, ${literal(NEXT.source)})`;
      const cel = `strftime(timestamp(${member("a", column)}) + ${DAY} * (${days} == null ? 0 : int(${days})), "%F")`;
      return { side: "b", cel: `${member("b", column)} == ${cel}`, from: text, of: column, holds };
    }
    if (couples.every(({ a, b }) => a[column] === b[column])) return same(column);
  }
  return undefined;
}

function same(column: string): Link {
  return {
    side: "b",
    cel: `${member("b", column)} == ${member("a", column)}`,
    from: column,
    of: column,
    holds: (a, b) => a[column] === b[column],
  };
}

/**
 * Comparisons of two columns that every couple shown meets and that together leave out those that were not shown;
 * undefined where too many stay unexplained. Where several explain alike, couples of which they differ are doubtful.
 */
export function orderLinks(shown: readonly RowPair[], left: readonly RowPair[]): Link[] | undefined {
  const out: Link[] = [];
  let open = left;
  const enough = left.length * UNEXPLAINED;
  while (open.length > enough && out.length < MAX_ORDERS) {
    const ranked = comparisons(shown, open)
      .map((link) => ({ link, rest: open.filter(({ a, b }) => link.holds(a, b)) }))
      .sort((x, y) => x.rest.length - y.rest.length);
    const [best] = ranked;
    if (!best || best.rest.length === open.length) break;
    const rivals = ranked.filter(({ rest }) => rest.length === best.rest.length).slice(1, 1 + MAX_RIVALS);
    const doubts = rivals.map(({ link }): OpenTest => differing(best.link, link));
    out.push({ ...best.link, openTests: [...(best.link.openTests ?? []), ...doubts] });
    open = best.rest;
  }
  if (left.length > 0 || out.length > 0) return open.length > enough ? undefined : out;
  // Nothing was left out: what all couples have in common may be a rule, or chance.
  return comparisons(shown, []).map((link) => ({
    ...link,
    cel: "true",
    compares: true,
    holds: () => true,
    openTests: [{ cel: `!(${link.cel})`, holds: (a, b) => !link.holds(a, b) }],
  }));
}

const differing = (x: Link, y: Link): OpenTest => ({
  cel: `(${x.cel}) != (${y.cel})`,
  holds: (a, b) => x.holds(a, b) !== y.holds(a, b),
});

function comparisons(shown: readonly RowPair[], left: readonly RowPair[]): Link[] {
  const out: Link[] = [];
  const from = columnsOf(shown.map(({ a }) => a)).sort(byText);
  const to = columnsOf(shown.map(({ b }) => b)).sort(byText);
  for (const y of to) {
    const [first] = shown;
    const value = first?.b[y];
    if (value !== undefined && shown.every(({ a, b }) => b[y] === value && a[y] === value))
      out.push(constant("b", y, value as string), constant("a", y, value as string));
  }
  for (const x of from)
    for (const y of to)
      for (const [op, test] of measured(shown, x, y) ? ORDERS : []) {
        const holds = (a: JsonObject, b: JsonObject) => ordered(a[x], b[y], test);
        if (!shown.every(({ a, b }) => holds(a, b))) continue;
        const tied = ({ a, b }: RowPair) => a[x] === b[y];
        const cel = (sign: string) => `${member("a", x)} ${sign} ${member("b", y)}`;
        const link = { side: "b" as const, from: x, of: y, compares: true };
        if (shown.some(tied)) out.push({ ...link, cel: cel(`${op}=`), holds });
        else if (left.some(tied)) out.push({ ...link, cel: cel(op), holds: (a, b) => holds(a, b) && a[x] !== b[y] });
        else {
          const openTest: OpenTest = { cel: cel("=="), holds: (a, b) => tied({ a, b }) };
          out.push({ ...link, cel: cel(`${op}=`), holds, openTests: [openTest] });
        }
      }
  return out;
}

/** Whether two columns hold what has an order: numbers, or texts that begin with one, as dates and times do. Names and codes have none. */
function measured(shown: readonly RowPair[], x: string, y: string): boolean {
  const has = (value: Json | undefined) => typeof value !== "string" || /^\d/.test(value);
  return shown.every(({ a, b }) => has(a[x]) && has(b[y]));
}

function ordered(p: Json | undefined, q: Json | undefined, test: (a: Scalar, b: Scalar) => boolean): boolean {
  return isScalar(p) && isScalar(q) && typeof p === typeof q && test(p, q);
}

function constant(side: "a" | "b", column: string, value: string | number | boolean): Link {
  return {
    side,
    cel: `${member(side, column)} == ${literal(value)}`,
    from: column,
    of: column,
    holds: (a, b) => (side === "a" ? a : b)[column] === value,
  };
}

const ORDERS: readonly [op: string, test: (a: Scalar, b: Scalar) => boolean][] = [
  ["<", (a, b) => a <= b],
  [">", (a, b) => a >= b],
];

/** Tests that compared texts are written as in the observed pairs, where rows have other notations too. */
export function formTests(
  links: readonly Link[],
  shown: readonly RowPair[],
  rows: readonly JsonObject[],
): { readonly side: "a" | "b"; readonly cel: string; test(row: JsonObject): boolean }[] {
  const compared = links.filter(({ compares }) => compares);
  return (["a", "b"] as const).flatMap((side) =>
    [...new Set(compared.map(({ from, of }) => (side === "a" ? from : of)))].sort(byText).flatMap((column) => {
      const texts = shown.map((rowPair) => rowPair[side][column]).filter((value) => typeof value === "string");
      // How many days later a time is says nothing of how its digits compare.
      const told = links.some(({ from, compares }) => from === column && !compares);
      const forms = [...new Set(texts.map((text) => writingOf(told ? text.replace(NEXT, "") : text, true)))].sort(
        byText,
      );
      const pattern = new RegExp(`^(?:${forms.join("|")})${told ? `(?:${NEXT.source.slice(0, -1)})?` : ""}$`);
      const test = (row: JsonObject) => typeof row[column] !== "string" || pattern.test(row[column]);
      if (texts.length === 0 || rows.every(test)) return [];
      return [{ side, cel: `${member(side, column)}.matches(${literal(pattern.source)})`, test }];
    }),
  );
}
