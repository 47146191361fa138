import type { Call, SessionCalls } from "../../compile/observations.ts";
import type { Json, JsonObject } from "../../json.ts";
import type { ObservedTrace } from "../../observation.ts";
import { type Act, actFrom, candidateActions } from "../acts/candidates.ts";
import { type Chain, chainOf, closure, madeBy, onSameThings, succeeded } from "../acts/chain.ts";
import { shownOrders } from "../acts/orders.ts";
import { type Recorded, recordedIn, scalarsOf, textsOfState } from "../acts/recorded.ts";
import { isReading } from "../acts/recorded-reads.ts";
import { CODE } from "../acts/speech.ts";
import { actOf } from "../acts/words.ts";
import { classOf } from "../checks/answer-class.ts";
import type { Draft } from "../draft.ts";
import type { Kit } from "../kit.ts";
import { leaves } from "../leaves.ts";
import type { Random } from "../random.ts";
import type { CallPattern, Check, Script } from "../schema.ts";
import { argumentLabel, type Voice } from "../words/phrases.ts";
import { conversationOf, DONE, endsOf, type RequestedChange, userRequestsOf } from "./recorded-changes.ts";
import { triedWrites } from "./write.ts";

/** What a request says that may be refused, and its twin that may not: neither tells which it is. */
const UNLESS = "If something is not possible, leave it as it is and tell me why.";
const DECLINED = "I'm sorry, but I could not do that: it is not possible as things are, and nothing was changed there.";

/** Refusals for what the service holds, and for what it does not; a slip in the arguments is none. */
const REFUSAL = /^(?:refused|error:(?:insufficient|not_allowed|conflict|invalid_state|failed|not_found))$/;

interface Refused {
  /** What is done first; absent where the drawn world refuses it as it stands. */
  readonly before: Act | undefined;
  readonly calls: Script["calls"];
  readonly tool: string;
  /** Whether there is no such thing as it names: an agent that looks for it says so. */
  readonly absent: boolean;
}

/** Whether an answer says that there is no such thing, by its class or in its own words. */
export function saysNone({ answerClass, value: answer }: Chain["answers"][number]): boolean {
  return (
    answerClass === "error:not_found" ||
    leaves(answer, 50).some(({ value }) => typeof value === "string" && classOf(value) === "said_no_data")
  );
}

const MOST_SESSIONS = 150;
/** So many of one tool that is refused in the same words are enough. */
const MOST_ALIKE = 6;
const PATIENCE = 10;

/** A refusal in the same words, whatever it names. */
function wordsOf(answer: Json): string {
  return JSON.stringify(answer)
    .replace(/[0-9a-f]*\d[0-9a-f]*/gi, "#")
    .slice(0, 300);
}

const literalsOf = (args: JsonObject): string => JSON.stringify(args);

/** Calls that sessions were always refused before they had changed anything. */
function alwaysRefused(recorded: Recorded, writes: (tool: string) => boolean): (call: Call) => boolean {
  const taken = new Set<string>();
  for (const session of recorded.sessions)
    for (const call of session) {
      if (!writes(call.tool)) continue;
      if (call.ok) {
        taken.add(`${call.tool}\n${literalsOf(call.args)}`);
        break;
      }
    }
  return (call) => !taken.has(`${call.tool}\n${literalsOf(call.args)}`);
}

function refusedChain(chain: Chain | undefined): chain is Chain {
  const last = chain?.answers.at(-1);
  return (
    chain !== undefined &&
    last !== undefined &&
    REFUSAL.test(last.answerClass) &&
    last.changes.length === 0 &&
    chain.recordedOk.at(-1) === false &&
    chain.answers.slice(0, -1).every(succeeded) &&
    !chain.recordedOk.slice(0, -1).includes(false)
  );
}

/** Writes that sessions were refused and that the world refuses for certain, on the drawn state or after what they rest on. */
function* refusals(kit: Kit, recorded: Recorded, rng: Random): Generator<Refused> {
  const held = textsOfState(kit);
  const reading = isReading(kit);
  const writes = (tool: string) => !reading(tool);
  const always = alwaysRefused(recorded, writes);
  const alike = new Map<string, { made: number; failed: number }>();
  for (const session of rng.shuffled(recorded.sessions).slice(0, MOST_SESSIONS)) {
    for (const [index, call] of session.entries()) {
      if (call.ok || !writes(call.tool) || !REFUSAL.test(call.answerClass)) continue;
      const name = `${call.tool} ${wordsOf(call.value)}`;
      const seen = alike.get(name) ?? { made: 0, failed: 0 };
      alike.set(name, seen);
      if (seen.made >= MOST_ALIKE || seen.failed >= PATIENCE) continue;
      const found = refusedFrom(kit, session, index, recorded, rng, held, always(call));
      if (!found) {
        seen.failed += 1;
        continue;
      }
      seen.made += 1;
      yield found;
    }
  }
}

function refusedFrom(
  kit: Kit,
  session: SessionCalls,
  index: number,
  recorded: Recorded,
  rng: Random,
  held: ReadonlySet<string>,
  always: boolean,
): Refused | undefined {
  const { tool, args } = session[index] as Call;
  const rests = closure(session, [index], held);
  const near = onSameThings(session, index, held).filter(
    (at) =>
      at === index || kit.tools.some((view) => view.name === (session[at] as Call).tool && view.effect === "write"),
  );
  const made = scalarsOf(args).some((place) => madeBy(session, index, place, held) !== undefined);
  for (const picked of [rests, closure(session, near.slice(-4), held)]) {
    if (picked.length > 5 || picked.at(-1) !== index) continue;
    const chain = chainOf(kit, session, picked, { recorded, rng });
    if (!refusedChain(chain)) continue;
    const { calls } = chain;
    if (picked.length === 1) {
      if (made || !always) continue;
      const named = scalarsOf(args).some(
        ({ value }) => typeof value === "string" && CODE.test(value) && !held.has(value),
      );
      return { before: undefined, calls, tool, absent: named || chain.answers.slice(0, 1).some(saysNone) };
    }
    // Of what was just made nobody asks for a part that is not there.
    if (chain.answers.slice(-1).some(saysNone)) continue;
    const first: Chain = {
      calls: calls.slice(0, -1),
      answers: chain.answers.slice(0, -1),
      results: chain.results.slice(0, -1),
      recordedOk: chain.recordedOk.slice(0, -1),
      picked: chain.picked.slice(0, -1),
    };
    const before = actFrom(kit, session, first, recorded);
    // What leaves no trace was left out of the act: its script is the one that is refused then.
    const last = calls.at(-1) as Script["calls"][number];
    if (before) return { before, calls: [...before.calls, last], tool, absent: false };
  }
  return undefined;
}

/** The literal arguments of the refused call that name something. */
function keysOf({ calls }: Refused): { path: string; op: "equals"; value: string }[] {
  return Object.entries(calls.at(-1)?.args ?? {}).flatMap(([path, value]) =>
    typeof value === "string" && !/\s/.test(value) ? [{ path, op: "equals" as const, value }] : [],
  );
}

/** Calls by which an agent finds out: the attempt itself, or a reading. */
function findingOut(kit: Kit, recorded: Recorded, one: Refused): CallPattern[] {
  const { tool } = one;
  const args = keysOf(one);
  const reading = isReading(kit);
  const readings = kit.tools.filter(({ name }) => reading(name) && recorded.share.has(name));
  return [{ tool, ...(args.length > 0 ? { args } : {}) }, ...readings.map(({ name }) => ({ tool: name }))];
}

/**
 * Changes that the service refuses for what it holds, each followed by its twin: the same tool where it may be done,
 * asked for in the same words. For any world; a refusal without a twin is no task.
 */
export function* refused(
  kit: Kit,
  traces: readonly ObservedTrace[],
  voices: () => Voice,
  rng: Random,
): Generator<Draft> {
  const recorded = recordedIn(traces);
  const twins = new Map<string, Act[]>();
  const told = new Set<string>();
  const rows = new Set(
    [...triedWrites(kit)].flatMap(([tool, tried]) =>
      tried.refused.length > 0 && tried.changed.length > 0 ? [tool] : [],
    ),
  );
  for (const one of refusals(kit, recorded, rng.fork("refusals"))) {
    if (rows.has(one.tool)) continue;
    const name = one.before ? JSON.stringify(one.calls) : `${one.tool} ${JSON.stringify(keysOf(one))}`;
    if (told.has(name)) continue;
    told.add(name);
    const ready = twins.get(one.tool) ?? twinsOf(kit, recorded, one.tool, rng);
    twins.set(one.tool, ready);
    const refusal = declined(kit, recorded, one, voices, rng);
    if (!refusal) continue;
    // A twin is like its refusal in all but what comes of it; no two refusals share one.
    const size = one.calls.length;
    ready.sort((a, b) => Math.abs(a.calls.length - size) - Math.abs(b.calls.length - size));
    let twin: Draft | undefined;
    while (twin === undefined && ready.length > 0) twin = allowed(kit, recorded, ready.shift() as Act, voices, rng);
    if (!twin) continue;
    yield refusal;
    yield twin;
  }
}

/** Acts that end with a change by this tool. */
function twinsOf(kit: Kit, recorded: Recorded, tool: string, rng: Random): Act[] {
  const found: Act[] = [];
  let tried = 0;
  for (const act of candidateActions(
    kit,
    recorded,
    rng.fork(`twins ${tool}`),
    (tools) => tools.length <= 3 && tools.at(-1) === tool,
  )) {
    found.push(act);
    tried += 1;
    if (found.length >= MOST_ALIKE || tried > 40) break;
  }
  return found;
}

/** Wishes of which the last may be refused. */
function unless(
  kit: Kit,
  recorded: Recorded,
  voice: Voice,
  calls: Script["calls"],
  wishes: readonly RequestedChange[],
  rng: Random,
) {
  const { request, turns } = conversationOf(kit, voice, calls, wishes, rng, shownOrders(recorded.sessions));
  const last = turns.pop();
  return last === undefined
    ? { request: `${request} ${UNLESS}`, turns }
    : { request, turns: [...turns, `${last} ${UNLESS}`] };
}

function declined(kit: Kit, recorded: Recorded, one: Refused, voices: () => Voice, rng: Random): Draft | undefined {
  const { before, calls, tool } = one;
  const first = before ? userRequestsOf(kit, before) : [];
  const last = actOf(kit, calls, calls.length - 1);
  if (!first || last === undefined || first.some(({ said }) => said === last)) return undefined;
  const voice = voices();
  const ends = before && endsOf(kit, before);
  const changed: Check[] = ends
    ? ends.done
    : [{ kind: "no_state_change" }, { kind: "calls_required", calls: findingOut(kit, recorded, one), any: true }];
  return {
    family: "guarded_write",
    operation: tool,
    object: before?.outcome.changes[0]?.table ?? argumentLabel(tool),
    condition: "contradictory",
    difficulty: before ? "hard" : "medium",
    useCase: argumentLabel(tool),
    words: "templated",
    voice,
    ...unless(kit, recorded, voice, calls, [...first, { at: calls.length - 1, said: last }], rng),
    script: { calls, answer: DECLINED, class: "refused" },
    checks: [
      ...changed,
      // That a thing is not there is told in either way.
      { kind: "answer_class", class: "refused", ...(one.absent ? { or: ["said_no_data" as const] } : {}) },
    ],
  };
}

function allowed(kit: Kit, recorded: Recorded, act: Act, voices: () => Voice, rng: Random): Draft | undefined {
  const wishes = userRequestsOf(kit, act);
  if (!wishes) return undefined;
  const voice = voices();
  const tool = act.sequence.at(-1) as string;
  const { done, alternatives } = endsOf(kit, act);
  const answered = { answer: DONE, class: "answered" as const };
  return {
    family: "guarded_write",
    operation: tool,
    object: act.outcome.changes[0]?.table ?? "",
    condition: "present",
    difficulty: act.calls.length > 1 ? "hard" : "medium",
    useCase: argumentLabel(tool),
    words: "templated",
    voice,
    ...unless(kit, recorded, voice, act.calls, wishes, rng),
    script: { calls: act.calls, ...answered },
    alternatives: alternatives.map((calls) => ({ calls, ...answered })),
    checks: [...done, { kind: "answer_class", class: "answered" }],
  };
}
