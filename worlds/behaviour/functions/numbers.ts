import { Decimal } from "decimal.js";
import { WorldError } from "../../errors.ts";

const Exact = Decimal.clone({ precision: 60, rounding: Decimal.ROUND_HALF_UP });
const CENTS_LIMIT = 1e13;

/** `x` in hundredths when it is the number nearest to a whole count of them; the common case of money, without decimals. */
function cents(x: number): number | undefined {
  const n = Math.round(x * 100);
  return Math.abs(n) <= CENTS_LIMIT && n / 100 === x ? n : undefined;
}

function finite(result: number, exact: boolean): number {
  if (!Number.isFinite(result) || (exact && !Number.isSafeInteger(result)))
    throw new WorldError("arithmetic", "the result is out of the range of exact numbers");
  return result + 0;
}

/** Sum of two numbers as decimals: 0.1 + 0.2 is 0.3. Throws `arithmetic` when two whole numbers leave the exact range (2^53). */
export function add(a: number, b: number): number {
  if (Number.isSafeInteger(a) && Number.isSafeInteger(b)) return finite(a + b, true);
  const x = cents(a);
  const y = cents(b);
  return x !== undefined && y !== undefined ? (x + y) / 100 : finite(new Exact(a).plus(b).toNumber(), false);
}

/** Difference as decimals; errors as `add`. */
export function subtract(a: number, b: number): number {
  return add(a, -b);
}

/** Difference as binary fractions leave it: 0.3 - 0.1 is 0.19999999999999998. Throws `arithmetic` out of range. */
export function binaryMinus(a: number, b: number): number {
  return finite(a - b, false);
}

/** Product as decimals; errors as `add`. */
export function multiply(a: number, b: number): number {
  if (Number.isSafeInteger(a) && Number.isSafeInteger(b)) return finite(a * b, true);
  return finite(new Exact(a).times(b).toNumber(), false);
}

/** Quotient as decimals, never cut to a whole number: 7 / 2 is 3.5. Throws `arithmetic` on a division by zero. */
export function divide(a: number, b: number): number {
  if (b === 0) throw new WorldError("arithmetic", "division by zero");
  if (Number.isSafeInteger(a) && Number.isSafeInteger(b)) return a / b + 0;
  return finite(new Exact(a).div(b).toNumber(), false);
}

/** Remainder with the sign of the dividend. Throws `arithmetic` on a division by zero. */
export function remainder(a: number, b: number): number {
  if (b === 0) throw new WorldError("arithmetic", "division by zero");
  if (Number.isSafeInteger(a) && Number.isSafeInteger(b)) return (a % b) + 0;
  return finite(new Exact(a).mod(b).toNumber(), false);
}

/** Rounded to that many decimals (0 to 15), halves away from zero. */
export function round(x: number, digits: number): number {
  const places = decimals(digits);
  return (Number.isInteger(x) ? x : new Exact(x).toDecimalPlaces(places).toNumber()) + 0;
}

/** With exactly that many decimals, as text: `fixed(5, 2)` is `5.00`. */
export function fixed(x: number, digits: number): string {
  return new Exact(x).toFixed(decimals(digits));
}

function decimals(digits: number): number {
  if (!Number.isInteger(digits) || digits < 0 || digits > 15)
    throw new WorldError("type", "a count of decimals is a whole number from 0 to 15");
  return digits;
}

const TERM = /\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+)|(\*\*|[-+*/%()^]))/y;

/**
 * The value of an arithmetic text: numbers, `+ - * / %`, `^` or `**` for powers, and parentheses, computed as decimals.
 * Throws `type` on any other text.
 */
export function calculate(text: string): number {
  let at = 0;
  let depth = 0;
  let token: string | undefined;
  const next = (): void => {
    TERM.lastIndex = at;
    const found = TERM.exec(text);
    if (found) at = TERM.lastIndex;
    else if (text.slice(at).trim() !== "") throw new WorldError("type", "not an arithmetic expression");
    token = found?.[1] ?? found?.[2];
  };
  const signed = (): number => {
    if (++depth > 100) throw new WorldError("limit", "an arithmetic expression is nested too deeply");
    const found = token;
    next();
    let value: number;
    if (found === "-") value = -signed();
    else if (found === "+") value = signed();
    else if (found === "(") {
      value = sum();
      if (token !== ")") throw new WorldError("type", "not an arithmetic expression");
      next();
    } else if (found !== undefined && /[\d.]/.test(found)) value = finite(Number(found), false);
    else throw new WorldError("type", "not an arithmetic expression");
    // A power binds closer than the sign before it, and the one after it closer still.
    if (found !== "-" && found !== "+" && (token === "^" || token === "**")) {
      next();
      value = finite(value ** signed(), false);
    }
    depth--;
    return value;
  };
  const product = (): number => {
    let value = signed();
    while (token === "*" || token === "/" || token === "%") {
      const sign = token;
      next();
      const right = signed();
      value = sign === "*" ? multiply(value, right) : sign === "/" ? divide(value, right) : remainder(value, right);
    }
    return value;
  };
  const sum = (): number => {
    let value = product();
    while (token === "+" || token === "-") {
      const sign = token;
      next();
      value = sign === "+" ? add(value, product()) : subtract(value, product());
    }
    return value;
  };
  next();
  const value = sum();
  if (token !== undefined) throw new WorldError("type", "not an arithmetic expression");
  return value;
}
