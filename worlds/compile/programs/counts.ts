import type { Json } from "../../json.ts";
import { byText, canon, isScalar } from "../values.ts";
import { column, constant, type Expr } from "./expressions/expr.ts";

/** Values of a column past which no rows are counted by them. */
const VALUES = 8;
/** Expressions to be tried for one reading, at most. */
const MOST = 400;

/** What is seen of a column: each of its scalars once; undefined where they are many. */
export type Domains = ReadonlyMap<string, ReadonlyMap<string, Json>>;

/** The values of each column of rows as they were shown. */
export function domainsOf(rows: Iterable<Readonly<Record<string, Json>>>): Map<string, Map<string, Json>> {
  const out = new Map<string, Map<string, Json>>();
  for (const row of rows)
    for (const [name, value] of Object.entries(row)) {
      if (value !== null && !isScalar(value)) continue;
      const of = out.get(name) ?? new Map<string, Json>();
      if (of.size <= VALUES) out.set(name, of.set(canon(value), value));
    }
  return out;
}

/** Conditions on rows by one column of few values: one of them, not one, and neither of two. */
function conditions(domains: Domains, key: readonly string[]): Expr[] {
  const out: Expr[] = [];
  for (const [name, values] of [...domains].sort(([a], [b]) => byText(a, b))) {
    if (key.includes(name) || values.size > VALUES || values.size < 2) continue;
    const tests = [...values.values()].map((value): Expr => ({ op: "eq", a: column("row", name), b: constant(value) }));
    const nots = tests.map((a): Expr => ({ op: "not", a }));
    out.push(...tests, ...nots);
    for (const [i, a] of nots.entries()) for (const b of nots.slice(i + 1)) out.push({ op: "and", a, b });
  }
  return out;
}

/** Counts and sums over the rows of a table, all or those that meet a condition; `mine` narrows them to one holder's rows. */
export function countsOf(table: string, key: readonly string[], domains: Domains, mine?: Expr): Expr[] {
  const and = (a: Expr | undefined): Expr => (mine ? (a ? { op: "and", a: mine, b: a } : mine) : (a ?? constant(true)));
  const tests = [undefined, ...conditions(domains, key)];
  const out = tests.map((test): Expr => ({ op: "count", table, where: and(test) }));
  for (const [name, values] of [...domains].sort(([a], [b]) => byText(a, b)))
    if (!key.includes(name) && [...values.values()].some((value) => typeof value === "number"))
      for (const test of tests) out.push({ op: "total", table, column: name, where: and(test) });
  return out.slice(0, MOST);
}

/** Shares of counts in counts, as percentages and as fractions, rounded. */
export function sharesOf(counts: readonly Expr[]): Expr[] {
  const out: Expr[] = [];
  for (const a of counts)
    for (const b of counts)
      if (a !== b)
        for (const [times, digits] of [
          [100, 0],
          [100, 1],
          [100, 2],
          [1, 2],
          [1, undefined],
        ] as const)
          out.push({ op: "ratio", a, b, times, digits });
  return out.slice(0, MOST);
}
