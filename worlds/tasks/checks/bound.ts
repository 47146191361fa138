import type { BaseState } from "../../bundle.ts";
import type { Json } from "../../json.ts";
import { leaves } from "../leaves.ts";
import type { Fact } from "../schema.ts";
import { findFact, positionsOf, Reading } from "./facts.ts";
import { type Judgement, notDecided, notMet } from "./judgement.ts";
import { type Mention, mentionsIn, type Row, rowsIn } from "./mentions.ts";
import { isNegated } from "./negation.ts";
import { singular, stems } from "./words.ts";

/** Ends of what is said of one thing. */
const PART = /[.!?;](?=\s|$)|,(?=\s(?!\d{4}\b))| (?=(?:and|but|while|whereas|although|though)\b)/g;
const SENTENCE = /[.!?;](?=\s|$)/g;
/** Joins things of which the same is said, the names of their tables beside. */
const JOINED = /^(?: |,|&|and\b|the\b|item\b)*$/;
/** Places of names, and of a value, that are looked at: who says more of them says nothing that can be told apart. */
const MOST = 2_000;
/** What is only compared with, or set aside. */
const ASIDE =
  /\b(?:unlike|like|than|besides?|apart from|except(?: for)?|other than|compared (?:with|to)|versus|vs|before|after|instead of|rather than|not) (?:the |your |order |that of |for )*$/;
/** What comes along with the subject that stands before it. */
const ALONG = /\b(?:to|with|by|from|via|at|in|of|on|for|under) (?:the |your |an? )?(?:\p{L}+ )?$/u;
/** Takes up what was named in a sentence before. */
const TAKEN_UP = /^\W*(?:it|there|its|that|this|they|their|he|his|she|her|which|whose|the)\b/;
const FIELD = /^\W*(\p{L}[\p{L} ]{0,30}):/u;
const YOURS = /\byou(?:rs?)?\b/;

const nameOf = ({ table, key }: Row): string => `${table}\u001f${key}`;

/** The rows that a question is about: those it names, and in tables of which it names none, those that these refer to. */
class Wanted {
  readonly #base: BaseState;
  /** Rows by table. */
  readonly rows = new Map<string, Map<string, Row>>();
  /** Names of rows of the same table that those refer to: they may be what is asked for. */
  readonly near = new Set<string>();
  /** Names of rows that any of those refer to. */
  readonly #referred = new Set<string>();
  readonly #named: ReadonlySet<string>;
  readonly #held = new Map<string, boolean>();
  #columns: Set<string> | undefined;

  constructor(request: string, base: BaseState) {
    this.#base = base;
    let level = mentionsIn(new Reading(request).words, base).flatMap(({ rows }) => rows);
    this.#named = new Set(level.map(nameOf));
    for (let depth = 0; depth < 3 && level.length > 0; depth += 1) {
      const open = level.filter(({ table }) => !this.rows.has(table));
      for (const row of open) {
        const known = this.rows.get(row.table) ?? new Map<string, Row>();
        known.set(row.key, row);
        this.rows.set(row.table, known);
      }
      level = open.flatMap((row) => {
        const next = rowsIn(row, base);
        for (const one of next) {
          this.#referred.add(nameOf(one));
          if (one.table === row.table) this.near.add(nameOf(one));
        }
        return next;
      });
    }
  }
  has({ table, key }: Row): boolean {
    return this.rows.get(table)?.has(key) === true;
  }
  /** Whether a row holds a fact. */
  holds(row: Row, fact: Fact): boolean {
    const name = `${nameOf(row)}\u001f${fact.kind}\u001f${fact.value}`;
    let held = this.#held.get(name);
    if (held === undefined) {
      held = leaves((this.#base.tables[row.table]?.[row.key] ?? null) as Json).some(
        ({ value }) => value !== null && (value === fact.value || findFact(fact, new Reading(String(value))).said > 0),
      );
      this.#held.set(name, held);
    }
    return held;
  }
  /** Whether a row belongs to what was named, or the reverse: what it holds may be told as well. */
  isRelated(row: Row): boolean {
    return this.#referred.has(nameOf(row)) || rowsIn(row, this.#base).some((one) => this.#named.has(nameOf(one)));
  }
  /** Whether a label is a column of a row that was asked about. */
  isColumn(text: string): boolean {
    this.#columns ??= new Set(
      [...this.rows.values()].flatMap((rows) =>
        [...rows.values()].flatMap((row) =>
          leaves((this.#base.tables[row.table]?.[row.key] ?? null) as Json).flatMap(({ name }) => stems(name)),
        ),
      ),
    );
    return stems(text).some((word) => this.#columns?.has(word));
  }
  /** Whether a row, or one that it refers to, holds a fact. */
  reaches(row: Row, fact: Fact): boolean {
    return this.holds(row, fact) || rowsIn(row, this.#base).some((one) => this.holds(one, fact));
  }
}

interface Group {
  readonly start: number;
  readonly end: number;
  readonly mentions: readonly Mention[];
}

/** Mentions of a table's rows that are joined, but for those set aside; `nouns` are what rows of the tables are called. */
function groupsOf(table: string, mentions: readonly Mention[], folded: string, nouns: ReadonlySet<string>): Group[] {
  const found: Group[] = [];
  const isJoint = (text: string) =>
    text.length <= MOST && JOINED.test(text.replace(/\p{L}+/gu, (word) => (nouns.has(singular(word)) ? "" : word)));
  for (const one of mentions) {
    if (!one.rows.some((row) => row.table === table)) continue;
    if (isNegated(folded, one.start) || ASIDE.test(folded.slice(Math.max(0, one.start - 60), one.start))) continue;
    const last = found.at(-1);
    if (last && isJoint(folded.slice(last.end, one.start)))
      found[found.length - 1] = { ...last, end: one.end, mentions: [...last.mentions, one] };
    else found.push({ start: one.start, end: one.end, mentions: [one] });
  }
  return found;
}

/** Where the marks of a text begin and end, in order. */
type Marks = readonly { readonly start: number; readonly end: number }[];

const marksOf = (folded: string, marks: RegExp): Marks =>
  [...folded.matchAll(marks)].map(({ 0: mark, index }) => ({ start: index, end: index + mark.length }));

/** From the last mark before a place to the first after it; marks within a group are none. */
function partAround(marks: Marks, place: number, groups: readonly Group[], length: number): [number, number] {
  const isMark = ({ start: at }: Marks[number]) => !groups.some(({ start, end }) => start <= at && at < end);
  let [low, high] = [0, marks.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((marks[middle]?.start ?? 0) > place) high = middle;
    else low = middle + 1;
  }
  let [before, after] = [low - 1, low];
  while (before >= 0 && !isMark(marks[before] as Marks[number])) before -= 1;
  while (after < marks.length && !isMark(marks[after] as Marks[number])) after += 1;
  return [marks[before]?.end ?? 0, marks[after]?.start ?? length];
}

/** An answer as it is said, with the ends of its parts and sentences. */
interface ReadAnswer {
  readonly folded: string;
  readonly parts: Marks;
  readonly sentences: Marks;
}

/** The group that a value at `place` is said of: the subject before it in its part, else what follows there, else what is taken up. */
function subjectOf(
  place: number,
  groups: readonly Group[],
  { folded, parts, sentences }: ReadAnswer,
  wanted: Wanted,
): { group: Group; sure: boolean } | undefined {
  const [from, to] = partAround(parts, place, groups, folded.length);
  const [sentence] = partAround(sentences, place, groups, folded.length);
  const isAlong = (group: Group, since: number) =>
    ALONG.test(folded.slice(Math.max(0, group.start - 40), group.start)) &&
    groups.some(({ start }) => since <= start && start < group.start);
  const before = (since: number) =>
    groups.filter((one) => since <= one.start && one.end <= place && !isAlong(one, since)).at(-1);
  const group = before(from) ?? groups.find(({ start }) => place < start && start < to) ?? before(sentence);
  if (group) return { group, sure: true };
  const earlier = before(0);
  const own = folded.slice(sentence, to);
  const isTakenUp = TAKEN_UP.test(own) || wanted.isColumn(FIELD.exec(own)?.[1] ?? "");
  return earlier && isTakenUp && !YOURS.test(own) ? { group: earlier, sure: false } : undefined;
}

/**
 * Whether each place where an answer says a fact binds it to another row than the one asked about, although a row that
 * was asked about holds it; undefined where the answer does not. Names of rows are read from the state.
 */
export function boundElsewhere(
  facts: readonly Fact[],
  said: Reading,
  request: string,
  base: BaseState,
): Judgement | undefined {
  const mentions = mentionsIn(said.words, base);
  if (mentions.length === 0) return undefined;
  const wanted = new Wanted(request, base);
  const all = [...wanted.rows.values()].flatMap((rows) => [...rows.values()]);
  if (!facts.some((fact) => all.some((row) => wanted.holds(row, fact)))) return undefined;
  const places = facts.map((fact) => positionsOf(fact, said));
  if (mentions.length > MOST || places.some(({ length }) => length > MOST))
    return notDecided("the answer names too many things to tell what it says of which");
  const answers = new Set(
    facts.flatMap(({ value, aliases = [] }) =>
      [String(value), ...aliases].flatMap((text) =>
        mentionsIn(new Reading(text).words, base).flatMap(({ rows }) => rows.map(nameOf)),
      ),
    ),
  );
  const { folded } = said;
  const nouns = new Set(Object.keys(base.tables).flatMap((table) => stems(table)));
  const tables = [...wanted.rows.keys()].map((table) => ({ table, groups: groupsOf(table, mentions, folded, nouns) }));
  const told: ReadAnswer = { folded, parts: marksOf(folded, PART), sentences: marksOf(folded, SENTENCE) };
  for (const [n, fact] of facts.entries()) {
    if (!all.some((row) => wanted.holds(row, fact))) continue;
    /** Whether what is said of a row of a table is said of another than it is true of. */
    const isOther = (table: string, group: Group) => {
      const own = [...(wanted.rows.get(table)?.values() ?? [])];
      return !group.mentions.some(({ rows }) =>
        rows.some(
          (row) =>
            answers.has(nameOf(row)) ||
            wanted.near.has(nameOf(row)) ||
            (!wanted.has(row) && wanted.isRelated(row) && wanted.holds(row, fact)) ||
            (wanted.has(row) &&
              (own.length < 2 || wanted.reaches(row, fact) || !own.some((one) => wanted.reaches(one, fact)))),
        ),
      );
    };
    const verdicts = (places[n] ?? []).map((place) => {
      const bound = tables.flatMap(({ table, groups }) => {
        if (groups.some(({ start, end }) => start <= place && place < end)) return [];
        const subject = subjectOf(place, groups, told, wanted);
        if (!subject || !isOther(table, subject.group)) return [];
        return [subject.sure || groups.every((group) => isOther(table, group)) ? "other" : "unsure"];
      });
      return bound.includes("other") ? "other" : (bound[0] ?? "own");
    });
    if (verdicts.length === 0 || verdicts.includes("own")) continue;
    const what = `${fact.kind} ${JSON.stringify(fact.value)}`;
    return verdicts.includes("unsure")
      ? notDecided(`the answer may say ${what} of another thing than was asked about`)
      : notMet(`the answer says ${what} of another thing than was asked about`);
  }
  return undefined;
}
