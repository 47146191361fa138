import { periodIn } from "./root-period.ts";

/** How a clause begins that asks something by itself, and what is asked in it. */
const ASKS =
  "(?:(?:from|in|by|of|on|for|with|at) )?(?:how|what|what's|which|who|whose|when|where|why|is|are|was|were|did|does|do|has|have|can)\\b(?: [^ ,;?]+){2,}";
const HALVES = new RegExp(
  `^\\W*(${ASKS}.*?)(?:[,;?.!]+|,? (?:and|but|or)(?= ))(?: (?:and|but|or|also))* (${ASKS}.*)$`,
  "i",
);
const VERSION = /\bversions? \d[\w.]*|\bv\d[\w.]*/i;
const TOTAL = /\bin total\b|\b(?:al)?together\b/i;

/** The two questions of a text that asks two; undefined where it asks one. */
export function halvesOf(text: string): readonly [string, string] | undefined {
  const [, first, second] = HALVES.exec(text.replace(/\s+/g, " ").trim()) ?? [];
  return first === undefined || second === undefined ? undefined : [first, second];
}

/** The second half with the version, the span of time and the total that the first alone names: both are about the same. */
export function inContext([first, second]: readonly [string, string]): string {
  const version = VERSION.test(second) ? undefined : VERSION.exec(first)?.[0];
  const total = TOTAL.test(second) ? undefined : TOTAL.exec(first)?.[0];
  const period = periodIn(second) === undefined ? periodIn(first)?.said : undefined;
  return [
    second.replace(/\?\s*$/, ""),
    ...(version === undefined ? [] : [`of ${version}`]),
    ...(total === undefined ? [] : [total]),
    ...(period === undefined ? [] : [period]),
  ].join(" ");
}
