import type { BaseState, Bundle } from "../bundle.ts";
import { answerClass } from "./checks/answer-class.ts";
import { answerExcludes, answerIncludes, asks } from "./checks/answer-facts.ts";
import { callOrder, callsForbidden, callsRequired, maxCalls } from "./checks/calls.ts";
import { Reading } from "./checks/facts.ts";
import { type Judgement, notDecided, notMet } from "./checks/judgement.ts";
import { saidOther } from "./checks/others.ts";
import { stateUnchanged, stateWithin } from "./checks/state.ts";
import { type Asked, neededGap } from "./gap.ts";
import type { Check, CheckVerdict, FinishedTrial, Task } from "./schema.ts";

/** What a task is graded against. */
export interface GradeEnv {
  readonly bundle: Bundle;
  readonly base: BaseState;
}

/** A graded trial: a verdict per check in the task's order, the end, and its cause in words (empty when met). */
export interface Grade {
  readonly verdicts: CheckVerdict[];
  readonly end: "met" | "failed" | "invalid";
  readonly cause: string;
}

/** What one check decides about a finished trial; `request` is what the agent was asked, and is no question of its own when said back. Pure. */
export function judge(
  check: Check,
  trial: FinishedTrial,
  env: GradeEnv,
  said: Reading = readAnswers(trial),
  request = "",
): Judgement {
  switch (check.kind) {
    case "answer_includes":
      return answerIncludes(check.facts, check.ordered === true, said);
    case "answer_excludes": {
      const named = answerExcludes(check.facts, said);
      if (named.verdict !== "met" || check.others === undefined) return named;
      const other = saidOther(env.base, check.others, said);
      return other === undefined ? named : notMet(`the answer says ${JSON.stringify(other)}, which is another row's`);
    }
    case "answer_class":
      return (
        [check.class, ...(check.or ?? [])]
          .map((wanted) => answerClass(wanted, trial.answers))
          .find(({ verdict }) => verdict === "met") ?? answerClass(check.class, trial.answers)
      );
    case "asks":
      return asks(
        check.about,
        trial.answers.map((a) => a.text),
        request,
      );
    case "calls_required":
      return callsRequired(check.calls, trial.calls, check.any);
    case "calls_forbidden":
      return callsForbidden(check.calls, trial.calls);
    case "call_order":
      return callOrder(check.calls, trial.calls);
    case "state":
      return stateWithin(check.changes, trial.diff, check.alternatives);
    case "no_state_change":
      return stateUnchanged(trial.diff);
    case "max_calls":
      return maxCalls(check.n, trial.calls);
    case "judged":
      return notDecided("a judged criterion is not decided at the deterministic tier");
  }
}

function readAnswers(trial: FinishedTrial): Reading {
  return new Reading(trial.answers.map((a) => a.text).join("\n"));
}

/**
 * Grades a finished trial: met when every check is; failed when one is not; invalid when none fails but one cannot
 * decide, or when a failed one had met a gap of the world in a call that the task needs. Pure.
 */
export function grade(task: Asked & Pick<Task, "checks">, trial: FinishedTrial, env: GradeEnv): Grade {
  const said = readAnswers(trial);
  const gap = neededGap(task, trial);
  const verdicts = task.checks.map((check) => {
    const judged = judge(check, trial, env, said, task.request);
    // A required call that met a gap decides nothing only where it was the call that was needed.
    const own = check.kind !== "calls_required" || judged.verdict !== "not_decided" || gap !== undefined;
    return { kind: check.kind, ...(own ? judged : notMet(`${judged.reason}, and nobody asked for that call`)) };
  });
  const failed = verdicts.find((v) => v.verdict === "not_met");
  if (failed) {
    const changed = trial.calls.some((call) => call.changed);
    if (gap !== undefined && !changed) return { verdicts, end: "invalid", cause: `gap: ${gap} answered not_served` };
    return { verdicts, end: "failed", cause: `${failed.kind}: ${failed.reason}` };
  }
  const open = verdicts.find((v) => v.verdict === "not_decided");
  if (open) return { verdicts, end: "invalid", cause: `${open.kind}: ${open.reason}` };
  return { verdicts, end: "met", cause: "" };
}
