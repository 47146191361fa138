import { canonicalJson } from "../../digest.ts";
import type { Scalar } from "../../json.ts";
import type { ObservedTrace } from "../../observation.ts";
import { type Act, candidateActions } from "../acts/candidates.ts";
import { isAnyOrderServed, type ShownOrder, shownOrders } from "../acts/orders.ts";
import { lineEnds } from "../acts/proof.ts";
import { type Recorded, recordedIn } from "../acts/recorded.ts";
import { askableValuesIn, type RecordedRead, readsAfter, shownBy, stableReads } from "../acts/recorded-reads.ts";
import { aboutOf, actOf } from "../acts/words.ts";
import { isUnit } from "../checks/units.ts";
import { singular } from "../checks/words.ts";
import { type Draft, ref, says } from "../draft.ts";
import { factOf } from "../kinds.ts";
import type { Kit, KitOf } from "../kit.ts";
import { label } from "../leaves.ts";
import { lost } from "../losses.ts";
import type { Random } from "../random.ts";
import type { Check, FinishedTrial, Script, Task } from "../schema.ts";
import { playScript } from "../trial.ts";
import { inOneSentence } from "../words/one-sentence.ts";
import { argumentLabel, type Voice, want, wantAll } from "../words/phrases.ts";
import { revises } from "../words/unlikely.ts";
import { joinedRequests } from "../words/user-requests.ts";
import { beginnings } from "./beginnings.ts";
import { otherValues } from "./questions.ts";
import { triedWrites } from "./write.ts";

/** What an agent says that has done everything. */
export const DONE = "Done: everything has been carried out as you asked.";

/** A wish for a change, and the place of the call that carries it out. */
export interface RequestedChange {
  readonly at: number;
  readonly said: string;
}

/** The wishes of changes in order, not of what is read; undefined where one cannot be said or would be twice. `plainly` as in `actOf`. */
export function userRequestsOf(kit: Kit, { calls, outcome }: Act, plainly = false): RequestedChange[] | undefined {
  const all = calls.flatMap((_, at) => (outcome.changed[at] ? [{ at, said: actOf(kit, calls, at, plainly) }] : []));
  const said = new Set(all.map((wish) => wish.said));
  return said.has(undefined) || said.size < all.length ? undefined : (all as RequestedChange[]);
}

/**
 * Wishes by the turn that they are said in: what makes something else of what was just made is said once that is done,
 * and so is what the world serves in the recorded order alone, since nobody has to keep to that order.
 */
function byTurn(kit: Kit, calls: Script["calls"], wishes: readonly RequestedChange[], isShown: ShownOrder): string[][] {
  const played = playScript(kit.fork(), { calls, answer: "", class: "answered" }).calls;
  const paramsOf = (tool: string) =>
    kit.tools.find(({ name }) => name === tool)?.params.map((param) => param.name) ?? [];
  const isPlayable = (turn: readonly RequestedChange[]) => {
    const ats = turn.map(({ at }) => at);
    const before = wishes.flatMap(({ at }) => (at < (ats[0] ?? 0) ? [at] : []));
    return isAnyOrderServed(kit, calls, before, ats, isShown);
  };
  const parted = (all: readonly RequestedChange[], takes?: typeof paramsOf): RequestedChange[][] => {
    const turns: RequestedChange[][] = [];
    for (const wish of all) {
      const turn = turns.at(-1);
      const earlier = (turn ?? []).map(({ at }) => played[at] as FinishedTrial["calls"][number]);
      const joins = turn && !revises(played[wish.at] as FinishedTrial["calls"][number], earlier, takes);
      if (joins && isPlayable([...turn, wish])) turn.push(wish);
      else turns.push([wish]);
    }
    return turns;
  };
  const textsOf = (turn: readonly RequestedChange[]) => turn.map(({ said }) => said);
  // "create an epic and set its priority" is said in one breath, which a sentence more is not.
  return parted(wishes)
    .flatMap((turn) => (inOneSentence(joinedRequests(textsOf(turn))) === undefined ? parted(turn, paramsOf) : [turn]))
    .map(textsOf);
}

/** Wishes as a request, and as what the user says once it was carried out. */
export function conversationOf(
  kit: Kit,
  voice: Voice,
  calls: Script["calls"],
  wishes: readonly RequestedChange[],
  rng: Random,
  isShown: ShownOrder,
): Pick<Task, "request" | "turns"> {
  const [first = [], ...others] = byTurn(kit, calls, wishes, isShown);
  const terse = voice.register === "terse";
  const later: Voice = { persona: voice.persona, register: terse ? "terse" : "plain" };
  return {
    request: requestOf(voice, first, rng),
    turns: others.map((turn) => `${terse ? "" : "Thanks. "}${requestOf(later, turn, rng)}`),
  };
}

/** One wish or several, as one request. A quoted sentence ends the sentence that quotes it. */
function requestOf(voice: Voice, all: readonly string[], rng: Random): string {
  const wishes = joinedRequests(all);
  const said = wishes.length === 1 ? want(voice, wishes[0] as string, rng) : wantAll(voice, wishes, rng);
  return said.replace(/([.!?]["\u201d])\.(?=\s|$)/gu, "$1");
}

/** What must be done and end so, and the ends that differ in line ends only with the calls that lead there. */
export function endsOf(
  kit: Kit,
  { calls, outcome, required }: Act,
): { done: Check[]; alternatives: Script["calls"][] } {
  const others = lineEnds(kit, calls, outcome);
  const state = { kind: "state" as const, changes: [...outcome.changes] };
  return {
    done: [
      others.length === 0 ? state : { ...state, alternatives: others.map(({ changes }) => [...changes]) },
      ...(required.length > 0 ? [{ kind: "calls_required" as const, calls: [...required] }] : []),
    ],
    alternatives: others.map((other) => other.calls),
  };
}

/**
 * Changes that sessions were seen to make, made again on the drawn world: `write` of one, `multi_write` of two to
 * four. For any world: nothing is taken from its rows but what the sessions named. Without sessions there are none.
 * `changing` passes over what the sessions did besides and left the drawn world as it is.
 */
export function* recordedChanges(
  kit: Kit,
  traces: readonly ObservedTrace[],
  family: "write" | "multi_write",
  voices: () => Voice,
  rng: Random,
  changing = false,
  recorded: Recorded = recordedIn(traces),
): Generator<Draft> {
  const covered = new Set([...triedWrites(kit)].flatMap(([tool, { changed }]) => (changed.length > 0 ? [tool] : [])));
  // Where rows tell what may be asked of a tool, tasks are made from these.
  const fits = (tools: readonly string[]) =>
    (family === "write" ? tools.length === 1 : tools.length > 1) && !tools.every((tool) => covered.has(tool));
  const isShown = shownOrders(recorded.sessions);
  let n = 0;
  for (const act of candidateActions(kit, recorded, rng.fork("acts"), fits, changing)) {
    const wishes = userRequestsOf(kit, act);
    if (!wishes) {
      lost(kit, "words", `nothing says ${act.sequence.join(" and ")}`);
      continue;
    }
    const voice = voices();
    const base = draftOf(kit, act, family, voice, conversationOf(kit, voice, act.calls, wishes, rng, isShown));
    n += 1;
    yield (n % EVERY === 0 ? withQuestion(kit, recorded, act, base, rng) : undefined) ?? base;
  }
}

/** Changes that sessions made where each began: what is there to be changed is known, whatever the drawn world holds. */
export function* changesWhereBegun(
  kits: KitOf,
  traces: readonly ObservedTrace[],
  family: "write" | "multi_write",
  voices: () => Voice,
  rng: Random,
): Generator<{ readonly draft: Draft; readonly kit: Kit }> {
  const all = recordedIn(traces);
  for (const { kit, start, sessions } of beginnings(kits, traces, rng)) {
    if (start === undefined) return;
    const own = { ...all, sessions: recordedIn(sessions).sessions };
    for (const draft of recordedChanges(kit, sessions, family, voices, rng, true, own))
      yield { draft: { ...draft, start }, kit };
  }
}

/** Of so many acts one asks for a reading too. */
const EVERY = 3;

export function draftOf(
  kit: Kit,
  act: Act,
  family: "write" | "multi_write",
  voice: Voice,
  said: Pick<Task, "request" | "turns">,
): Draft {
  const tool = act.sequence.at(-1) as string;
  const { done, alternatives } = endsOf(kit, act);
  const answered = { answer: DONE, class: "answered" as const };
  return {
    family,
    operation: tool,
    object: act.outcome.changes[0]?.table ?? "",
    condition: "present",
    difficulty: act.calls.length > 2 ? "hard" : act.calls.length > 1 ? "medium" : "easy",
    useCase: [...new Set(act.sequence)].map(argumentLabel).join(" and "),
    words: "templated",
    voice,
    ...said,
    script: { calls: act.calls, ...answered },
    alternatives: alternatives.map((calls) => ({ calls, ...answered })),
    checks: [...done, { kind: "answer_class", class: "answered" }],
  };
}

/** Whether a reading is answered otherwise than it would have been before the act: nobody asks in one breath for what it left as it was. */
function isOfTheAct(kit: Kit, { tool, args, answer }: RecordedRead): boolean {
  const before = kit.fork().call(tool, args);
  return JSON.stringify(before.value) !== JSON.stringify(answer);
}

/** How a field is asked for after what was done: things are counted, all else is told. */
export function asksThen(field: string, value: Scalar, about: string): string {
  const last = field.split(" ").at(-1) ?? "";
  const counted = typeof value === "number" && Number.isInteger(value) && singular(last) !== last && !isUnit(last);
  const of = about === "" ? "" : ` for ${about}`;
  return counted ? `Then tell me how many ${field} there are${of}.` : `Then tell me the ${field}${of}.`;
}

/** The draft with a question for what the act changed and its session read next, where the answer is certain and not in the request. */
function withQuestion(kit: Kit, recorded: Recorded, act: Act, draft: Draft, rng: Random): Draft | undefined {
  if ((draft.alternatives ?? []).length > 0) return undefined;
  for (const reading of readsAfter(kit, act)) {
    if (!isOfTheAct(kit, reading)) continue;
    for (const asked of rng.shuffled(askableValuesIn(kit, reading.tool, reading.answer, true))) {
      const { leaf, inText } = asked;
      const about = aboutOf(kit, reading.calls, reading.calls.length - 1, label(leaf.path));
      // "the completion percent" is of something.
      if (about === undefined || (about === "" && isUnit(label(leaf.path).split(" ").at(-1) ?? ""))) continue;
      const fact = factOf(leaf.value, leaf.name);
      const said = [draft.request, ...(draft.turns ?? [])];
      const [request = "", ...turns] = [
        ...said.slice(0, -1),
        `${said.at(-1)} ${asksThen(label(leaf.path), leaf.value, about)}`,
      ];
      const words = [request, ...turns].join("\n");
      if (inText || says(words, fact)) continue;
      // What it was before may be told beside what it is.
      const before = stableReads(kit, recorded).filter(
        ({ tool, args }) => tool !== reading.tool || canonicalJson(args) !== canonicalJson(reading.args),
      );
      const others = otherValues(kit, reading.tool, asked, reading.answer, shownBy(kit, before), words);
      return {
        ...draft,
        difficulty: "hard",
        request,
        turns,
        script: {
          calls: reading.calls,
          answer: `${DONE} The ${label(leaf.path)} is {${ref(reading.calls.length, leaf.path)}}.`,
          class: "answered",
        },
        checks: [
          ...draft.checks,
          { kind: "answer_includes", facts: [fact] },
          ...(others.length > 0 ? [{ kind: "answer_excludes" as const, facts: others }] : []),
        ],
      };
    }
  }
  return undefined;
}
