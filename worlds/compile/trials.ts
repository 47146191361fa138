import type { BaseState, Bundle } from "../bundle.ts";
import type { ConfidenceEstimates, ConfidenceModel, Decided } from "../confidence.ts";
import { canonicalJson } from "../digest.ts";
import { Starts } from "../starts.ts";
import { knowing } from "./fit-confidence.ts";
import type { HeldOut } from "./held-out.ts";
import type { Session } from "./observations.ts";
import { type Judge, type Judged, type Score, scored, severalOf } from "./utility.ts";

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
    const { held, train } = this.turn;
    const { known: _known, unknown: _unknown, least: _least, lenient = [], ...others } = trust;
    const rest = canonicalJson({ ...others, lenient });
    if (rest !== this.rest) this.replayed.clear();
    this.rest = rest;
    const starts = this.starts.trusting(knowing(trust, train));
    const estimates = starts.estimates as ConfidenceEstimates;
    return scored(held.flatMap((session) => this.answersOf(session, starts, estimates)));
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
