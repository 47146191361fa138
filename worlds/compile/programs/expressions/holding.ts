import { binary, type Env, type Expr, evaluate, UNKNOWN, type Value } from "./expr.ts";

/** Of numbered examples those where something is so, a bit each. */
export type Bits = Int32Array;

/** Where a condition holds, and where it is not known to fail: one that nobody knows is in the second alone. */
export interface Holding {
  readonly yes: Bits;
  readonly maybe: Bits;
}

/** Room for so many examples, none of them set. */
export const noBits = (examples: number): Bits => new Int32Array((examples + 31) >>> 5);

/** Sets an example's bit. */
export function setBit(bits: Bits, at: number): void {
  bits[at >>> 5] = (bits[at >>> 5] as number) | (1 << (at & 31));
}

/** Whether an example's bit is set. */
export const hasBit = (bits: Bits, at: number): boolean => (((bits[at >>> 5] as number) >>> (at & 31)) & 1) === 1;

/** The examples that are in both. */
export const inBoth = (a: Bits, b: Bits): Bits => a.map((word, i) => word & (b[i] as number));

/** How often two conditions hold together among the wanted examples, among the others that count, and of how many of both nobody knows. */
export function together(a: Holding, b: Holding, wanted: Bits, others: Bits) {
  let [hits, misses, open] = [0, 0, 0];
  for (let i = 0; i < wanted.length; i++) {
    const yes = (a.yes[i] as number) & (b.yes[i] as number);
    const maybe = (a.maybe[i] as number) & (b.maybe[i] as number);
    const [want, other] = [wanted[i] as number, others[i] as number];
    hits += ones(yes & want);
    misses += ones(yes & other);
    open += ones(maybe & ~yes & (want | other));
  }
  return { hits, misses, open };
}

/** How many bits of a word are set. */
function ones(word: number): number {
  word -= (word >>> 1) & 0x55555555;
  word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
  return Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Values of expressions over a list of moments: those of terms are found once, whatever tests they are part of. */
export function valuesOver(envs: readonly Env[]): (expr: Expr) => readonly Value[] {
  const terms = new Map<Expr, readonly Value[]>();
  // A test is put as it is, and then denied.
  let last: { readonly expr: Expr; readonly held: readonly Value[] } | undefined;
  const found = (expr: Expr): readonly Value[] => {
    if (expr.op === "not") return of(expr.a).map((value) => (typeof value === "boolean" ? !value : UNKNOWN));
    if (expr.op !== "eq" && expr.op !== "contains" && expr.op !== "less") return envs.map((env) => evaluate(expr, env));
    const { op, b } = expr;
    const others = b.op === "const" ? undefined : of(b);
    return of(expr.a).map((a, i) => binary(op, a, b.op === "const" ? b.value : (others?.[i] as Value)));
  };
  const of = (expr: Expr): readonly Value[] => {
    const held = last?.expr === expr ? last.held : terms.get(expr);
    if (held) return held;
    const values = found(expr);
    if (expr.op === "arg" || expr.op === "cell" || expr.op === "column") terms.set(expr, values);
    else last = { expr, held: values };
    return values;
  };
  return of;
}
