import { literal } from "../term.ts";
import type { Answer, Item } from "./answers.ts";

/** What stands between the parts of a reading that is several in one. */
export const BETWEEN = " | ";
/** More kinds of parts than this are data, not marks that come and go. */
const MAX_PARTS = 28;

/** Labels whose values are marks in a fixed order, some there and some not, with those marks in their order. */
export function findComposites(answers: Iterable<Answer>): Map<string, readonly string[]> {
  const values = new Map<string, Set<string>>();
  for (const { items, form } of answers) {
    if (form.refusal || form.texts === undefined) continue;
    for (const { label, value } of items) values.set(label, (values.get(label) ?? new Set()).add(value));
  }
  const out = new Map<string, readonly string[]>();
  for (const [label, seen] of values) {
    if (seen.size < 2 || ![...seen].some((value) => value.includes(BETWEEN))) continue;
    const order = inOrder([...seen].sort().map((value) => value.split(BETWEEN)));
    if (order) out.set(label, order);
  }
  return out;
}

/** An order of the parts that every list keeps to; undefined where none does, where one repeats a part, or where there are too many. */
function inOrder(lists: readonly (readonly string[])[]): string[] | undefined {
  const after = new Map<string, Set<string>>();
  for (const parts of lists) {
    if (new Set(parts).size < parts.length) return undefined;
    for (const [i, part] of parts.entries()) {
      const later = after.get(part) ?? new Set<string>();
      after.set(part, later);
      const next = parts[i + 1];
      if (next !== undefined) later.add(next);
    }
    if (after.size > MAX_PARTS) return undefined;
  }
  const out: string[] = [];
  const left = new Map([...after].sort(([a], [b]) => (a < b ? -1 : 1)));
  while (left.size > 0) {
    const first = [...left.keys()].find(
      (part) => ![...left].some(([other, later]) => other !== part && later.has(part)),
    );
    if (first === undefined) return undefined;
    out.push(first);
    left.delete(first);
  }
  return out;
}

/** An answer whose composite readings are said in marks too: each there, or not. */
export function expanded(answer: Answer, composites: ReadonlyMap<string, readonly string[]>): Answer {
  const { form, items } = answer;
  if (form.refusal || form.texts === undefined || !items.some(({ label }) => composites.has(label))) return answer;
  const out = items.flatMap((item): Item[] => {
    const parts = composites.get(item.label);
    if (!parts) return [item];
    const there = new Set(item.value.split(BETWEEN));
    const marks = parts.map((mark) => ({
      label: markLabel(item.label, mark),
      value: there.has(mark) ? YES : NO,
      hole: item.hole,
      mark,
    }));
    return [...marks, item];
  });
  return { form, items: out };
}

/** What the register of a mark holds where the mark is there. */
export const YES = "yes";
/** What it holds where the mark is not there. */
export const NO = "no";
/** The label of a mark's own register. */
export const markLabel = (label: string, mark: string): string => `${label} ${mark}`;

/** One mark of a composite register. */
export interface Mark {
  readonly mark: string;
  readonly register: string;
}

/** Readings with what follows of composites: the whole from its marks, its marks from the whole. */
export function completed(
  readings: ReadonlyMap<string, string>,
  composites: ReadonlyMap<string, readonly Mark[]>,
): Map<string, string> {
  const out = new Map(readings);
  for (const [whole, marks] of composites) {
    const value = out.get(whole);
    if (value !== undefined) {
      const there = new Set(value.split(BETWEEN));
      for (const { mark, register } of marks) if (!out.has(register)) out.set(register, there.has(mark) ? YES : NO);
    } else if (marks.every(({ register }) => out.has(register)))
      out.set(whole, marks.flatMap(({ mark, register }) => (out.get(register) === YES ? [mark] : [])).join(BETWEEN));
  }
  return out;
}

/** The whole as an expression over expressions of its marks; null where one of them is. */
export function composedText(marks: readonly { readonly mark: string; readonly text: string }[]): string {
  const parts = marks.map(({ mark, text }) => `(${text} == ${literal(YES)} ? [${literal(mark)}] : [])`);
  const unknown = marks.map(({ text }) => `${text} == null`).join(" || ");
  return `(${unknown} ? null : (${parts.join(" + ")}).join(${literal(BETWEEN)}))`;
}

/** A mark as an expression over the whole's; null where that is. */
export function markText(whole: string, mark: string): string {
  return `(${whole} == null ? null : (${literal(mark)} in ${whole}.split(${literal(BETWEEN)}) ? ${literal(YES)} : ${literal(NO)}))`;
}
