import { declaredEffect, effectByName } from "../../compile/effects.ts";
import { type Call, observe, type Session } from "../../compile/observations.ts";
import { generatedBy } from "../../fidelity/renaming.ts";
import { type Volatility, volatilityOf } from "../../floor/volatile.ts";
import { isObject, type Json } from "../../json.ts";
import type { ObservedTrace } from "../../observation.ts";
import type { World } from "../../world-api.ts";
import { freeOpposites, ownFree, requiredOf } from "../changes.ts";
import { classOf } from "../checks/answer-class.ts";
import { claimsDone } from "../checks/claims.ts";
import { Reading } from "../checks/facts.ts";
import { stateWithin } from "../checks/state.ts";
import { textStates, undetermined } from "../determined.ts";
import { type Draft, finish, ref } from "../draft.ts";
import { givenValues, unseenArguments } from "../grading/unseen-arguments.ts";
import type { Kit } from "../kit.ts";
import { lost } from "../losses.ts";
import { completeOf, valuesNamed } from "../observed/complete.ts";
import { inCommon } from "../observed/in-common.ts";
import { asksForFigure } from "../observed/requested-sums.ts";
import { ambiguousRequests, asksOtherwise } from "../observed/requests.ts";
import { random } from "../random.ts";
import type { AllowedChange, Check, FinishedTrial, Script } from "../schema.ts";
import { refOf, resolveArgs, ScriptError } from "../script.ts";
import { playCall, playScript } from "../trial.ts";
import { type RecordedUser, recordedUser } from "../user/recorded.ts";
import type { Voice } from "../words/phrases.ts";
import { Course } from "./course.ts";
import { agreedOn, pointsAtOmitted, proseIsStated, speaksOf, userWordsTo } from "./user-words.ts";

type Calls = Script["calls"];

/** Recorded sessions of one task, and the surface as they found it. */
interface Group {
  readonly kit: Kit;
  readonly start: string | undefined;
  readonly volatility: Volatility;
  readonly runs: readonly { readonly trace: ObservedTrace; readonly session: Session }[];
  /** Whether others were asked in its words for other acts. */
  readonly otherwise: boolean;
}

/** What a recorded session did, as the world does it again. */
interface Run {
  readonly trace: ObservedTrace;
  readonly script: Script;
  readonly changes: readonly AllowedChange[];
  readonly table: string;
  readonly last: string;
  readonly writes: number;
}

/** Whether the world models what a tool changes: its behaviour changes something, or it was found to change nothing. */
function isModelled({ bundle }: Kit, tool: string): boolean {
  if (bundle.behaviours[tool]?.effect === "write") return true;
  if (bundle.footprints !== undefined) return !Object.hasOwn(bundle.footprints, tool);
  return (declaredEffect(bundle.tools.find(({ name }) => name === tool)) ?? effectByName(tool)) === "read";
}

const writesOf = ({ tools }: Kit) => tools.flatMap(({ name, effect }) => (effect === "write" ? [name] : []));

/** A replayed session: the recorded calls that changed something, and what it did, where the world does that again. */
interface Attempt {
  readonly trace: ObservedTrace;
  readonly changing: readonly Call[];
  readonly run: Run | undefined;
}

function attemptOf(group: Group, trace: ObservedTrace, session: Session): Attempt {
  const { kit, volatility } = group;
  const course = new Course(kit.fork(), volatility);
  const isWrite = (tool: string) => kit.bundle.behaviours[tool]?.effect === "write";
  let problem: string | undefined;
  for (const call of session.calls) {
    const taken = course.take(call);
    const made = taken === "kept" || taken === "repeated";
    if (taken === undefined && (isWrite(call.tool) || !isModelled(kit, call.tool)))
      problem ??= `${call.tool} does not end as recorded`;
    if (made && (!isModelled(kit, call.tool) || (taken === "repeated" && isWrite(call.tool))))
      problem ??= `nobody knows what ${call.tool} changes`;
  }
  if (problem !== undefined) lost(kit, "sessions", problem);
  const reads = new Set(kit.tools.flatMap(({ name, effect }) => (effect === "read" ? [name] : [])));
  const changing = course.changing.filter(({ tool }) => !reads.has(tool));
  return { trace, changing, run: problem === undefined && trace.request ? runOf(group, trace, course) : undefined };
}

/** What a session that was replayed to its end did; undefined where that is not certain. */
function runOf({ kit }: Group, trace: ObservedTrace, course: Course): Run | undefined {
  const isWrite = (tool: string) => kit.bundle.behaviours[tool]?.effect === "write";
  const changes = endOf(kit, course.calls);
  if (changes === undefined) return lost(kit, "sessions", "its end is not certain");
  const writes = course.calls.filter(({ tool }) => isWrite(tool));
  const words = trace.finalAnswer?.trim() || "Done.";
  const read = classOf(words);
  // A conversation that ends with a courtesy question, or in words that read both ways, has still done what was asked;
  // so has one that its source rewarded, and that says so beside what it cannot do.
  const isDone =
    changes.length > 0 &&
    (read === undefined ||
      read === "none" ||
      ((trace.reward ?? 0) >= 1 && saysDone(words, trace.request ?? "", course.calls)));
  const answer = isDone ? "Done." : words;
  return {
    trace,
    script: { calls: course.calls, answer, class: classOf(answer) ?? "answered" },
    changes,
    table: changes[0]?.table ?? "",
    last: (writes.at(-1) ?? course.calls.at(-1))?.tool ?? "",
    writes: writes.length,
  };
}

/** Whether a session's last words say that what it was asked was done. */
function saysDone(words: string, request: string, made: Calls): boolean {
  const calls = made.map((call) => ({ ...call, answer: null, answer_class: "data", is_error: false, changed: true }));
  return claimsDone(new Reading(words).folded, { request, calls });
}

/** The final difference that calls leave, what differs between two seeds free; undefined where a call fails or leads nowhere. */
function endOf(kit: Kit, calls: Calls): AllowedChange[] | undefined {
  const [one, two] = [kit.fork(), kit.otherwise()].map((world) => playAll(world, calls));
  return one === undefined || two === undefined || one.diff.length !== two.diff.length
    ? undefined
    : freeOpposites(ownFree(kit.bundle, requiredOf(one.diff, two.diff)), one.calls);
}

function playAll(world: World, calls: Calls): Pick<FinishedTrial, "calls" | "diff"> | undefined {
  const made: FinishedTrial["calls"][number][] = [];
  try {
    for (const { tool, args } of calls) {
      const results = made.map(({ answer }) => answer as Json);
      const call = playCall(world, tool, resolveArgs(args, results));
      if (call.is_error) return undefined;
      made.push(call);
    }
  } catch (error) {
    if (error instanceof ScriptError) return undefined;
    throw error;
  }
  return { calls: made, diff: world.diff() };
}

/** The runs by where they ended, the ends that most runs reached first. */
function byEnd(runs: readonly Run[]): [Run, ...Run[]][] {
  const ends = new Map<string, [Run, ...Run[]]>();
  for (const run of runs) {
    const name = JSON.stringify(run.changes);
    const known = ends.get(name);
    if (known) known.push(run);
    else ends.set(name, [run]);
  }
  return [...ends.values()].sort((a, b) => b.length - a.length);
}

/** The values that a session's user said and that changes end with. */
function endsNamed(trace: ObservedTrace, changes: readonly AllowedChange[]): string[] {
  const data = changes.map(({ key, fields }) => ({ ...(key === undefined ? {} : { key }), ...fields }));
  return [...valuesNamed(trace, data)];
}

/** Whether a change asks for anything: that a row comes or goes, or what a field ends with. */
const asks = ({ required, op, fields, gone }: AllowedChange): boolean =>
  required && (op !== "update" || Object.keys(fields).length > 0 || (gone?.length ?? 0) > 0);

/** The calls without one of them, references moved; undefined where a later call refers to it. */
function without(calls: Calls, gone: number): Calls | undefined {
  let needed = false;
  const move = (value: unknown): unknown => {
    const told = refOf(value);
    if (told) {
      if (told.n === gone + 1) needed = true;
      return told.n > gone + 1 ? ref(told.n - 1, told.path) : value;
    }
    if (Array.isArray(value)) return value.map(move);
    return isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, move(item)])) : value;
  };
  const rest = calls
    .filter((_, i) => i !== gone)
    .map(({ tool, args }) => ({ tool, args: move(args) as Record<string, unknown> }));
  return needed ? undefined : rest;
}

/**
 * The draft with as few calls as still meet its check, each as much told by the request and the readings as before:
 * that sessions agree on a value leaves no reading out that tells it.
 */
function pruned(kit: Kit, draft: Draft): Draft {
  const { dependsOn: _restsOn, ...told } = draft;
  const problems = (calls: Calls): number => {
    const task = finish({ ...told, script: { ...draft.script, calls } });
    try {
      const trial = playScript(kit.fork(), task.script, task.turns.length + 1);
      const [state] = task.checks;
      if (state?.kind !== "state") return Number.POSITIVE_INFINITY;
      if (stateWithin(state.changes, trial.diff, state.alternatives).verdict !== "met") return Number.POSITIVE_INFINITY;
      return undetermined(kit, task, trial).length;
    } catch (error) {
      if (error instanceof ScriptError) return Number.POSITIVE_INFINITY;
      throw error;
    }
  };
  let { calls } = draft.script;
  let least = problems(calls);
  for (let i = calls.length - 1; i >= 0 && calls.length > 1; i -= 1) {
    const fewer = without(calls, i);
    const left = fewer === undefined ? Number.POSITIVE_INFINITY : problems(fewer);
    if (fewer === undefined || left === Number.POSITIVE_INFINITY || left > least) continue;
    calls = fewer;
    least = left;
  }
  return { ...draft, script: { ...draft.script, calls } };
}

/** The draft as a conversation: the user says when asked what it said in turns. */
function conversation(draft: Draft, { user, questions }: RecordedUser): Draft {
  const asking = questions.length === 0 ? {} : { questions: [...questions] };
  return { ...draft, turns: [], user, script: { ...draft.script, ...asking } };
}

/**
 * Tasks from the sessions of one task: a user's own words, one session's calls as script. Where a source rewarded them
 * the replayed difference is the key, and every other one that a rewarded session ended with an alternative. Where
 * nobody did, what all of them ended with is required. None where one of them changed nothing, or ended by declining a
 * part: then no check tells right from wrong without rejecting it. One draft for each session that could be the script.
 */
function* mine(
  group: Group,
  rewarded: boolean,
  voice: Voice,
  given: ReturnType<typeof givenValues>,
  isShared: boolean,
): Generator<Draft> {
  const attempts = group.runs.map(({ trace, session }) => attemptOf(group, trace, session));
  const { kit, otherwise } = group;
  const writes = writesOf(kit);
  if (attempts.every(({ run }) => run === undefined))
    return lost(kit, "recorded tasks", "no session could be replayed");
  const runs = (rewarded ? attempts : completeOf(attempts)).flatMap(({ run }) => run ?? []);
  const [first] = runs;
  if (first === undefined) return lost(kit, "recorded tasks", "no session did all that was asked");
  if (runs.some(({ changes }) => changes.length === 0)) return lost(kit, "recorded tasks", "a session changed nothing");
  if (runs.some(({ script }) => script.class !== "answered")) return lost(kit, "recorded tasks", "a session declined");
  const ends = byEnd(runs);
  const scripts = rewarded ? ends.slice(0, 1).map(([run]) => run) : runs;
  const others = rewarded ? ends.slice(1).map(([run]) => run) : [];
  const changes = rewarded ? [...(scripts[0]?.changes ?? [])] : inCommon(runs.map((run) => run.changes));
  if (!changes.some(asks)) return lost(kit, "recorded tasks", "sessions ended in nothing alike");
  const due = changes.filter(({ required }) => required);
  const kept = endsNamed(first.trace, due);
  if (!rewarded && runs.some(({ trace, changes }) => endsNamed(trace, changes).some((value) => !kept.includes(value))))
    return lost(kit, "recorded tasks", "sessions ended otherwise in what was asked");
  const key = { kind: "state" as const, changes };
  const checks: Check[] = [
    others.length === 0 ? key : { ...key, alternatives: others.map((run) => [...run.changes]) },
    { kind: "answer_class", class: "answered" },
  ];
  for (const run of scripts) {
    const { words, omitted } = userWordsTo(kit, run.trace, runs, isShared);
    if (pointsAtOmitted(words[0] ?? "", run.trace)) {
      lost(kit, "recorded tasks", "the request goes on from what is left out");
      continue;
    }
    // What a turn that was left out says the sessions may have had from there.
    const agreed = agreedOn(run.script, runs).filter((value) => !textStates(new Reading(omitted), value, ""));
    const [request = "", ...turns] = words;
    const draft = pruned(group.kit, {
      family: "mined",
      operation: run.last,
      object: run.table,
      condition: "present",
      difficulty: run.writes > 1 ? "hard" : "medium",
      useCase: "as asked in production",
      voice,
      request,
      turns,
      script: run.script,
      alternatives: others.map(({ script }) => script),
      checks,
      start: group.start,
      dependsOn: { runs: runs.length, rewarded, ...(agreed.length > 0 ? { agreed } : {}) },
    });
    // The change alone does not tell whether the figure that was asked for was told.
    if (rewarded && asksForFigure(words.join("\n"))) {
      lost(kit, "recorded tasks", "the request asks for a figure that no change shows");
      continue;
    }
    const { calls } = playScript(group.kit.fork(), draft.script, 1);
    const asked = { words, calls: draft.script.calls, runs: runs.map(({ script }) => script.calls), otherwise };
    const off = speaksOf(kit, calls, words)
      ? asksOtherwise({ ...asked, writes })
      : "the request does not speak of what was done";
    if (!rewarded && off !== undefined) {
      lost(kit, "recorded tasks", off);
      continue;
    }
    if (omitted !== "" && !proseIsStated(draft.script.calls, words)) continue;
    const unseen = others.length === 0 ? unseenArguments(group.kit, draft.script, given) : [];
    const whole: Draft =
      unseen.length === 0 ? draft : { ...draft, checks: [...checks, { kind: "calls_required", calls: unseen }] };
    if ((draft.turns ?? []).length > 0)
      yield conversation(whole, recordedUser(draft.request, draft.turns ?? [], draft.script.calls));
    yield whole;
  }
}

/**
 * Tasks from recorded sessions whose replay changes something: one per group of sessions, else per request. Of a group
 * that a source graded only rewarded sessions count. `kits` gives the surface as sessions of a group found it.
 */
export function* mined(
  kits: (group: string) => { readonly kit: Kit; readonly start: string | undefined },
  traces: readonly ObservedTrace[],
  voices: () => Voice,
): Generator<{ readonly draft: Draft; readonly kit: Kit }> {
  const given = givenValues(traces);
  // Sessions that go on after turns that the agent never met are of users of several services.
  const isShared = traces.some(({ unanswered = [], turns = [] }) => unanswered.some((turn) => turn < turns.length));
  const observed = observe(traces);
  const sessions = new Map(observed.map((session) => [session.id, session]));
  const groups = new Map<string, ObservedTrace[]>();
  for (const trace of random("mined").shuffled([...traces].sort((a, b) => (a.id < b.id ? -1 : 1)))) {
    // What the user did with tools of the user's own no agent can do in their place.
    if (trace.calls.some(({ by }) => by === "user")) continue;
    const name = trace.group === undefined ? `request ${trace.request}` : `group ${trace.group}`;
    const list = groups.get(name);
    if (list) list.push(trace);
    else groups.set(name, [trace]);
  }
  const alike = ambiguousRequests(groups, new Set(writesOf(kits("").kit)));
  for (const [name, list] of groups) {
    const graded = list.some(({ reward }) => reward !== undefined);
    const kept = graded ? list.filter(({ reward }) => (reward ?? 0) >= 1) : list;
    const [first] = kept;
    if (first === undefined) {
      lost(kits(list[0]?.group ?? "").kit, "recorded tasks", "no session was rewarded");
      continue;
    }
    const runs = kept.flatMap((trace) => {
      const session = sessions.get(trace.id);
      return session ? [{ trace, session }] : [];
    });
    const { kit, start } = kits(first.group ?? first.id);
    for (const draft of mine(
      { kit, start, volatility: generatedBy(kit.bundle, volatilityOf(observed)), runs, otherwise: alike.has(name) },
      graded,
      voices(),
      given,
      isShared,
    ))
      yield { draft, kit };
  }
}
