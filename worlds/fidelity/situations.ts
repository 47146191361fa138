import type { Call, Session } from "../compile/observations.ts";
import { canonicalJson } from "../digest.ts";
import { ACROSS, type Effects, effectsOf, History, keysOf, taskOf, type Volatility } from "../floor/index.ts";
import { Names } from "../floor/names.ts";

/** Names the situation of each call: its task, earlier calls that may write, and its question, up to generated ids. */
export class Situations {
  private readonly volatility: Volatility;
  private readonly effects: Effects;

  constructor(sessions: readonly Session[], volatility: Volatility) {
    this.volatility = volatility;
    const answers = sessions.map(({ calls }) => {
      const names = new Names(volatility);
      return calls.map(({ tool, value, ok }) => `${ok}\n${canonicalJson(names.answer(tool, value, ok).key)}`);
    });
    this.effects = effectsOf(sessions, (s, c) => answers[s]?.[c] ?? "");
  }

  /** Follows one session; `of` is asked for each call in order, `answer` gives the last one's as sessions are compared. */
  session(session: Pick<Session, "id" | "group">): { of(call: Call): string; answer(): string } {
    const task = taskOf(session);
    const names = new Names(this.volatility);
    const history = new History(this.effects);
    let last = "";
    return {
      of: (call) => {
        const question = `${call.tool}\n${canonicalJson(names.args(call.args))}`;
        const keys = keysOf(task, history, { tool: call.tool, args: call.args, unseen: false }, question);
        last = `${call.ok}\n${canonicalJson(names.answer(call.tool, call.value, call.ok).key)}`;
        history.add(call, question, call.ok, call.value);
        return keys[0] ?? keys[ACROSS] ?? question;
      },
      answer: () => last,
    };
  }
}

/** Calls that evidence answers otherwise in most sessions of the same situation. */
export function contradictionsOf(sessions: readonly Session[], situations: Situations): number {
  const answers = new Map<string, Map<string, number>>();
  for (const session of sessions) {
    const follower = situations.session(session);
    for (const call of session.calls) {
      const situation = follower.of(call);
      const own = answers.get(situation) ?? new Map<string, number>();
      answers.set(situation, own);
      const answer = follower.answer();
      own.set(answer, (own.get(answer) ?? 0) + 1);
    }
  }
  let odd = 0;
  for (const own of answers.values()) {
    const counts = [...own.values()];
    odd += counts.reduce((sum, n) => sum + n, 0) - Math.max(...counts);
  }
  return odd;
}
