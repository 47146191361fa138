import type { Json, JsonObject } from "../../json.ts";
import { canon, isScalar, same } from "../values.ts";
import { constant, type Env, type Expr, evaluate, inText, type Path, present, UNKNOWN, type Value } from "./expr.ts";

/** A value that was observed, and what was known when it came to be. */
export interface Example {
  readonly env: Env;
  readonly target: Json;
  readonly session: number;
}

/** An expression with how it stands against the examples: those that it cannot tell count neither way. */
export interface Fitted {
  readonly expr: Expr;
  readonly right: number;
  readonly wrong: number;
  readonly sessions: number;
  /** Bits that the right answers spare. */
  readonly spared: number;
}

/** What one wrong answer costs, in right ones: the price that utility sets. */
const PRICE = 5;
const EMPTY: Expr = { op: "const", value: [] };
/** Wrong answers at which an expression that is mostly wrong is looked at no further. */
const HOPELESS = 3;
/** Values of a term past which cases on it are no rule. */
const CASES = 24;
/** Examples looked at: more of them tell nothing new. */
const ENOUGH = 400;

/** How an expression stands: right and wrong, and over how many sessions it is right. */
export function standing(expr: Expr, examples: readonly Example[], spare?: readonly number[]): Fitted {
  let right = 0;
  let wrong = 0;
  let spared = 0;
  const sessions = new Set<number>();
  for (const [i, { env, target, session }] of examples.entries()) {
    const value = evaluate(expr, env);
    if (value === UNKNOWN) continue;
    if (same(value, target)) {
      right++;
      spared += spare?.[i] ?? 0;
      sessions.add(session);
    } else if (++wrong >= HOPELESS && wrong * PRICE > right) break;
  }
  return { expr, right, wrong, sessions: sessions.size, spared };
}

/** Bits that each example would cost without a rule: what its value costs to say, less where it repeats often. */
function sparedBits(examples: readonly Example[]): number[] {
  const counts = new Map<string, number>();
  const ids = examples.map(({ target }) => canon(target));
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return examples.map(({ target }, i) => {
    const n = counts.get(ids[i] as string) as number;
    return Math.max(Math.log2(examples.length / n), (bits(target) + 1) / n, 0.25);
  });
}

/** Bits that a right guess of a value is worth: how unlikely it is that another expression says it by chance. */
function bits(value: Json): number {
  if (typeof value === "boolean" || value === null) return 1;
  if (typeof value === "number") return Number.isInteger(value) ? 2 + Math.log2(1 + Math.abs(value)) : 12;
  if (typeof value === "string") return Math.min(24, 2 + 2 * value.length);
  return 4 + (Array.isArray(value) ? value.reduce((sum: number, item) => sum + bits(item), 0) : 8);
}

/** Bits of an expression's own parts: what it costs to say it. */
function length(expr: Expr, named: string | undefined): number {
  switch (expr.op) {
    case "const":
      return typeof expr.value === "object" && expr.value !== null
        ? bits(expr.value)
        : 2 + Math.min(8, bits(expr.value) / 2);
    case "arg":
    case "item":
      return expr.path.at(-1) === named ? 1 : 3;
    case "column":
      return expr.of === "row" ? (expr.name === named ? 1 : 4) : expr.name === named ? 4 : 6;
    case "cell":
      return expr.name === named ? 1 : 7;
    case "given":
      return 4;
    case "exists":
      return 6;
    case "text":
      return expr.parts.reduce((sum: number, part) => sum + (typeof part === "string" ? 4 : length(part, named)), 4);
    case "if":
      return 3 + length(expr.test, named) + length(expr.met, named) + length(expr.otherwise, named);
    case "decide":
      return expr.cases.reduce(
        (sum, [value, then]) => sum + bits(value) + length(then, named),
        5 + length(expr.on, named),
      );
    case "append":
    case "remove":
    case "insert":
      return 4 + length(expr.list, named) + length(expr.value, named);
    case "not":
    case "size":
    case "lower":
    case "fits":
      return 2 + length(expr.a, named);
    case "cut":
      return 4 + length(expr.a, named);
    case "first":
      return 6 + length(expr.where, named);
    case "lines":
      return 12 + length(expr.where, named) + length(expr.line, named);
    case "count":
      return 4 + length(expr.where, named);
    case "total":
      return 8;
    case "unknown":
      return 0;
    default:
      return 5 + length(expr.a, named) + length(expr.b, named);
  }
}

/** What an expression is worth in bits: what its right answers spare, less the price of its wrong ones and its own length. */
function worthOf(fitted: Fitted, spared: number, named: string | undefined): number {
  return spared - PRICE * 4 * fitted.wrong - length(fitted.expr, named);
}

const spread = <T>(list: readonly T[], most: number): readonly T[] => {
  if (list.length <= most) return list;
  const step = list.length / most;
  return Array.from({ length: most }, (_, i) => list[Math.floor(i * step)] as T);
};

/** The best expression for what was observed, from terms; undefined where none is worth anything. `own` is the value before, where there is one. */
export function fitExpression(
  all: readonly Example[],
  given: readonly Expr[],
  own?: Expr,
  depth = 2,
  named?: string,
): Fitted | undefined {
  const examples = spread(all, ENOUGH);
  if (examples.length === 0) return undefined;
  const spare = sparedBits(examples);
  let best: Fitted | undefined;
  let most = 0;
  const consider = (expr: Expr): void => {
    const fitted = standing(expr, examples, spare);
    const worth = worthOf(fitted, fitted.spared, named);
    if (fitted.right > 0 && fitted.right >= PRICE * fitted.wrong && worth > most) {
      best = fitted;
      most = worth;
    }
  };
  const whole = (): boolean => best !== undefined && best.wrong === 0 && best.right === examples.length;
  if (own) consider(own);
  const targets = countsOf(examples.map(({ target }) => target));
  const [common] = targets;
  if (common) consider(constant(common.value));
  for (const term of given) consider(term);
  if (whole()) return best;
  const values = new Map(given.map((term) => [term, examples.map(({ env }) => evaluate(term, env))]));
  const sizes = given
    .filter((term) => values.get(term)?.some((value) => Array.isArray(value)))
    .map((a): Expr => ({ op: "size", a }));
  for (const term of sizes) {
    values.set(
      term,
      examples.map(({ env }) => evaluate(term, env)),
    );
    consider(term);
  }
  const terms = [...given, ...sizes];
  if (examples.every(({ target }) => typeof target === "number"))
    for (const expr of sums(examples, terms, values)) consider(expr);
  if (examples.every(({ target }) => typeof target === "boolean"))
    for (const expr of truths(terms, values)) consider(expr);
  if (examples.some(({ target }) => Array.isArray(target)))
    for (const list of [EMPTY, ...terms])
      for (const value of terms) {
        if (list === value || (list !== EMPTY && !values.get(list)?.some((one) => Array.isArray(one)))) continue;
        for (const op of ["append", "remove", "insert"] as const) consider({ op, list, value });
      }
  if (whole()) return best;
  if (examples.every(({ target }) => typeof target === "string")) {
    const text = textOf(examples, terms, values);
    if (text) consider(text);
  }
  if (whole() || depth === 0) return best;
  for (const path of optional(examples)) {
    const [there, absent] = parted(examples, ({ env }) => present(env.args, path));
    if (there.length === 0 || absent.length === 0) continue;
    const then = fitExpression(there, terms, own, depth - 1, named);
    const otherwise = fitExpression(absent, terms, own, depth - 1, named);
    if (then && otherwise)
      consider({ op: "if", test: { op: "given", path }, met: then.expr, otherwise: otherwise.expr });
  }
  if (whole()) return best;
  for (const term of own ? [own, ...terms] : terms) {
    if (depth === 1 && !(term.op === "column" && term.of === "row")) continue;
    const cases = decided(term, examples, terms, own, named, depth - 1);
    if (cases) consider(cases);
  }
  return best;
}

function countsOf(values: readonly Json[]): { value: Json; n: number }[] {
  const out = new Map<string, { value: Json; n: number }>();
  for (const value of values) {
    const id = canon(value);
    const row = out.get(id);
    if (row) row.n++;
    else out.set(id, { value, n: 1 });
  }
  return [...out.values()].sort((a, b) => b.n - a.n);
}

function* sums(
  examples: readonly Example[],
  terms: readonly Expr[],
  values: ReadonlyMap<Expr, readonly Value[]>,
): Generator<Expr> {
  const numeric = terms.filter((term) => values.get(term)?.some((value) => typeof value === "number"));
  for (const a of numeric) {
    const steps = countsOf(
      examples.flatMap(({ target }, i) => {
        const value = values.get(a)?.[i];
        return typeof value === "number" ? [Number(((target as number) - value).toFixed(9))] : [];
      }),
    );
    const [step] = steps;
    if (step && step.value !== 0 && step.n > 1) yield { op: "add", a, b: constant(step.value) };
    for (const b of numeric) {
      if (a === b) continue;
      yield { op: "add", a, b };
      yield { op: "subtract", a, b };
      yield { op: "multiply", a, b };
    }
  }
}

function* truths(terms: readonly Expr[], values: ReadonlyMap<Expr, readonly Value[]>): Generator<Expr> {
  for (const a of terms) {
    const kinds = countsOf((values.get(a) ?? []).filter((value): value is Json => value !== UNKNOWN));
    if (kinds.length <= CASES)
      for (const { value } of kinds) {
        const test: Expr = { op: "eq", a, b: constant(value) };
        yield test;
        yield { op: "not", a: test };
      }
    if (!kinds.some(({ value }) => typeof value === "number")) continue;
    for (const b of terms) {
      if (a === b || !values.get(b)?.some((value) => typeof value === "number")) continue;
      yield { op: "less", a, b };
      yield { op: "most", a, b };
    }
  }
}

/** A text with the values of terms in it, as the example that shows most of them has it. */
function textOf(
  examples: readonly Example[],
  terms: readonly Expr[],
  values: ReadonlyMap<Expr, readonly Value[]>,
): Expr | undefined {
  let best: { expr: Expr; right: number } | undefined;
  for (const [i, { target }] of spread([...examples.entries()], 6)) {
    const found: { from: number; to: number; term: Expr; text: string }[] = [];
    for (const term of terms) {
      const value = values.get(term)?.[i];
      if (value === undefined || value === UNKNOWN || !isScalar(value) || typeof value === "boolean") continue;
      const text = inText(value);
      if (text.length === 0) continue;
      const cut = cutIn(target as string, text);
      if (cut) {
        const from = (target as string).indexOf(cut);
        found.push({ from, to: from + cut.length, term: { op: "cut", a: term, length: cut.length - 3 }, text: cut });
      }
      for (let from = (target as string).indexOf(text); from >= 0; from = (target as string).indexOf(text, from + 1))
        if (standsAlone(target as string, from, text)) found.push({ from, to: from + text.length, term, text });
    }
    found.sort((a, b) => b.text.length - a.text.length || a.from - b.from);
    const kept: typeof found = [];
    for (const one of found) if (kept.every((other) => one.to <= other.from || one.from >= other.to)) kept.push(one);
    if (kept.length === 0) continue;
    kept.sort((a, b) => a.from - b.from);
    const parts: (string | Expr)[] = [];
    let at = 0;
    for (const { from, to, term } of kept) {
      if (from > at) parts.push((target as string).slice(at, from));
      parts.push(term);
      at = to;
    }
    if (at < (target as string).length) parts.push((target as string).slice(at));
    const expr: Expr = { op: "text", parts };
    const { right, wrong } = standing(expr, examples);
    if (!best || right - wrong > best.right) best = { expr, right: right - wrong };
  }
  return best?.expr;
}

/** The beginning of a long value with an ellipsis, as it stands in a text. */
function cutIn(text: string, value: string): string | undefined {
  if (value.length < 12) return undefined;
  for (let at = text.indexOf("..."); at >= 0; at = text.indexOf("...", at + 1))
    for (let length = Math.min(at, value.length - 1); length >= 8; length--)
      if (text.startsWith(value.slice(0, length), at - length)) return `${value.slice(0, length)}...`;
  return undefined;
}

const WORD = /[\p{L}\p{N}]/u;
const standsAlone = (text: string, from: number, part: string): boolean =>
  !(WORD.test(text[from - 1] ?? " ") && WORD.test(part[0] ?? " ")) &&
  !(WORD.test(text[from + part.length] ?? " ") && WORD.test(part.at(-1) ?? " "));

/** Arguments that some of the calls were given and some not. */
function optional(examples: readonly Example[]): Path[] {
  const names = new Set(examples.flatMap(({ env }) => Object.keys(env.args)));
  return [...names].sort().map((name) => [name]);
}

function parted<T>(list: readonly T[], test: (item: T) => boolean): [T[], T[]] {
  const yes: T[] = [];
  const no: T[] = [];
  for (const item of list) (test(item) ? yes : no).push(item);
  return [yes, no];
}

/** How deep cases within cases are looked for: within those of a row's own column alone. */
const nested = (on: Expr, depth: number): number => (on.op === "column" && on.of === "row" ? Math.min(depth, 1) : 0);

/** A rule for each value of a term that was seen in more than one session, where the values tell the targets apart. */
function decided(
  on: Expr,
  examples: readonly Example[],
  terms: readonly Expr[],
  own: Expr | undefined,
  named: string | undefined,
  depth: number,
): Expr | undefined {
  const groups = new Map<string, { value: Json; of: Example[] }>();
  for (const example of examples) {
    const value = evaluate(on, example.env);
    if (value === UNKNOWN || (typeof value === "object" && value !== null)) continue;
    const id = canon(value);
    const group = groups.get(id);
    if (group) group.of.push(example);
    else groups.set(id, { value, of: [example] });
    if (groups.size > CASES) return undefined;
  }
  if (groups.size < 2 || groups.size * 2 > examples.length) return undefined;
  const cases: [Json, Expr][] = [];
  for (const { value, of } of groups.values()) {
    const then = fitExpression(of, terms, own, nested(on, depth), named);
    if (then && then.sessions > 1) cases.push([value, then.expr]);
  }
  if (cases.length < 2 || new Set(cases.map(([, then]) => JSON.stringify(then))).size < 2) return undefined;
  return { op: "decide", on, cases };
}

/** Paths of arguments with a value that is a scalar or a list in some call, two levels deep. */
export function argumentPaths(calls: readonly { readonly args: JsonObject }[]): Path[] {
  const out = new Map<string, Path>();
  for (const { args } of calls)
    for (const [name, value] of Object.entries(args)) {
      out.set(name, [name]);
      if (typeof value === "object" && value !== null && !Array.isArray(value))
        for (const inner of Object.keys(value)) out.set(`${name}.${inner}`, [name, inner]);
    }
  return [...out.keys()].sort().map((key) => out.get(key) as Path);
}
