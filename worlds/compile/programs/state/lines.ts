import type { Json } from "../../../json.ts";
import { constant, type Env, type Expr, evaluate, type Row, UNKNOWN } from "../expressions/expr.ts";
import { type Example, type Fitted, fitExpression, isPlain, standing, unanimous } from "../expressions/fit.ts";

/** Texts of several lines that have to be seen. */
const SEVERAL = 3;
/** Texts looked at. */
const ENOUGH = 200;

/** Whether a text holds a word that no letter or digit continues. */
function holdsWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (!/[\p{L}\p{N}]/u.test(text[at - 1] ?? " ") && !/[\p{L}\p{N}]/u.test(text[at + word.length] ?? " ")) return true;
  return false;
}

/**
 * The expression of texts that hold a line for each of some rows, between fitted ends; undefined where they do not.
 * What a text without rows says is told by those that were seen, else it is not known.
 */
export function linesText(
  all: readonly Example[],
  table: string,
  where: Expr,
  own: readonly Expr[],
  terms: readonly Expr[],
): Expr | undefined {
  const lines: Example[] = [];
  const heads: Example[] = [];
  const tails: Example[] = [];
  const none: Example[] = [];
  let several = 0;
  for (const { env, target, session } of all.slice(0, ENOUGH)) {
    const held = env.facts.tables.get(table);
    if (!held?.complete || typeof target !== "string") continue;
    const inner = (row: Row): Env => ({ ...env, row, ...(env.row ? { item: env.row } : {}) });
    const rows = [...held.rows].filter(([, row]) => evaluate(where, inner(row)) === true);
    if (rows.length === 0) {
      none.push({ env, target, session });
      continue;
    }
    const parts = target.split("\n");
    const at = rows.map(([key]) => parts.findLastIndex((part) => holdsWord(part, key)));
    if (at.some((place, i) => place < 0 || (i > 0 && place !== (at[i - 1] as number) + 1))) return undefined;
    if (rows.length > 1) several++;
    for (const [i, [, row]] of rows.entries())
      lines.push({ env: inner(row), target: parts[at[i] as number] as string, session });
    const [first, last] = [at[0] as number, at.at(-1) as number];
    heads.push({ env, target: parts.slice(0, first).join("\n") + (first > 0 ? "\n" : ""), session });
    tails.push({ env, target: (last + 1 < parts.length ? "\n" : "") + parts.slice(last + 1).join("\n"), session });
  }
  if (several < SEVERAL) return undefined;
  const line = fitParts(lines, own) ?? fitExpression(lines, own, undefined, 2);
  const head = fitExpression(heads, terms, undefined, 1);
  const tail = fitExpression(tails, terms, undefined, 1);
  if (!line || !head || !tail || line.wrong > 0) return undefined;
  const text: Expr = {
    op: "text",
    parts: [head.expr, { op: "lines", table, where, line: line.expr, between: "\n" }, tail.expr],
  };
  return orNone(text, head.expr, { table, where }, none, terms);
}

/** What stands between the parts of a line, as in a table that is written as a text. */
const BETWEEN = [" | ", "\t", "; ", ", "];

/** The expression of lines that have the same parts, each fitted by itself: few lines show each combination of them. */
function fitParts(lines: readonly Example[], own: readonly Expr[]): Fitted | undefined {
  for (const between of BETWEEN) {
    const split = lines.map(({ target }) => String(target).split(between));
    const n = split[0]?.length ?? 0;
    if (n < 2 || split.some((parts) => parts.length !== n)) continue;
    const parts = Array.from({ length: n }, (_, i) => {
      const examples = lines.map((line, at) => ({ ...line, target: (i > 0 ? between : "") + split[at]?.[i] }));
      return fitExpression(examples, own, undefined, 1)?.expr ?? byColumn(examples, own);
    });
    const fitted = parts.every((part) => part !== undefined) ? standing({ op: "text", parts }, lines) : undefined;
    if (fitted?.wrong === 0) return fitted;
  }
  return undefined;
}

/** Values of a column past which cases on it are no rule. */
const CASES = 6;

/**
 * What is said for each value of one column, by what all lines with it say; of values that too few lines show it is not
 * known. Undefined where no column tells.
 */
function byColumn(examples: readonly Example[], own: readonly Expr[]): Expr | undefined {
  let best: { readonly expr: Expr; readonly lines: number } | undefined;
  for (const on of own) {
    const groups = Map.groupBy(examples, ({ env }) => evaluate(on, env));
    if (groups.size < 2 || groups.size > CASES) continue;
    if ([...groups.values()].some((of) => of.some(({ target }) => target !== of[0]?.target))) continue;
    const cases = [...groups].flatMap(([value, of]): [Json, Expr][] => {
      const told = unanimous(of);
      return told && value !== UNKNOWN && isPlain(value) ? [[value, told]] : [];
    });
    const lines = cases.reduce((sum, [value]) => sum + (groups.get(value)?.length ?? 0), 0);
    if (lines > (best?.lines ?? 0)) best = { expr: { op: "decide", on, cases }, lines };
  }
  return best?.expr;
}

/** A text of lines, and what stands in its place where there are none. */
function orNone(
  text: Expr,
  head: Expr,
  { table, where }: { table: string; where: Expr },
  none: readonly Example[],
  terms: readonly Expr[],
): Expr {
  const agrees = (expr: Expr): boolean => none.every(({ env, target }) => evaluate(expr, env) === (target as Json));
  if (none.length > 0 && agrees(text)) return text;
  const empty =
    none.length > 0 && agrees(head) ? head : (fitExpression(none, terms, undefined, 1)?.expr ?? { op: "unknown" });
  const test: Expr = { op: "eq", a: { op: "count", table, where }, b: constant(0) };
  return { op: "if", test, met: empty, otherwise: text };
}
