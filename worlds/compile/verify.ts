import type { Behaviour } from "../behaviour/schema.ts";
import type { BaseState, Bundle } from "../bundle.ts";
import { createWorld } from "../world.ts";
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
  readonly observedText: string;
}

/** Every session replayed in order on a fresh fork. */
export function replayAll(
  compiled: { readonly bundle: Bundle; readonly base: BaseState },
  sessions: readonly Session[],
  writers: ReadonlySet<string>,
): Replayed[] {
  const root = createWorld(compiled.bundle, compiled.base);
  const out: Replayed[] = [];
  for (const session of sessions) {
    const world = root.fork();
    let pristine = true;
    for (const call of session.calls) {
      const answer = world.call(call.tool, call.args);
      const succeeded = !answer.isError && (answer.answerClass === "data" || answer.answerClass === "empty");
      const identical = succeeded === call.ok && agrees(answer.value, call.value);
      out.push({
        call,
        id: `${call.tool}\n${canon(call.args)}`,
        pristine,
        identical,
        wrongSuccess: succeeded && !identical,
        observedText: canon(call.value) + call.answerClass,
      });
      if (call.ok && writers.has(call.tool)) pristine = false;
    }
  }
  return out;
}

/** Paths of a behaviour's answer that are generated: the key of a row that it inserts under a drawn key. */
export function volatilePaths(behaviour: Behaviour, history: History): string[] {
  return behaviour.steps.flatMap((step) =>
    step.op === "insert" && /\{[a-z]:\d+\}/.test(step.key) ? [...(history.entities.get(step.table)?.key ?? [])] : [],
  );
}
