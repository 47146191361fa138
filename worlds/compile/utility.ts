import type { BaseState, Bundle } from "../bundle.ts";
import { type Source, WRONG_COSTS } from "../confidence.ts";
import { canonicalJson } from "../digest.ts";
import { Renaming } from "../fidelity/renaming.ts";
import { type Volatility, volatilityOf } from "../floor/volatile.ts";
import { hashOf } from "../hash.ts";
import type { JsonObject } from "../json.ts";
import { Starts } from "../starts.ts";
import type { WorldAnswer } from "../world-api.ts";
import type { Call, Session } from "./observations.ts";

/** Right answers of a world and wrong ones, refusals included, over sessions that it replays. */
export interface Score {
  readonly calls: number;
  readonly right: number;
  readonly wrong: number;
  /** Right and wrong answers by tool. */
  readonly tools: ReadonlyMap<string, { readonly right: number; readonly wrong: number }>;
  /** Every call with what became of it. */
  readonly answers: readonly Judged[];
}

/** A replayed call, and what a world answered it. */
export interface Judged {
  readonly call: Call;
  /** The session that the call is of. */
  readonly session: string;
  readonly tool: string;
  readonly args: JsonObject;
  /** What answered. */
  readonly by: Source;
  /** It was answered. */
  readonly served: boolean;
  /** The answer was a success. */
  readonly ok: boolean;
  readonly right: boolean;
  /** A call before it that may have changed something was not answered. */
  readonly lost: boolean;
  /** Other sessions of its task are known to the world. */
  readonly known: boolean;
  /** Names its task, question and answer: the same one asked again tells nothing more. */
  readonly situation: string;
}

/** Judges worlds on sessions that they were not made from. Which parts of answers are generated is told by all sessions of the service. */
export class Judge {
  private readonly volatility: Volatility;
  private readonly situations = new Map<Call, string>();

  constructor(all: readonly Session[], volatility: Volatility = volatilityOf(all)) {
    this.volatility = volatility;
  }

  /** Replays sessions, each on a fresh world as its group starts. */
  scoreOf(
    world: { readonly bundle: Bundle; readonly base: BaseState },
    sessions: readonly Session[],
    train: readonly Session[],
  ): Score {
    const starts = new Starts(world);
    const tasks = severalOf(train);
    return scored(sessions.flatMap((session) => this.answersOf(starts, session, tasks)));
  }

  /** What became of each call of a session, on a fresh world as its group starts; `tasks` are known to that world. */
  answersOf(starts: Starts, session: Session, tasks: ReadonlySet<string>): Judged[] {
    const fork = starts.fresh(session.group);
    const renaming = new Renaming(this.volatility);
    const known = tasks.has(session.group);
    return session.calls.map((call) => {
      const { tool, args, ok, value } = call;
      const lost = fork.lost === true;
      const answer = fork.call(tool, renaming.args(args));
      const situation = this.situationOf(call, session);
      const by = sourceOf(answer);
      const judged = { call, session: session.id, tool, args, by, known, situation, lost };
      if (answer.servedBy === "gap" || answer.answerClass === "error:not_served")
        return { ...judged, served: false, ok: false, right: false };
      const succeeded = !answer.isError && (answer.answerClass === "data" || answer.answerClass === "empty");
      const right = succeeded === ok && renaming.alike(tool, value, answer.value);
      if (succeeded && ok) renaming.learn(tool, value, answer.value);
      return { ...judged, served: true, ok: succeeded, right };
    });
  }

  /** Long answers are hashed once, however often their call is replayed. */
  private situationOf(call: Call, { group }: Session): string {
    const known = this.situations.get(call);
    if (known !== undefined) return known;
    const { tool, args, ok, value } = call;
    const made = hashOf(`${group}\n${tool}\n${canonicalJson(args)}\n${ok}${canonicalJson(value)}`);
    this.situations.set(call, made);
    return made;
  }
}

/** Tasks of which there are several sessions. */
export const severalOf = (sessions: readonly Session[]): ReadonlySet<string> =>
  new Set(sessions.flatMap(({ id, group }) => (id === group ? [] : [group])));

/** Calls with what became of them, counted. */
export function scored(answers: readonly Judged[]): Score {
  const tools = new Map<string, { right: number; wrong: number }>();
  let [all, wrong] = [0, 0];
  for (const { tool, served, right } of answers) {
    if (!served) continue;
    const count = tools.get(tool) ?? { right: 0, wrong: 0 };
    tools.set(tool, count);
    all++;
    if (right) count.right++;
    else {
      count.wrong++;
      wrong++;
    }
  }
  return { calls: answers.length, right: all - wrong, wrong, tools, answers };
}

function sourceOf({ servedBy, answerClass, layer }: WorldAnswer): Judged["by"] {
  if (servedBy === "schema") return answerClass === "error:unknown_tool" ? "listing" : "schema";
  if (servedBy === "recorded") return layer === undefined || layer === "program" ? "recorded" : "memory";
  return "program";
}

/** What is worth what several are together. */
export function together(worths: readonly Score[]): Score {
  const tools = new Map<string, { right: number; wrong: number }>();
  for (const score of worths)
    for (const [tool, { right, wrong }] of score.tools) {
      const count = tools.get(tool) ?? { right: 0, wrong: 0 };
      tools.set(tool, { right: count.right + right, wrong: count.wrong + wrong });
    }
  const sum = (of: "calls" | "right" | "wrong"): number => worths.reduce((total, worth) => total + worth[of], 0);
  return {
    calls: sum("calls"),
    right: sum("right"),
    wrong: sum("wrong"),
    tools,
    answers: worths.flatMap(({ answers }) => answers),
  };
}

type Answers = Pick<Score, "answers">;

/**
 * How sure one way to answer is of more worth than another on the same calls: the mean gain of a session over its
 * standard error. Sessions are what is drawn, not calls: one that goes astray has many wrong answers.
 */
export function sureGain(before: Answers, after: Answers): number {
  const all = gainsOf(before, after);
  const sum = all.reduce((total, gain) => total + gain, 0);
  const squares = all.reduce((total, gain) => total + gain * gain, 0);
  return squares === 0 ? 0 : sum / Math.sqrt(squares);
}

/** What each session gains, calls of it that are answered otherwise put together. */
function gainsOf(before: Answers, after: Answers): number[] {
  const gains = new Map<Session["id"], number>();
  const add = ({ answers }: Answers, sign: number) => {
    for (const { session, served, right } of answers)
      gains.set(session, (gains.get(session) ?? 0) + sign * (served ? (right ? 1 : -WRONG_COSTS) : 0));
  };
  add(before, -1);
  add(after, 1);
  return [...gains.values()];
}

/** 95 % of chance lies below so many standard errors. */
const SURE = 1.645;

/** Whether sessions gain, and not by chance. */
export const gainIsSure = (before: Answers, after: Answers): boolean => sureGain(before, after) >= SURE;

/**
 * The answers of a way without those of tools whose wrong ones cost more than the right ones give, where the task is known
 * and where it is not. These can stay unanswered in any world, so they decide nothing between ways to make one.
 */
export function worthwhile(score: Score): Omit<Score, "tools"> {
  const caseOf = ({ tool, known }: Judged): string => `${known}\n${tool}`;
  const sums = new Map<string, number>();
  for (const answer of score.answers)
    if (answer.served) sums.set(caseOf(answer), (sums.get(caseOf(answer)) ?? 0) + (answer.right ? 1 : -WRONG_COSTS));
  const answers = score.answers.map((answer) =>
    (sums.get(caseOf(answer)) ?? 0) < 0 ? { ...answer, served: false, right: false } : answer,
  );
  const right = answers.filter((answer) => answer.right).length;
  const wrong = answers.filter(({ served }) => served).length - right;
  return { calls: score.calls, right, wrong, answers };
}

/**
 * Whether one way gains over another by the tools that either is worth answering with, and loses nothing in all. Sessions that
 * tell no tasks may all start alike, which the row history knows best: there the gain has to be sure. No more tools may lose
 * than gain: tasks need the acts that are called least too.
 */
export function isBetterWay(before: Score, after: Score): boolean {
  if (utility(after) < utility(before) || toolsGain(before, after) < 0) return false;
  const gain = sureGain(worthwhile(before), worthwhile(after));
  return after.answers.some(({ known }) => known) ? gain > 0 : gain >= SURE;
}

/** How many more tools gain than lose; a tool of which more is lost than won goes unanswered. */
function toolsGain(before: Score, after: Score): number {
  const of = ({ tools }: Score, tool: string): number => {
    const { right = 0, wrong = 0 } = tools.get(tool) ?? {};
    return Math.max(0, right - WRONG_COSTS * wrong);
  };
  const names = new Set([...before.tools.keys(), ...after.tools.keys()]);
  return [...names].reduce((sum, tool) => sum + Math.sign(of(after, tool) - of(before, tool)), 0);
}

/** Utility of a world a call: right answers less the price of wrong ones. */
export const utility = ({ calls, right, wrong }: Pick<Score, "calls" | "right" | "wrong">): number =>
  (right - WRONG_COSTS * wrong) / Math.max(1, calls);
