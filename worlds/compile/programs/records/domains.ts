import { getOwn, type JsonObject } from "../../../json.ts";
import { literal } from "../../conditions/term.ts";
import { arg, type Env, type Expr } from "../expressions/expr.ts";
import { type Names, print } from "../expressions/print.ts";
import type { Filter, Seen } from "./filters.ts";
import { type ExportTable, UNLISTED } from "./tables.ts";

/** By argument the texts that known rows have in the columns that it is compared with: no row has others. */
export type Domains = ReadonlyMap<string, readonly string[]>;

/** A list with the keys of the rows that it shows. */
export interface ListSeen extends Pick<Seen, "call"> {
  readonly keys: readonly string[];
}

/** Texts that no other session showed that have to have been asked for, and the share of them that may have listed something. */
const ASKED = 10;
const LISTED = 0.02;
const MOST_TEXTS = 400;

/** The columns that an expression compares; undefined where it is another than a comparison of texts. */
function comparedBy(expr: Expr): string[] | undefined {
  if (expr.op === "or") {
    const [a, b] = [comparedBy(expr.a), comparedBy(expr.b)];
    return a && b && [...a, ...b];
  }
  if (expr.op !== "eq" && expr.op !== "holds") return undefined;
  const side = expr.a.op === "lower" ? expr.a.a : expr.a;
  return side.op === "column" && side.of === "row" ? [side.name] : undefined;
}

/**
 * The arguments of which lists bear out that a text which no known row has is in no row: questions with a text that no
 * other session showed listed nothing. `lists` are those before which all that happened is known.
 */
export function domainsOf(lists: readonly ListSeen[], filters: readonly Filter[], table: ExportTable): Domains {
  const out = new Map<string, readonly string[]>();
  const sessions = new Map<string, Set<number>>();
  for (const { call, keys } of lists)
    for (const key of keys) sessions.set(key, (sessions.get(key) ?? new Set()).add(call.trace));
  for (const { name, atoms } of filters) {
    const compared = atoms.map(comparedBy);
    if (compared.length === 0 || compared.includes(undefined)) continue;
    const columns = [...new Set(compared.flatMap((of) => of ?? []))];
    const texts = textsOf(table, columns, sessions);
    if (texts.size === 0 || texts.size > MOST_TEXTS) continue;
    const asked = new Map<string, boolean>();
    for (const { call, keys } of lists) {
      const value = getOwn(call.args, name);
      if (typeof value !== "string" || value === "") continue;
      const text = value.toLowerCase();
      const others = [...texts].some(
        ([known, by]) => known.includes(text) && [...by].some((session) => session !== call.trace),
      );
      if (!others) asked.set(text, asked.get(text) === true || keys.length > 0);
    }
    const full = [...asked.values()].filter(Boolean).length;
    if (asked.size >= ASKED && full <= asked.size * LISTED) out.set(name, [...texts.keys()]);
  }
  return out;
}

/** The texts of columns in lower case, each with the sessions whose lists showed a row that has it. */
function textsOf(
  { rows }: ExportTable,
  columns: readonly string[],
  sessions: ReadonlyMap<string, ReadonlySet<number>>,
): Map<string, Set<number>> {
  const out = new Map<string, Set<number>>();
  for (const [key, row] of rows)
    for (const column of columns) {
      const value = getOwn(row, column);
      if (typeof value !== "string") continue;
      const by = out.get(value.toLowerCase()) ?? new Set<number>();
      out.set(value.toLowerCase(), by);
      if (row[UNLISTED] !== 1) for (const session of sessions.get(key) ?? []) by.add(session);
    }
  return out;
}

/** Whether a question asks for a text that no row has, but for rows that were made or changed since. */
export const outside = (domains: Domains, args: Env["args"]): boolean =>
  [...domains].some(([name, texts]) => {
    const value = getOwn(args, name);
    return typeof value === "string" && value !== "" && !texts.some((text) => text.includes(value.toLowerCase()));
  });

/** The texts as rows of a table. */
export const textRows = (domains: Domains): Record<string, JsonObject> =>
  Object.fromEntries(
    [...domains].flatMap(([of, texts], i) => texts.map((text, j) => [`${i}.${j}`, { n: `${i}.${j}`, of, text }])),
  );

/** The same condition in the stored language; `known` is the table of the texts. */
export function printOutside(domains: Domains, known: string, names: Names): string[] {
  return [...domains.keys()].map((name) => {
    const value = print(arg(name), { names });
    return `(type(${value}) == "string" && ${value} != "" && !rows(${literal(known)}).exists(q, q.of == ${literal(name)} && q.text.contains(${value}.lower())))`;
  });
}
