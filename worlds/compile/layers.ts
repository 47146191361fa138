import type { BaseState, Bundle, ToolDefinition } from "../bundle.ts";
import { type ConfidenceEstimates, type ConfidenceModel, type Decided, isQuestion } from "../confidence.ts";
import { canonicalJson } from "../digest.ts";
import type { MemoryModel } from "../memory/schema.ts";
import { Starts } from "../starts.ts";
import { fitConfidence, knowing, readsOf, type Trusted } from "./fit-confidence.ts";
import type { HeldOut } from "./held-out.ts";
import type { Call, Session } from "./observations.ts";
import { recordedStarts, remember } from "./remembering.ts";
import { gainIsSure, type Judge, type Judged, type Score, scored, severalOf, together } from "./utility.ts";

/** A compiled world, as far as it is judged. */
export type Made = {
  readonly bundle: Bundle;
  readonly base: BaseState;
  /** Tools whose behaviour tells itself what it answers to a text that was never shown. */
  readonly telling?: ReadonlySet<string>;
};

/**
 * Fits confidence on other sessions than the training ones, with the score; undefined below a share `least` of right answers.
 * `whole` makes the world of all sessions.
 */
export function trusted(
  judge: Judge,
  worlds: readonly (HeldOut & { readonly world: Made })[],
  sessions: readonly Session[],
  listing: readonly ToolDefinition[],
  { least, whole }: { readonly least: number; readonly whole: () => Made | undefined },
): Trusted | undefined {
  const trials = worlds.map((one) => new Trials(judge, one));
  const worth = (trust: ConfidenceModel): Score => together(trials.map((one) => one.scoreOf(trust)));
  const bare = { known: {}, unknown: {}, least: 0, reads: readsOf(listing), tasks: [] };
  const first = worth(bare);
  if (first.right < least * first.calls) return undefined;
  return fitConfidence(first, worth, sessions, listing, gainIsSure, learntOf(judge, first, whole, sessions));
}

/** Calls that were answered wrongly, and that the world of all sessions, what it has on record included, answers as observed. */
function learntOf(
  judge: Judge,
  { answers }: Score,
  whole: () => Made | undefined,
  sessions: readonly Session[],
): Set<Call> {
  const wrong = new Set(answers.flatMap(({ served, right, session }) => (served && !right ? [session] : [])));
  const world = wrong.size > 0 ? whole() : undefined;
  const again = sessions.filter(({ id }) => wrong.has(id));
  const replayed = world ? judge.scoreOf(world, again, sessions).answers : [];
  return new Set(replayed.flatMap(({ call, by, right }) => (right && by !== "memory" ? [call] : [])));
}

/** A world that remembers the sessions that it was made from. */
export function remembered(judge: Judge, world: Made, { train }: HeldOut): Made {
  const { telling } = world;
  const memory = remember(train, missedBy(judge, world, train), world.bundle.tools, {
    all: true,
    ...(telling ? { telling } : {}),
  });
  return memory ? remembering(world, memory) : world;
}

/** Calls that a world does not answer as its own sessions were. */
const missedBy = (judge: Judge, world: Made, sessions: readonly Session[]): Set<Call> =>
  new Set(judge.scoreOf(world, sessions, sessions).answers.flatMap(({ right, call }) => (right ? [] : [call])));

/** A world that remembers what sessions were answered. */
const remembering = <W extends Made>(world: W, memory: MemoryModel): W => ({
  ...world,
  bundle: { ...world.bundle, memory },
  base: { ...world.base, recorded: {} },
});

/** A world with its layers: what it is trusted with, and beside it what its sessions were answered. */
export function layered<W extends Made>(
  judge: Judge,
  world: W,
  { confidence, score }: Trusted,
  sessions: readonly Session[],
): W {
  const helped = new Set(score.answers.flatMap(({ by, tool }) => (by === "memory" ? [tool] : [])));
  const sure = trusting(world, knowing(confidence, sessions));
  const missed = missedBy(judge, sure, sessions);
  const rest = { helped, ...(world.telling ? { telling: world.telling } : {}) };
  const memory = remember(sessions, missed, world.bundle.tools, rest);
  if (!memory) return sure;
  // What is answered from memory has other answers follow, of which some may be wrong now.
  const first = remembering(sure, memory);
  const more = missedBy(judge, first, sessions);
  const unanswered = new Set([...missed, ...more]);
  const whole = more.size === 0 ? memory : (remember(sessions, unanswered, world.bundle.tools, rest) ?? memory);
  const made = remembering(sure, whole);
  const starts = { ...recordedStarts(sessions, unanswered, whole), ...made.base.starts };
  return Object.keys(starts).length > 0 ? { ...made, base: { ...made.base, starts } } : made;
}

/** A world that answers what it is trusted with. */
export function trusting<W extends { readonly bundle: Bundle }>(world: W, trust: ConfidenceModel): W {
  return { ...world, bundle: { ...world.bundle, trust } };
}

/** What became of a session's calls where all that was asked of trust was decided so. */
interface Replayed {
  readonly decided: readonly Decided[];
  readonly answers: readonly Judged[];
}

/**
 * A world on held-out sessions under one trust after the other. Trust decides nothing but whether answers are given, so a
 * session that met the same decisions in an earlier trial is answered as it was there, without another replay.
 */
export class Trials {
  private readonly judge: Judge;
  private readonly turn: HeldOut;
  private readonly starts: Starts;
  private readonly tasks: ReadonlySet<string>;
  private readonly replayed = new Map<Session, Replayed[]>();
  /** What of the newest trust is no decision by case. */
  private rest = "";

  constructor(judge: Judge, turn: HeldOut & { readonly world: { readonly bundle: Bundle; readonly base: BaseState } }) {
    this.judge = judge;
    this.turn = turn;
    this.starts = new Starts(turn.world);
    this.tasks = severalOf(turn.train);
  }

  /** What the world's answers are worth under a trust, which comes to know the tasks that the world was made from. */
  scoreOf(trust: ConfidenceModel): Score {
    const { train } = this.turn;
    const { known, unknown, least: _least, lenient = [], ...others } = trust;
    const questions = [known, unknown].map((cases) => Object.keys(cases).filter(isQuestion));
    const rest = canonicalJson({ ...others, lenient, questions });
    if (rest !== this.rest) this.replayed.clear();
    this.rest = rest;
    const starts = this.starts.trusting(knowing(trust, train));
    const estimates = starts.estimates as ConfidenceEstimates;
    return scored(this.turn.held.flatMap((session) => this.answersOf(session, starts, estimates)));
  }

  private answersOf(session: Session, starts: Starts, estimates: ConfidenceEstimates): readonly Judged[] {
    const before = this.replayed.get(session) ?? [];
    const same = before.find(({ decided }) => decided.every((one) => estimates.agrees(one)));
    if (same) return same.answers;
    const { result: answers, decided } = estimates.listening(() => this.judge.answersOf(starts, session, this.tasks));
    this.replayed.set(session, [...before, { decided, answers }]);
    return answers;
  }
}
