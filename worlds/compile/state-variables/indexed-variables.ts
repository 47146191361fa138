import type { JsonObject } from "../../json.ts";
import { canon } from "../values.ts";
import { type ArgumentAssignment, actKey } from "./argument-assignments.ts";
import type { Pair } from "./cases.ts";
import { argFeature } from "./effects.ts";
import type { Events } from "./events.ts";

/** By register those that hold the same of other choices, itself among them: of each, what chooses it. */
export type IndexedVariables = ReadonlyMap<string, ReadonlyMap<string, JsonObject>>;

/** Registers of tools whose arguments choose what is read, by what they hold. */
export function indexedVariablesOf({ variables, about }: Pick<Events, "variables" | "about">): IndexedVariables {
  const families = new Map<string, Map<string, JsonObject>>();
  const out = new Map<string, Map<string, JsonObject>>();
  for (const [where, register] of variables) {
    const of = about.get(register);
    const end = of && ` of ${canon(of)}`;
    if (!of || !end || !where.endsWith(end)) continue;
    const stem = where.slice(0, -end.length);
    const family = families.get(stem) ?? new Map<string, JsonObject>();
    families.set(stem, family.set(register, of));
    out.set(register, family);
  }
  return out;
}

/** How often calls that name something else must have left a reading alone for them to do so. */
const ALONE = 4;
/** Calls that must tell what is set, and values that a reading must have stayed at for it to be left alone. */
const SET = 3;
const STAYED = 2;

/**
 * What a call that names what a register is of makes of it, learnt of all its siblings at once: the rest of the
 * arguments decide what it is set to, and a call that names another leaves it alone. Undefined where calls name none,
 * or evidence speaks against it.
 */
export function indexedAssignment(
  register: string,
  family: ReadonlyMap<string, JsonObject> | undefined,
  pairs: ReadonlyMap<string, readonly Pair[]>,
  calls: readonly ReadonlyMap<string, string>[],
): ArgumentAssignment | undefined {
  const own = family?.get(register);
  if (!family || !own || family.size < 2) return undefined;
  const names = Object.keys(own).map(argFeature);
  const all = [...new Set(calls.flatMap((features) => [...features.keys()]))].sort();
  if (!names.every((name) => all.includes(name))) return undefined;
  const rest = all.filter((name) => !names.includes(name));
  const named = (of: JsonObject, features: ReadonlyMap<string, string>) =>
    Object.keys(of).every((name) => features.get(argFeature(name)) === String(of[name]));
  const told = new Map<string, { before: Set<string>; after: Set<string>; changed: number; n: number }>();
  let elsewhere = 0;
  for (const [sibling, of] of family)
    for (const { before, one, shared } of pairs.get(sibling) ?? []) {
      if (before === undefined || shared) continue;
      if (!named(of, one.features)) {
        if (before !== one.value) return undefined;
        elsewhere++;
        continue;
      }
      const key = actKey(one.features, rest);
      if (key === undefined) return undefined;
      const seen = told.get(key) ?? { before: new Set(), after: new Set(), changed: 0, n: 0 };
      told.set(key, seen);
      seen.before.add(before);
      seen.after.add(one.value);
      seen.n++;
      if (before !== one.value) seen.changed++;
    }
  if (elsewhere < ALONE || told.size === 0) return undefined;
  const entries = new Map<string, string>();
  const kept = new Set<string>();
  for (const features of calls) {
    const key = actKey(features, all);
    if (key === undefined) continue;
    if (!named(own, features)) {
      kept.add(key);
      continue;
    }
    const seen = told.get(actKey(features, rest) ?? "");
    if (!seen) continue;
    const [value] = seen.after;
    if (seen.changed === 0) {
      if (seen.before.size >= STAYED) kept.add(key);
    } else if (seen.after.size > 1) return undefined;
    else if (seen.n >= SET && value !== undefined) entries.set(key, value);
  }
  return { kind: "acts", own: register, of: all, entries, kept };
}
