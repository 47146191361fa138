import type { Behaviour } from "../behaviour/schema.ts";
import type { BaseState, Bundle } from "../bundle.ts";
import { Aliases, masked } from "../fidelity/aliases.ts";
import { Starts } from "../starts.ts";
import { agrees } from "./fit/fitting.ts";
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

/** Every session replayed in order on a fresh fork, as its group starts. */
export function replayAll(
  compiled: { readonly bundle: Bundle; readonly base: BaseState },
  sessions: readonly Session[],
  writers: ReadonlySet<string>,
): Replayed[] {
  const starts = new Starts(compiled);
  const out: Replayed[] = [];
  for (const session of sessions) {
    const world = starts.fresh(session.group);
    const aliases = new Aliases();
    let pristine = true;
    for (const call of session.calls) {
      const raw = world.call(call.tool, aliases.args(call.args));
      const answer = { ...raw, value: aliases.answer(raw.value) };
      const volatile = compiled.bundle.behaviours[call.tool]?.volatile ?? [];
      const succeeded = !answer.isError && (answer.answerClass === "data" || answer.answerClass === "empty");
      const identical = succeeded === call.ok && agrees(masked(answer.value, volatile), masked(call.value, volatile));
      if (identical && call.ok) aliases.learn(call.value, raw.value, volatile);
      out.push({
        call,
        ...textsOf(call),
        pristine,
        identical,
        wrongSuccess: succeeded && !identical,
      });
      if (call.ok && writers.has(call.tool)) pristine = false;
    }
  }
  return out;
}

const texts = new WeakMap<Call, Pick<Replayed, "id" | "observedText">>();

/** What a call was asked and answered as text, written once however often it is replayed. */
function textsOf(call: Call): Pick<Replayed, "id" | "observedText"> {
  const known = texts.get(call);
  if (known) return known;
  const made = { id: `${call.tool}\n${canon(call.args)}`, observedText: canon(call.value) + call.answerClass };
  texts.set(call, made);
  return made;
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
