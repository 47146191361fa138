import { mode } from "../values.ts";
import type { Case } from "./cases.ts";

/** What a call does to one reading by its arguments: sets it, or leaves it as it is. */
export interface ArgumentAssignment {
  readonly kind: "acts";
  readonly own: string;
  readonly of: readonly string[];
  /** By the arguments' values the reading that is set. */
  readonly entries: ReadonlyMap<string, string>;
  /** Arguments that leave the reading alone. */
  readonly kept: ReadonlySet<string>;
}

/** One call with what the reading was before it. */
export interface ActCase {
  readonly before: string;
  readonly one: Case;
}

const LEAST = 5;
/** Values that the reading must have stood at, unchanged, for a call that names what it is of to be one that leaves it alone. */
const SEEN = 2;
const MARK = "\u001f";

/** The arguments' part of a case's features as a key; undefined where one is not there. */
export function actKey(features: ReadonlyMap<string, string>, names: readonly string[]): string | undefined {
  const parts = names.map((name) => features.get(name));
  return parts.every((part) => part !== undefined) ? parts.join(MARK) : undefined;
}

/** A rule by which arguments alone set a state variable; undefined where they do not, or for too few cases. */
export function findAssignment(
  own: string,
  cases: readonly ActCase[],
  names: readonly string[],
  open: (features: ReadonlyMap<string, string>) => boolean,
): ArgumentAssignment | undefined {
  if (names.length === 0 || cases.length < LEAST) return undefined;
  const groups = new Map<string, ActCase[]>();
  for (const each of cases) {
    const key = actKey(each.one.features, names);
    if (key === undefined) return undefined;
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  const entries = new Map<string, string>();
  const kept = new Set<string>();
  for (const [key, of] of groups) {
    const changed = of.filter(({ before, one }) => before !== one.value);
    const values = new Map<string, number>();
    for (const { one } of changed) values.set(one.value, (values.get(one.value) ?? 0) + 1);
    const set = mode(values);
    if (set === undefined) {
      // Where the reading always stood at one value, the call may as well have set it to that.
      const told = new Set(of.map(({ before }) => before)).size;
      if (told >= SEEN || !of.some(({ one }) => open(one.features))) kept.add(key);
    } else if (of.every(({ one }) => one.value === set)) entries.set(key, set);
    else return undefined;
  }
  return entries.size > 0 ? { kind: "acts", own, of: names, entries, kept } : undefined;
}

/** What a call makes of the reading; undefined where it is not known. */
export function acted(
  { own, of, entries, kept }: ArgumentAssignment,
  features: ReadonlyMap<string, string>,
): string | undefined {
  const key = actKey(features, of);
  return key === undefined ? undefined : kept.has(key) ? features.get(own) : entries.get(key);
}
