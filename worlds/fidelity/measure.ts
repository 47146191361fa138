import type { BaseState, Bundle } from "../bundle.ts";
import { type Call, observe, type Session } from "../compile/observations.ts";
import { isScalar, same } from "../compile/values.ts";
import { trainFloor, type Volatility, volatilityOf } from "../floor/index.ts";
import { onDay, partsTold, sessionDaysOf } from "../floor/session-days.ts";
import type { Json } from "../json.ts";
import type { ObservedTrace } from "../observation.ts";
import {
  type Answerer,
  type Answering,
  CompiledWorld,
  Constants,
  CountedRecording,
  FloorAnswering,
  Recording,
  type Served,
} from "./answerers.ts";
import { type Counts, count, noCounts, type Outcome, type Promise_, type Promised, promisedOf } from "./counts.ts";
import { Renaming } from "./renaming.ts";
import { contradictionsOf, Situations } from "./situations.ts";

/** What is measured beside the world, by name. */
export const BASELINES = ["recording", "recording_nth", "constant", "floor"] as const;
export type Baseline = (typeof BASELINES)[number];

/** Counts of the world with those of each baseline over the same calls. */
export type Compared = Counts & Record<Baseline, Counts>;

/** Calls counted three ways: each once, each situation once, each session once. */
export interface ThreeWays extends Compared {
  readonly by_situation: Compared;
  readonly by_session: Compared;
}

/** One replayed call of a measurement. */
export interface MeasuredCall {
  readonly session: string;
  readonly call: Call;
  readonly outcome: Outcome;
  readonly answered: Served | undefined;
  readonly baselines: Readonly<Record<Baseline, Outcome>>;
}

/** Sessions by what became of all of their calls. */
export interface SessionCounts {
  readonly sessions: number;
  readonly identical: number;
  readonly without_wrong: number;
}

/** How a world replays the sessions that it was compiled from. */
export interface SelfReplay extends Counts {
  /** Calls that evidence answers otherwise elsewhere after the same calls of the same task: no world can replay them all. */
  readonly contradictions: number;
}

export interface Measurement {
  readonly total: ThreeWays;
  readonly tools: Readonly<Record<string, ThreeWays>>;
  /** With every observed answer told to the world; absent where it cannot hear. */
  readonly told?: Counts;
  readonly whole_sessions: SessionCounts;
  readonly self_replay?: SelfReplay;
  /** Of the world's answers, where they promise a confidence, and of the floor's. */
  readonly promised?: Promised;
  readonly floor_promised?: Promised;
  readonly layers: Readonly<Record<string, Counts>>;
  readonly volatility: Volatility;
  /** Parts of calls that follow the day on which their session is held. */
  readonly days: readonly string[];
  readonly calls: readonly MeasuredCall[];
}

/** Calls that are made before a trace's own and are not scored, by the trace's id. */
export type SetupCalls = ReadonlyMap<string, readonly Pick<Call, "tool" | "args">[]>;

/** Calls of which their source does not say whether they failed, by trace and place in it. */
export type Unflagged = ReadonlyMap<string, ReadonlySet<number>>;

export interface MeasureOptions {
  readonly setup?: SetupCalls;
  readonly unflagged?: Unflagged;
  /** More sessions of the same service to decide from what is volatile in it, so that training sizes compare. */
  readonly service?: readonly ObservedTrace[];
  /** Replays the training sessions too. */
  readonly selfReplay?: boolean;
}

type Compiled = { readonly bundle: Bundle; readonly base: BaseState };

/** Equal as they are written: a number or truth value that is a whole answer, and the same as a text, are one. */
function written(a: Json, b: Json): boolean {
  return same(a, b) || (isScalar(a) && isScalar(b) && String(a) === String(b));
}

/** A call that is not known to have failed, as one that did where what it says is known as the words of an error. */
function inWords(call: Call, others: readonly (Pick<Call, "value" | "ok" | "answerClass"> | undefined)[]): Call {
  const error = others.find((other) => other && !other.ok && written(other.value, call.value));
  return error && call.ok ? { ...call, ok: false, answerClass: error.answerClass } : call;
}

/** One session put to one answerer. */
class Replay {
  private readonly answerer: Answerer;
  private readonly renaming: Renaming;
  private readonly told: boolean;

  constructor(answering: Answering, session: Session, volatility: Volatility, told = false) {
    this.answerer = answering.start(session);
    this.renaming = new Renaming(volatility);
    this.told = told;
  }

  get hears(): boolean {
    return this.answerer.hear !== undefined;
  }

  setup(calls: readonly Pick<Call, "tool" | "args">[]): void {
    for (const { tool, args } of calls) this.answerer.call(tool, args);
  }

  /** The best answer whatever it is worth, and whether it is right; before `ask`. */
  guess(call: Call): Promise_ | undefined {
    const answer = this.answerer.guess?.(call.tool, this.renaming.args(call.args));
    if (answer?.confidence === undefined) return undefined;
    const outcome = this.outcome(call, answer);
    return { confidence: answer.confidence, right: outcome === "identical" || outcome === "identical_volatile" };
  }

  ask(call: Call): Served | undefined {
    return this.answerer.call(call.tool, this.renaming.args(call.args), call.by);
  }

  outcome(call: Call, answer: Served | undefined): Outcome {
    if (answer === undefined) return "not_served";
    if (answer.ok === call.ok) {
      if (written(this.renaming.answer(answer.value), call.value)) return "identical";
      if (this.renaming.alike(call.tool, call.value, answer.value)) return "identical_volatile";
    }
    return answer.ok ? "wrong_success" : "wrong_refusal";
  }

  /** Takes up how the ids of the two correspond, and tells what the system said where that is wanted. */
  close(call: Call, answer: Served | undefined): void {
    if (answer?.ok && call.ok) this.renaming.learn(call.tool, call.value, answer.value);
    if (!this.told || this.answerer.hear === undefined) return;
    const { ok, answerClass } = call;
    const value = this.renaming.theirs(call.value);
    this.answerer.hear(call.tool, this.renaming.args(call.args), { value, ok, answerClass });
  }

  /** The answer under the observed names. */
  named(answer: Served | undefined): Served | undefined {
    return answer && { ...answer, value: this.renaming.answer(answer.value) };
  }
}

/**
 * Replays held-out sessions in order on fresh copies of a compiled world and of each baseline, as evidence shows that
 * their task starts, and compares every answer with the observed one. What is volatile is decided from all sessions of
 * the service. Deterministic.
 */
export function measure(
  compiled: Compiled,
  heldOut: readonly ObservedTrace[],
  train: readonly ObservedTrace[],
  { setup = new Map(), unflagged = new Map(), service = [], selfReplay = false }: MeasureOptions = {},
): Measurement {
  const days = sessionDaysOf(distinct([...service, ...train, ...heldOut]));
  // The world's clock stands still: what was shown on another day is compared as of its day.
  const onItsDay = (traces: readonly ObservedTrace[]) => onDay(traces, days, compiled.bundle.now);
  const sessions = observe(onItsDay(heldOut));
  const retold = retoldCalls(sessions, days.parts.size === 0 ? sessions : observe(heldOut));
  const asRecorded = (call: Call, outcome: Outcome): Outcome =>
    outcome === "identical" && retold.has(call) ? "identical_volatile" : outcome;
  const evidence = observe(onItsDay(train));
  // A session that is trained on and replayed shares its ids with itself only.
  const all = observe(distinct(onItsDay([...service, ...train, ...heldOut])));
  const volatility = volatilityOf(all);
  const situations = new Situations(all, volatility);
  const world = new CompiledWorld(compiled);
  const recording = new Recording(evidence);
  const floor = trainFloor(evidence);
  const answering: Record<Baseline, Answering> = {
    recording,
    recording_nth: new CountedRecording(evidence),
    constant: new Constants(evidence),
    floor: new FloorAnswering(floor),
  };
  const calls: MeasuredCall[] = [];
  const names: string[] = [];
  const promises: Promise_[] = [];
  const floorPromises: Promise_[] = [];
  const layers = new Map<string, Counts>();
  let hears = false;
  const told = noCounts();
  const whole = { sessions: 0, identical: 0, without_wrong: 0 };
  for (const session of sessions) {
    const first = new Replay(world, session, volatility);
    const second = new Replay(world, session, volatility, true);
    const replays = BASELINES.map((name) => [name, new Replay(answering[name], session, volatility)] as const);
    hears = second.hears;
    const before = setup.get(session.id) ?? [];
    first.setup(before);
    if (hears) second.setup(before);
    for (const [, replay] of replays) replay.setup(before);
    const situation = situations.session(session);
    const outcomes: Outcome[] = [];
    for (const each of session.calls) {
      const answer = first.ask(each);
      const call = unflagged.get(session.id)?.has(each.index)
        ? inWords(each, [first.named(answer), recording.held(each)])
        : each;
      const outcome = asRecorded(each, first.outcome(call, answer));
      const baselines = {} as Record<Baseline, Outcome>;
      for (const [name, replay] of replays) {
        const guess = name === "floor" ? replay.guess(call) : undefined;
        if (guess) floorPromises.push(guess);
        const own = replay.ask(call);
        baselines[name] = asRecorded(each, replay.outcome(call, own));
        replay.close(call, own);
      }
      if (hears) {
        const own = second.ask(call);
        count(told, second.outcome(call, own));
        second.close(call, own);
      }
      if (answer?.confidence !== undefined)
        promises.push({
          confidence: answer.confidence,
          right: outcome === "identical" || outcome === "identical_volatile",
        });
      const layer = answer?.layer ?? "gap";
      const ofLayer = layers.get(layer) ?? noCounts();
      count(ofLayer, outcome);
      layers.set(layer, ofLayer);
      calls.push({ session: session.id, call, outcome, answered: first.named(answer), baselines });
      names.push(situation.of(call));
      outcomes.push(outcome);
      first.close(call, answer);
    }
    whole.sessions++;
    if (outcomes.every((outcome) => outcome === "identical" || outcome === "identical_volatile")) whole.identical++;
    if (!outcomes.some((outcome) => outcome === "wrong_success" || outcome === "wrong_refusal")) whole.without_wrong++;
  }
  const tools = [...new Set(calls.map(({ call }) => call.tool))].sort();
  const promised = promisedOf(promises, calls.length);
  const floorPromised = promisedOf(floorPromises, calls.length);
  return {
    total: threeWays(calls, names),
    tools: Object.fromEntries(
      tools.map((tool) => {
        const own = calls.map(({ call }) => call.tool === tool);
        return [
          tool,
          threeWays(
            calls.filter((_, i) => own[i]),
            names.filter((_, i) => own[i]),
          ),
        ];
      }),
    ),
    ...(hears ? { told } : {}),
    whole_sessions: whole,
    ...(selfReplay ? { self_replay: replayOwn(world, evidence, volatility, situations) } : {}),
    ...(promised ? { promised } : {}),
    ...(floorPromised ? { floor_promised: floorPromised } : {}),
    layers: Object.fromEntries([...layers].sort(([a], [b]) => (a < b ? -1 : 1))),
    volatility,
    days: partsTold(days),
    calls,
  };
}

/** Calls that were told as of another day: an answer that is equal to such a one is so but for its day. */
function retoldCalls(sessions: readonly Session[], recorded: readonly Session[]): ReadonlySet<Call> {
  if (sessions === recorded) return new Set();
  const before = new Map(recorded.map(({ id, calls }) => [id, calls]));
  return new Set(
    sessions.flatMap(({ id, calls }) =>
      calls.filter(({ value }, i) => !same(before.get(id)?.[i]?.value ?? null, value)),
    ),
  );
}

/** Traces once each, by what they are and not by their name. */
function distinct(traces: readonly ObservedTrace[]): ObservedTrace[] {
  const seen = new Map(traces.map((trace) => [JSON.stringify([trace.group, trace.calls]), trace]));
  return [...seen.values()];
}

function compared(): Compared {
  const baselines = Object.fromEntries(BASELINES.map((name) => [name, noCounts()])) as Record<Baseline, Counts>;
  return { ...noCounts(), ...baselines };
}

function threeWays(calls: readonly MeasuredCall[], situations: readonly string[]): ThreeWays {
  const frequency = (keys: readonly string[]) => {
    const n = new Map<string, number>();
    for (const key of keys) n.set(key, (n.get(key) ?? 0) + 1);
    return n;
  };
  const ofSituation = frequency(situations);
  const ofSession = frequency(calls.map(({ session }) => session));
  const ways = [compared(), compared(), compared()] as const;
  calls.forEach(({ session, outcome, baselines }, i) => {
    const weights = [1, 1 / (ofSituation.get(situations[i] ?? "") ?? 1), 1 / (ofSession.get(session) ?? 1)];
    ways.forEach((way, w) => {
      count(way, outcome, weights[w]);
      for (const name of BASELINES) count(way[name], baselines[name], weights[w]);
    });
  });
  return { ...ways[0], by_situation: ways[1], by_session: ways[2] };
}

function replayOwn(
  world: Answering,
  sessions: readonly Session[],
  volatility: Volatility,
  situations: Situations,
): SelfReplay {
  const counts = noCounts();
  for (const session of sessions) {
    const replay = new Replay(world, session, volatility);
    for (const call of session.calls) {
      const answer = replay.ask(call);
      count(counts, replay.outcome(call, answer));
      replay.close(call, answer);
    }
  }
  return { ...counts, contradictions: contradictionsOf(sessions, situations) };
}
