import type { DateInText, TimeInText } from "./dates.ts";
import type { NumberInText } from "./numbers.ts";
import { between } from "./spans.ts";

/** What of a read text tells whether a value in it is held to; numbers, dates and times in the order in which they stand. */
export interface ReadText {
  readonly folded: string;
  readonly numbers: readonly NumberInText[];
  readonly dates: readonly DateInText[];
  readonly times: readonly TimeInText[];
}

const SENTENCE_END = /[;!?|]|[.:](?!\d)/g;
const EITHER = /\beither\b(?! (?:way|of|one|case))/;
const PERHAPS = /\b(?:maybe|perhaps|possibly|might be|could be)\b/g;
const PERHAPS_BEFORE = /\b(?:maybe|perhaps|possibly|might be|could be)(?: [^\s,]+){0,3} ?$/;
const BOUND =
  /(?:\b(?:at least|at most|more than|less than|fewer than|no more than|not more than)|(?<!\b(?:adds?|sums?|comes?|amounts?|totals?) )\bup to) $/;
/** A code, and another of its form, joined by "or". */
const CODE = /(?=\S*\d)[\p{L}\d][\p{L}\d.#_-]*/u;
const shapeOf = (text: string) => text.replace(/\p{L}+/gu, "a").replace(/\d+/g, "9");
const OR = /^(?: \p{L}+)?,? or (?:(?:maybe|perhaps|possibly|even|about|else|it is|it's) )?$/u;
const REFUTED =
  /^[)"'*`]{0,3}(?: (?:usd|eur|gbp|dollars|euros|pounds))? (?:(?:is|was)(?: not|n't) (?:the|right|correct|what|it|true)\b|(?:is|was) (?:wrong|incorrect|false|untrue)\b)/;

/** Whether the words after `end` say that what ended there is not so. */
export function refuted(folded: string, end: number): boolean {
  return REFUTED.test(folded.slice(end, end + 60));
}

function sentenceAround(folded: string, start: number, end: number): { head: string; tail: string } {
  const before = folded.slice(Math.max(0, start - 200), start);
  let from = 0;
  for (const match of before.matchAll(SENTENCE_END)) from = match.index + 1;
  const after = folded.slice(end, end + 200);
  const to = after.search(SENTENCE_END);
  return { head: before.slice(from), tail: to < 0 ? after : after.slice(0, to) };
}

/** How far apart two values stand at most that "or" joins, characters; a value is shorter than that too. */
const REACH = 60;
const counts = new WeakMap<ReadText, number>();

/** How often a text says perhaps. */
function perhapses(readText: ReadText): number {
  let n = counts.get(readText);
  if (n === undefined) {
    n = [...readText.folded.matchAll(PERHAPS)].length;
    counts.set(readText, n);
  }
  return n;
}

/** Whether "or" is all that stands between two values; the blank may be the first one's. */
const joined = (between: string): boolean => OR.test(between.startsWith("or ") ? ` ${between}` : between);

/** Values of one kind joined by "or", of which one stands at `start`: alternatives where they differ. */
function alternative<T extends { readonly start: number; readonly end: number }>(
  folded: string,
  start: number,
  all: readonly T[],
  same: (a: T, b: T) => boolean,
): boolean {
  const here = between(all, start, start);
  if (here.length === 0) return false;
  const around = between(all, start - REACH, start + 2 * REACH);
  return here.some((one) =>
    around.some(
      (other) =>
        !here.some((mine) => same(mine, other)) &&
        (joined(folded.slice(one.end, other.start)) || joined(folded.slice(other.end, one.start))),
    ),
  );
}

/** Whether a value is only offered as one of several: "either X or Y", two figures or days joined by "or", "maybe X, maybe Y". */
export function isHedged(readText: ReadText, start: number, end: number): boolean {
  const { folded } = readText;
  const { head, tail } = sentenceAround(folded, start, end);
  if (EITHER.test(head) && /\bor\b/.test(head.slice(head.search(EITHER)) + tail)) return true;
  if (BOUND.test(head)) return true;
  const own = folded.slice(start, end);
  const [after, before] = [
    new RegExp(`^ or (${CODE.source})`, "u").exec(tail)?.[1],
    new RegExp(`(${CODE.source}) or $`, "u").exec(head)?.[1],
  ];
  if (/\d/.test(own) && /\p{L}/u.test(own))
    for (const other of [after, before])
      if (
        other !== undefined &&
        other.replace(/[.]$/, "") !== own &&
        shapeOf(other.replace(/[.]$/, "")) === shapeOf(own)
      )
        return true;
  if (PERHAPS_BEFORE.test(head) && perhapses(readText) > 1) return true;
  const { numbers, dates, times } = readText;
  return (
    alternative(folded, start, numbers, (a, b) => Math.abs(a.value - b.value) <= 0.01 * Math.abs(b.value)) ||
    alternative(folded, start, dates, (a, b) => a.month === b.month && a.day === b.day) ||
    alternative(folded, start, times, (a, b) => Math.abs(a.seconds - b.seconds) < 60) ||
    (between(dates, start, start).length > 0 && /^ or (?:the )?\d{1,2}(?:st|nd|rd|th)?\b/.test(tail))
  );
}
