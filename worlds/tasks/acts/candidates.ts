import type { Call, SessionCalls } from "../../compile/observations.ts";
import type { Kit } from "../kit.ts";
import { lost } from "../losses.ts";
import type { Random } from "../random.ts";
import type { CallPattern, Script } from "../schema.ts";
import { refOf } from "../script.ts";
import { type Chain, chainOf, closure, onSameThings, succeeded } from "./chain.ts";
import { eachNeeded, type Outcome, orderFree, outcomeOf, survivesSlip, type Untold, untold } from "./proof.ts";
import { type Recorded, textsOfState } from "./recorded.ts";

/** What sessions were seen to do, in one session: the calls to make, by their place in it. */
interface Pick {
  readonly session: SessionCalls;
  readonly picked: readonly number[];
  /** The writes among them. */
  readonly tools: readonly string[];
}

/** Changes that a script makes on the drawn world, proven to be the only ones that fit it. */
export interface Act {
  readonly calls: Script["calls"];
  readonly outcome: Outcome;
  /** Calls that must be made with arguments of which the end keeps no trace. */
  readonly required: readonly CallPattern[];
  /** The tools that change something, in order. */
  readonly sequence: readonly string[];
  /** Where each call stood in its session. */
  readonly session: SessionCalls;
  readonly picked: readonly number[];
}

const MOST_WRITES = 4;
const MOST_CALLS = 7;
/** Sessions that are looked at: more say the same again. */
const MOST_SESSIONS = 150;
/** A kind of act that could not be told so often is left. */
const PATIENCE = 8;

const isWrite = (kit: Kit): ((tool: string) => boolean) => {
  const writes = new Set(kit.tools.flatMap(({ name, effect }) => (effect === "write" ? [name] : [])));
  return (tool) => writes.has(tool);
};

/** Whether the drawn world carries a call out, and is as it was. */
function isIdle(kit: Kit, { tool, args }: Call): boolean {
  const answer = kit.fork().call(tool, args);
  return succeeded(answer) && answer.changes.length === 0;
}

/**
 * Every choice of successful writes of the sessions, with what they rest on, by the tools they call; `changing` where
 * those that leave the drawn world as it is are passed over: a session that did several things is one way to do some.
 */
function kindsOf(kit: Kit, recorded: Recorded, rng: Random, changing: boolean): Map<string, Pick[]> {
  const held = textsOfState(kit);
  const writes = isWrite(kit);
  const kinds = new Map<string, Pick[]>();
  const put = (session: SessionCalls, picked: readonly number[]): void => {
    const tools = picked.map((index) => (session[index] as Call).tool);
    if (picked.length > MOST_CALLS || tools.filter(writes).length > MOST_WRITES) return;
    const name = tools.filter(writes).join("\n");
    const list = kinds.get(name) ?? [];
    kinds.set(name, list);
    const last = list.at(-1);
    if (last?.session !== session || String(last.picked) !== String(picked))
      list.push({ session, picked, tools: tools.filter(writes) });
  };
  for (const session of rng.shuffled(recorded.sessions).slice(0, MOST_SESSIONS)) {
    const acts = session.flatMap((call, i) =>
      call.ok && writes(call.tool) && !(changing && isIdle(kit, call)) ? [i] : [],
    );
    for (const [n, index] of acts.entries()) {
      put(session, closure(session, [index], held));
      const near = onSameThings(session, index, held).filter((i) => i === index || acts.includes(i));
      put(session, closure(session, near.slice(-MOST_WRITES), held));
      for (let length = 2; length <= MOST_WRITES && n >= length - 1; length += 1)
        put(session, closure(session, acts.slice(n - length + 1, n + 1), held));
    }
  }
  for (const [name, picks] of kinds) kinds.set(name, inTurn(picks));
  return kinds;
}

/** Choices with one of every session before the second of any: a session that did one thing over and over is one way to do it. */
function inTurn(picks: readonly Pick[]): Pick[] {
  const counts = new Map<SessionCalls, number>();
  const turns = picks.map((pick) => {
    const turn = counts.get(pick.session) ?? 0;
    counts.set(pick.session, turn + 1);
    return { pick, turn };
  });
  return turns.sort((a, b) => a.turn - b.turn).map(({ pick }) => pick);
}

/** A chain as an act, without the arguments that leave no trace; undefined where its end could be another's. */
export function actFrom(kit: Kit, session: SessionCalls, chain: Chain, recorded: Recorded): Act | undefined {
  const writes = isWrite(kit);
  if (!chain.answers.every(succeeded) || chain.recordedOk.includes(false))
    return lost(kit, "acts", "a call is refused");
  if (chain.calls.some(({ tool }, i) => writes(tool) && chain.answers[i]?.changes.length === 0))
    return lost(kit, "acts", "a write changes nothing");
  if (new Set(chain.calls.map((call) => JSON.stringify(call))).size < chain.calls.length)
    return lost(kit, "acts", "a call stands twice");
  let { calls } = chain;
  const known: Untold[] = [];
  for (let tries = 0; tries < 6; tries += 1) {
    const outcome = outcomeOf(kit, calls);
    if (!outcome || outcome.changes.length === 0 || outcome.succeeded.includes(false))
      return lost(kit, "acts", "its end is not certain");
    const loose = untold(kit, calls, outcome, recorded, known);
    if (loose === undefined) {
      const proven = [eachNeeded, orderFree, survivesSlip].every((holds) => holds(kit, calls, outcome));
      if (!proven) return lost(kit, "acts", "a call is not needed, or its order or a slip changes the end");
      const sequence = calls.flatMap(({ tool }, i) => (outcome.changed[i] ? [tool] : []));
      return {
        calls,
        outcome,
        required: known.map((one) => patternOf(calls, one)),
        sequence,
        session,
        picked: chain.picked,
      };
    }
    const { call: at, name } = loose;
    const view = kit.tools.find((tool) => tool.name === calls[at]?.tool);
    if (view?.params.find((param) => param.name === name)?.required !== false) {
      const value = calls[at]?.args[name];
      if (typeof value === "object" || refOf(value)) return lost(kit, "acts", "an argument leaves no trace");
      known.push(loose);
      continue;
    }
    calls = calls.map((call, i) =>
      i === at
        ? { tool: call.tool, args: Object.fromEntries(Object.entries(call.args).filter(([key]) => key !== name)) }
        : call,
    );
  }
  return undefined;
}

/** The call of an argument that leaves no trace, with all that it is literally given. */
function patternOf(calls: Script["calls"], { call }: Untold): CallPattern {
  const { tool, args } = calls[call] as Script["calls"][number];
  const literals = Object.entries(args).filter(([, value]) => typeof value !== "object" && !refOf(value));
  return { tool, args: literals.map(([path, value]) => literalOf(path, value)) };
}

/** Whether a text of several lines ends in a line end is nobody's wish, as in `lineEnds`. */
function literalOf(path: string, value: unknown): NonNullable<CallPattern["args"]>[number] {
  return typeof value === "string" && /\n/.test(value) && !value.endsWith("\n")
    ? { path, op: "in", value: [value, `${value}\n`] }
    : { path, op: "equals", value };
}

/** A session with its picked writes all made of what the first is of; undefined where they are so, or take no such thing. */
function ofOneThing(kit: Kit, session: SessionCalls, picked: readonly number[]): SessionCalls | undefined {
  const writes = isWrite(kit);
  const held = textsOfState(kit);
  const calls = picked.map((index) => session[index] as Call).filter(({ tool }) => writes(tool));
  const [name, value] = Object.entries(calls[0]?.args ?? {})[0] ?? [];
  if (name === undefined || calls.length < 2 || calls.length < picked.length) return undefined;
  // What is only given to the change is no thing that others are of.
  if (calls.some(({ args }) => Object.keys(args).length < 3 || typeof args[name] !== "string" || !held.has(args[name])))
    return undefined;
  if (calls.every(({ args }) => args[name] === value)) return undefined;
  return session.map((call, i) =>
    picked.includes(i) ? { ...call, args: { ...call.args, [name]: value as string } } : call,
  );
}

/**
 * Acts by the tools that fit, those first of which more sessions made the like: one more of a kind comes when its share
 * of the sessions is greater than what it has already. `changing` passes writes over that leave the drawn world as it is.
 */
export function* candidateActions(
  kit: Kit,
  recorded: Recorded,
  rng: Random,
  fits: (tools: readonly string[]) => boolean,
  changing = false,
): Generator<Act> {
  const kinds = [...kindsOf(kit, recorded, rng, changing)]
    .filter(([, [first]]) => first !== undefined && first.tools.length > 0 && fits(first.tools))
    .map(([name, picks]) => ({
      name,
      picks,
      share: new Set(picks.map(({ session }) => session)).size,
      at: 0,
      made: 0,
      failed: 0,
    }));
  const told = new Set<string>();
  for (;;) {
    const open = kinds.filter((kind) => kind.at < kind.picks.length && kind.failed < PATIENCE);
    const [first, ...rest] = open;
    if (!first) return;
    const due = (kind: (typeof kinds)[number]) => (kind.made + kind.failed / 2 + 1) / Math.sqrt(kind.share);
    const kind = rest.reduce((best, one) => (due(one) < due(best) ? one : best), first);
    const { session, picked } = kind.picks[kind.at++] as Pick;
    const make = (of: SessionCalls | undefined) => {
      const chain = of && chainOf(kit, of, picked, { recorded, rng });
      return chain && actFrom(kit, of, chain, recorded);
    };
    const act = make(ofOneThing(kit, session, picked)) ?? make(session);
    const name = JSON.stringify(act?.calls);
    if (!act || !fits(act.sequence)) {
      kind.failed += 1;
      continue;
    }
    // What ends alike is one task, however it is come to.
    const end = JSON.stringify(act.outcome.changes);
    if (told.has(name) || told.has(end)) continue;
    told.add(end);
    told.add(name);
    kind.failed = 0;
    kind.made += 1;
    yield act;
  }
}
