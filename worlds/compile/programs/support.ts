import { WRONG_COSTS } from "../../confidence.ts";
import { getOwn, type Json } from "../../json.ts";
import { byText, canon, isScalar, same } from "../values.ts";
import { arg, cell, constant, type Env, type Expr, evaluate, UNKNOWN } from "./expressions/expr.ts";
import type { Step } from "./simulate.ts";
import type { View } from "./state/views.ts";

/** Successes from which what all of them had in common is held to be needed. */
const ENOUGH = 4;
/** Values of a text argument past which it is no choice among few. */
const CHOICES = 8;
/** Pairs of two values past which they are no choice among few. */
const PAIRS = 24;
/** How many times the largest number that succeeded lies far above all. */
const FAR = 10;
/** Times that each of few values was seen on the average, from which another one is unheard of. */
const OFTEN = 3;

/**
 * Conditions under which no call was seen to end as most do though the evidence is wide enough to tell: rows that every
 * such call found, values of arguments that none of them was given. What meets one is outside of what programs may claim.
 */
export function unsupported(
  steps: readonly Step[],
  endsSo: (step: Step) => boolean,
  undecided: (step: Step) => boolean,
  present: readonly Expr[],
): Expr[] {
  const good = steps.filter(endsSo);
  const bad = steps.filter((step) => !endsSo(step));
  if (good.length < ENOUGH) return [];
  const out: Expr[] = [];
  for (const expr of present) {
    const holds = ({ call, before }: Step): unknown => evaluate(expr, { args: call.args, facts: before } satisfies Env);
    const known = good.map(holds).filter((value) => typeof value === "boolean");
    const unsure = (of: readonly Step[]): number =>
      of.filter((step) => undecided(step) && typeof holds(step) !== "boolean").length;
    if (known.length < ENOUGH || !known.every((value) => value)) continue;
    // Where rows are not known whole, asking for one costs the calls that would have ended well all the same.
    const lost = unsure(good);
    if (lost === 0 || lost < unsure(bad) * WRONG_COSTS) out.push({ op: "not", a: expr });
  }
  for (const name of new Set(good.flatMap(({ call }) => Object.keys(call.args)))) {
    const values = given(good, name);
    if (values.length < ENOUGH) continue;
    const refused = given(bad, name);
    const numbers = values.filter((value) => typeof value === "number");
    if (numbers.length === values.length)
      out.push(
        ...outside(
          name,
          numbers,
          refused.filter((value) => typeof value === "number"),
        ),
      );
    else out.push(...unheard(name, values));
  }
  return out;
}

/**
 * That a column of the row which a call names is moved from one value to another in a way that no success did: where what
 * the call gives are values of the column, and successes had few pairs, each again and again.
 */
export function unheardSteps(all: readonly Step[], good: readonly Step[], columns: readonly Expr[]): Expr[] {
  const names = [...new Set(good.flatMap(({ call }) => Object.keys(call.args)))].sort(byText);
  return columns.flatMap((column) => {
    const heldIn = ({ call, before }: Step) => evaluate(column, { args: call.args, facts: before });
    const values = new Set(all.map(heldIn));
    return names.flatMap((name): Expr[] => {
      const pairs = good.flatMap((step) => {
        const [held, asked] = [heldIn(step), getOwn(step.call.args, name)];
        return typeof held === "string" && typeof asked === "string" ? [[held, asked] as const] : [];
      });
      const known = new Set(pairs.map((pair) => pair.join(" ")));
      const steps = pairs.every(([, asked]) => values.has(asked));
      if (!steps || known.size < 2 || known.size > PAIRS || pairs.length < known.size * OFTEN) return [];
      const pair: Expr = { op: "text", parts: [column, " ", arg(name)] };
      return [{ op: "not", a: { op: "contains", a: constant([...known].sort(byText)), b: pair } }];
    });
  });
}

/** That a cell which rows are kept by holds nothing, where no success was listed then: nobody is signed in. */
export function nobodys(good: readonly Step[], views: readonly View[]): Expr[] {
  const cells = views.flatMap(({ where }) =>
    where.flatMap((test) => (test.op === "eq" && test.b.op === "cell" ? [test.b.name] : [])),
  );
  return [...new Set(cells)].flatMap((name): Expr[] => {
    const held = good.map(({ before }) => before.cells.get(name)).filter((value) => value !== undefined);
    const known = held.filter((value) => value !== UNKNOWN);
    return known.length < ENOUGH || known.includes(null) ? [] : [{ op: "eq", a: cell(name), b: constant(null) }];
  });
}

/** That an argument has the one value with which calls of several sessions were refused in the same words. */
export function refusedValues(refused: readonly Step[]): Expr[] {
  return [...Map.groupBy(refused, ({ call }) => canon(call.value)).values()].flatMap((alike) =>
    new Set(alike.map(({ session }) => session)).size > 1 ? sharedValues(alike) : [],
  );
}

const sharedValues = (steps: readonly Step[]): Expr[] =>
  Object.entries(steps[0]?.call.args ?? {}).flatMap(([name, value]): Expr[] =>
    isScalar(value) && steps.every(({ call }) => getOwn(call.args, name) === value)
      ? [{ op: "eq", a: arg(name), b: constant(value) }]
      : [],
  );

/** That a call is otherwise than all that were refused alike: in a value that they share, or in two that were the same. */
export function unlike(refused: readonly Step[]): Expr[] {
  const names = Object.keys(refused[0]?.call.args ?? {}).sort(byText);
  const equal = names.flatMap((a, i) =>
    names
      .slice(i + 1)
      .filter((b) => refused.every(({ call }) => same(getOwn(call.args, a) ?? null, getOwn(call.args, b) ?? null)))
      .map((b): Expr => ({ op: "eq", a: arg(a), b: arg(b) })),
  );
  return [...equal, ...sharedValues(refused)].map((test): Expr => ({ op: "not", a: test }));
}

/** Signs of arithmetic, as patterns that one of them alone fits. */
const OPERATORS = {
  "+": "\\+",
  "-": "-",
  "*": "\\*(?:[^*]|$)",
  "**": "\\*\\*",
  "/": "/",
  "%": "%",
  "^": "\\^",
  "(": "[()]",
};

/**
 * What functions were not seen to take where calls succeeded: a sign in a text that is computed, or a unit. What a service
 * makes of it is not known, though its name is.
 */
export function unseenByFunctions(good: readonly Step[], functions: Iterable<Expr>): Expr[] {
  return [...functions].flatMap(applied).flatMap(({ name, of }): Expr[] => {
    const [first = "", ...others] = of.map((one) => (one.op === "arg" && one.path.length === 1 ? one.path[0] : ""));
    if (name === "calculate") return [unseenOperators(good, first as string)];
    if (name !== "converted") return [];
    const units = [...new Set(others.flatMap((unit) => given(good, unit as string)).filter((unit) => isScalar(unit)))];
    return others.map((unit): Expr => {
      const seen: Expr = {
        op: "contains",
        a: constant(units.sort((a, b) => byText(canon(a), canon(b)))),
        b: arg(unit as string),
      };
      return { op: "not", a: seen };
    });
  });
}

function unseenOperators(good: readonly Step[], name: string): Expr {
  const texts = given(good, name).map(String);
  const seen = Object.values(OPERATORS).filter((sign) =>
    texts.some((text) => new RegExp(`(?:^|[^*])${sign}`).test(text)),
  );
  return { op: "not", a: { op: "fits", a: arg(name), pattern: `^(?:[0-9.\\s]|${seen.join("|")})*$` } };
}

type Applied = Extract<Expr, { op: "math" }>;

/** The functions in an expression. */
function applied(expr: Expr): Applied[] {
  switch (expr.op) {
    case "math":
      return [expr, ...expr.of.flatMap(applied)];
    case "fixed":
      return applied(expr.a);
    case "text":
      return expr.parts.flatMap((part) => (typeof part === "string" ? [] : applied(part)));
    case "if":
      return [...applied(expr.met), ...applied(expr.otherwise)];
    case "decide":
      return expr.cases.flatMap(([, then]) => applied(then));
    default:
      return [];
  }
}

function given(steps: readonly Step[], name: string): Json[] {
  return steps.flatMap(({ call }) => {
    const value = getOwn(call.args, name);
    return value === undefined || value === null ? [] : [value];
  });
}

/** Few values, each given again and again: others were left out, and not by chance. */
const saturated = (values: readonly Json[]): boolean => {
  const { size } = new Set(values.map(canon));
  return size <= CHOICES && values.length >= size * OFTEN;
};

/** Titles are written as people please: most of them hold spaces, as few names of kinds do, or differ in case alone. */
const isFreeText = (texts: readonly string[]): boolean =>
  texts.filter((text) => /\s/.test(text)).length * 2 > texts.length ||
  new Set(texts.map((text) => text.toLowerCase())).size < texts.length;

/** Numbers outside the successful ones: beyond a refused side, of an unseen sign, or far above all. */
function outside(name: string, good: readonly number[], refused: readonly number[]): Expr[] {
  const [low, high] = [Math.min(...good), Math.max(...good)];
  const out: Expr[] = [];
  const is: Expr = { op: "given", path: [name] };
  const both = (test: Expr): Expr => ({ op: "and", a: is, b: test });
  const few = saturated(good);
  if (few || refused.some((value) => value > high)) out.push(both({ op: "less", a: constant(high), b: arg(name) }));
  else if (high > 0) out.push(both({ op: "less", a: constant(high * FAR), b: arg(name) }));
  if (few || refused.some((value) => value < low)) out.push(both({ op: "less", a: arg(name), b: constant(low) }));
  else if (low > 0) out.push(both({ op: "most", a: arg(name), b: constant(0) }));
  else if (low === 0) out.push(both({ op: "less", a: arg(name), b: constant(0) }));
  return out;
}

/** A text, or one in a list, that is none of the few that were ever given. */
function unheard(name: string, values: readonly Json[]): Expr[] {
  if (values.every((value) => Array.isArray(value))) {
    const entries = values.flat();
    if (!entries.every((value) => typeof value === "string") || !saturated(entries)) return [];
    const known = [...new Set(entries)].sort(byText);
    return [
      {
        op: "and",
        a: { op: "given", path: [name] },
        b: { op: "not", a: { op: "among", a: arg(name), b: constant(known) } },
      },
    ];
  }
  if (!values.every((value) => typeof value === "string")) return [];
  const kinds = [...new Set(values as string[])];
  if (!saturated(values) || isFreeText(kinds)) return [];
  const listed: Expr = { op: "contains", a: constant(kinds), b: arg(name) };
  return [{ op: "and", a: { op: "given", path: [name] }, b: { op: "not", a: listed } }];
}
