import type { Call } from "../compile/observations.ts";
import type { Best, Tape } from "./tape.ts";

/** What an answer is looked up by, from the narrowest to the widest. */
export const LEVELS = [
  "task and history",
  "task and relevant calls",
  "task",
  "history",
  "relevant calls",
  "last two writes",
  "question",
  "argument names",
  "unseen arguments",
  "tool",
] as const;
/** From this level on answers are those of other tasks too. */
export const ACROSS = 3;
/** The level of questions that hold a text which no answer showed. */
export const UNSEEN: Level = "unseen arguments";
/** Levels that tell such questions from others. */
export const MINDING: ReadonlySet<Level> = new Set<Level>(["argument names", UNSEEN]);
export type Level = (typeof LEVELS)[number];
/** From this level on answers are those of calls that gave something else: what they repeat of it is kept by name. */
export const BY_NAME = LEVELS.indexOf("argument names");

/** A call of training, with its keys by level and what it was answered. */
export interface KeyedCall {
  readonly call: Call;
  readonly tool: string;
  readonly keys: readonly (string | undefined)[];
  /** The same by what is known without its fold of the sessions, where that differs. */
  readonly outOfFold: readonly (string | undefined)[];
  readonly answer: string;
  /** The same with what the call was given under the names of the arguments. */
  readonly byName: string;
  /** Calls in one situation count once. */
  readonly situation: string;
  /** Its task, or the session where it has none, with all before it and its question. */
  readonly exact: string;
}

/** Right and wrong answers out of fold, in situations. */
interface Tally {
  right: number;
  wrong: number;
}

/** How many situations of the level as a whole a tool's own estimate begins with. */
const PRIOR = 0.5;
/** The share of wrong answers that one situation of each level begins with: the wider a level, the more has to be shown. */
const BEFORE: Readonly<Record<Level, number>> = {
  "task and history": 0.005,
  "task and relevant calls": 0.1,
  task: 0.1,
  history: 0.1,
  "relevant calls": 0.1,
  "last two writes": 0.2,
  question: 0.3,
  "argument names": 0.5,
  "unseen arguments": 0.5,
  tool: 0.5,
};

/** Whether all sessions say the same. Of a task that is known to differ from others, one other session says too little. */
export const isAgreed = (level: Level, { support, of }: Pick<Best, "support" | "of">, known: boolean): boolean =>
  support === of && (of > 1 || !known || LEVELS.indexOf(level) < ACROSS);

/**
 * The precision of each level and tool, out of fold: each training session is answered from the others where its task
 * is known to them (leave one session out), and from other tasks' where it is not (leave one task out). A level is
 * estimated on the calls that no narrower level answered.
 */
export class Calibration {
  private readonly tallies = new Map<string, Tally>();
  private readonly wrong: number;

  constructor(tape: Tape, sessions: readonly (readonly KeyedCall[])[], tasks: readonly string[], wrong: number) {
    this.wrong = wrong;
    for (const known of [true, false]) {
      const without = (s: number) => (known ? { session: s } : { task: tasks[s] ?? "" });
      this.estimate(tape, sessions, without, known);
    }
  }

  private estimate(
    tape: Tape,
    sessions: readonly (readonly KeyedCall[])[],
    without: (s: number) => { readonly session: number } | { readonly task: string },
    known: boolean,
  ): void {
    const answered = new Set<KeyedCall>();
    LEVELS.forEach((level, i) => {
      if (!known && i < ACROSS) return;
      const situations = new Map<string, { tool: string; sure: boolean; right: number; n: number }>();
      const tried: { keyedCall: KeyedCall; sure: boolean }[] = [];
      const count = ({ tool, situation, answer, byName }: KeyedCall, id: string, sure: boolean) => {
        const name = `${sure}\n${situation}`;
        const one = situations.get(name) ?? { tool, sure, right: 0, n: 0 };
        one.n++;
        if (id === (i < BY_NAME ? answer : byName)) one.right++;
        situations.set(name, one);
      };
      sessions.forEach((keyedCalls, s) => {
        for (const keyedCall of keyedCalls) {
          const key = keyedCall.outOfFold[i] ?? keyedCall.keys[i];
          if (key === undefined || answered.has(keyedCall)) continue;
          const best = tape.best(key, without(s));
          if (!best || best.answer.own) continue;
          const sure = isAgreed(level, best, known);
          if (sure) count(keyedCall, best.id, true);
          // The others agree where the one that says otherwise is left out: it is one of those that are not agreed on.
          const all = tape.best(key);
          if (all && !isAgreed(level, all, known)) count(keyedCall, best.id, false);
          tried.push({ keyedCall, sure });
        }
      });
      for (const { tool, sure, right, n } of situations.values())
        for (const name of [this.name(level, tool, known, sure), this.name(level, "", known, sure)]) {
          const tally = this.tallies.get(name) ?? { right: 0, wrong: 0 };
          tally.right += right / n;
          tally.wrong += 1 - right / n;
          this.tallies.set(name, tally);
        }
      for (const { keyedCall, sure } of tried)
        if (this.reaches(this.confidence(level, keyedCall.tool, known, sure))) answered.add(keyedCall);
    });
  }

  private name(level: Level, tool: string, known: boolean, sure: boolean): string {
    return `${level}\n${tool}\n${known}\n${sure}`;
  }

  /** Share of right answers at a level, for a tool, where the training sessions agree (`sure`) or not. 0..1 */
  confidence(level: Level, tool: string, known: boolean, sure: boolean): number {
    const all = this.tallies.get(this.name(level, "", known, sure)) ?? { right: 0, wrong: 0 };
    const own = this.tallies.get(this.name(level, tool, known, sure)) ?? { right: 0, wrong: 0 };
    const base = (all.wrong + BEFORE[level]) / (all.right + all.wrong + 1);
    return 1 - (own.wrong + PRIOR * base) / (own.right + own.wrong + PRIOR);
  }

  /** Whether a confidence is enough to answer. */
  reaches(confidence: number): boolean {
    return 1 - confidence <= this.wrong;
  }
}
