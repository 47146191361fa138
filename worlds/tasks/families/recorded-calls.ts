import type { SessionCalls } from "../../compile/observations.ts";
import type { JsonObject } from "../../json.ts";
import type { ObservedTrace } from "../../observation.ts";
import type { WorldAnswer } from "../../world-api.ts";
import type { Act } from "../acts/candidates.ts";
import { type Chain, chainOf, succeeded } from "../acts/chain.ts";
import { shownOrders } from "../acts/orders.ts";
import { type Recorded, recordedIn } from "../acts/recorded.ts";
import { isChange, isDone } from "../acts/unfollowed.ts";
import { ownFree, requiredOf } from "../changes.ts";
import { stateWithin } from "../checks/state.ts";
import { humanize } from "../checks/words.ts";
import type { Draft } from "../draft.ts";
import type { Kit, KitOf } from "../kit.ts";
import { lost } from "../losses.ts";
import type { Random } from "../random.ts";
import type { AllowedChange, CallPattern, Script } from "../schema.ts";
import { refOf, resolveArgs } from "../script.ts";
import type { Voice } from "../words/phrases.ts";
import { beginnings } from "./beginnings.ts";
import { conversationOf, draftOf, userRequestsOf } from "./recorded-changes.ts";

/** So many changes in a row are one request. */
const MOST_CHANGES = 3;
/** So many readings of its sessions are made before a change is tried again. */
const MOST_READS = 12;

/** So many sessions that gave an argument alike did not slip. */
const ALIKE = 2;

/** The calls that make the changes, by all that they are given; undefined where that is no plain value, or made by one of them. */
function patternsOf(kit: Kit, { calls, results }: Chain): CallPattern[] | undefined {
  const patterns: CallPattern[] = [];
  for (const { tool, args } of calls) {
    if (!isChange(kit, tool)) continue;
    const given: NonNullable<CallPattern["args"]> = [];
    for (const [name, value] of Object.entries(args)) {
      const ref = refOf(value);
      if (ref && isChange(kit, calls[ref.n - 1]?.tool ?? "")) return undefined;
      const known = resolveArgs({ [name]: value }, results)[name];
      const [only, ...more] = Array.isArray(known) ? known : [known];
      if (more.length > 0 || (typeof only === "object" && only !== null) || refOf(only)) return undefined;
      given.push({ path: name, op: "equals", value: known });
    }
    patterns.push({ tool, args: given });
  }
  return patterns;
}

/** Calls made on a world; undefined where one is not carried out. */
function made(world: ReturnType<Kit["fork"]>, calls: Script["calls"]): WorldAnswer[] | undefined {
  const answers: WorldAnswer[] = [];
  for (const { tool, args } of calls) {
    const resolved = resolveArgs(
      args,
      answers.map(({ value }) => value),
    );
    const answer = world.call(tool, resolved as JsonObject);
    if (answer.servedBy === "gap" || !succeeded(answer)) return undefined;
    answers.push(answer);
  }
  return answers;
}

/** How many sessions gave an argument of a tool a value. */
type Given = (tool: string, name: string, value: unknown) => number;

function givenIn(sessions: readonly SessionCalls[]): Given {
  const counts = new Map<string, number>();
  const keyOf = (tool: string, name: string, value: unknown) => JSON.stringify([tool, name, value]);
  for (const session of sessions) {
    const own = session.flatMap(({ tool, args, ok }) =>
      ok ? Object.entries(args).map(([name, value]) => keyOf(tool, name, value)) : [],
    );
    for (const key of new Set(own)) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return (tool, name, value) => counts.get(keyOf(tool, name, value)) ?? 0;
}

/** Whether each value of what calls are required to be given was said in the request, letter by letter, or given by several sessions. */
function areMeant(patterns: readonly CallPattern[], given: Given, words: string): boolean {
  return patterns.every(({ tool, args = [] }) =>
    args.every(
      ({ path, value }) =>
        typeof value === "boolean" || words.includes(String(value)) || given(tool, path, value) >= ALIKE,
    ),
  );
}

/** Takes a thing away, or puts it where it is out of the way. */
const ENDS = /^(?:archive|cancel|delete|discard|drop|end|forget|leave|remove|stop|withdraw|un[a-z]{3,})\b/;

/** Whether one of several calls does again to a thing what another one did, or ends what another one changed. */
function isUndone(patterns: readonly CallPattern[]): boolean {
  const thingOf = ({ args: [first] = [] }: CallPattern) => JSON.stringify(first?.value);
  return patterns.some((later, i) =>
    patterns
      .slice(0, i)
      .some((one) => thingOf(one) === thingOf(later) && (one.tool === later.tool || ENDS.test(humanize(later.tool)))),
  );
}

/** What sessions looked at before they changed anything: each look once. */
function readsOf(kit: Kit, sessions: readonly SessionCalls[]): Script["calls"] {
  const reads = sessions.flatMap((session) => {
    const first = session.findIndex(({ tool }) => isChange(kit, tool));
    return session.slice(0, first < 0 ? undefined : first).filter(({ ok }) => ok);
  });
  const once = new Map(reads.map(({ tool, args }) => [JSON.stringify([tool, args]), { tool, args }]));
  return [...once.values()].slice(0, MOST_READS);
}

/** Changes that only looking makes in what the world knows are free. */
const freed = ({ table, key, op }: AllowedChange): AllowedChange => ({
  table,
  op,
  ...(key === undefined ? {} : { key }),
  fields: {},
  any: [""],
  required: false,
});

/** A chain of changes that the world carries out without knowing all that they change; undefined where it is none. */
function actOf(kit: Kit, session: SessionCalls, chain: Chain, reads: Script["calls"]): Act | undefined {
  const { calls } = chain;
  if (chain.answers.some(({ changes }, i) => changes.length > 0 && !isChange(kit, calls[i]?.tool ?? "")))
    return lost(kit, "calls of changes", "a look is taken for a change");
  if (
    chain.answers.some(
      (answer, i) => !isDone({ tool: calls[i]?.tool ?? "", ok: succeeded(answer), value: answer.value }),
    )
  )
    return lost(kit, "calls of changes", "one is not carried out");
  const patterns = patternsOf(kit, chain);
  if (patterns === undefined) return lost(kit, "calls of changes", "an argument is no plain value");
  if (isUndone(patterns)) return lost(kit, "calls of changes", "a thing is changed twice");
  const worlds = [kit.fork(), kit.otherwise()];
  const ends = worlds.map((world) => (made(world, calls) === undefined ? undefined : world.diff()));
  const [one, two] = ends;
  if (one === undefined || two === undefined || one.length !== two.length)
    return lost(kit, "calls of changes", "its end is not certain");
  const looked = kit.fork();
  for (const { tool, args } of reads) looked.call(tool, args as JsonObject);
  const seen = requiredOf(looked.diff(), looked.diff()).map(freed);
  const changes = [...ownFree(kit.bundle, requiredOf(one, two)), ...seen];
  if (made(looked, calls) === undefined) return lost(kit, "calls of changes", "a look before it leads to a gap");
  if (stateWithin(changes, looked.diff()).verdict !== "met")
    return lost(kit, "calls of changes", "a look before it changes its end");
  const changed = calls.map(({ tool }) => isChange(kit, tool));
  return {
    calls,
    outcome: {
      changes,
      results: chain.results,
      changed,
      succeeded: calls.map(() => true),
    },
    required: patterns,
    sequence: calls.flatMap(({ tool }) => (isChange(kit, tool) ? [tool] : [])),
    session,
    picked: chain.picked,
  };
}

/** Which calls of a session make so many changes: each alone, and those in a row from its first. */
function* picksOf(kit: Kit, session: SessionCalls, family: "write" | "multi_write"): Generator<readonly number[]> {
  const changes = session.flatMap((call, i) => (isChange(kit, call.tool) && isDone(call) ? [i] : []));
  if (family === "write") for (const at of changes) yield [at];
  else for (let n = 2; n <= Math.min(MOST_CHANGES, changes.length); n += 1) yield changes.slice(0, n);
}

/** What is asked for stands as the sessions gave it. */
const asGiven = (recorded: Recorded): Recorded => ({ ...recorded, isFree: () => false });

/**
 * Changes that sessions made where each began, and of which the world does not know all that they change: that they were
 * made, and carried out, decides. For worlds of which little else can be asked.
 */
export function* callsWhereBegun(
  kits: KitOf,
  traces: readonly ObservedTrace[],
  family: "write" | "multi_write",
  voices: () => Voice,
  rng: Random,
): Generator<{ readonly draft: Draft; readonly kit: Kit }> {
  const told = new Set<string>();
  const isShown = shownOrders(recordedIn(traces).sessions);
  for (const { kit, start, sessions } of beginnings(kits, traces, rng)) {
    const recorded = asGiven(recordedIn(sessions));
    const given = givenIn(recorded.sessions);
    const reads = readsOf(kit, recorded.sessions);
    const words = sessions.map(({ request = "", turns = [] }) => [request, ...turns].join("\n")).join("\n");
    for (const session of recorded.sessions)
      for (const picked of picksOf(kit, session, family)) {
        const chain = chainOf(kit, session, picked, {
          recorded,
          rng,
          begun: session.length,
          unfollowed: ({ tool }) => !isChange(kit, tool),
        });
        const act = chain && actOf(kit, session, chain, reads);
        const end = JSON.stringify(act?.required);
        if (!act || told.has(end)) continue;
        told.add(end);
        if (!areMeant(act.required, given, words)) {
          lost(kit, "calls of changes", "a value may be a slip");
          continue;
        }
        const wishes = userRequestsOf(kit, act, true);
        if (!wishes) {
          lost(kit, "words", `nothing says ${act.sequence.join(" and ")}`);
          continue;
        }
        const voice = voices();
        const said = conversationOf(kit, voice, act.calls, wishes, rng, isShown);
        const draft = draftOf(kit, act, family, voice, said);
        const checks: Draft["checks"] = [
          { kind: "calls_required", calls: [...act.required], done: true },
          { kind: "state", changes: [...act.outcome.changes] },
          { kind: "answer_class", class: "answered" },
        ];
        yield { draft: { ...draft, checks, alternatives: [], ...(start === undefined ? {} : { start }) }, kit };
      }
  }
}
