import { isObject, type Json } from "../../json.ts";
import { type Solve, type Target, wanted } from "../fit/fitting.ts";
import { isScalar } from "../values.ts";
import { literal, type Term } from "./term.ts";
import type { Env } from "./terms.ts";

/** A text with holes: the template in the behaviour language, the hole terms, and what it costs. */
export interface Template {
  readonly text: string;
  readonly holes: readonly Term[];
  readonly cost: number;
}

const TOKEN = /[\w#@+-]+(?:[.:'][\w#@-]+)*|\s+|[^\w\s#@+-]/g;

/** Where a phrase stands in a text as words of its own; -1 where it does not. */
function phraseIndex(text: string, phrase: string): number {
  for (let at = text.indexOf(phrase); at >= 0; at = text.indexOf(phrase, at + 1)) {
    const [before, after] = [text[at - 1], text[at + phrase.length]];
    if (!/^\w\w$/.test(`${before ?? " "}${phrase[0]}`) && !/^\w\w$/.test(`${phrase.at(-1)}${after ?? " "}`)) return at;
  }
  return -1;
}

/** A text's words, numbers, blanks and signs, in order. */
export function tokensOf(text: string): string[] {
  return text.match(TOKEN) ?? [];
}

function tokens(text: string, phrases: readonly string[] = []): string[] {
  const phrase = phrases.find((candidate) => phraseIndex(text, candidate) >= 0);
  if (phrase === undefined) return tokensOf(text);
  const at = phraseIndex(text, phrase);
  return [...tokens(text.slice(0, at), phrases), phrase, ...tokens(text.slice(at + phrase.length), phrases)];
}

/** What the rows and arguments of one example say in words: values that may stand in its texts, longest first. */
export function phrasesOf(env: Env, example: number): string[] {
  const out = new Set<string>();
  for (const term of env.terms) {
    const value = term.vals[example];
    if (typeof value === "string" && value.length >= 3 && value.length <= 80 && term.cost < 5) out.add(value);
  }
  return [...out].sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
}

/** A text with what varies taken out: numbers, ids and every word that `values` holds. Texts of one wording give one shape. */
export function wording(text: string, values: ReadonlySet<string>, phrases: readonly string[] = []): string {
  return tokens(text, phrases)
    .map((token) => (values.has(token) || phrases.includes(token) || /\d/.test(token) ? "\u0000" : token))
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

/** The argument or column that a word repeats in every example, where it is not always the same. */
function repeatedTerm(env: Env, word: string, column: Target, text: string): Term | undefined {
  const number = /^\d+(\.\d+)?$/.test(word) ? () => counted(env, Number(word), column, text) : () => undefined;
  if (word.length < 3 || !/\w/.test(word)) return number();
  const repeated = env.terms.find(
    (term) =>
      term.cost <= (/[\d_]/.test(word) ? 1.2 : 2.6) &&
      column.every((value, i) => value === undefined || printedValue(term.vals[i]) === value) &&
      (/[\d_]/.test(word) || term.vals.some((value) => typeof value === "string" && value !== word)),
  );
  return repeated ?? number();
}

/** A value as a text shows it; undefined for what is made of parts, whose `toString` may be a field of its own. */
function printedValue(value: Json | undefined): string | undefined {
  return isObject(value) || Array.isArray(value) ? undefined : String(value);
}

/** The number of a row that a text gives beside that column's name, where examples that the text is not of have others. */
function counted(env: Env, number: number, column: Target, text: string): Term | undefined {
  const said = new Set(text.toLowerCase().match(/[a-z]{4,}/g));
  return env.terms.find(
    (term) =>
      term.cost <= 3 &&
      said.has(/\.(\w+)\)?$/.exec(term.cel)?.[1] ?? "") &&
      column.every((value, i) => value === undefined || term.vals[i] === number) &&
      (/^args\.\w+$/.test(term.cel) || term.vals.some((value) => typeof value === "number" && value !== number)),
  );
}

/** Whether a number, written out, gives the words wanted. */
function printed(term: Term, words: Target, write: (value: number) => string): boolean {
  return words.every(
    (word, i) =>
      word === undefined ||
      term.vals[i] === undefined ||
      (typeof term.vals[i] === "number" && write(term.vals[i]) === word),
  );
}

/** The template that gives every target text, its varying words found in the environment; undefined when one cannot be found. */
export function findTemplate(env: Env, target: Target, solve: Solve): Template | undefined {
  const rows = target.map((text, i) => (typeof text === "string" ? tokens(text, phrasesOf(env, i)) : undefined));
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
    const told = varies ? undefined : repeatedTerm(env, word, column, first.join(""));
    const direct = told && holes.includes(told) ? undefined : told;
    if (!varies && !direct) {
      text += word;
      continue;
    }
    const numbers = asNumbers(column);
    const number = numbers && !direct ? solve(env, numbers) : undefined;
    const plain = direct ?? (number && printed(number, column, (value) => String(value)) ? number : undefined);
    const money =
      plain === undefined && number && printed(number, column, (value) => value.toFixed(2))
        ? { ...number, cel: `fixed(${number.cel}, 2)` }
        : undefined;
    const term = plain ?? money ?? solve(env, column);
    // Numbers that stand in the expression are those of the examples.
    if (!term || (numbers && varies && /"[\d.]+"/.test(term.cel))) return undefined;
    holes.push(money ? (number as Term) : term);
    cost += term.cost;
    text += `{${term.cel.startsWith("args.") && /^args\.\w+$/.test(term.cel) ? term.cel.slice(5) : term.cel}}`;
  }
  return { text, holes, cost };
}

/** A template as an expression: its texts and holes added up. */
export function templateText(template: string): string {
  const parts = template.split(/\{([^{}]+)\}/);
  return (
    parts
      .map((part, i) => (i % 2 === 0 ? literal(part) : `string(${/^\w+$/.test(part) ? `args.${part}` : part})`))
      .filter((part) => part !== '""')
      .join(" + ") || '""'
  );
}
