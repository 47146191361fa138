import type { ObservedTrace } from "../../observation.ts";
import type { KitOf } from "../kit.ts";
import type { Random } from "../random.ts";

/** Groups whose own beginning is looked at: their sessions say the same again, and each world costs time. */
const MOST_BEGINNINGS = 40;

/** The sessions that began alike with the world as they found it; all of them on the drawn one where evidence shows no other. */
export function* beginnings(kits: KitOf, traces: readonly ObservedTrace[], rng: Random) {
  const groups = Map.groupBy(traces, ({ group, id }) => group ?? id);
  let begun = 0;
  for (const [group, sessions] of rng.shuffled([...groups].sort(([a], [b]) => (a < b ? -1 : 1)))) {
    const { kit, start } = kits(group);
    if (start === undefined) continue;
    begun += 1;
    if (begun > MOST_BEGINNINGS) return;
    yield { kit, start, sessions };
  }
  if (begun === 0) yield { kit: kits("").kit, start: undefined, sessions: traces };
}
