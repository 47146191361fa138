import type { Pair } from "./cases.ts";
import { effectAt, featuresOf, type Known, type Learnt, seenEffect } from "./effects.ts";
import type { Event, Events } from "./events.ts";
import { candidateCauses, type Interval } from "./rules/candidate-causes.ts";
import { applied } from "./rules/rules.ts";

/** Pairs that are one call's alone, when they are this many, tell more than those that others share. */
const SURE = 3;

/** The pairs to learn from: without those that other calls share, where there are enough. */
export function surest(pairs: readonly Pair[]): readonly Pair[] {
  const sure = pairs.filter(({ before, shared }) => before !== undefined && !shared);
  return sure.length < SURE ? pairs : pairs.filter(({ shared }) => !shared);
}

/** By act and register. */
type PairsByAct = Map<string, Map<string, Pair[]>>;

/**
 * What stood before calls and after, between two readings of a register: of the calls between that may have changed it,
 * the last is told by what was read after, and by what the earlier ones are known to have made of it. Where none is
 * thought to have changed it and yet it did, the one that is always there then did, or each is suspect.
 */
export function pairsByAct(
  { sessions }: Events,
  known: readonly (readonly Known[])[],
  learnt: Learnt,
): { readonly calls: PairsByAct; readonly refused: PairsByAct } {
  const out = { calls: new Map(), refused: new Map() } as const;
  const followed = sessions.map(
    (session, s) => new SessionState(session, known[s] ?? [], learnt, learnt.groups[s] as number),
  );
  for (const register of learnt.lasting) {
    const brackets = sessions.flatMap((_, s) => [...(followed[s] as SessionState).brackets(register, s)]);
    const quiet = brackets.filter((each) => (followed[each.session] as SessionState).open(register, each).length === 0);
    const guilty = candidateCauses(
      quiet.filter(({ last, shown }) => last !== undefined && last !== shown),
      quiet.filter(({ last, shown }) => last === shown),
      ({ session, at }, place) => (followed[session] as SessionState).features(at[place] as number),
    );
    for (const each of brackets) (followed[each.session] as SessionState).pair(register, each, guilty, out);
  }
  return out;
}

/** One session while it is learnt from. */
class SessionState {
  private readonly session: readonly Event[];
  private readonly known: readonly Known[];
  private readonly learnt: Learnt;
  private readonly group: number;
  private readonly made: ReadonlyMap<string, string>[] = [];

  constructor(session: readonly Event[], known: readonly Known[], learnt: Learnt, group: number) {
    this.session = session;
    this.known = known;
    this.learnt = learnt;
    this.group = group;
  }

  private event(at: number): Event {
    return this.session[at] as Event;
  }

  /** What a rule may look at before a call; made once, for all registers. */
  features(at: number): ReadonlyMap<string, string> {
    let features = this.made[at];
    if (!features) {
      features = featuresOf(this.event(at), this.known[at]?.before ?? new Map());
      this.made[at] = features;
    }
    return features;
  }

  /** The same with a register at some value, or unknown. */
  private featuresWith(at: number, register: string, value: string | undefined): ReadonlyMap<string, string> {
    const features = this.features(at);
    if (features.get(register) === value) return features;
    const out = new Map(features);
    if (value === undefined) out.delete(register);
    else out.set(register, value);
    return out;
  }

  /** The calls between each sight of a register and the one before, the session's start among them. */
  *brackets(register: string, session: number): Generator<Interval> {
    const { starts, reads } = this.learnt;
    let last = starts.get(this.group)?.get(register);
    let at: number[] = [];
    const seen = (shown: string, by?: number): Interval => {
      const acts = at.map((one) => this.event(one).act as string);
      const bracket = { session, at, actions: acts, last, shown, by };
      last = shown;
      at = [];
      return bracket;
    };
    for (const [i, event] of this.session.entries()) {
      const met = event.met.get(register);
      if (met !== undefined) yield seen(met);
      if (event.act !== undefined && !reads.has(event.tool)) at.push(i);
      const shown = event.shown.get(register);
      if (shown !== undefined) yield seen(shown, i);
    }
  }

  /** Those of a bracket's calls that are not known to leave the register alone. */
  open(register: string, { at }: Interval): number[] {
    return at.filter((one) => mayMove(this.event(one), register, this.learnt));
  }

  /** Notes what a bracket tells of its calls. */
  pair(
    register: string,
    interval: Interval,
    guilty: ReadonlySet<string>,
    out: { calls: PairsByAct; refused: PairsByAct },
  ): void {
    const { at, actions, last, shown, by } = interval;
    const add = (one: number, before: string | undefined, value: string, shared = false) => {
      const event = this.event(one);
      const byAct = event.call.ok ? out.calls : out.refused;
      const act = event.act ?? event.tool;
      const byRegister = byAct.get(act) ?? new Map<string, Pair[]>();
      byAct.set(act, byRegister);
      const features = before === undefined ? this.features(one) : this.featuresWith(one, register, before);
      const pairs = byRegister.get(register) ?? [];
      if (pairs.length === 0) byRegister.set(register, pairs);
      pairs.push({ before, one: { features, value, session: this.group }, shared });
    };
    const open = this.open(register, interval);
    const refused = at.filter((one) => untold(this.event(one), register, this.learnt));
    const final = open.at(-1);
    const novel = open.filter((one) => untried(this.event(one), register, this.learnt));
    const told = open.filter((one) => !novel.includes(one));
    if (novel.length > 0 && last !== undefined && this.through(register, told, last) === shown) {
      // Nothing but what is known to move it did: those of which nothing is known left it alone.
      for (const one of novel) {
        const ahead = told.filter((other) => other < one);
        const before = this.through(register, ahead, last);
        if (before !== undefined) add(one, before, before, novel.length > 1);
      }
    } else if (final !== undefined) {
      const before = this.through(register, open.slice(0, -1), last);
      const shared = refused.some((one) => one !== final);
      if (before !== undefined || final === by) add(final, before, shown, shared);
    } else if (last !== undefined) {
      const first = last === shown ? -1 : actions.findLastIndex((act) => guilty.has(act));
      const [only] = refused;
      for (const [k, one] of at.entries())
        if (first < 0) add(one, last, shown, at.length > 1 && !(refused.length === 1 && one === only));
        else if (k === first) add(one, last, shown);
    }
  }

  /** What some calls made of a reading, as far as it is known what they do. */
  private through(register: string, acts: readonly number[], from: string | undefined): string | undefined {
    let value = from;
    for (const at of acts) {
      const does = effectAt(this.event(at), register, this.learnt);
      if (does === "keep") continue;
      value = does && applied(does, this.featuresWith(at, register, value));
    }
    return value;
  }
}

/** Whether a call is not known to leave a register alone. */
const mayMove = (event: Event, register: string, learnt: Learnt): boolean =>
  event.call.ok ? seenEffect(event.tool, register, learnt) !== "keep" : effectAt(event, register, learnt) !== "keep";

/** Whether nothing was seen yet of what a call does to a register. */
const untried = (event: Event, register: string, learnt: Learnt): boolean =>
  event.call.ok && seenEffect(event.tool, register, learnt) === undefined;

/** Whether a call was refused in words of which it is not known that they change a register: it may all the same. */
const untold = (event: Event, register: string, { refusals }: Learnt): boolean =>
  !event.call.ok && !refusals.get(event.act ?? "")?.has(register);
