import { computed, type MathName, OF_LIST, OF_ONE, OF_TWO } from "../../../behaviour/functions/mathematics.ts";
import { isUnit } from "../../../behaviour/functions/units.ts";
import type { Json } from "../../../json.ts";
import { length } from "./bits.ts";
import { constant, type Expr, UNKNOWN } from "./expr.ts";
import { type Level, RIGHT, UNTOLD, type Verdict, WRONG } from "./level.ts";
import type { Vector } from "./vectors.ts";

/**
 * Bits of different numbers that a function has to be right about: twice what it takes to choose one of some thousand, or
 * of a few that what is sought is called by.
 */
const UNNAMED = 24;
const NAMED = 8;
/** Bits of a function of the shortest term. */
const SHORTEST = 6;
/** Bits of a digit, and digits up to which numbers are short. */
const DIGIT = Math.log2(10);
const SHORT = 2;
/** Terms that are paired, the shortest first. */
const TERMS = 8;
/** Decimals that numbers are rounded to: where they have more, digits are counted and not decimals. */
const FEW = 6;
/** Digits past which numbers show how the machine computes and not what it rounds to. */
const NOISE = 13;

const names = <T extends object>(functions: T): MathName[] => Object.keys(functions) as MathName[];

/** Functions of one or two terms, of a list of numbers and of an arithmetic text, rounded as all targets are. */
export function considerFunctions(
  level: Level,
  terms: readonly Vector[],
  target: (i: number) => Json,
  named: string | undefined,
): void {
  const { at } = level;
  if (!level.allows(SHORTEST)) return;
  const targets = [...at].map((i) => target(i) as number);
  const needed = (name: MathName): number => (named !== undefined && isCalled(name, named) ? NAMED : UNNAMED);
  const most = bitsOf(targets);
  if (most < NAMED) return;
  const numeric = terms.filter((term) => term.some(at, (value) => typeof value === "number")).slice(0, TERMS);
  const lists = terms.filter((term) => term.some(at, isNumbers));
  const given = terms.filter(({ expr }) => expr.op === "arg");
  const texts = given.filter((term) => term.some(at, isArithmetic));
  const units = given.filter((term) => term.some(at, isUnit));
  const { decimals, digits } = precision(targets);
  const rounded = roundings(targets, decimals, digits);
  const unrounded = rounded.filter((round) => !round.some(([by]) => by.startsWith("round_to")));
  const [least, share] = [10 ** -decimals, 10 ** (1 - digits)];
  const isNear = (x: number, wanted: number): boolean =>
    Math.abs(Math.abs(x) - Math.abs(wanted)) <= Math.max(least, Math.abs(wanted) * share);
  const consider = (name: MathName, of: readonly Vector[]): void => {
    const expr: Expr = { op: "math", name, of: of.map((vector) => vector.expr) };
    if (most < needed(name) || !level.allows(length(expr, named))) return;
    const plain: (number | undefined)[] = [];
    let whole = true;
    for (let k = 0; k < at.length; k++) {
      const x = value(name, of, at[k] as number);
      if (x !== undefined && !isNear(x, targets[k] as number)) return;
      whole &&= x === undefined || Number.isInteger(x);
      plain.push(x);
    }
    // Whole numbers are rounded already.
    for (const round of whole ? unrounded : rounded) {
      const found = round.reduce(
        (a: Expr, [by, given]): Expr => ({ op: "math", name: by, of: [a, ...given.map(constant)] }),
        expr,
      );
      if (!level.allows(length(found, named))) continue;
      const marks = marksOf(level, targets, (k) =>
        round.reduce(
          (x: number | undefined, [by, given]) => (x === undefined ? undefined : computed(by, [x, ...given])),
          plain[k],
        ),
      );
      if (!marks || evidence(marks, target, of) < needed(name)) continue;
      level.consider(
        () => found,
        (i) => marks.get(i) as Verdict,
      );
    }
  };
  for (const of of texts) consider("calculate", [of]);
  for (const of of lists) for (const name of names(OF_LIST)) consider(name, [of]);
  for (const a of numeric) {
    for (const name of names(OF_ONE)) consider(name, [a]);
    for (const from of units) for (const to of units) if (from !== to) consider("converted", [a, from, to]);
    for (const b of numeric) if (a !== b) for (const name of names(OF_TWO)) consider(name, [a, b]);
  }
}

/** Functions that are put around another one, with the digits that they take. */
type Rounding = readonly (readonly [by: MathName, digits: readonly number[]])[];

const isNumbers = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 1 && value.every((entry) => typeof entry === "number");
const isArithmetic = (value: unknown): boolean =>
  typeof value === "string" && /\d\s*[-+*/%^]/.test(value) && computed("calculate", [value]) !== undefined;

/** The decimals, and the digits that count, that numbers have at most. */
function precision(targets: readonly number[]): { decimals: number; digits: number } {
  const texts = targets.map((x) => Math.abs(x).toString()).filter((text) => !text.includes("e"));
  return {
    decimals: Math.max(0, ...texts.map((text) => text.split(".")[1]?.length ?? 0)),
    digits: Math.max(1, ...texts.map((text) => text.replace(".", "").replace(/^0+/, "").length)),
  };
}

/** As they are; to the decimals, or to the digits, that the numbers have at most; and each without its sign. */
function roundings(targets: readonly number[], decimals: number, digits: number): Rounding[] {
  const out: Rounding[] = [[]];
  if (digits < NOISE && decimals > FEW) out.push([["significant", [digits]]]);
  // Where no number shows how a half is rounded, none is.
  if (decimals < NOISE) out.push([["round_to_unless_half", [decimals]]], [["round_to", [decimals]]]);
  return targets.some((x) => x < 0) ? out : [...out, ...out.map((round): Rounding => [["abs", []], ...round])];
}

/** The value of a function of terms; undefined where one is not known, or where it has none. */
function value(name: MathName, of: readonly Vector[], i: number): number | undefined {
  const given = of.map((vector) => vector.value(i));
  return given.includes(UNKNOWN) ? undefined : computed(name, given);
}

const verdict = (said: number | undefined, wanted: number): Verdict =>
  said === undefined ? UNTOLD : said === wanted ? RIGHT : WRONG;

/** How a function stands against each number, by example; undefined where it is wrong about one. */
function marksOf(
  { at }: Level,
  targets: readonly number[],
  value: (k: number) => number | undefined,
): Map<number, Verdict> | undefined {
  const marks: Verdict[] = [];
  for (let k = 0; k < at.length; k++) {
    const mark = verdict(value(k), targets[k] as number);
    if (mark === WRONG) return undefined;
    marks.push(mark);
  }
  return new Map(marks.map((mark, k) => [at[k] as number, mark]));
}

/** Bits of the numbers that a function is right about. */
function evidence(marks: ReadonlyMap<number, Verdict>, target: (i: number) => Json, of: readonly Vector[]): number {
  const seen = new Map<string, number>();
  for (const [i, mark] of marks)
    if (mark === RIGHT) seen.set(of.map((vector) => vector.id(i)).join(), target(i) as number);
  return bitsOf([...seen.values()]);
}

/** Bits of numbers that something is right about: a short one is met by chance as often as there are few of them. */
function bitsOf(numbers: readonly number[]): number {
  const distinct = new Set(numbers);
  const chance = Math.log2(distinct.size);
  const digits = new Map([...distinct].map((x) => [x, digitsOf(x)]));
  return numbers.reduce((sum, x) => {
    const many = digits.get(x) as number;
    return sum + (many > SHORT ? many * DIGIT : chance);
  }, 0);
}

/** Digits of a number that count. */
const digitsOf = (x: number): number =>
  x
    .toPrecision(NOISE)
    .replace(/e.*|\D/g, "")
    .replace(/^0+|0+$/g, "").length;

/** What functions are called besides their own names. */
const CALLED: Partial<Record<MathName, RegExp>> = {
  modulo: /mod|remainder/,
  remainder: /mod|remainder/,
  quotient: /div|quotient|ratio/,
  power: /pow|exponent/,
  mean: /mean|average|avg/,
  deviation: /deviation|std/,
  sample_deviation: /deviation|std/,
  variance: /variance/,
  sample_variance: /variance/,
  total: /sum|total/,
  smallest: /min|smallest|lowest/,
  largest: /max|largest|highest/,
  sqrt: /sqrt|root/,
  ln: /log|ln/,
  round_to: /round/,
  round_to_unless_half: /round/,
  round_unless_half: /round/,
  percent: /percent/,
  percent_of: /percent/,
  change: /percent|change|growth/,
};

const isCalled = (name: MathName, named: string): boolean =>
  CALLED[name]?.test(named.toLowerCase()) ?? named.toLowerCase().includes(name);
