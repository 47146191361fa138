import { getOwn } from "../../json.ts";
import { literal } from "../conditions/term.ts";
import type { Learnt } from "./effects.ts";
import { NO_EFFECTS } from "./simulate.ts";

/** How keys of new rows come to be. */
export type Allocator =
  /** A fixed text and a counter padded to a width; `first` where nothing was made yet, `firsts` by group. */
  | {
      readonly kind: "counter";
      readonly prefix: string;
      readonly width: number;
      readonly first: number;
      readonly firsts?: ReadonlyMap<string, number>;
      readonly number: boolean;
      /**
       * Whether the next number is the one after the largest that a row has: those of rows taken away come again.
       * Undefined where too few calls tell it from the one after the last that was made.
       */
      readonly largest: boolean | undefined;
    }
  /** The same keys in the same order in every session. */
  | { readonly kind: "sequence"; readonly keys: readonly (string | number)[] }
  /** A fixed text and characters that nobody foretells. */
  | {
      readonly kind: "drawn";
      readonly prefix: string;
      readonly alphabet: "n" | "x" | "a" | "w";
      readonly width: number;
      readonly number: boolean;
    };

const FORM = /^(.*?)(\d+)$/;

/** Keys that one call made, after those that a session made before it, with all that rows had then. */
export interface Making {
  readonly last: string | undefined;
  readonly held: readonly string[];
  readonly made: readonly string[];
}

/** Share of sessions that begin with one number from which all do, where the others are of groups that begin with theirs. */
const ALL = 0.95;
/** Steps of one that show a counter, where sessions begin with different numbers. */
const STEPS = 3;

/** How each table's keys are allocated, learnt from the rows that calls made; tables whose keys nothing fits are left out. */
export function allocatorsOf(learnt: Learnt): Map<string, Allocator> {
  return new Map(
    [...learnt.layout.tables.keys()].flatMap((table) => {
      const allocator = allocatorOf(table, learnt);
      return allocator ? [[table, allocator] as const] : [];
    }),
  );
}

/** Learns a table's allocator from the keys that the calls of each session made rows under, in order. */
function allocatorOf(table: string, { layout, effects, steps: sessions, timelines }: Learnt): Allocator | undefined {
  const perSession: string[][] = [];
  const groups: string[] = [];
  const makings: Making[] = [];
  let numbers = true;
  const [column] = layout.tables.get(table) ?? [];
  for (const [i, steps] of sessions.entries()) {
    const made: string[] = [];
    for (const { act, call, before, observations } of steps)
      for (const creation of (effects.get(act) ?? NO_EFFECTS).creations) {
        if (!call.ok || creation.table !== table) continue;
        const last = made.at(-1);
        const held = [...(before.tables.get(table)?.rows.keys() ?? [])];
        const begun = made.length;
        for (const { place, key, columns } of observations.rows) {
          if (place.table !== table || place.path !== creation.path) continue;
          made.push(key);
          if (column !== undefined && typeof getOwn(columns, column) !== "number") numbers = false;
        }
        if (made.length > begun) makings.push({ last, held, made: made.slice(begun) });
      }
    if (made.length === 0) continue;
    perSession.push(made);
    groups.push(timelines[i]?.session.group ?? "");
  }
  return learnAllocator(perSession, numbers, makings, groups);
}

/** Learns how keys are allocated from each session's keys in order; undefined where nothing fits. */
export function learnAllocator(
  sessions: readonly (readonly string[])[],
  numbers: boolean,
  makings: readonly Making[] = [],
  groups: readonly string[] = [],
): Allocator | undefined {
  const keys = sessions.flat();
  if (keys.length === 0) return undefined;
  return counterOf(sessions, numbers, makings, groups) ?? sequenceOf(sessions, numbers) ?? drawnOf(keys, numbers);
}

const numberOf = (key: string): number => Number(FORM.exec(key)?.[2]);

/** Whether numbers follow the largest that is there and not the last that was made: told by calls where both differ, if any. */
function followsLargest(makings: readonly Making[], first: number): boolean | undefined {
  let largest = 0;
  let last = 0;
  for (const { last: before, held, made } of makings) {
    const next = numberOf(made[0] as string);
    const afterLast = before === undefined ? undefined : numberOf(before) + 1;
    const afterLargest = Math.max(first - 1, ...held.map(numberOf).filter((value) => !Number.isNaN(value))) + 1;
    if (afterLast === undefined || afterLast === afterLargest) continue;
    if (next === afterLargest) largest++;
    else if (next === afterLast) last++;
  }
  if (last > 0) return largest > 1 && largest > last * 5;
  return largest > 1 || undefined;
}

function counterOf(
  sessions: readonly (readonly string[])[],
  numbers: boolean,
  makings: readonly Making[],
  groups: readonly string[],
): Allocator | undefined {
  const parts = sessions.map((keys) => keys.map((key) => FORM.exec(key)));
  const prefix = parts.flat()[0]?.[1];
  if (prefix === undefined || parts.flat().some((match) => match?.[1] !== prefix)) return undefined;
  const digits = parts.map((of) => of.map((match) => match?.[2] as string));
  let next = 0;
  let steps = 0;
  for (const of of digits)
    for (let i = 1; i < of.length; i++) {
      steps++;
      if (Number(of[i]) === Number(of[i - 1]) + 1) next++;
    }
  const firsts = new Map<number, number>();
  for (const [first] of digits)
    if (first !== undefined) firsts.set(Number(first), (firsts.get(Number(first)) ?? 0) + 1);
  const [common] = [...firsts].sort((a, b) => b[1] - a[1]);
  const begun = [...firsts.values()].reduce((sum, n) => sum + n, 0);
  const largest = common && followsLargest(makings, common[0]);
  if (!common || (!largest && next < steps * 0.9)) return undefined;
  const own = !largest && common[1] < begun * ALL && steps >= STEPS ? firstsOf(digits, groups) : undefined;
  if (!own && ((steps < 2 && common[1] < 3) || common[1] < begun * 0.5)) return undefined;
  const padded = digits.flat().some((text) => text.length > 1 && text.startsWith("0"));
  const width = padded ? Math.min(...digits.flat().map((text) => text.length)) : 0;
  const byGroup = own ? { firsts: own } : {};
  return { kind: "counter", prefix, width, first: common[0], ...byGroup, number: numbers && prefix === "", largest };
}

/** The number that each group's sessions begin with; undefined unless groups of several sessions agree in theirs. */
function firstsOf(digits: readonly (readonly string[])[], groups: readonly string[]): Map<string, number> | undefined {
  const firsts = new Map<string, number>();
  let agreed = 0;
  for (const [i, [first]] of digits.entries()) {
    const group = groups[i];
    if (group === undefined || first === undefined) continue;
    const before = firsts.get(group);
    if (before === Number(first)) agreed++;
    else if (before !== undefined) return undefined;
    firsts.set(group, Number(first));
  }
  return agreed > 1 ? firsts : undefined;
}

function sequenceOf(sessions: readonly (readonly string[])[], numbers: boolean): Allocator | undefined {
  const out: string[] = [];
  for (let i = 0; ; i++) {
    const counts = new Map<string, number>();
    for (const { [i]: key } of sessions) if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
    const [[key, n] = ["", 0]] = [...counts].sort((a, b) => b[1] - a[1]);
    const all = [...counts.values()].reduce((sum, of) => sum + of, 0);
    if (n < 2 || n < all * 0.9) break;
    out.push(key);
  }
  return out.length > 0 ? { kind: "sequence", keys: numbers ? out.map(Number) : out } : undefined;
}

/** The form of keys that nobody foretells; undefined where they have none. */
export function drawnOf(keys: readonly string[], numbers: boolean): (Allocator & { kind: "drawn" }) | undefined {
  const [first] = keys;
  if (first === undefined) return undefined;
  let shared = 0;
  while (shared < first.length && keys.every((key) => key[shared] === first[shared])) shared++;
  const separator = Math.max(first.lastIndexOf("-", shared - 1), first.lastIndexOf("_", shared - 1));
  const prefix =
    keys.length > 1 && shared < first.length && /[A-Za-z]/.test(first.slice(0, shared)) && separator >= 0
      ? first.slice(0, separator + 1)
      : "";
  const rest = keys.map((key) => key.slice(prefix.length));
  const width = Math.max(...rest.map((text) => text.length));
  if (width < 1 || width > 64) return undefined;
  const all = (pattern: RegExp): boolean => rest.every((text) => pattern.test(text));
  const alphabet = all(/^\d+$/) ? "n" : all(/^[0-9a-f]+$/) ? "x" : all(/^[0-9A-Z]+$/) ? "a" : "w";
  return { kind: "drawn", prefix, alphabet, width, number: numbers && prefix === "" && alphabet === "n" };
}

/** A drawn key in the stored language. */
export function drawnText({ prefix, alphabet, width, number }: Allocator & { kind: "drawn" }): string {
  const text = `generate(${literal(`${prefix}{${alphabet}:${width}}`)})`;
  return number ? `int(${text})` : text;
}

/** Where a counter begins for the sessions of a group; undefined where that is not known. */
export const firstOf = (
  { first, firsts }: Allocator & { kind: "counter" },
  group: string | undefined,
): number | undefined => (firsts ? (group === undefined ? undefined : firsts.get(group)) : first);
