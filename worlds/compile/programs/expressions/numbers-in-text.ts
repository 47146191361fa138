import type { Expr } from "./expr.ts";
import type { Vector } from "./vectors.ts";
import { insideOf } from "./within-text.ts";

/** A number that stands at one place of a text in every example. */
export interface Hole {
  readonly numbers: ReadonlyMap<number, number>;
  /** The decimals that all of them are written with; undefined where each is written as short as it can be. */
  readonly decimals: number | undefined;
}

/** A text that examples share: words, terms, and numbers. */
export type Sentence = readonly (string | Expr | Hole)[];

const NUMERAL = /-?\d+(?:\.\d+)?(?![\p{L}\p{N}])/uy;
const STANDS = /(?<![\p{L}\p{N}.])(-?\d+(?:\.\d+)?)(?![\p{L}\p{N}]|\.\d)/u;

/** The sentence of one example's text, where all others fit it and at least one number is in it. */
export function sentenceOf(
  texts: ReadonlyMap<number, string>,
  terms: readonly Vector[],
  first: number,
): Sentence | undefined {
  const text = texts.get(first) as string;
  const worded = terms.filter((term) => typeof term.value(first) === "string");
  const byExpr = new Map(worded.map((term) => [term.expr, term]));
  const parts: (string | Vector | undefined)[] = [];
  for (const part of insideOf(text, worded, first) ?? [text]) {
    if (typeof part !== "string") {
      const term = byExpr.get(part);
      if (!term) return undefined;
      parts.push(term);
    } else for (const [n, piece] of part.split(STANDS).entries()) parts.push(n % 2 === 1 ? undefined : piece);
  }
  const found = new Map([...texts].map(([i, of]) => [i, numerals(parts, of, i)]));
  const holes = parts.filter((part) => part === undefined).length;
  if (holes === 0 || [...found.values()].includes(undefined)) return undefined;
  let at = 0;
  return parts.map((part) =>
    part === undefined ? hole(found as Map<number, string[]>, at++) : typeof part === "string" ? part : part.expr,
  );
}

/** The numerals at a sentence's holes; undefined where a text is another one. */
function numerals(parts: readonly (string | Vector | undefined)[], text: string, i: number): string[] | undefined {
  const out: string[] = [];
  let at = 0;
  for (const part of parts) {
    if (part === undefined) {
      NUMERAL.lastIndex = at;
      const [numeral] = NUMERAL.exec(text) ?? [];
      if (numeral === undefined) return undefined;
      out.push(numeral);
      at += numeral.length;
      continue;
    }
    const words = typeof part === "string" ? part : part.value(i);
    if (typeof words !== "string" || !text.startsWith(words, at)) return undefined;
    at += words.length;
  }
  return at === text.length ? out : undefined;
}

function hole(found: ReadonlyMap<number, readonly string[]>, at: number): Hole {
  const written = [...found.values()].map((numbers) => numbers[at] as string);
  const decimals = new Set(written.map((one) => one.split(".")[1]?.length ?? 0));
  const [all] = decimals;
  return {
    numbers: new Map([...found].map(([i, numbers]) => [i, Number(numbers[at])])),
    decimals: decimals.size === 1 && all !== 0 ? all : undefined,
  };
}
