import type { BaseState } from "../../bundle.ts";
import type { Fact } from "../schema.ts";
import { type JudgedPath, readAll } from "../select.ts";
import { type DateInText, dayOf, type TimeInText } from "./dates.ts";
import { Reading } from "./facts.ts";
import { isNegated } from "./negation.ts";
import type { NumberInText } from "./numbers.ts";
import { between } from "./spans.ts";
import { fold, tokens } from "./words.ts";

/** The values of a column (or a figure over a nested list) in every row of the drawn state, but for those excepted. */
export interface Others extends JudgedPath {
  readonly table: string;
  readonly kind: Fact["kind"];
  readonly except?: readonly (string | number | boolean)[] | undefined;
}

interface Column {
  readonly numbers: Set<number>;
  readonly days: Set<string>;
  /** Minutes of the day by day, of days with a time of day. */
  readonly moments: Map<string, Set<number>>;
  /** Word sequences by their first word. */
  readonly phrases: Map<string, string[][]>;
}

const dayName = ({ year, month, day }: Pick<DateInText, "year" | "month" | "day">): string => `${year}-${month}-${day}`;
const minuteOf = ({ seconds }: TimeInText): number => Math.floor(seconds / 60);
const cents = (n: number): number => Math.round(n * 100);
const columns = new WeakMap<BaseState, Map<string, readonly (string | number | boolean)[]>>();
const indexes = new WeakMap<Others, { base: BaseState; column: Column }>();

/** Distinct values of the column over all drawn rows; once per base. */
export function columnValues(
  base: BaseState,
  others: Pick<Others, "table" | "path" | "of">,
): readonly (string | number | boolean)[] {
  let cache = columns.get(base);
  if (!cache) {
    cache = new Map();
    columns.set(base, cache);
  }
  const name = `${others.table}\u001f${others.path}\u001f${others.of ?? ""}`;
  let values = cache.get(name);
  if (!values) {
    const seen = new Set<string | number | boolean>();
    for (const row of Object.values(base.tables[others.table] ?? {})) {
      for (const value of readAll(row, others)) {
        if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") seen.add(value);
      }
    }
    values = [...seen];
    cache.set(name, values);
  }
  return values;
}

function build(base: BaseState, others: Others): Column {
  const column: Column = { numbers: new Set(), days: new Set(), moments: new Map(), phrases: new Map() };
  const put = (value: string | number | boolean, add: boolean) => {
    if (others.kind === "number" || others.kind === "money") {
      if (typeof value === "number") column.numbers[add ? "add" : "delete"](cents(value));
      return;
    }
    if (others.kind === "date") {
      const day = typeof value === "boolean" ? undefined : dayOf(value);
      const name = day && dayName(day);
      if (name) column.days[add ? "add" : "delete"](name);
      const [time] = typeof value === "string" && /\d[T ]\d/.test(value) ? new Reading(value).times : [];
      if (name && time) {
        const minutes = column.moments.get(name) ?? new Set();
        minutes[add ? "add" : "delete"](minuteOf(time));
        column.moments.set(name, minutes);
      }
      return;
    }
    const words = tokens(fold(String(value).replace(/[_-]/g, " "))).map((t) => t.text);
    const first = words[0];
    if (first === undefined) return;
    const known = column.phrases.get(first) ?? [];
    const same = (w: string[]) => w.join(" ") === words.join(" ");
    if (add && !known.some(same)) column.phrases.set(first, [...known, words]);
    if (!add)
      column.phrases.set(
        first,
        known.filter((w) => !same(w)),
      );
  };
  for (const value of columnValues(base, others)) put(value, true);
  for (const value of others.except ?? []) put(value, false);
  return column;
}

/** The first value of other rows that a text says, neither negated nor set apart, and not as part of a longer excepted value. */
export function otherRowValue(
  base: BaseState,
  others: Others,
  said: Reading,
  isApart: (place: number) => boolean = () => false,
): string | undefined {
  const isDenied = (place: number) => isNegated(said.folded, place) || isApart(place);
  let index = indexes.get(others);
  if (index?.base !== base) {
    index = { base, column: build(base, others) };
    indexes.set(others, index);
  }
  const { numbers, days, moments, phrases } = index.column;
  if (numbers.size > 0) {
    const told = (n: NumberInText) => numbers.has(cents(n.value)) || (n.bracketed && numbers.has(cents(-n.value)));
    const hit = said.numbers.find((n) => told(n) && !isDenied(n.start));
    if (hit) return String(hit.value);
  }
  if (days.size > 0) {
    const other = (d: DateInText) => d.year === undefined || days.has(dayName(d));
    // A date with slashes reads in two ways: it is another row's only where each of them is.
    const hit = said.dates.find(
      (d) => d.year !== undefined && between(said.dates, d.start, d.start).every(other) && !isDenied(d.start),
    );
    if (hit) return dayName(hit);
  }
  if (moments.size > 0) {
    const minutes = new Set(said.times.map(minuteOf));
    const hits = new Map([...moments].map(([day, own]) => [day, [...own].find((minute) => minutes.has(minute))]));
    for (const d of said.dates) {
      const hit = hits.get(dayName(d));
      if (hit !== undefined && !isDenied(d.start)) return `${dayName(d)} at ${hit} minutes`;
    }
  }
  if (phrases.size > 0) {
    const excepted = (others.except ?? []).map((value) =>
      tokens(fold(String(value).replace(/[_-]/g, " "))).map((t) => t.text),
    );
    const { words } = said;
    const has = (i: number, phrase: readonly string[]) => phrase.every((word, j) => words[i + j]?.text === word);
    for (let i = 0; i < words.length; i += 1) {
      for (const phrase of phrases.get(words[i]?.text ?? "") ?? []) {
        if (!has(i, phrase) || isDenied(words[i]?.start ?? 0)) continue;
        const inside = excepted.some(
          (own) =>
            own.length > phrase.length &&
            own.some((_, k) => i - k >= 0 && k + phrase.length <= own.length && has(i - k, own)),
        );
        if (!inside) return phrase.join(" ");
      }
    }
  }
  return undefined;
}
