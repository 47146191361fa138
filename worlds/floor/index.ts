import type { Session } from "../compile/observations.ts";
import { ACCEPTED_WRONG } from "../confidence.ts";
import { canonicalJson, sha256 } from "../digest.ts";
import type { Json, JsonObject } from "../json.ts";
import { ACROSS, BY_NAME, Calibration, isAgreed, type KeyedCall, LEVELS, type Level } from "./calibration.ts";
import { repeatsArguments, withArguments, withoutArguments } from "./echoes.ts";
import { type Effects, effectsOf } from "./effects.ts";
import {
  type Acted,
  actOf,
  type Extent,
  type ExtentLookup,
  extentIn,
  extentsOf,
  relevant,
  scalarsOf,
} from "./extent.ts";
import { Names } from "./names.ts";
import { holdsUnseen, Shown, textsOf } from "./shown.ts";
import { Tape } from "./tape.ts";
import { type Volatility, volatilityOf } from "./volatile.ts";

export { ACROSS, type KeyedCall, LEVELS, type Level, MINDING, UNSEEN } from "./calibration.ts";
export { type Effects, effectsOf } from "./effects.ts";
export { type Volatility, volatilityOf } from "./volatile.ts";

/** A question to a service. */
export interface Question {
  readonly tool: string;
  readonly args: JsonObject;
}

/** A question as far as answers of its tool are alike. */
export interface QuestionKind {
  readonly tool: string;
  readonly args: JsonObject;
  /** It holds a text that no answer showed. */
  readonly unseen: boolean;
}

/** What was answered: the value as data and whether it is a success. */
export interface Answered {
  readonly value: Json;
  readonly ok: boolean;
}

/** An answer of the floor. */
export interface FloorAnswer extends Answered {
  /** As `answerClass` names it. */
  readonly answerClass: string;
  /** What the answer was found by. */
  readonly level: Level;
  /** Estimated share of right answers, out of fold, of this level and tool. 0..1 */
  readonly confidence: number;
  /** Training sessions that gave this answer, and that gave any here. */
  readonly support: number;
  readonly of: number;
}

/** One session as the floor follows it. Every call has to be told with `note` once it is answered, whoever answered. */
export interface FloorSession {
  /** The most frequent answer at the first level whose precision reaches the threshold; undefined for a gap. */
  answer(question: Question): FloorAnswer | undefined;
  /** The best answer and its confidence, whatever the threshold; undefined where no training session says anything. */
  guess(question: Question): FloorAnswer | undefined;
  /** Tells what a call was answered, in the ids that the session uses; undefined where it was not answered. */
  note(question: Question, answered: Answered | undefined): void;
}

/** A back-off table over (task, earlier writes, question), calibrated out of fold. */
export interface Floor {
  readonly volatility: Volatility;
  readonly effects: Effects;
  /** A session of a task; undefined where the task is not known. */
  session(task: string | undefined): FloorSession;
}

/** What a floor is trained with. */
export interface FloorOptions {
  /** Largest share of wrong answers, 0..1; ACCEPTED_WRONG by default. */
  readonly wrong?: number;
  /** Tools whose answers are noted; all by default. */
  readonly tools?: ReadonlySet<string>;
  /** Tools that are said to read: no other is taken to change nothing. By default, what was shown to change nothing. */
  readonly reads?: (tool: string) => boolean;
}

/** The task of a session: a session without one is its own group. */
export function taskOf({ id, group }: Pick<Session, "id" | "group">): string | undefined {
  return group === id ? undefined : group;
}

/** The keys under which a question is looked up, by level; none where a level needs a task and there is none. */
export function keysOf(
  task: string | undefined,
  history: History,
  { tool, args, unseen }: QuestionKind,
  question: string,
): (string | undefined)[] {
  const changed = history.whole === "" ? "" : "changed";
  const of = task === undefined ? undefined : `${task}\n`;
  const relevant = history.relevantTo(tool, args);
  return [
    of === undefined ? undefined : `a${of}${history.whole}\n${question}`,
    of === undefined ? undefined : `h${of}${relevant}\n${question}`,
    of === undefined ? undefined : `b${of}${question}`,
    `c${history.whole}\n${question}`,
    `i${relevant}\n${question}`,
    `d${history.last}\n${question}`,
    `e${question}`,
    `m${tool}\n${unseen}\n${changed}\n${Object.keys(args).sort().join(" ")}`,
    unseen ? `f${tool}\n${changed}` : undefined,
    `g${tool}\n${changed}`,
  ];
}

/** The key of a question where a session did exactly what one of a group did, whether or not the group is a named task. */
export const exactKey = (group: string, history: History, question: string): string =>
  `x${group}\n${history.whole}\n${question}`;

/** What is known of the effects of tools. */
export type KnownEffects = Pick<Effects, "pure"> & {
  readonly extent?: ExtentLookup;
};

/** The calls of a session that may have changed something, in order. */
export class History {
  private readonly effects: KnownEffects;
  /** Digest over all of them; empty before the first. */
  whole = "";
  /** The last two. */
  last = "";
  private newest = "";
  private readonly acted: Acted[] = [];

  constructor(effects: KnownEffects) {
    this.effects = effects;
  }

  /** Takes a call up, as sessions are compared; no value where it was not answered. */
  add({ tool, args }: Question, question: string, ok: boolean, value: Json | undefined): void {
    if (!ok || this.effects.pure(tool)) return;
    this.last = `${this.newest}\n${question}`;
    this.newest = question;
    this.whole = sha256(`${this.whole}\n${question}`).slice(0, 24);
    if (this.effects.extent) this.acted.push({ act: actOf(tool, args, value), question, scalars: scalarsOf(args) });
  }

  /** Digest over the calls that may have changed what a question is answered; empty where there are none. */
  relevantTo(tool: string, args: JsonObject): string {
    const { extent } = this.effects;
    if (!extent || this.acted.length === 0) return "";
    const calls = relevant(this.acted, tool, scalarsOf(args), extent);
    if (calls.length === this.acted.length) return this.whole;
    return calls.reduce((all, { question }) => sha256(`${all}\n${question}`).slice(0, 24), "");
  }
}

/** Levels whose keys rest on how far calls reach. */
const RELEVANT: ReadonlySet<number> = new Set([
  LEVELS.indexOf("task and relevant calls"),
  LEVELS.indexOf("relevant calls"),
]);

/** A trained floor with what it was trained on. */
export interface Trained {
  readonly volatility: Volatility;
  readonly effects: Effects & KnownEffects;
  readonly tape: Tape;
  readonly calibration: Calibration;
  /** By session, its calls with the keys that they were noted under. */
  readonly keyedCalls: readonly (readonly KeyedCall[])[];
  /** The texts that answers showed. */
  readonly shown: Shown;
  /** Every id that a session generated. */
  readonly issued: ReadonlySet<string | number>;
  /** How far acts reach among the answers of each tool, where evidence says it. */
  readonly reaches: ReadonlyMap<string, ReadonlyMap<string, Extent>>;
}

/** Trains a floor. Deterministic; linear in calls. */
export function trainFloor(sessions: readonly Session[], options: FloorOptions = {}): Floor {
  const trained = train(sessions, options);
  const { volatility, effects } = trained;
  return { volatility, effects, session: (task) => new Follower(trained, task) };
}

/** What sessions were answered, by what the answer may rest on, and how often that held out of fold. */
export function train(
  sessions: readonly Session[],
  { wrong = ACCEPTED_WRONG, tools, reads }: FloorOptions = {},
): Trained {
  const volatility = volatilityOf(sessions);
  const issued = new Set<string | number>();
  const read = sessions.map((session) => {
    const names = new Names(volatility);
    return session.calls.map((call) => {
      const question = `${call.tool}\n${canonicalJson(names.args(call.args))}`;
      const before = names.count;
      const { key, value } = names.answer(call.tool, call.value, call.ok);
      const fresh = names.from(before);
      for (const id of fresh) issued.add(id);
      const answer = `${call.ok}\n${canonicalJson(key)}`;
      // Who made an id and who only shows it say the same, and are not the same to repeat; nor are refusals of two tools.
      const by = call.ok ? fresh.length : call.tool;
      const args = names.args(call.args);
      const byName = {
        id: `${by}\n${call.ok}\n${canonicalJson(withoutArguments(key, args))}`,
        value: withoutArguments(value, args),
      };
      return { call, question, answer, kept: `${by}\n${answer}`, value, byName, before, fresh };
    });
  });
  const told = effectsOf(sessions, (s, c) => read[s]?.[c]?.answer ?? "");
  const pure = reads ? (tool: string) => reads(tool) && !told.changes(tool) : told.pure;
  const compared = read.map((calls) =>
    calls.map(({ call, question, answer }) => ({
      tool: call.tool,
      act: actOf(call.tool, call.args, call.value),
      question,
      answer,
      scalars: scalarsOf(call.args),
      writes: call.ok && !pure(call.tool),
    })),
  );
  const groups = sessions.map(({ group }) => group);
  const reaches = extentsOf(compared, groups);
  const knowing = (known: typeof reaches): KnownEffects => ({
    pure,
    extent: extentIn((act, asked) => known.get(asked)?.get(act)),
  });
  const effects = { ...told, ...knowing(reaches) };
  const foldOf = foldsOf(groups);
  const folds = Array.from({ length: Math.max(...foldOf) + 1 }, (_, fold) => {
    const others = (_: unknown, s: number) => foldOf[s] !== fold;
    return knowing(extentsOf(compared.filter(others), groups.filter(others)));
  });
  const shown = new Shown();
  sessions.forEach((session, s) => {
    for (const { value } of session.calls) shown.add(value, taskOf(session) ?? `\n${s}`);
  });
  const tape = new Tape();
  const keyedCalls = sessions.map((session, s) => {
    const task = taskOf(session);
    const histories = [effects, ...folds].map((known) => new History(known));
    const [history] = histories as [History];
    const noted = (call: Session["calls"][number], question: string) => {
      for (const one of histories) one.add(call, question, call.ok, call.value);
    };
    const own = new Set<string>();
    const isShown = (text: string) => own.has(text) || shown.toOthers(text, task ?? `\n${s}`);
    return (read[s] ?? []).flatMap(({ call, question, kept: answer, value, byName, before, fresh }) => {
      const unseen = holdsUnseen(call.args, isShown);
      for (const text of textsOf(call.value)) own.add(text);
      if (tools && !tools.has(call.tool)) {
        noted(call, question);
        return [];
      }
      const kind = { tool: call.tool, args: call.args, unseen };
      const keys = keysOf(task, history, kind, question);
      const byFold = histories.slice(1).map((one, fold) => ofFold(fold, keysOf(task, one, kind, question)));
      const outOfFold = byFold[foldOf[s] as number] ?? [];
      const { ok, answerClass, flagged } = call;
      const kept = { value, ok, answerClass, flagged, before, fresh };
      const exact = exactKey(session.group, history, question);
      const group = task ?? `\n${s}`;
      tape.add([...keys.slice(0, BY_NAME), exact, ...byFold.flat()], group, s, answer, kept);
      tape.add(keys.slice(BY_NAME), group, s, byName.id, {
        ...kept,
        value: byName.value,
        own: call.ok && repeatsArguments(byName.value),
      });
      noted(call, question);
      return {
        call,
        tool: call.tool,
        keys,
        outOfFold,
        answer,
        byName: byName.id,
        situation: keys[0] ?? keys[ACROSS] ?? "",
        exact,
      };
    });
  });
  const calibration = new Calibration(
    tape,
    keyedCalls,
    sessions.map((session, s) => taskOf(session) ?? `\n${s}`),
    wrong,
  );
  return { volatility, effects, tape, calibration, keyedCalls, shown, issued, reaches };
}

/** Folds in which sessions are left out of what is learnt of how far calls reach. */
const FOLDS = 4;

/** The fold of each session: a task is whole in one. */
function foldsOf(groups: readonly string[]): number[] {
  const order = new Map<string, number>();
  for (const group of groups) if (!order.has(group)) order.set(group, order.size);
  return groups.map((group) => (order.get(group) as number) % FOLDS);
}

/** Keys of the levels that rest on how far calls reach, as the other folds know it. */
const ofFold = (fold: number, keys: readonly (string | undefined)[]): (string | undefined)[] =>
  keys.map((key, i) => (key === undefined || !RELEVANT.has(i) ? undefined : `${fold}${key}`));

class Follower implements FloorSession {
  private readonly names: Names;
  private readonly history: History;
  private readonly tape: Tape;
  private readonly calibration: Calibration;
  private readonly task: string | undefined;
  private readonly known: boolean;
  private readonly shown: Shown;
  private readonly own = new Set<string>();

  constructor({ volatility, effects, tape, calibration, shown }: Trained, task: string | undefined) {
    this.shown = shown;
    this.names = new Names(volatility);
    this.history = new History(effects);
    this.tape = tape;
    this.calibration = calibration;
    this.task = task;
    this.known = task !== undefined && tape.knows(task);
  }

  answer(question: Question): FloorAnswer | undefined {
    return this.find(question, true);
  }

  guess(question: Question): FloorAnswer | undefined {
    return this.find(question, true) ?? this.find(question, false);
  }

  private find({ tool, args }: Question, sure: boolean): FloorAnswer | undefined {
    const question = `${tool}\n${canonicalJson(this.names.args(args))}`;
    const unseen = holdsUnseen(args, (text) => this.own.has(text) || this.shown.has(text));
    const keys = keysOf(this.known ? this.task : undefined, this.history, { tool, args, unseen }, question);
    const given = this.names.args(args);
    let best: FloorAnswer | undefined;
    for (const [i, key] of keys.entries()) {
      const level = LEVELS[i];
      if (key === undefined || level === undefined) continue;
      const held = this.tape.best(key);
      if (!held || held.answer.own || withArguments(held.answer.value, args) === undefined) continue;
      const confidence = this.calibration.confidence(level, tool, this.known, isAgreed(level, held, this.known));
      if (sure ? !this.calibration.reaches(confidence) : best && confidence <= best.confidence) continue;
      const value = this.names.restore(withArguments(held.answer.value, given) ?? null, (k) =>
        minted(k, question, this.names.count),
      );
      if (value === undefined) continue;
      const { ok, answerClass } = held.answer;
      best = { value, ok, answerClass, level, confidence, support: held.support, of: held.of };
      if (sure) break;
    }
    return best;
  }

  note({ tool, args }: Question, answered: Answered | undefined): void {
    const question = `${tool}\n${canonicalJson(this.names.args(args))}`;
    if (answered) {
      this.names.answer(tool, answered.value, answered.ok);
      for (const text of textsOf(answered.value)) this.own.add(text);
    }
    this.history.add({ tool, args }, question, answered?.ok ?? true, answered?.value);
  }
}

/** An id of the floor's own: it was never seen, and is the same whenever the same session asks the same. */
function minted(k: number, question: string, count: number): string {
  return `id-${sha256(`${count}\n${k}\n${question}`).slice(0, 12)}`;
}
