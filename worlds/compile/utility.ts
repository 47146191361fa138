import type { BaseState, Bundle } from "../bundle.ts";
import { Renaming } from "../fidelity/renaming.ts";
import { type Volatility, volatilityOf } from "../floor/volatile.ts";
import { Starts } from "../starts.ts";
import type { Session } from "./observations.ts";

/** What one wrong answer costs in right ones. */
const WRONG = 5;

/** Right answers of a world and wrong ones, refusals included, over sessions that it replays. */
export interface Worth {
  readonly calls: number;
  readonly right: number;
  readonly wrong: number;
  /** Right and wrong answers by tool. */
  readonly tools: ReadonlyMap<string, { readonly right: number; readonly wrong: number }>;
}

/** Judges worlds on sessions that they were not made from. Which parts of answers are generated is told by all sessions of the service. */
export class Judge {
  private readonly volatility: Volatility;

  constructor(all: readonly Session[]) {
    this.volatility = volatilityOf(all);
  }

  /** Replays sessions, each on a fresh world as its group starts. */
  worth(world: { readonly bundle: Bundle; readonly base: BaseState }, sessions: readonly Session[]): Worth {
    const starts = new Starts(world);
    const tools = new Map<string, { right: number; wrong: number }>();
    let calls = 0;
    for (const session of sessions) {
      const fork = starts.fresh(session.group);
      const renaming = new Renaming(this.volatility);
      for (const { tool, args, ok, value } of session.calls) {
        calls++;
        const answer = fork.call(tool, renaming.args(args));
        if (answer.servedBy === "gap" || answer.answerClass === "error:not_served") continue;
        const succeeded = !answer.isError && (answer.answerClass === "data" || answer.answerClass === "empty");
        const count = tools.get(tool) ?? { right: 0, wrong: 0 };
        tools.set(tool, count);
        if (succeeded === ok && renaming.alike(tool, value, answer.value)) count.right++;
        else count.wrong++;
        if (succeeded && ok) renaming.learn(tool, value, answer.value);
      }
    }
    const sum = (of: "right" | "wrong"): number => [...tools.values()].reduce((total, count) => total + count[of], 0);
    return { calls, right: sum("right"), wrong: sum("wrong"), tools };
  }
}

/** Utility of a world a call: right answers less the price of wrong ones. */
export const utility = ({ calls, right, wrong }: Pick<Worth, "calls" | "right" | "wrong">): number =>
  (right - WRONG * wrong) / Math.max(1, calls);

/** Tools whose answers are worth less than none: wrong so often that a gap is better. */
export function worthless({ tools }: Worth): Set<string> {
  return new Set([...tools].filter(([, { right, wrong }]) => right < WRONG * wrong).map(([tool]) => tool));
}
