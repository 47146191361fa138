import { Situations } from "../fidelity/situations.ts";
import { volatilityOf } from "../floor/index.ts";
import type { Session } from "./observations.ts";
import type { Score } from "./utility.ts";

/** What became of calls of sessions that a world was not made from. What is neither right nor wrong was not answered. */
export interface Answered {
  readonly calls: number;
  readonly right: number;
  readonly wrong: number;
}

/** By tool: in sessions of tasks of which the world knew other sessions, and in those of tasks that it did not know. */
export interface OutOfFold {
  readonly known: Readonly<Record<string, Answered>>;
  readonly unknown: Readonly<Record<string, Answered>>;
  /**
   * Questions that sessions of a task asked again where nothing that may change the answer was done between: right are
   * those answered as before. It tells how far what a session was answered can be told again where it began.
   */
  readonly again?: Readonly<Record<string, Answered>>;
}

/** Counts the questions that were asked again in the same situation of their task, by tool. */
export function repeatedQuestions(sessions: readonly Session[]): NonNullable<OutOfFold["again"]> {
  const situations = new Situations(sessions, volatilityOf(sessions));
  const first = new Map<string, string>();
  const tools = new Map<string, { calls: number; right: number; wrong: number }>();
  for (const session of sessions) {
    const follower = situations.session(session);
    for (const call of session.calls) {
      const situation = `${session.group}\n${follower.of(call)}`;
      const answer = follower.answer();
      const before = first.get(situation);
      if (before === undefined) first.set(situation, answer);
      else {
        const count = tools.get(call.tool) ?? { calls: 0, right: 0, wrong: 0 };
        tools.set(call.tool, count);
        count.calls++;
        if (before === answer) count.right++;
        else count.wrong++;
      }
    }
  }
  return Object.fromEntries([...tools].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Counts the answers of held-out sessions by tool, a situation once: the same task asked and answered alike again tells nothing more. */
export function outOfFold({ answers }: Pick<Score, "answers">): OutOfFold {
  const of = (known: boolean): OutOfFold["known"] => {
    const tools = new Map<string, { calls: number; right: number; wrong: number }>();
    // A situation answered rightly here and wrongly there counts as answered wrongly.
    const situations = new Map<string, { tool: string; served: boolean; right: boolean }>();
    for (const { tool, served, right, situation, known: isKnown } of answers) {
      if (isKnown !== known) continue;
      const before = situations.get(situation);
      situations.set(situation, {
        tool,
        served: served || before?.served === true,
        right: (right || !served) && (before === undefined || before.right),
      });
    }
    for (const { tool, served, right } of situations.values()) {
      const count = tools.get(tool) ?? { calls: 0, right: 0, wrong: 0 };
      tools.set(tool, count);
      count.calls++;
      if (served && right) count.right++;
      else if (served) count.wrong++;
    }
    return Object.fromEntries([...tools].sort(([a], [b]) => (a < b ? -1 : 1)));
  };
  return { known: of(true), unknown: of(false) };
}
