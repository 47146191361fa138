import { escapePattern } from "../../pattern.ts";
import type { Fact } from "../schema.ts";
import { type DateInText, datesInText, dayOf, saysDay, type TimeInText, timesInText } from "./dates.ts";
import { isHedged, refuted } from "./hedges.ts";
import { isNegated } from "./negation.ts";
import { type NumberInText, numbersInText, roundsTo, saysNumber } from "./numbers.ts";
import { between, byStart } from "./spans.ts";
import { type Quantity, quantity, sameQuantity } from "./units.ts";
import { fold, keeping, occurrences, type Token, tokens } from "./words.ts";

/** A line break beside a list item or before a table row or an empty line: what stands there is no part of the sentence before. */
const NEXT_ITEM =
  /(?<!\s)\s*\n(?=\s*(?:\n|[-*\u2022|#]|\d+[.)]\s))|(?<=(?:^|\n)[ \t]*(?:[-*\u2022]|\d+[.)])[ \t][^\n]*)\n/g;

/** A text read once: its words, and on demand its numbers, dates and times. */
export class Reading {
  readonly folded: string;
  #words: Token[] | undefined;
  #numbers: NumberInText[] | undefined;
  #dates: DateInText[] | undefined;
  #times: TimeInText[] | undefined;

  constructor(text: string) {
    this.folded = fold(text.replace(NEXT_ITEM, " ; "));
  }
  /** Its words in order. */
  get words(): readonly Token[] {
    this.#words ??= tokens(this.folded);
    return this.#words;
  }
  /** Its numbers in order, but for those of a date or time. */
  get numbers(): readonly NumberInText[] {
    this.#numbers ??= this.#numbersOutsideDates();
    return this.#numbers;
  }
  /** Its dates in order. */
  get dates(): readonly DateInText[] {
    this.#dates ??= datesInText(this.folded.replace(/(\d)t(?=\d\d:)/g, "$1 ")).sort(byStart);
    return this.#dates;
  }
  /** Its times of day in order. */
  get times(): readonly TimeInText[] {
    this.#times ??= timesInText(this.folded.replace(/(\d)t(?=\d\d:)/g, "$1 ")).sort(byStart);
    return this.#times;
  }
  #numbersOutsideDates(): NumberInText[] {
    const spans = [...this.dates, ...this.times].sort(byStart);
    let next = 0;
    let end = 0;
    return numbersInText(this.folded).filter((n) => {
      for (let span = spans[next]; span !== undefined && span.start < n.end; span = spans[++next])
        end = Math.max(end, span.end);
      return n.start >= end;
    });
  }
}

/** How often a fact is said, how many of those leave it open (one of several alternatives), and how often it is denied. */
export interface Found {
  readonly said: number;
  readonly open: number;
  readonly denied: number;
}

/** Where a value stands in a folded text. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** Words that say a value below zero without its sign. */
const BELOW_ZERO =
  /\b(?:refund|credit|return|minus|negative|discount|deduct|back|down|fall|fell|lost|loss|decreas|declin|drop)/;

const ROUGHLY = /\b(?:about|around|roughly|approximately|nearly|almost|some) $/;

function tally(reading: Reading, spans: readonly Span[]): Found {
  let denied = 0;
  let open = 0;
  for (const { start, end } of spans) {
    if (isNegated(reading.folded, start) || refuted(reading.folded, end)) denied += 1;
    else if (isHedged(reading, start, end)) open += 1;
  }
  return { said: spans.length - denied, open, denied };
}

const wordsOf = keeping((text): readonly string[] => tokens(fold(text.replace(/[_-]/g, " "))).map((t) => t.text));

/** "Solis, Marta" of "Marta Solis": as lists write people's names. */
function turned(reading: Reading, text: string): Span[] {
  if (!/^\p{Lu}[\p{Ll}'-]+ \p{Lu}[\p{L}'-]+$/u.test(text)) return [];
  const [first = "", last = ""] = wordsOf(text);
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}])${escapePattern(last)}, ${escapePattern(first)}(?![\\p{L}\\p{N}])`,
    "gu",
  );
  return [...reading.folded.matchAll(pattern)].map(({ index, 0: all }) => ({ start: index, end: index + all.length }));
}

function phrase(reading: Reading, text: string): Span[] {
  const needle = wordsOf(text);
  return occurrences(reading.words, needle).map((i) => ({
    start: reading.words[i]?.start ?? 0,
    end: reading.words[i + needle.length - 1]?.end ?? 0,
  }));
}

const idPattern = keeping((id) => {
  const plain = fold(id).replace(/^#/, "");
  return new RegExp(String.raw`(?<![\p{L}\p{N}_])#?${escapePattern(plain)}(?![\p{L}\p{N}_]|-[\p{L}\p{N}])`, "gu");
});

function numeric(value: Fact["value"]): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return undefined;
  const said = numbersInText(fold(value));
  return said.length === 1 ? said[0]?.value : undefined;
}

/** The quantity that a unit fact names; undefined when it is no number with a unit. */
export function quantityOf(value: string): Quantity | undefined {
  const match = /^\s*(-?[\d.,]+)\s*([\p{L}%][\p{L} ]*)$/u.exec(value);
  return match?.[1] && match[2] ? quantity(Number(match[1].replace(/,/g, "")), match[2].trim()) : undefined;
}

const GLUED = /(?<![\p{L}\p{N}.,])(\d+(?:[.,]\d+)?)(\p{L}{1,3})(?![\p{L}\p{N}])/gu;
const PARTS = /\b(half|a half|a quarter|three quarters|a third)(?: of)? an? (\p{L}+)/gu;
const PART: Readonly<Record<string, number>> = { half: 0.5, "a half": 0.5, "a quarter": 0.25, "three quarters": 0.75 };

/** Quantities that are no number beside a word: "250g", "half a kilo". */
function otherQuantities(folded: string): (Span & { readonly quantity: Quantity })[] {
  const at = (match: RegExpMatchArray, value: number) => ({
    start: match.index ?? 0,
    end: (match.index ?? 0) + match[0].length,
    quantity: quantity(value, match[2] ?? ""),
  });
  return [
    ...[...folded.matchAll(GLUED)].map((match) => at(match, Number(match[1]?.replace(",", ".")))),
    ...[...folded.matchAll(PARTS)].map((match) => at(match, PART[match[1] ?? ""] ?? 1 / 3)),
  ];
}

function unitSpans(reading: Reading, value: string): Span[] {
  const wanted = quantityOf(value);
  if (!wanted) return phrase(reading, value);
  const spans: Span[] = otherQuantities(reading.folded).filter((said) => sameQuantity(said.quantity, wanted));
  for (const said of reading.numbers) {
    if (said.percent && wanted.base === "percent" && said.value === wanted.value) spans.push(said);
    const near = between(reading.words, said.end - 1, said.end + 40).slice(0, 3);
    const unit = near.find((w) => sameQuantity(quantity(said.value, w.text), wanted));
    if (unit && !/[.;:!?\n]/.test(reading.folded.slice(said.end, unit.start)))
      spans.push({ start: said.start, end: unit.end });
  }
  return spans;
}

const YES = /\b(?:yes|true|yep|yeah|correct|enabled|affirmative|indeed)\b/g;
const NO = /\b(?:no|false|nope|incorrect|disabled|not|none|never|\w+n't|cannot|without|neither)\b/g;

/** "Unpaid", "unbooked"; "unable" and "until" deny nothing. */
const UNDONE = /\b(?:is|are|was|were|be|still|remains?|stays?|currently|yet|:) un(?!der|i|til|able)\p{L}+ed\b/gu;

function booleanFound(reading: Reading, value: boolean): Found {
  const yes = [...reading.folded.matchAll(YES)].filter((m) => !isNegated(reading.folded, m.index)).length;
  const no = [NO, UNDONE].flatMap((pattern) => [...reading.folded.matchAll(pattern)]).length;
  return value ? { said: yes, open: 0, denied: no } : { said: no, open: 0, denied: yes };
}

/** Whether a text that says times says this value's, where the value has one; a text without times leaves it open. */
function sameTime(value: Fact["value"], reading: Reading): boolean {
  if (typeof value !== "string" || !/\d[t ]\d{1,2}:\d\d/i.test(value) || reading.times.length === 0) return true;
  const [time] = timesInText(fold(value).replace(/(\d)t(?=\d\d:)/g, "$1 "));
  return time === undefined || reading.times.some((said) => sameMoment(said, time));
}

function sameMoment(a: TimeInText, b: TimeInText): boolean {
  return a.exact && b.exact ? a.seconds === b.seconds : Math.floor(a.seconds / 60) === Math.floor(b.seconds / 60);
}

function spansOf(fact: Fact, reading: Reading): readonly Span[] {
  const { value, kind } = fact;
  switch (kind) {
    case "money":
    case "number": {
      const wanted = numeric(value);
      if (wanted === undefined) return phrase(reading, String(value));
      const roughly = (said: NumberInText) =>
        kind === "number" && roundsTo(said, wanted, ROUGHLY.test(reading.folded.slice(0, said.start)));
      const turned = wanted < 0 && BELOW_ZERO.test(reading.folded);
      return reading.numbers.filter(
        (said) =>
          !(kind === "money" && said.percent) &&
          (saysNumber(said, wanted) || (turned && saysNumber(said, -wanted)) || roughly(said)),
      );
    }
    case "date": {
      const day = dayOf(typeof value === "boolean" ? "" : value);
      if (!day) return phrase(reading, String(value));
      return sameTime(value, reading) ? reading.dates.filter((said) => saysDay(said, day)) : [];
    }
    case "time": {
      const time = timesInText(fold(String(value)).replace(/(\d)t(?=\d\d:)/g, "$1 "))[0];
      if (!time) return phrase(reading, String(value));
      return reading.times.filter((said) => sameMoment(said, time));
    }
    case "id":
      return reading.folded.includes(fold(String(value)).replace(/^#/, ""))
        ? [...reading.folded.matchAll(idPattern(String(value)))].map((m) => ({
            start: m.index,
            end: m.index + m[0].length,
          }))
        : [];
    case "unit":
      return unitSpans(reading, String(value));
    case "text":
      return [...phrase(reading, String(value)), ...turned(reading, String(value))];
    case "boolean":
      return phrase(reading, String(value));
  }
}

/** Where a fact stands in a text: said or denied, by its value or an alias. Values compare as what they are. */
export function findFact(fact: Fact, reading: Reading): Found {
  let { said, open, denied } =
    typeof fact.value === "boolean" ? booleanFound(reading, fact.value) : tally(reading, spansOf(fact, reading));
  for (const alias of fact.aliases ?? []) {
    const other = tally(reading, phrase(reading, alias));
    said += other.said;
    open += other.open;
    denied += typeof fact.value === "boolean" ? 0 : other.denied;
    if (typeof fact.value === "boolean" && other.said > 0) denied = 0;
  }
  return { said, open, denied };
}

/** Where a fact stands unnegated in a text, by its value or an alias. */
export function positionsOf(fact: Fact, reading: Reading): number[] {
  const spans = [...spansOf(fact, reading), ...(fact.aliases ?? []).flatMap((alias) => phrase(reading, alias))];
  return spans
    .filter(({ start, end }) => !isNegated(reading.folded, start) && !refuted(reading.folded, end))
    .map(({ start }) => start);
}

/** Where a fact first stands unnegated in a text; undefined when it does not. */
export function positionOf(fact: Fact, reading: Reading): number | undefined {
  const places = positionsOf(fact, reading);
  return places.length > 0 ? Math.min(...places) : undefined;
}
