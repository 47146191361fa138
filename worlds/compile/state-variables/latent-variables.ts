import { byText } from "../values.ts";
import { effectOf, type Tracked } from "./effects.ts";
import type { Event, Events, LatentVariable } from "./events.ts";
import { numberIn } from "./increments.ts";
import { surest } from "./observation-pairs.ts";
import { applied } from "./rules/rules.ts";

/** Calls that rules must leave open for there to be something hidden, and of each value that came to light. */
const LEAST = 6;
const EACH = 2;
/** More values than this come to light as anything but what hid them. */
const FEW = 4;
const MOST_VEILS = 12;

/** Registers that come to light as one value or another, and no rule tells as which: they were that before they were hidden. */
export function findLatentVariables({ composites }: Events, tracked: Tracked): LatentVariable[] {
  const found: { readonly n: number; readonly variable: Omit<LatentVariable, "register"> }[] = [];
  const ids = new Set<string>();
  for (const [tool, byRegister] of [...tracked.pairs].sort(([a], [b]) => byText(a, b)))
    for (const [of, list] of [...byRegister].sort(([a], [b]) => byText(a, b))) {
      const effect = effectOf(tool, of, tracked);
      if (effect === "keep" || composites.has(of)) continue;
      const open = new Map<string, Map<string, number>>();
      for (const { before, one } of surest(list)) {
        if (before === undefined || before === one.value) continue;
        if (effect && applied(effect, one.features) !== undefined) continue;
        const values = open.get(before) ?? new Map<string, number>();
        open.set(before, values.set(one.value, (values.get(one.value) ?? 0) + 1));
      }
      for (const [but, values] of open) {
        const often = [...values].filter(([, n]) => n >= EACH).map(([value]) => value);
        const n = [...values.values()].reduce((sum, count) => sum + count, 0);
        if (n < LEAST || values.size < 2) continue;
        const many = values.size > FEW || [...values.keys()].every((value) => numberIn(value) !== undefined);
        if (!many && often.length < 2) continue;
        const among = many ? undefined : new Set(often);
        const id = `${of}\n${among ? [...among].sort(byText).join("\n") : `\n${but}`}`;
        if (!ids.has(id)) found.push({ n, variable: { of, among, but } });
        ids.add(id);
      }
    }
  return found
    .sort((a, b) => b.n - a.n)
    .slice(0, MOST_VEILS)
    .map(({ variable }, i) => ({ ...variable, register: `r_behind_${i + 1}` }));
}

/** Events that show what is behind veils where it is in sight. */
export function withLatentVariables(events: Events, latent: readonly LatentVariable[]): Events {
  const seen = (event: Event): Event => {
    const more = latent.flatMap(({ of, register, among, but }) => {
      const value = event.shown.get(of);
      return value !== undefined && (among ? among.has(value) : value !== but) ? [[register, value] as const] : [];
    });
    return more.length === 0 ? event : { ...event, shown: new Map([...event.shown, ...more]) };
  };
  return { ...events, latent, sessions: events.sessions.map((session) => session.map(seen)) };
}
