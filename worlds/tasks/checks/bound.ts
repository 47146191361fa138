import type { BaseState } from "../../bundle.ts";
import type { Json } from "../../json.ts";
import { leaves } from "../leaves.ts";
import type { Fact } from "../schema.ts";
import { findFact, positionsOf, Reading } from "./facts.ts";
import { type Judgement, notDecided, notMet } from "./judgement.ts";
import { type Mention, mentionsIn, type Row, rowsIn } from "./mentions.ts";
import { isNegated } from "./negation.ts";
import { stems } from "./words.ts";

/** Ends of what is said of one thing. */
const PART = /[.!?;](?=\s|$)|,(?=\s(?!\d{4}\b))| (?=(?:and|but|while|whereas|although|though)\b)/g;
const SENTENCE = /[.!?;](?=\s|$)/g;
/** Joins things of which the same is said. */
const JOINED = /^(?: |,|&|and\b|the\b|order\b|item\b|customer\b)*$/;
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

/** Mentions of a table's rows that are joined, but for those set aside. */
function groupsOf(table: string, mentions: readonly Mention[], folded: string): Group[] {
  const found: Group[] = [];
  for (const one of mentions) {
    if (!one.rows.some((row) => row.table === table)) continue;
    if (isNegated(folded, one.start) || ASIDE.test(folded.slice(Math.max(0, one.start - 60), one.start))) continue;
    const last = found.at(-1);
    if (last && JOINED.test(folded.slice(last.end, one.start)))
      found[found.length - 1] = { ...last, end: one.end, mentions: [...last.mentions, one] };
    else found.push({ start: one.start, end: one.end, mentions: [one] });
  }
  return found;
}

/** From the last mark before a place to the first after it; marks within a group are none. */
function partAround(folded: string, place: number, marks: RegExp, groups: readonly Group[]): [number, number] {
  let from = 0;
  for (const { 0: mark, index } of folded.matchAll(marks)) {
    if (groups.some(({ start, end }) => start <= index && index < end)) continue;
    if (index > place) return [from, index];
    from = index + mark.length;
  }
  return [from, folded.length];
}

/** The group that a value at `place` is said of: the subject before it in its part, else what follows there, else what is taken up. */
function subjectOf(
  place: number,
  groups: readonly Group[],
  folded: string,
  wanted: Wanted,
): { group: Group; sure: boolean } | undefined {
  const [from, to] = partAround(folded, place, PART, groups);
  const [sentence] = partAround(folded, place, SENTENCE, groups);
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
  const answers = new Set(
    facts.flatMap(({ value, aliases = [] }) =>
      [String(value), ...aliases].flatMap((text) =>
        mentionsIn(new Reading(text).words, base).flatMap(({ rows }) => rows.map(nameOf)),
      ),
    ),
  );
  const tables = [...wanted.rows.keys()].map((table) => ({ table, groups: groupsOf(table, mentions, said.folded) }));
  for (const fact of facts) {
    const all = [...wanted.rows.values()].flatMap((rows) => [...rows.values()]);
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
    const verdicts = positionsOf(fact, said).map((place) => {
      const told = tables.flatMap(({ table, groups }) => {
        if (groups.some(({ start, end }) => start <= place && place < end)) return [];
        const subject = subjectOf(place, groups, said.folded, wanted);
        if (!subject || !isOther(table, subject.group)) return [];
        return [subject.sure || groups.every((group) => isOther(table, group)) ? "other" : "unsure"];
      });
      return told.includes("other") ? "other" : (told[0] ?? "own");
    });
    if (verdicts.length === 0 || verdicts.includes("own")) continue;
    const what = `${fact.kind} ${JSON.stringify(fact.value)}`;
    return verdicts.includes("unsure")
      ? notDecided(`the answer may say ${what} of another thing than was asked about`)
      : notMet(`the answer says ${what} of another thing than was asked about`);
  }
  return undefined;
}
