import type { Json } from "../json.ts";
import { type Solve, type Target, wanted } from "./fitting.ts";
import type { Env, Term } from "./terms.ts";
import { isScalar } from "./values.ts";

/** A text with holes: the template in the behaviour language, the hole terms, and what it costs. */
export interface Template {
  readonly text: string;
  readonly holes: readonly Term[];
  readonly cost: number;
}

const TOKEN = /[\w#@+-]+(?:[.:'][\w#@-]+)*|\s+|[^\w\s#@+-]/g;

function tokens(text: string): string[] {
  return text.match(TOKEN) ?? [];
}

/** A text with what varies taken out: numbers, ids and every word that `values` holds. Texts of one wording give one shape. */
export function wording(text: string, values: ReadonlySet<string>): string {
  return tokens(text)
    .map((token) => (values.has(token) || /\d/.test(token) ? "\u0000" : token))
    .join("");
}

/** The scalars of some values as words, for `wording`. */
export function wordsOf(values: Iterable<Json>): Set<string> {
  const out = new Set<string>();
  for (const value of values) if (isScalar(value)) out.add(String(value));
  return out;
}

function asNumbers(target: Target): Target | undefined {
  const out = target.map((value) =>
    typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value,
  );
  return out.every((value) => value === undefined || typeof value === "number") ? out : undefined;
}

/** The template that gives every target text, its varying words found in the environment; undefined when one cannot be found. */
export function findTemplate(env: Env, target: Target, solve: Solve): Template | undefined {
  const rows = target.map((text) => (typeof text === "string" ? tokens(text) : undefined));
  const known = rows.filter((row) => row !== undefined);
  const first = known[0];
  if (
    !first ||
    known.some((row) => row.length !== first.length) ||
    wanted(target) === 0 ||
    /[{}]/.test(known.flat().join(""))
  )
    return undefined;
  let text = "";
  let cost = 0.5;
  const holes: Term[] = [];
  for (let position = 0; position < first.length; position++) {
    const column: Target = rows.map((row) => row?.[position]);
    const word = first[position] as string;
    const varies = known.some((row) => row[position] !== word);
    const direct =
      !varies && /[\d_]/.test(word)
        ? env.terms.find(
            (term) =>
              term.cost <= 1.2 && column.every((value, i) => value === undefined || String(term.vals[i]) === value),
          )
        : undefined;
    if (!varies && !direct) {
      text += word;
      continue;
    }
    const numbers = asNumbers(column);
    const term = direct ?? solve(env, column) ?? (numbers ? solve(env, numbers) : undefined);
    if (!term) return undefined;
    holes.push(term);
    cost += term.cost;
    text += `{${term.cel.startsWith("args.") && /^args\.\w+$/.test(term.cel) ? term.cel.slice(5) : term.cel}}`;
  }
  return { text, holes, cost };
}
