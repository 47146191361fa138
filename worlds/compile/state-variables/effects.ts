import type { Pair } from "./cases.ts";
import type { Event } from "./events.ts";
import type { Rule } from "./rules/rules.ts";

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
  /** By act of a refused call, then register, what it does all the same; what is not told it leaves alone. */
  readonly refusals: ReadonlyMap<string, ReadonlyMap<string, readonly Rule[]>>;
  /** By group, the readings that all its sessions start with. */
  readonly starts: ReadonlyMap<number, ReadonlyMap<string, string>>;
  /** Tools that change nothing. */
  readonly reads: ReadonlySet<string>;
  readonly known: readonly (readonly Known[])[];
  /** What calls that went well were seen to make of each register, by tool. */
  readonly pairs: ReadonlyMap<string, ReadonlyMap<string, readonly Pair[]>>;
}

/** What a rule may look at before a call: each argument, and every reading that is known. */
export function featuresOf({ call, args, rows }: Event, before: ReadonlyMap<string, string>): Map<string, string> {
  const out = new Map([...rows, ...before]);
  if (args !== "") for (const [name, value] of Object.entries(call.args)) out.set(argFeature(name), String(value));
  return out;
}

/** Under what name the value of an argument is followed beside the readings. */
export const argFeature = (name: string): string => `args.${name}`;

/** What a call does to a register as far as evidence of it tells: a read changes nothing. */
export function seenEffect(
  tool: string,
  register: string,
  { effects, reads }: Pick<Tracked, "effects" | "reads">,
): Effect | undefined {
  return reads.has(tool) ? "keep" : effects.get(tool)?.get(register);
}

/** What a call does to a register as far as known: one never seen to change anything leaves this alone too, where others do. */
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

/** Whether at least half of the known tools leave a register alone: one that most calls move (a counter) is moved by others too. */
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

/** What a call does to a register as it ended: a refusal leaves alone what it is not known to change. */
export function effectAt(
  { call, act, tool }: Event,
  register: string,
  tracked: Pick<Tracked, "effects" | "refusals" | "reads">,
): Effect | undefined {
  return call.ok ? effectOf(tool, register, tracked) : (tracked.refusals.get(act ?? "")?.get(register) ?? "keep");
}

/** What is known of the tools while it is learnt. */
export interface Learnt extends Pick<Tracked, "effects" | "refusals" | "lasting" | "reads" | "starts"> {
  readonly groups: readonly number[];
}
