import type { Json } from "../../json.ts";
import { linear } from "../conditions/linear.ts";
import { tokensOf } from "../conditions/templates.ts";
import type { Term } from "../conditions/term.ts";
import type { Env } from "../conditions/terms.ts";
import { fits, scoreOf, type Target } from "./fitting.ts";
import { arithmetic } from "./synthesis.ts";

/** A refusal of two amounts that are not alike: its words with both, and the condition. */
export interface Balance {
  readonly when: string;
  readonly error: string;
  readonly truth: readonly (boolean | undefined)[];
}

/** Fewest successes that show the two amounts alike. */
const LEAST = 3;

/** The refusal of calls whose two amounts differ, one from the arguments, the other as successes and refusals show it. */
export function fitBalance(
  env: Env,
  own: readonly number[],
  successes: readonly number[],
  said: (example: number) => Json | undefined,
): Balance | undefined {
  const texts = own.map((i) => tokensOf(String(said(i))));
  const first = texts[0];
  if (!first || texts.some((row) => row.length !== first.length)) return undefined;
  const numeric = first.flatMap((_, at) => (texts.every((row) => /^\d+(\.\d+)?$/.test(row[at] ?? "")) ? [at] : []));
  if (numeric.length !== 2 || first.some((word, at) => !numeric.includes(at) && texts.some((row) => row[at] !== word)))
    return undefined;
  if (first.some((word) => /[{}]/.test(word))) return undefined;
  const numbersAt = (at: number): Target => {
    const out: (number | undefined)[] = Array.from({ length: env.n }, () => undefined);
    own.forEach((i, k) => {
      out[i] = Number(texts[k]?.[at]);
    });
    return out;
  };
  env.aggregate();
  for (const [given, due] of [numeric, [...numeric].reverse()] as [number, number][]) {
    const told = tellsFrom(env, numbersAt(given));
    if (!told) continue;
    const source = /^args\.\w+/.exec(told.cel)?.[0] ?? told.cel;
    const target = [...numbersAt(due)];
    for (const i of successes) target[i] = told.vals[i];
    if (successes.filter((i) => typeof told.vals[i] === "number").length < LEAST) continue;
    const amount = direct(env, target, source) ?? exact(arithmetic(env, target), target) ?? linear(env, target, source);
    if (!amount || amount.cel.includes(source)) continue;
    const text = first
      .map((word, at) => (at === given ? `{${told.cel}}` : at === due ? `{${amount.cel}}` : word))
      .join("");
    return {
      when: `${amount.cel} != ${told.cel}`,
      error: text,
      truth: amount.vals.map((value, i) => {
        const other = told.vals[i];
        return typeof value !== "number" || typeof other !== "number" ? undefined : value !== other;
      }),
    };
  }
  return undefined;
}

/** Share of the successes whose two amounts must be alike for the rest to be doubtful. */
const USUAL = 0.6;

/** A balance that most successes meet: the sum of a list argument's column is a total of rows. */
export function usualBalance(env: Env, successes: readonly number[]): string | undefined {
  const sums = env.terms.filter(({ cel }) => /^args\.\w+\.map\(v0, v0\.\w+\)\.sum\(\)$/.test(cel));
  for (const told of sums) {
    const source = /^args\.\w+/.exec(told.cel)?.[0] ?? told.cel;
    const target = Array.from({ length: env.n }, (_, i) => (successes.includes(i) ? told.vals[i] : undefined));
    const amount = direct(env, target, source) ?? linear(env, target, source, USUAL);
    if (amount && /lookup\(|\bit\.|\bnew_\w/.test(amount.cel)) return `${amount.cel} == ${told.cel}`;
  }
  return undefined;
}

/** The plainest term with the amounts wanted. */
function direct(env: Env, target: Target, source: string): Term | undefined {
  return env.terms
    .filter(({ cel }) => !cel.includes(source))
    .sort((a, b) => a.cost - b.cost)
    .find((term) => fits(scoreOf(term.vals, target), target, 0) && scoreOf(term.vals, target).hits >= LEAST);
}

/** An amount that the arguments alone give. */
function tellsFrom(env: Env, target: Target): Term | undefined {
  return env.terms
    .filter(({ cel, vals }) => /^args\.\w+(\.map\(v0, v0\.\w+\)\.sum\(\))?$/.test(cel) && vals.some(Number.isFinite))
    .sort((a, b) => a.cost - b.cost)
    .find((term) => fits(scoreOf(term.vals, target), target, 0));
}

function exact(term: Term | undefined, target: Target): Term | undefined {
  // A row that is looked for among all says nothing of what this call costs.
  return term && !term.cel.includes("rows(") && scoreOf(term.vals, target).misses === 0 ? term : undefined;
}
