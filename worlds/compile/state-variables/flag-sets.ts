import { literal } from "../conditions/term.ts";
import type { Answer, Item, Slot } from "./answers.ts";

/** What stands between the parts of a reading that is several in one. */
export const BETWEEN = " | ";
/** More kinds of parts than this are data, not marks that come and go. */
const MAX_PARTS = 28;

/** Labels whose values are marks in a fixed order, some there and some not, with their places in order. */
export function findComposites(answers: Iterable<Answer>): Map<string, readonly Slot[]> {
  const values = new Map<string, Map<string, number>>();
  for (const { items, form } of answers) {
    if (form.refusal || form.texts === undefined) continue;
    for (const { label, value } of items) {
      const counts = values.get(label) ?? new Map<string, number>();
      values.set(label, counts.set(value, (counts.get(value) ?? 0) + 1));
    }
  }
  const out = new Map<string, readonly Slot[]>();
  for (const [label, counts] of values) {
    const seen = [...counts.keys()];
    if (seen.length < 2 || !seen.some((value) => value.includes(BETWEEN))) continue;
    const lists = seen.sort().map((value) => value.split(BETWEEN));
    const never = missed([...counts].map(([value, n]) => ({ parts: value.split(BETWEEN), n })));
    const order = inOrder(lists, (a, b) => never(a, b) >= ONE_PLACE);
    if (order)
      out.set(
        label,
        placed(order, (a, b) => never(a, b) >= APART),
      );
  }
  return out;
}

/** How often two marks should have stood together by chance for them to be taken for marks of one place. */
const ONE_PLACE = 4;
/** And for an answer that would show both not to be given. */
const APART = 1;

/** How often two marks that were never there together should have been by chance; 0 for those that were. */
function missed(
  lists: readonly { readonly parts: readonly string[]; readonly n: number }[],
): (a: string, b: string) => number {
  const single = new Map<string, number>();
  const together = new Set<string>();
  let all = 0;
  for (const { parts, n } of lists) {
    all += n;
    for (const part of parts) {
      single.set(part, (single.get(part) ?? 0) + n);
      for (const other of parts) together.add(`${part}\n${other}`);
    }
  }
  return (a, b) => (together.has(`${a}\n${b}`) ? 0 : ((single.get(a) ?? 0) * (single.get(b) ?? 0)) / all);
}

function placed(order: readonly (readonly string[])[], apart: (a: string, b: string) => boolean): Slot[] {
  return order.map((marks, i) => {
    const later = order.slice(i + 1).flat();
    const shut = marks.map((mark) => [mark, later.filter((other) => apart(mark, other))] as const);
    return { marks, apart: new Map(shut.filter(([, others]) => others.length > 0)) };
  });
}

/** Flags in an order that every list keeps, exclusive ones in one slot; undefined for no order, repeats or too many. */
function inOrder(
  lists: readonly (readonly string[])[],
  apart: (a: string, b: string) => boolean,
): string[][] | undefined {
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
  const out: string[][] = [];
  const left = new Map([...after].sort(([a], [b]) => (a < b ? -1 : 1)));
  while (left.size > 0) {
    const free = [...left.keys()].filter(
      (part) => ![...left].some(([other, later]) => other !== part && later.has(part)),
    );
    const slot = out.at(-1) ?? [];
    const fits = free.find((part) => slot.length > 0 && slot.every((other) => apart(other, part)));
    const first = fits ?? free[0];
    if (first === undefined) return undefined;
    if (fits === undefined) out.push([first]);
    else slot.push(first);
    left.delete(first);
  }
  return out;
}

/** An answer whose composite readings are said by their places too: the mark that is there, or that none is. */
export function expanded(answer: Answer, composites: ReadonlyMap<string, readonly Slot[]>): Answer {
  const { form, items } = answer;
  if (form.refusal || form.texts === undefined || !items.some(({ label }) => composites.has(label))) return answer;
  const out = items.flatMap((item): Item[] => {
    const slots = composites.get(item.label);
    if (!slots) return [item];
    const marks = slots.map((slot, i) => ({
      label: markLabel(item.label, i),
      value: flagIn(slot, item.value),
      hole: item.hole,
      flag: slot,
    }));
    return [...marks, item];
  });
  return { form, items: out };
}

/** What is said of a place where no mark is. */
const NONE = "no";
/** The label of the register of a place. */
export const markLabel = (label: string, at: number): string => `${label} part ${at + 1}`;

function flagIn(slot: Slot, whole: string): string {
  const there = new Set(whole.split(BETWEEN));
  return slot.marks.find((mark) => there.has(mark)) ?? NONE;
}

/** One place of a composite register. */
export interface Flag {
  readonly slot: Slot;
  readonly register: string;
}

/** Readings with what follows of composites: the whole from its places, its places from the whole. */
export function completed(
  readings: ReadonlyMap<string, string>,
  composites: ReadonlyMap<string, readonly Flag[]>,
): Map<string, string> {
  const out = new Map(readings);
  for (const [whole, marks] of composites) {
    const value = out.get(whole);
    if (value !== undefined) {
      for (const { slot, register } of marks) if (!out.has(register)) out.set(register, flagIn(slot, value));
    } else if (marks.every(({ register }) => out.has(register))) {
      const there = marks.map(({ register }) => out.get(register) as string).filter((mark) => mark !== NONE);
      const shut = marks.some(({ slot: { apart } }) =>
        there.some((mark) => apart.get(mark)?.some((other) => there.includes(other))),
      );
      if (!shut) out.set(whole, there.join(BETWEEN));
    }
  }
  return out;
}

/** A longer list of what is never there together is left out. */
const LONGEST = 1500;

/** The whole as an expression over expressions of its places; null where one of them is, or where marks stand together that never did. */
export function composedText(marks: readonly { readonly text: string; readonly slot: Slot }[]): string {
  const unknown = marks.map(({ text }) => `${text} == null`);
  const there = `[${marks.map(({ text }) => text).join(", ")}].filter(m, m != ${literal(NONE)})`;
  const apart = marks.flatMap(({ slot }) => [...slot.apart]);
  const map = `{${apart.map(([mark, others]) => `${literal(mark)}: [${others.map((other) => literal(other)).join(", ")}]`).join(", ")}}`;
  if (apart.length > 0 && map.length < LONGEST)
    unknown.push(`${there}.exists(m, ${map}.get(m, []).exists(o, o in [${marks.map(({ text }) => text).join(", ")}]))`);
  return `(${unknown.join(" || ")} ? null : ${there}.join(${literal(BETWEEN)}))`;
}

/** What stands in a place as an expression over the whole's; null where that is. */
export function flagText(whole: string, slot: Slot): string {
  const tests = slot.marks.map(
    (mark) => `${literal(mark)} in ${whole}.split(${literal(BETWEEN)}) ? ${literal(mark)} : `,
  );
  return `(${whole} == null ? null : ${tests.join("")}${literal(NONE)})`;
}
