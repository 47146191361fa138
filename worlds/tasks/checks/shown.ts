import type { BaseState } from "../../bundle.ts";
import { isObject, type Json, type Scalar } from "../../json.ts";
import { isMap, leaves } from "../leaves.ts";
import type { Fact, FinishedTrial, Shown } from "../schema.ts";
import { dayOf, saysDay } from "./dates.ts";
import { findFact, Reading } from "./facts.ts";

type Call = FinishedTrial["calls"][number];

/**
 * Whether calls of a trial show a row: each of its facts stands in an answer to a call that names the row, or in a
 * record of an answer that does. Without facts asking for the row is enough, whatever was answered. Pure.
 */
export function showsRow(shown: Shown, calls: readonly Call[], tables: BaseState["tables"]): boolean {
  const answered = calls.filter((call) => !NOTHING.has(call.answer_class));
  const records = answered.flatMap((call) => shown.named.flatMap((way) => recordsNamed(way, call)));
  if (records.length > 0 && shown.facts.every((fact) => records.some((record) => holdsFact(record, fact)))) return true;
  if (shown.absent_from === undefined) return false;
  const keys = Object.keys(tables[shown.absent_from] ?? {});
  const seen = new Set(answered.flatMap(({ answer }) => [...scalars(answer, true)].map(normal)));
  return keys.length > 0 && keys.every((key) => seen.has(normal(key)));
}

/** Answers that say nothing of the world's rows. */
const NOTHING: ReadonlySet<string> = new Set(["error:unknown_tool", "error:bad_arguments", "error:not_served"]);

/** The parts of an answer that are about what the values name: all of it where the call itself does, else its records. */
function recordsNamed(way: Shown["named"][number], { args, answer }: Call): unknown[] {
  const given = [...scalars(args)];
  const [first, ...others] = way.filter((name) => !given.some((value) => isNamed(value, name)));
  if (first === undefined) return [answer];
  return [...recordsWith(answer, first)].filter((record) =>
    others.every((name) => [...scalars(record, true)].some((value) => isNamed(value, name))),
  );
}

/** The smallest records that hold a name: an element of a list or of a map, else the whole. */
function* recordsWith(value: unknown, name: Scalar, record: unknown = undefined): Generator<unknown> {
  if (Array.isArray(value)) {
    for (const item of value) yield* recordsWith(item, name, typeof item === "object" ? undefined : record);
  } else if (isObject(value)) {
    const map = isMap(value);
    for (const [key, member] of Object.entries(value)) {
      if (typeof member === "object" && member !== null && isNamed(key, name)) yield member;
      yield* recordsWith(member, name, map ? undefined : (record ?? value));
    }
  } else if (value !== null && isNamed(value as Scalar, name)) yield record ?? value;
}

function holdsFact(record: unknown, fact: Fact): boolean {
  const words = new Set([fact.value, ...(fact.aliases ?? [])].map(normal));
  return [...scalars(record)].some((value) => {
    if (value === fact.value || words.has(normal(value))) return true;
    // An id that is made of a name, `ann_lee_12`, does not tell the name.
    if (typeof value !== "string" || (!/\s/.test(value) && WORDED.has(fact.kind))) return false;
    return findFact(fact, new Reading(value)).said > 0;
  });
}

const WORDED: ReadonlySet<Fact["kind"]> = new Set(["text", "id", "boolean"]);

/** Whether a value is a name, or a longer text says it as words of its own. */
function isNamed(value: Scalar, name: Scalar): boolean {
  const [text, wanted] = [normal(value), normal(name)];
  if (text === wanted) return true;
  // A short number or word stands in many texts by chance.
  if (wanted.length < 3 || typeof value !== "string") return false;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1))
    if (!isWord(text[at - 1]) && !isWord(text[at + wanted.length])) return true;
  return false;
}

function isWord(char: string | undefined): boolean {
  return char !== undefined && /[\p{L}\p{N}_]/u.test(char);
}

function normal(value: Scalar): string {
  return String(value).normalize("NFKC").toLowerCase().trim();
}

/** Every scalar within a value, and the keys of its objects where they count as well. */
function* scalars(value: unknown, keys = false): Generator<Scalar> {
  if (Array.isArray(value)) for (const item of value) yield* scalars(item, keys);
  else if (isObject(value))
    for (const [key, item] of Object.entries(value)) {
      if (keys) yield key;
      yield* scalars(item, keys);
    }
  else if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") yield value;
}

/** Rows of a list that are read, and values of each. */
const MOST = 100;

/** The objects that stand beside each other in an answer. */
function* listed(value: Json, depth = 0): Generator<Json> {
  if (depth > 3) return;
  for (const item of Array.isArray(value) ? value.slice(0, MOST) : isObject(value) ? Object.values(value) : [])
    if (Array.isArray(value) && isObject(item as Json)) yield item as Json;
    else yield* listed(item as Json, depth + 1);
}

/** The rows of an answer: those of its lists, else itself. */
function rowsOf(answer: Json): readonly Json[] {
  const rows = [...listed(answer)];
  return rows.length > 0 || !isObject(answer) ? rows : [answer];
}

function saysValue(said: Reading, value: string | number): boolean {
  const day = typeof value === "string" ? dayOf(value) : undefined;
  if (day !== undefined && said.dates.some((date) => saysDay(date, day))) return true;
  const own = new Reading(String(value)).words.map(({ text }) => text).join(" ");
  return own !== "" && ` ${said.words.map(({ text }) => text).join(" ")} `.includes(` ${own} `);
}

/** How many of the rows that one tool showed a text names, each by a value that no other of them has. */
export function rowsNamed(said: Reading, calls: FinishedTrial["calls"]): number {
  const byTool = new Map<string, Json[]>();
  for (const { tool, answer, is_error } of calls)
    if (!is_error) byTool.set(tool, [...(byTool.get(tool) ?? []), ...rowsOf((answer ?? null) as Json)].slice(0, MOST));
  const named = [...byTool.values()].map((rows) => {
    const values = rows.map((row) => new Set(leaves(row, 5).flatMap(({ value }) => (tells(value) ? [value] : []))));
    const held = new Map<string | number, number>();
    for (const own of values) for (const value of own) held.set(value, (held.get(value) ?? 0) + 1);
    return values.filter((own) => [...own].some((value) => held.get(value) === 1 && saysValue(said, value))).length;
  });
  return Math.max(0, ...named);
}

/** Values short enough to be said, and not so short that they stand in any text. */
function tells(value: unknown): value is string | number {
  if (typeof value === "number") return Math.abs(value) > 9;
  return typeof value === "string" && value.length > 2 && value.length < 100;
}
