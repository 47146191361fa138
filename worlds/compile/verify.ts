import type { Behaviour } from "../behaviour/schema.ts";
import type { BaseState, Bundle } from "../bundle.ts";
import { Renaming } from "../fidelity/renaming.ts";
import type { Volatility } from "../floor/index.ts";
import { Starts } from "../starts.ts";
import { agrees } from "./fitting.ts";
import type { History } from "./history.ts";
import type { Call, Session } from "./observations.ts";
import { canon } from "./values.ts";

/** One observed call beside what a world answered it. */
export interface Replayed {
  readonly call: Call;
  /** Tool and arguments. */
  readonly id: string;
  /** No write had succeeded before it in its trace: the world is as drawn. */
  readonly pristine: boolean;
  readonly identical: boolean;
  readonly wrongSuccess: boolean;
  /** What answered, and whether with a success; undefined for a gap. */
  readonly served: { readonly by: "behaviour" | "recorded" | "schema"; readonly ok: boolean } | undefined;
  readonly observedText: string;
}

/** Every session replayed in order on a fresh fork, as its group starts, and compared up to ids and times that the system makes up. */
export function replayAll(
  compiled: { readonly bundle: Bundle; readonly base: BaseState },
  sessions: readonly Session[],
  writers: ReadonlySet<string>,
  volatility: Pick<Volatility, "kind">,
): Replayed[] {
  const starts = new Starts(compiled);
  const out: Replayed[] = [];
  for (const session of sessions) {
    const world = starts.fresh(session.group);
    const renaming = new Renaming(volatility);
    let pristine = true;
    for (const call of session.calls) {
      const answer = world.call(call.tool, renaming.args(call.args));
      const succeeded = !answer.isError && (answer.answerClass === "data" || answer.answerClass === "empty");
      const identical =
        succeeded === call.ok &&
        (agrees(renaming.answer(answer.value), call.value) || renaming.alike(call.tool, call.value, answer.value));
      if (succeeded && call.ok) renaming.learn(call.tool, call.value, answer.value);
      const { servedBy: by } = answer;
      out.push({
        call,
        id: `${call.tool}\n${canon(call.args)}`,
        pristine,
        identical,
        wrongSuccess: succeeded && !identical,
        served: by === "gap" || answer.answerClass === "error:not_served" ? undefined : { by, ok: succeeded },
        observedText: canon(call.value) + call.answerClass,
      });
      if (call.ok && writers.has(call.tool)) pristine = false;
    }
  }
  return out;
}

/** Paths of a behaviour's answer that are generated: the key of a row that it inserts under a drawn key. */
export function volatilePaths(behaviour: Behaviour, history: History): string[] {
  const drawn = behaviour.steps.some((step) => step.op === "let" && step.expr.startsWith("generate("));
  return behaviour.steps.flatMap((step) =>
    step.op === "insert" && (drawn || /\{[a-z]:\d+\}/.test(step.key))
      ? [...(history.entities.get(step.table)?.key ?? [])]
      : [],
  );
}
