import type { JsonObject } from "../../json.ts";
import { actKey, findAssignment } from "./argument-assignments.ts";
import type { Case, Pair } from "./cases.ts";
import { argFeature, type Effect, effectAt, featuresOf, type Known, type Learnt, type Tracked } from "./effects.ts";
import { type Event, type Events, FORM, place, variableAt } from "./events.ts";
import { completed } from "./flag-sets.ts";
import { indexedAssignment, indexedVariablesOf } from "./indexed-variables.ts";
import { pairsByAct, surest } from "./observation-pairs.ts";
import { refusalEffects } from "./rules/refusals.ts";
import { applied, featureNames, findRules, type Rule } from "./rules/rules.ts";

const PASSES = 4;
/** How often a call must be seen to leave a reading alone that many calls change. */
const UNMOVED = 4;

/** Estimates the state variables through every session and learns what tools do to them, in passes that build on each other. */
export function estimateState(events: Events, groups: readonly number[], reads: ReadonlySet<string>): Tracked {
  const lasting = lastingOf(events, reads);
  const among = new Set(groups).size;
  let effects = new Map<string, Map<string, Effect>>();
  let starts = new Map<number, Map<string, string>>();
  let refusals: Tracked["refusals"] = new Map();
  let seen: Tracked["pairs"] = new Map();
  const now = () => follow(events, { groups, effects, refusals, lasting, reads, starts });
  let known = now();
  for (let pass = 0; pass < PASSES; pass++) {
    starts = agreedStarts(events, known, groups);
    const pairs = pairsByAct(events, known, { groups, effects, refusals, lasting, reads, starts });
    seen = pairs.calls;
    effects = learn(events, seen, among);
    refusals = refusalEffects(pairs.refused, events.composites, among);
    known = now();
  }
  starts = agreedStarts(events, known, groups);
  known = now();
  return { lasting, effects, refusals, known, starts, reads, pairs: seen };
}

const toolAt = (where: string): string => where.split("\n")[0] as string;

function lastingOf({ variables, guards, latent }: Events, reads: ReadonlySet<string>): Set<string> {
  return new Set([
    ...[...variables].flatMap(([where, register]) => (reads.has(toolAt(where)) ? [register] : [])),
    ...[...guards.values()].flatMap((of) => of.map(({ register }) => register)),
    ...latent.map(({ register }) => register),
  ]);
}

/** By group, what its sessions agree to start with; what a read showed before anything was done stands over what was concluded. */
function agreedStarts(
  { sessions }: Events,
  known: readonly (readonly Known[])[],
  groups: readonly number[],
): Map<number, Map<string, string>> {
  const seen = new Map<number, Map<string, { shown: Set<string>; concluded: Set<string> }>>();
  sessions.forEach((session, s) => {
    const group = groups[s] as number;
    const of = seen.get(group) ?? new Map<string, { shown: Set<string>; concluded: Set<string> }>();
    seen.set(group, of);
    const entry = (register: string) => {
      const values = of.get(register) ?? { shown: new Set<string>(), concluded: new Set<string>() };
      of.set(register, values);
      return values;
    };
    for (const [register, value] of known[s]?.[0]?.before ?? []) entry(register).concluded.add(value);
    for (const event of session) {
      for (const [register, value] of event.met) entry(register).shown.add(value);
      if (!event.reads) break;
      for (const [register, value] of event.shown) entry(register).shown.add(value);
    }
  });
  const starts = new Map(
    [...seen].map(([group, of]) => {
      const agreed = [...of].flatMap(([register, { shown, concluded }]) => {
        const values = shown.size > 0 ? shown : concluded;
        const [only] = values;
        return values.size === 1 && only !== undefined ? [[register, only] as const] : [];
      });
      return [group, new Map(agreed)] as const;
    }),
  );
  const common = commonest(starts.values());
  for (const [group, own] of starts)
    for (const [register, value] of common) if (!seen.get(group)?.has(register)) own.set(register, value);
  return starts;
}

/** The share of starts that must be alike for a reading to be what every session starts with, and how many must tell. */
const COMMON = 0.98;
const ENOUGH = 5;

/** Readings that (nearly) all of some starts have alike, where they tell. */
export function commonest(starts: Iterable<ReadonlyMap<string, string>>): Map<string, string> {
  const counts = new Map<string, Map<string, number>>();
  for (const start of starts)
    for (const [register, value] of start) {
      const values = counts.get(register) ?? new Map<string, number>();
      counts.set(register, values.set(value, (values.get(value) ?? 0) + 1));
    }
  const out = new Map<string, string>();
  for (const [register, values] of counts) {
    const n = [...values.values()].reduce((sum, times) => sum + times, 0);
    for (const [value, times] of values) if (n >= ENOUGH && times >= n * COMMON) out.set(register, value);
  }
  return out;
}

function follow({ sessions, composites }: Events, learnt: Learnt): Known[][] {
  const { lasting, starts, groups } = learnt;
  return sessions.map((session, s) => {
    const states: Known[] = [];
    let now = new Map(starts.get(groups[s] as number));
    const effect = (event: Event, register: string) => effectAt(event, register, learnt);
    for (const event of session) {
      const before = completed(now, composites);
      const after = new Map<string, string>();
      const features = featuresOf(event, before);
      for (const [register, value] of event.met) features.set(register, value);
      for (const register of lasting) {
        const shown = event.shown.get(register);
        const does = effect(event, register);
        const value = shown ?? (does === "keep" ? features.get(register) : does && applied(does, features));
        if (value !== undefined) after.set(register, value);
        // A read shows what stood before it as well.
        if (shown !== undefined && does === "keep") before.set(register, shown);
      }
      states.push({ before, after });
      now = after;
    }
    for (let i = session.length - 1; i >= 0; i--) {
      const { before, after } = states[i] as Known;
      const next = [...(session[i + 1]?.met ?? []), ...(states[i + 1]?.before ?? [])];
      for (const [register, value] of next) if (!after.has(register)) after.set(register, value);
      for (const [register, value] of after)
        if (!before.has(register) && effect(session[i] as Event, register) === "keep") before.set(register, value);
    }
    return states;
  });
}

/** What each tool does to each register, by what stood before its calls and after. */
function learn(
  events: Events,
  byTool: ReadonlyMap<string, ReadonlyMap<string, readonly Pair[]>>,
  among: number,
): Map<string, Map<string, Effect>> {
  const shows = new Set([...events.variables].map(([where, register]) => place(toolAt(where), register)));
  const out = new Map<string, Map<string, Effect>>();
  const moved = oftenChanged(byTool);
  const siblings = indexedVariablesOf(events);
  for (const [tool, byRegister] of byTool) {
    const effects = new Map<string, Effect>();
    const calls = siblings.size === 0 ? [] : argumentsOf(events, tool);
    for (const register of new Set([...byRegister.keys(), ...siblings.keys()])) {
      const all = byRegister.get(register) ?? [];
      const together = indexedAssignment(register, siblings.get(register), byRegister, calls);
      if (together) {
        effects.set(register, [together]);
        continue;
      }
      if (all.length === 0) continue;
      const list = surest(all);
      const pairs = list.filter(({ before }) => before !== undefined);
      const changed = pairs.filter(({ before, one }) => before !== one.value).length;
      const named = changed === 0 ? openChoices(events, tool, register, pairs) : undefined;
      if (pairs.length > 0 && named) effects.set(register, [named]);
      else if (pairs.length > 0 && changed === 0) {
        if (pairs.length >= UNMOVED || !moved.has(register)) effects.set(register, "keep");
      } else if (changed > 0 || shows.has(place(tool, register))) {
        const cases = list.map(({ one }) => one);
        const names = featureNames(cases, events.composites);
        const found = events.composites.has(register) ? [] : findRules(cases, names, register, among);
        const rules = shows.has(place(tool, register)) ? found : found.map((rule) => fromSeen(rule, register, pairs));
        const acts = findAssignment(
          register,
          pairs.map(({ before, one }) => ({ before: before as string, one })),
          names.filter((name) => name.startsWith(argFeature(""))),
          (features) => namesIt(events.about.get(register), features),
        );
        effects.set(register, acts && rightly([acts], cases) > rightly(rules, cases) ? [acts, ...rules] : rules);
      }
    }
    out.set(tool, effects);
  }
  return out;
}

/** A rule limited to the values at which the variable was observed. */
function fromSeen(rule: Rule, register: string, pairs: readonly Pair[]): Rule {
  const [value, ...others] = new Set(pairs.map(({ before }) => before as string));
  const set = rule.kind === "table" && rule.of.length === 0 ? rule.entries.get("") : undefined;
  if (set === undefined || value === undefined || others.length > 0) return rule;
  return { kind: "table", of: [register], entries: new Map([[value, set]]) };
}

/**
 * A rule that leaves a register alone but where the call names what the register is of: of that, calls that met the
 * register at one value only tell nothing, since they may have set it to that. Undefined where no call names it, or
 * calls that did met it at several values and left it so.
 */
function openChoices(
  { sessions, about }: Events,
  tool: string,
  register: string,
  pairs: readonly Pair[],
): Rule | undefined {
  const of = about.get(register);
  if (!of) return undefined;
  const calls = sessions.flatMap((session) =>
    session.filter((event) => event.tool === tool).map(({ call }) => call.args),
  );
  const parts = [...new Set(calls.flatMap((args) => Object.keys(args)))].sort().map(argFeature);
  const stood = new Map<string, Set<string | undefined>>();
  for (const { before, one } of pairs) {
    const key = actKey(one.features, parts) ?? "";
    stood.set(key, (stood.get(key) ?? new Set()).add(before));
  }
  const kept = new Set<string>();
  let open = false;
  for (const features of calls.map(argFeatures)) {
    const key = actKey(features, parts);
    if (key === undefined) continue;
    if (!namesIt(of, features) || (stood.get(key)?.size ?? 0) > 1) kept.add(key);
    else open = true;
  }
  return open ? { kind: "acts", own: register, of: parts, entries: new Map(), kept } : undefined;
}

/** Whether a call's arguments name what a register is of. */
const namesIt = (of: JsonObject | undefined, features: ReadonlyMap<string, string>): boolean =>
  of !== undefined && Object.keys(of).every((name) => features.get(argFeature(name)) === String(of[name]));

const argumentsOf = ({ sessions }: Events, tool: string): Map<string, string>[] =>
  sessions.flatMap((session) =>
    session.flatMap(({ tool: called, call }) => (called === tool ? [argFeatures(call.args)] : [])),
  );

const argFeatures = (args: JsonObject): Map<string, string> =>
  new Map(Object.entries(args).map(([name, value]) => [argFeature(name), String(value)]));

/** Registers that at least a quarter of the tools change: readings made of several others. */
function oftenChanged(byTool: ReadonlyMap<string, ReadonlyMap<string, readonly Pair[]>>): Set<string> {
  const counts = new Map<string, { moved: number; n: number }>();
  for (const byRegister of byTool.values())
    for (const [register, pairs] of byRegister) {
      const moves = pairs.some(({ before, one }) => before !== undefined && before !== one.value);
      const { moved, n } = counts.get(register) ?? { moved: 0, n: 0 };
      counts.set(register, { moved: moved + (moves ? 1 : 0), n: n + 1 });
    }
  return new Set([...counts].flatMap(([register, { moved, n }]) => (moved * 4 >= n ? [register] : [])));
}

/** How many cases rules foretell, less what they foretell wrongly. */
export function rightly(rules: readonly Rule[], cases: readonly Case[]): number {
  return cases.reduce((sum, { features, value }) => {
    const told = applied(rules, features);
    return told === undefined ? sum : sum + (told === value ? 1 : -5);
  }, 0);
}

/** The cases of one item or form of a tool's answers: what its readings were before it, and what it said. */
export function casesOf(
  events: Events,
  known: readonly (readonly Known[])[],
  groups: readonly number[],
  tool: string,
  told: { readonly label: string } | "form",
): Case[] {
  return events.sessions.flatMap((session, s) =>
    session.flatMap((event, i): Case[] => {
      if (event.tool !== tool || !event.answer) return [];
      const { form, items } = event.answer;
      const value = told === "form" ? form.id : items.find(({ label }) => label === told.label)?.value;
      if (value === undefined || (told !== "form" && form.refusal)) return [];
      const features = featuresOf(event, known[s]?.[i]?.before ?? new Map());
      // A reading does not foretell itself: where it is known it is what is said.
      const own = variableAt(events, event, told === "form" ? FORM : told.label);
      if (own !== undefined) features.delete(own);
      for (const { register } of events.composites.get(own ?? "") ?? []) features.delete(register);
      for (const { register } of events.guards.get(tool) ?? []) features.delete(register);
      for (const { of, register } of events.latent) if (of === own) features.delete(register);
      return [{ features, value, session: groups[s] as number }];
    }),
  );
}
