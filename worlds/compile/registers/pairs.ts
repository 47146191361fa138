import type { Case } from "./cases.ts";
import { effectAt, featuresOf, type Known, type Learnt, seenEffect } from "./effects.ts";
import type { Event, Events } from "./events.ts";
import { applied } from "./rules.ts";

/** One call with what a register was before it and after. */
export interface Pair {
  readonly before: string | undefined;
  readonly one: Case;
  /** Another call between the same two readings may as well have done it. */
  readonly shared: boolean;
}

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
 * thought to have changed it and yet it did, each is suspect.
 */
export function pairsByAct(
  { sessions }: Events,
  known: readonly (readonly Known[])[],
  learnt: Learnt,
): { readonly calls: PairsByAct; readonly refused: PairsByAct } {
  const calls: PairsByAct = new Map();
  const refused: PairsByAct = new Map();
  for (const [s, session] of sessions.entries()) {
    const group = learnt.groups[s] as number;
    const featuresAt = (at: number) => featuresOf(session[at] as Event, known[s]?.[at]?.before ?? new Map());
    const add = (register: string, at: number, before: string | undefined, value: string, shared = false) => {
      const event = session[at] as Event;
      const act = event.act ?? event.tool;
      const out = event.call.ok ? calls : refused;
      const byRegister = out.get(act) ?? new Map<string, Pair[]>();
      out.set(act, byRegister);
      const features = featuresAt(at);
      if (before !== undefined) features.set(register, before);
      const pairs = byRegister.get(register) ?? [];
      if (pairs.length === 0) byRegister.set(register, pairs);
      pairs.push({ before, one: { features, value, session: group }, shared });
    };
    /** What some calls made of a reading, as far as it is known what they do. */
    const through = (register: string, acts: readonly number[], from: string | undefined): string | undefined => {
      let value = from;
      for (const at of acts) {
        const does = effectAt(session[at] as Event, register, learnt);
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
        if (event.act !== undefined && !learnt.reads.has(event.tool)) between.push(i);
        const shown = event.shown.get(register);
        if (shown === undefined) continue;
        const open = between.filter((at) => mayMove(session[at] as Event, register, learnt));
        const refused = between.filter((at) => untold(session[at] as Event, register, learnt));
        const final = open.at(-1);
        if (final !== undefined) {
          const before = through(register, open.slice(0, -1), last);
          const shared = refused.some((at) => at !== final);
          if (before !== undefined || final === i) add(register, final, before, shown, shared);
        } else if (last !== undefined) {
          const [only] = refused;
          for (const at of between)
            add(register, at, last, shown, between.length > 1 && !(refused.length === 1 && at === only));
        }
        last = shown;
        between = [];
      }
    }
  }
  return { calls, refused };
}

/** Whether a call is not known to leave a register alone. */
const mayMove = (event: Event, register: string, learnt: Learnt): boolean =>
  event.call.ok ? seenEffect(event.tool, register, learnt) !== "keep" : effectAt(event, register, learnt) !== "keep";

/** Whether a call was refused in words of which it is not known that they change a register: it may all the same. */
const untold = (event: Event, register: string, { refusals }: Learnt): boolean =>
  !event.call.ok && !refusals.get(event.act ?? "")?.has(register);
