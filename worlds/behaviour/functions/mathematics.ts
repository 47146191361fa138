import { WorldError } from "../../errors.ts";
import { calculate, multiply, round, subtract } from "./numbers.ts";
import { converted } from "./units.ts";

/**
 * Functions of numbers as systems compute them, in binary fractions. Each yields NaN where it has no value: a root of a
 * negative number, a mean of nothing, a quotient by zero.
 */

/** Digits past which rounding leaves a number as it is. */
const ALL_DIGITS = 15;
/** Whole numbers up to which a factorial is one that a double holds. */
const LARGEST_FACTORIAL = 170;

const sum = (xs: readonly number[]): number => xs.reduce((total, x) => total + x, 0);
const mean = (xs: readonly number[]): number => sum(xs) / xs.length;
const squares = (xs: readonly number[]): number => {
  const middle = mean(xs);
  return sum(xs.map((x) => (x - middle) ** 2));
};
/** Lists may be longer than a call can have arguments. */
const smallest = (xs: readonly number[]): number =>
  xs.reduce((least, x) => Math.min(least, x), Number.POSITIVE_INFINITY);
const largest = (xs: readonly number[]): number => -smallest(xs.map((x) => -x));
const sorted = (xs: readonly number[]): number[] => [...xs].sort((a, b) => a - b);

function median(xs: readonly number[]): number {
  const [order, half] = [sorted(xs), xs.length >> 1];
  return xs.length % 2 === 1 ? (order[half] as number) : ((order[half - 1] as number) + (order[half] as number)) / 2;
}

function factorial(x: number): number {
  if (!Number.isInteger(x) || x < 0 || x > LARGEST_FACTORIAL) return Number.NaN;
  let out = 1;
  for (let n = 2; n <= x; n++) out *= n;
  return out;
}

function commonDivisor(a: number, b: number): number {
  if (!Number.isSafeInteger(a) || !Number.isSafeInteger(b)) return Number.NaN;
  let [x, y] = [Math.abs(a), Math.abs(b)];
  while (y !== 0) [x, y] = [y, x % y];
  return x;
}

/** Of an odd degree, negative numbers have one too. */
function root(x: number, degree: number): number {
  return x < 0 && degree % 2 !== 0 ? -((-x) ** (1 / degree)) : x ** (1 / degree);
}

/** Rounded, but of a half no value: some systems round it up, others to the even digit. */
function roundUnlessHalf(x: number, digits: number): number {
  const rounded = round(x, digits);
  if (rounded === x || digits === ALL_DIGITS) return rounded;
  const isHalf = Math.abs(multiply(2, subtract(rounded, x))) === Number(`1e-${digits}`);
  return isHalf ? Number.NaN : rounded;
}

const isCount = (x: number): boolean => Number.isInteger(x) && x >= 0;

/** Of one number. */
export const OF_ONE = {
  abs: Math.abs,
  ceil: Math.ceil,
  floor: Math.floor,
  trunc: Math.trunc,
  sign: Math.sign,
  round_unless_half: (x: number) => roundUnlessHalf(x, 0),
  round: (x: number) => round(x, 0),
  sqrt: Math.sqrt,
  exp: Math.exp,
  ln: Math.log,
  log10: Math.log10,
  log2: Math.log2,
  factorial,
  square: (x: number) => x * x,
  negative: (x: number) => -x,
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  radians: (x: number) => (x * Math.PI) / 180,
  degrees: (x: number) => (x * 180) / Math.PI,
} satisfies Record<string, (x: number) => number>;

/**
 * Of two numbers. `modulo` has the sign of the divisor, `remainder` that of the dividend; `round_to` takes decimals, and
 * `significant` all digits but zeros in front. Of two that come to the same, the one with fewer values stands first.
 */
export const OF_TWO = {
  round_to_unless_half: (x: number, digits: number) =>
    isCount(digits) ? roundUnlessHalf(x, Math.min(digits, ALL_DIGITS)) : Number.NaN,
  round_to: (x: number, digits: number) => (isCount(digits) ? round(x, Math.min(digits, ALL_DIGITS)) : Number.NaN),
  significant: (x: number, digits: number) =>
    isCount(digits) && digits > 0 ? Number(x.toPrecision(Math.min(digits, ALL_DIGITS))) : Number.NaN,
  plus: (a: number, b: number) => a + b,
  minus: (a: number, b: number) => a - b,
  times: (a: number, b: number) => a * b,
  quotient: (a: number, b: number) => a / b,
  floor_quotient: (a: number, b: number) => Math.floor(a / b),
  remainder: (a: number, b: number) => a % b,
  modulo: (a: number, b: number) => a - b * Math.floor(a / b),
  power: (a: number, b: number) => a ** b,
  root,
  log: (x: number, base: number) => Math.log(x) / Math.log(base),
  percent: (part: number, whole: number) => (part / whole) * 100,
  percent_of: (share: number, whole: number) => (share / 100) * whole,
  change: (from: number, to: number) => ((to - from) / from) * 100,
  distance: (a: number, b: number) => Math.abs(a - b),
  gcd: commonDivisor,
  lcm: (a: number, b: number) => Math.abs(a * b) / commonDivisor(a, b),
} satisfies Record<string, (a: number, b: number) => number>;

/** Of a list of numbers; `variance` and `deviation` are of a population, those of a sample are named so. */
export const OF_LIST = {
  total: sum,
  product: (xs: readonly number[]) => xs.reduce((total, x) => total * x, 1),
  mean,
  median,
  range: (xs: readonly number[]) => largest(xs) - smallest(xs),
  variance: (xs: readonly number[]) => squares(xs) / xs.length,
  deviation: (xs: readonly number[]) => Math.sqrt(squares(xs) / xs.length),
  sample_variance: (xs: readonly number[]) => squares(xs) / (xs.length - 1),
  sample_deviation: (xs: readonly number[]) => Math.sqrt(squares(xs) / (xs.length - 1)),
  smallest,
  largest,
} satisfies Record<string, (xs: readonly number[]) => number>;

const FUNCTIONS_OF_NUMBERS: Readonly<Record<string, (...xs: never[]) => number>> = { ...OF_ONE, ...OF_TWO };

export type OfNumbers = keyof typeof OF_ONE | keyof typeof OF_TWO;
export type OfList = keyof typeof OF_LIST;
export type MathName = OfNumbers | OfList | "calculate" | "converted";

const isNumbers = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((entry) => typeof entry === "number");

/** The value of an arithmetic text; undefined for any other. */
function calculated(text: unknown): number | undefined {
  if (typeof text !== "string") return undefined;
  try {
    return calculate(text);
  } catch (error) {
    if (error instanceof WorldError) return undefined;
    throw error;
  }
}

/**
 * The value of a function of numbers, of one list of them, of one arithmetic text, or of a number and two units; undefined
 * where it has none, or was given something else.
 */
export function computed(name: MathName, given: readonly unknown[]): number | undefined {
  if (name === "calculate") return calculated(given[0]);
  if (name === "converted") return converted(given[0], given[1], given[2]);
  const ofList = Object.hasOwn(OF_LIST, name) ? OF_LIST[name as OfList] : undefined;
  const numbers = ofList ? given[0] : given;
  if (!isNumbers(numbers)) return undefined;
  const value = ofList ? ofList(numbers) : FUNCTIONS_OF_NUMBERS[name]?.(...(numbers as never[]));
  return value === undefined || !Number.isFinite(value) ? undefined : value + 0;
}
