import type { JsonObject } from "../../json.ts";
import { actKey, findActs } from "./acts.ts";
import type { Case } from "./cases.ts";
import { completed } from "./composites.ts";
import { type Event, type Events, place, registerAt } from "./events.ts";
import { applied, findRules, type Rule } from "./rules.ts";

/** What a tool does to a register: leaves it, sets it by rules, or (absent, or no rule that knows) nobody knows. */
export type Effect = "keep" | readonly Rule[];

/** Readings as known around each call of a session. */
export interface Known {
  readonly before: Map<string, string>;
  readonly after: Map<string, string>;
}

/** What the keyless tools of a system were found to do. */
export interface Tracked {
  /** Registers that stay between calls. */
  readonly lasting: ReadonlySet<string>;
  /** By tool, then register. */
  readonly effects: ReadonlyMap<string, ReadonlyMap<string, Effect>>;
  /** By group, the readings that all its sessions start with. */
  readonly starts: ReadonlyMap<number, ReadonlyMap<string, string>>;
  /** Tools that change nothing. */
  readonly reads: ReadonlySet<string>;
  readonly known: readonly (readonly Known[])[];
}

const PASSES = 4;
/** How often a call must be seen to leave a reading alone that many calls change. */
const UNMOVED = 4;

/** What a rule may look at before a call: each argument, and every reading that is known. */
export function featuresOf({ call, args }: Event, before: ReadonlyMap<string, string>): Map<string, string> {
  const out = new Map(before);
  if (args !== "") for (const [name, value] of Object.entries(call.args)) out.set(argFeature(name), String(value));
  return out;
}

/** Under what name the value of an argument is followed beside the readings. */
export const argFeature = (name: string): string => `args.${name}`;

/** Follows the readings through every session, and learns what each tool does to them; what one pass learns, the next one carries further. Sessions of one group start alike. */
export function track(events: Events, groups: readonly number[], reads: ReadonlySet<string>): Tracked {
  const lasting = lastingOf(events, reads);
  let effects = new Map<string, Map<string, Effect>>();
  let starts = new Map<number, Map<string, string>>();
  const now = () => follow(events, { groups, effects, lasting, reads, starts });
  let known = now();
  for (let pass = 0; pass < PASSES; pass++) {
    starts = agreedStarts(events, known, groups);
    effects = learn(events, known, { groups, effects, lasting, reads, starts });
    known = now();
  }
  starts = agreedStarts(events, known, groups);
  return { lasting, effects, known: now(), starts, reads };
}

function lastingOf({ registers }: Events, reads: ReadonlySet<string>): Set<string> {
  return new Set([...registers].flatMap(([where, register]) => (reads.has(toolAt(where)) ? [register] : [])));
}

const toolAt = (where: string): string => where.split("\n")[0] as string;

/** What a call does to a register as far as evidence of it tells: a read changes nothing. */
function seenEffect(
  tool: string,
  register: string,
  { effects, reads }: Pick<Tracked, "effects" | "reads">,
): Effect | undefined {
  return reads.has(tool) ? "keep" : effects.get(tool)?.get(register);
}

/** What a call does to a register as far as it is known: what was never seen to change anything is taken to leave this alone too, where others do. */
export function effectOf(
  tool: string,
  register: string,
  tracked: Pick<Tracked, "effects" | "reads">,
): Effect | undefined {
  const { effects } = tracked;
  const own = effects.get(tool);
  const effect = seenEffect(tool, register, tracked);
  if (effect || !own || own.size === 0 || !usuallyKept(register, effects)) return effect;
  return [...own.values()].every((other) => other === "keep") ? "keep" : undefined;
}

/** Whether at least half of the tools that evidence tells of leave a register alone: one that most calls move (a counter) is moved by others too. */
function usuallyKept(register: string, effects: Tracked["effects"]): boolean {
  let [kept, n] = [0, 0];
  for (const of of effects.values()) {
    const effect = of.get(register);
    if (effect === undefined) continue;
    n++;
    if (effect === "keep") kept++;
  }
  return kept * 2 >= n;
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
      if (!event.reads) break;
      for (const [register, value] of event.shown) entry(register).shown.add(value);
    }
  });
  return new Map(
    [...seen].map(([group, of]) => {
      const agreed = [...of].flatMap(([register, { shown, concluded }]) => {
        const values = shown.size > 0 ? shown : concluded;
        const [only] = values;
        return values.size === 1 && only !== undefined ? [[register, only] as const] : [];
      });
      return [group, new Map(agreed)] as const;
    }),
  );
}

interface Learnt extends Pick<Tracked, "effects" | "lasting" | "reads" | "starts"> {
  readonly groups: readonly number[];
}

function follow({ sessions, composites }: Events, learnt: Learnt): Known[][] {
  const { lasting, starts, groups } = learnt;
  return sessions.map((session, s) => {
    const states: Known[] = [];
    let now = new Map(starts.get(groups[s] as number));
    const effect = (event: Event, register: string) =>
      event.call.ok ? effectOf(event.tool, register, learnt) : "keep";
    for (const event of session) {
      const before = completed(now, composites);
      const after = new Map<string, string>();
      const features = featuresOf(event, before);
      for (const register of lasting) {
        const shown = event.shown.get(register);
        const does = effect(event, register);
        const value = shown ?? (does === "keep" ? before.get(register) : does && applied(does, features));
        if (value !== undefined) after.set(register, value);
        // A read shows what stood before it as well.
        if (shown !== undefined && does === "keep") before.set(register, shown);
      }
      states.push({ before, after });
      now = after;
    }
    for (let i = session.length - 1; i >= 0; i--) {
      const { before, after } = states[i] as Known;
      const next = states[i + 1]?.before;
      for (const [register, value] of next ?? []) if (!after.has(register)) after.set(register, value);
      for (const [register, value] of after)
        if (!before.has(register) && effect(session[i] as Event, register) === "keep") before.set(register, value);
    }
    return states;
  });
}

/** One call with what a register was before it and after. */
interface Pair {
  readonly before: string | undefined;
  readonly one: Case;
}

/**
 * What stood before calls and after, between two readings of a register: of the calls between that may have changed it,
 * the last is told by what was read after, and by what the earlier ones are known to have made of it. Where none is
 * thought to have changed it and yet it did, each is suspect.
 */
function pairsByTool(
  { sessions }: Events,
  known: readonly (readonly Known[])[],
  learnt: Learnt,
): Map<string, Map<string, Pair[]>> {
  const out = new Map<string, Map<string, Pair[]>>();
  for (const [s, session] of sessions.entries()) {
    const group = learnt.groups[s] as number;
    const featuresAt = (at: number) => featuresOf(session[at] as Event, known[s]?.[at]?.before ?? new Map());
    const add = (register: string, at: number, before: string | undefined, value: string) => {
      const event = session[at] as Event;
      const byRegister = out.get(event.tool) ?? new Map<string, Pair[]>();
      out.set(event.tool, byRegister);
      const features = featuresAt(at);
      if (before !== undefined) features.set(register, before);
      const pairs = byRegister.get(register) ?? [];
      if (pairs.length === 0) byRegister.set(register, pairs);
      pairs.push({ before, one: { features, value, session: group } });
    };
    /** What some calls made of a reading, as far as it is known what they do. */
    const through = (register: string, calls: readonly number[], from: string | undefined): string | undefined => {
      let value = from;
      for (const at of calls) {
        const does = effectOf((session[at] as Event).tool, register, learnt);
        if (does === "keep") continue;
        const features = featuresAt(at);
        if (value === undefined) features.delete(register);
        else features.set(register, value);
        value = does && applied(does, features);
      }
      return value;
    };
    for (const register of learnt.lasting) {
      let last = learnt.starts.get(group)?.get(register);
      let between: number[] = [];
      for (const [i, event] of session.entries()) {
        const writes = event.call.ok && !learnt.reads.has(event.tool);
        if (writes) between.push(i);
        const shown = event.shown.get(register);
        if (shown === undefined) continue;
        const open = between.filter((at) => seenEffect((session[at] as Event).tool, register, learnt) !== "keep");
        const final = open.at(-1);
        if (final !== undefined) {
          const before = through(register, open.slice(0, -1), last);
          if (before !== undefined || final === i) add(register, final, before, shown);
        } else if (last !== undefined) for (const at of between) add(register, at, last, shown);
        last = shown;
        between = [];
      }
    }
  }
  return out;
}

/** What each tool does to each register, by what stood before its calls and after. */
function learn(events: Events, known: readonly (readonly Known[])[], learnt: Learnt): Map<string, Map<string, Effect>> {
  const shows = new Set([...events.registers].map(([where, register]) => place(toolAt(where), register)));
  const out = new Map<string, Map<string, Effect>>();
  const byTool = pairsByTool(events, known, learnt);
  const moved = oftenMoved(byTool);
  for (const [tool, byRegister] of byTool) {
    const effects = new Map<string, Effect>();
    for (const [register, list] of byRegister) {
      const pairs = list.filter(({ before }) => before !== undefined);
      const changed = pairs.filter(({ before, one }) => before !== one.value).length;
      const named = changed === 0 ? openChoices(events, tool, register, pairs) : undefined;
      if (pairs.length > 0 && named) effects.set(register, [named]);
      else if (pairs.length > 0 && changed === 0) {
        if (pairs.length >= UNMOVED || !moved.has(register)) effects.set(register, "keep");
      } else if (changed > 0 || shows.has(place(tool, register))) {
        const cases = list.map(({ one }) => one);
        const names = [...new Set(cases.flatMap(({ features }) => [...features.keys()]))].sort();
        const rules = findRules(cases, names);
        const acts = findActs(
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

const argFeatures = (args: JsonObject): Map<string, string> =>
  new Map(Object.entries(args).map(([name, value]) => [argFeature(name), String(value)]));

/** Registers that at least a quarter of the tools change: readings made of several others. */
function oftenMoved(byTool: ReadonlyMap<string, ReadonlyMap<string, readonly Pair[]>>): Set<string> {
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
function rightly(rules: readonly Rule[], cases: readonly Case[]): number {
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
      const own = told === "form" ? undefined : registerAt(events, event, told.label);
      if (own !== undefined) features.delete(own);
      for (const { register } of events.composites.get(own ?? "") ?? []) features.delete(register);
      return [{ features, value, session: groups[s] as number }];
    }),
  );
}
