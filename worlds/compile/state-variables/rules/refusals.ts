import type { Pair } from "../cases.ts";
import { surest } from "../observation-pairs.ts";
import { applied, featureNames, findRules, type Rule } from "./rules.ts";

/** How often a refusal must be seen to change a reading. */
const LEAST = 3;

/** What refused calls do all the same: by act and register the rules of those that are seen to change it, and that rules foretell. */
export function refusalEffects(
  pairs: ReadonlyMap<string, ReadonlyMap<string, readonly Pair[]>>,
  composites: ReadonlyMap<string, unknown>,
  among = Number.POSITIVE_INFINITY,
): Map<string, Map<string, readonly Rule[]>> {
  const out = new Map<string, Map<string, readonly Rule[]>>();
  for (const [act, byRegister] of pairs)
    for (const [register, list] of byRegister) {
      const known = surest(list).filter(({ before }) => before !== undefined);
      const changed = known.filter(({ before, one }) => before !== one.value);
      // A reading that mostly stays was changed by something else.
      if (changed.length < LEAST || changed.length * 2 < known.length) continue;
      const cases = known.map(({ one }) => one);
      const rules = findRules(cases, featureNames(cases, composites), register, among);
      const right = changed.filter(({ one }) => applied(rules, one.features) === one.value).length;
      if (right * 2 < changed.length) continue;
      out.set(act, (out.get(act) ?? new Map<string, readonly Rule[]>()).set(register, rules));
    }
  return out;
}
