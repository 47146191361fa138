import { isObject, type Json, type JsonObject } from "../../../json.ts";
import type { Call } from "../../observations.ts";
import { byText } from "../../values.ts";
import { type Env, type Expr, evaluate, UNKNOWN } from "../expressions/expr.ts";
import type { Step } from "../simulate.ts";
import { maskedTokens } from "./kinds.ts";

/** Bits of chance that a number in a refusal has to stand against, beside those of the cells tried, as for endings that tell a cell. */
const SURE = 8;

/** The numbers that a refusal says and was not given, in order. */
export function amountsIn({ value, args }: Pick<Call, "value" | "args">): number[] {
  const texts = typeof value === "string" ? [value] : isObject(value) ? Object.values(value) : [];
  return texts.flatMap((text) => (typeof text === "string" ? maskedTokens(text, args).amounts : []));
}

/** Refused calls that end in the same words, by act: those that say numbers. */
function refusedWithAmounts(steps: readonly Step[]): Map<string, Step[]> {
  const out = new Map<string, Step[]>();
  for (const step of steps)
    if (!step.call.ok && amountsIn(step.call).length > 0) out.set(step.act, [...(out.get(step.act) ?? []), step]);
  return out;
}

/** What an expression comes to against the numbers at one place of refusals: those it foretells; undefined where one contradicts it. */
function foretold(expr: Expr, steps: readonly Step[], at: number): Set<number> | undefined {
  const hits = new Set<number>();
  for (const { call, before } of steps) {
    const value = evaluate(expr, { args: call.args, facts: before } satisfies Env);
    if (value === UNKNOWN) continue;
    if (value !== amountsIn(call)[at]) return undefined;
    hits.add(value);
  }
  return hits;
}

const bitsOf = (values: Iterable<number>): number =>
  [...values].reduce((sum, value) => sum + Math.log2(1 + Math.abs(value)), 0);

/** The expression that a place of a refusal says, of those given; undefined where none surely does. */
function expressionAt(steps: readonly Step[], at: number, terms: readonly Expr[], tried: number): Expr | undefined {
  const said = new Set(steps.map(({ call }) => amountsIn(call)[at]));
  let best: { expr: Expr; bits: number } | undefined;
  for (const expr of terms) {
    const hits = foretold(expr, steps, at);
    // A limit that is always the same says no cell that once held as much.
    if (!hits || hits.size === 0 || (said.size === 1 && steps.length > 1)) continue;
    const bits = bitsOf(hits);
    if (bits >= SURE + tried && (!best || bits > best.bits)) best = { expr, bits };
  }
  return best?.expr;
}

/** Cells that refusals tell in numbers ("80 needed, 35 there"), where the number is the cell's whenever that is known. By call. */
export function amountsOfRefusals(steps: readonly Step[], cells: readonly string[]): ReadonlyMap<Call, JsonObject> {
  const out = new Map<Call, JsonObject>();
  const terms = cells.map((name) => ({ op: "cell", name }) as const);
  for (const [, refused] of [...refusedWithAmounts(steps)].sort(([a], [b]) => byText(a, b))) {
    const places = amountsIn((refused[0] as Step).call).length;
    const tried = Math.log2(1 + cells.length * places);
    for (let at = 0; at < places; at++) {
      const cell = expressionAt(refused, at, terms, tried);
      if (cell?.op !== "cell") continue;
      for (const { call } of refused)
        out.set(call, { ...out.get(call), [cell.name]: amountsIn(call)[at] as Json } as JsonObject);
    }
  }
  return out;
}

/** Products of what calls give, and of what they give and columns of rows that they name. */
export function productsOf(terms: readonly Expr[], isNumber: (term: Expr) => boolean): Expr[] {
  const numbers = terms.filter(isNumber);
  const given = numbers.filter(({ op }) => op === "arg");
  return given.flatMap((a) =>
    numbers
      .filter((b) => b !== a && (b.op === "column" || (b.op === "arg" && numbers.indexOf(b) > numbers.indexOf(a))))
      .map((b): Expr => ({ op: "multiply", a, b })),
  );
}

/**
 * Comparisons that refusals say themselves: two of their numbers, or one and what the call was given, of which one is
 * more than the other in all of them and what both are is known. They are `less` of the smaller and the larger.
 */
export function statedComparisons(refused: readonly Step[], terms: readonly Expr[], products: readonly Expr[]): Expr[] {
  const [first] = refused;
  if (!first) return [];
  const places = amountsIn(first.call).length;
  const all = [...terms, ...products];
  const tried = Math.log2(1 + all.length * places);
  const said = Array.from({ length: places }, (_, at) => expressionAt(refused, at, all, tried));
  const out: Expr[] = [];
  for (const [i, a] of said.entries())
    for (const [j, b] of said.entries()) {
      if (i === j || !a || !b || (isGiven(a) && isGiven(b))) continue;
      const less = refused.every(({ call }) => {
        const numbers = amountsIn(call);
        return (numbers[i] as number) < (numbers[j] as number);
      });
      if (less) out.push({ op: "less", a, b });
    }
  return out;
}

/** Numbers that refusals may say, with as many decimals as they say them with: terms and products of what calls give. */
export function amountTerms(refused: readonly Step[], terms: readonly Expr[]): Expr[] {
  const [first] = refused;
  if (!first || amountsIn(first.call).length === 0) return [];
  const { args } = first.call;
  const env: Env = { args, facts: first.before };
  const digits = new Set(refused.flatMap(({ call }) => decimalsIn(call)));
  const numbers = [...terms, ...productsOf(terms, (term) => typeof evaluate(term, env) === "number")];
  return numbers.flatMap((a): Expr[] => [
    ...(a.op === "multiply" ? [a] : []),
    ...[...digits].sort().map((n): Expr => ({ op: "fixed", a, digits: n })),
  ]);
}

const DECIMALS = /\d\.(\d+)/g;

/** With how many decimals a refusal says numbers. */
function decimalsIn({ value }: Pick<Call, "value">): number[] {
  const texts = typeof value === "string" ? [value] : isObject(value) ? Object.values(value) : [];
  return texts.flatMap((text) =>
    typeof text === "string" ? [...text.matchAll(DECIMALS)].map(([, digits]) => (digits as string).length) : [],
  );
}

const isGiven = (expr: Expr): boolean =>
  expr.op === "arg" || (expr.op === "multiply" && isGiven(expr.a) && isGiven(expr.b));
