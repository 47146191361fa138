import type { JsonObject } from "../../json.ts";
import { byText } from "../values.ts";
import { completed } from "./composites.ts";
import { featuresOf, type Tracked } from "./effects.ts";
import type { Event, Events } from "./events.ts";
import { applied, type Rule } from "./rules.ts";
import { type Conduct, changesBy, FORM_PRIOR, formOf, heldIn, priorOf, type Said } from "./steps.ts";

/** The share of sessions that must start alike for a reading to be what every session starts with. */
const COMMON = 0.98;
const ENOUGH = 5;

/** Readings that (nearly) every session starts with. */
export function commonReadings({ lasting, known }: Tracked): Map<string, string> {
  const out = new Map<string, string>();
  for (const register of lasting) {
    const counts = new Map<string, number>();
    let n = 0;
    for (const [first] of known) {
      const value = first?.before.get(register);
      if (value === undefined) continue;
      n++;
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    for (const [value, times] of counts) if (n >= ENOUGH && times >= n * COMMON) out.set(register, value);
  }
  return out;
}

/** By group, the readings that its sessions agree to start with, where not every session does. */
export function startReadings(
  names: readonly string[],
  { starts }: Tracked,
  common: ReadonlyMap<string, string>,
): Map<string, JsonObject> {
  const out = new Map<string, JsonObject>();
  for (const [group, readings] of starts) {
    const own = [...readings].filter(([register, value]) => common.get(register) !== value);
    if (own.length > 0) out.set(names[group] as string, Object.fromEntries(own.sort(([a], [b]) => byText(a, b))));
  }
  return out;
}

/** What sessions are followed with: events, what tools do, and what a world knows at the start. */
export interface Setting {
  readonly events: Events;
  readonly conducts: ReadonlyMap<string, Conduct>;
  readonly changes: ReadonlyMap<string, ReadonlyMap<string, readonly Rule[]>>;
  readonly common: ReadonlyMap<string, string>;
  readonly groups: readonly number[];
  readonly tracked: Tracked;
}

/**
 * What a tool says where the readings it rests on are unknown, and where nearly every session that knew as little heard
 * the same: that it was called at all may tell. By tool, then by form or value.
 */
export function findPriors({
  events,
  conducts,
  changes,
  common,
  groups,
  tracked,
}: Setting): Map<string, Map<string, string>> {
  const heard = new Map<string, Map<string, Map<string, Set<number>>>>();
  const hear = (tool: string, name: string, value: string, session: number) => {
    const byName = heard.get(tool) ?? new Map<string, Map<string, Set<number>>>();
    const values = byName.get(name) ?? new Map<string, Set<number>>();
    values.set(value, (values.get(value) ?? new Set()).add(session));
    heard.set(tool, byName.set(name, values));
  };
  events.sessions.forEach((session, s) => {
    let now = new Map([...common, ...(tracked.starts.get(groups[s] as number) ?? [])]);
    for (const event of session) {
      const conduct = conducts.get(event.tool);
      now = completed(now, events.composites);
      const features = featuresOf(event, now);
      const { answer } = event;
      const next = afterCall(event, now, features, changesBy(event, conduct, changes.get(event.tool)), tracked.reads);
      const after = featuresOf(event, completed(next, events.composites));
      if (conduct && answer) {
        const form = formOf(conduct, features, event.call.args);
        if (form === undefined) hear(event.tool, FORM_PRIOR, answer.form.id, groups[s] as number);
        const said = conduct.items.get(answer.form.id) ?? [];
        for (const item of answer.items) {
          const of = said.find(({ label }) => label === item.label);
          if (of && saidValue(of, features, event.call.args, after) === undefined)
            hear(event.tool, priorOf(answer.form.id, item.label), item.value, groups[s] as number);
        }
      }
      now = next;
    }
  });
  return new Map(
    [...heard].map(([tool, byName]) => {
      const priors = new Map<string, string>();
      for (const [name, values] of byName) {
        const total = [...values.values()].reduce((sum, of) => sum + of.size, 0);
        for (const [value, of] of values) if (of.size >= ENOUGH && of.size >= total * COMMON) priors.set(name, value);
      }
      return [tool, priors] as const;
    }),
  );
}

function saidValue(
  said: Said,
  features: ReadonlyMap<string, string>,
  args: JsonObject,
  after: ReadonlyMap<string, string>,
): string | undefined {
  const { effect, rules } = said;
  const register = heldIn(said, args);
  const held =
    register === undefined || effect === undefined
      ? undefined
      : effect === "keep"
        ? features.get(register)
        : applied(effect, features);
  return held ?? applied(rules, features) ?? applied(said.after, after);
}

/** The readings that a world would know after a call. */
function afterCall(
  event: Event,
  now: ReadonlyMap<string, string>,
  features: ReadonlyMap<string, string>,
  changes: ReadonlyMap<string, readonly Rule[]>,
  reads: ReadonlySet<string>,
): Map<string, string> {
  const out = new Map(now);
  if (reads.has(event.tool)) return out;
  for (const [register, rules] of changes) {
    const value = applied(rules, features);
    if (value === undefined) out.delete(register);
    else out.set(register, value);
  }
  return out;
}
