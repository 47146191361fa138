import type { BaseState } from "../../bundle.ts";
import { isObject, type Scalar } from "../../json.ts";
import { isMap } from "../leaves.ts";
import type { Fact, FinishedTrial, Shown } from "../schema.ts";
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
