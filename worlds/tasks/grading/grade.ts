import type { BaseState, Bundle } from "../../bundle.ts";
import { shownEffect } from "../../shown-effects.ts";
import { answerClass } from "../checks/answer-class.ts";
import { answerExcludes, answerIncludes } from "../checks/answer-facts.ts";
import { apartFrom } from "../checks/apart.ts";
import { asks } from "../checks/asking.ts";
import { boundElsewhere } from "../checks/bound.ts";
import { callOrder, callsForbidden, callsRequired, maxCalls } from "../checks/calls.ts";
import { asksForFacts, requiredFacts } from "../checks/fact-checks.ts";
import { Reading } from "../checks/facts.ts";
import { type Judgement, notDecided, notMet } from "../checks/judgement.ts";
import { withNames } from "../checks/names.ts";
import { otherRowValue } from "../checks/others.ts";
import { stateUnchanged, stateWithin } from "../checks/state.ts";
import { unshownWrite } from "../observed/writers.ts";
import type { AnswerClass, CallPattern, Check, CheckVerdict, FinishedTrial, Task } from "../schema.ts";
import { clarifiedBeforeChange, userWords } from "../user/user-replies.ts";
import { type NeededCalls, neededGap } from "./gap.ts";
import { declines, looked } from "./looked.ts";

/** What a task is graded against. */
export interface GradeEnv {
  readonly bundle: Bundle;
  readonly base: BaseState;
  /** What decided the keys of rows that trials made, where their world had one. */
  readonly seed?: string | undefined;
  /** Whether a value counts whatever it is said of. */
  readonly valuesAlone?: boolean;
}

/** A graded trial: a verdict per check in the task's order, the end, and its cause in words (empty when met). */
export interface Grade {
  readonly verdicts: CheckVerdict[];
  readonly end: "met" | "failed" | "invalid";
  readonly cause: string;
}

/** What one check of a task's decides about a finished trial; repeating the `request` is no question. Pure. */
export function judge(
  check: Check,
  trial: FinishedTrial,
  env: GradeEnv,
  said: Reading = readAnswers(trial),
  request = "",
  checks: readonly Check[] = [],
): Judgement {
  switch (check.kind) {
    case "answer_includes": {
      const facts = check.facts.map((fact) => withNames(fact, env.base));
      const included = answerIncludes(facts, check.ordered === true, said);
      if (included.verdict !== "met" || env.valuesAlone) return included;
      return boundElsewhere(facts, said, request, env.base) ?? included;
    }
    case "answer_excludes": {
      const right = requiredFacts(checks);
      const isApart = apartFrom(right, said, request);
      const named = answerExcludes(check.facts, said, isApart);
      if (named.verdict !== "met" || check.others === undefined) return named;
      const other = otherRowValue(env.base, check.others, said, isApart);
      return other === undefined ? named : notMet(`the answer says ${JSON.stringify(other)}, which is another row's`);
    }
    case "answer_class":
      return classAnswered([check.class, ...(check.or ?? [])], trial, request);
    case "asks":
      return asks(
        check.about,
        trial.answers.map((a) => a.text),
        { request, calls: trial.calls },
      );
    case "calls_required":
      return callsRequired(check.calls, trial.calls, { ...check, tables: env.base.tables });
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

/** The class of the answers, or one of the others that are as right. */
function classAnswered(
  wanted: readonly [AnswerClass, ...AnswerClass[]],
  trial: FinishedTrial,
  request: string,
): Judgement {
  const judged = wanted.map((one) => answerClass(one, trial.answers, { request, calls: trial.calls }));
  return judged.find(({ verdict }) => verdict === "met") ?? (judged[0] as Judgement);
}

/** A refusal, or that there is no data, in words alone by an agent that looked at nothing of what it was asked about. */
function unseen(check: Check, task: NeededCalls, trial: FinishedTrial): Judgement | undefined {
  if (check.kind !== "answer_class" || !declines(check.class) || looked(task, trial)) return undefined;
  const last = trial.answers.findLast((a) => a.text.trim() !== "" || a.class !== undefined);
  if (last?.class !== undefined) return undefined;
  return notMet("the agent declined by its wording and no call of it looked at what it was asked about");
}

/**
 * That nothing changed cannot be told where the trial wrote by a tool of whose changes the world shows none; nor that
 * nothing but what calls are required for did, but where the call was made for something else.
 */
function withUnshown(
  judged: Judgement,
  check: Check,
  task: NeededCalls,
  trial: FinishedTrial,
  { bundle }: GradeEnv,
): Judgement {
  const byCalls = check.kind === "calls_required" && check.done === true;
  if (judged.verdict !== "met" || (!byCalls && check.kind !== "no_state_change")) return judged;
  const unshown = unshownWrite(task, trial, bundle);
  if (unshown === undefined) return judged;
  const { tool, repeats } = unshown;
  return byCalls && !repeats && shownEffect(bundle, tool).effect === "changes"
    ? notMet(`${tool} was answered as done, and nobody asked for that`)
    : notDecided(
        `${tool} was answered as done${repeats ? " again" : ""}, and the world shows nothing of what it changes`,
      );
}

/** Whether a trial made one of these calls as asked, or, where it takes none, without arguments: a look, whatever it named. */
function madeOne(patterns: readonly CallPattern[], { calls }: FinishedTrial): boolean {
  return patterns.some((pattern) =>
    calls.some(
      (call) =>
        callsRequired([pattern], [call]).verdict === "met" &&
        ((pattern.args?.length ?? 0) > 0 || Object.keys(call.args).length === 0),
    ),
  );
}

function readAnswers(trial: FinishedTrial): Reading {
  return new Reading(trial.answers.map((a) => a.text).join("\n"));
}

/** Whether an undecided check is one of words alone, beside a met one of what was done or of a fact: the others count. */
function onlyWords(open: CheckVerdict, checks: readonly Check[], verdicts: readonly CheckVerdict[]): boolean {
  const positive = (check: Check) =>
    check.kind === "calls_required" ||
    asksForFacts(check) ||
    (check.kind === "state" && check.changes.some(({ required }) => required));
  return (
    (open.kind === "answer_class" || open.kind === "asks") &&
    checks.some((check, i) => positive(check) && verdicts[i]?.verdict === "met")
  );
}

/**
 * Grades a finished trial: met when every check is, but for words that cannot be decided beside a met state, call or
 * fact; failed when one is not; invalid when none fails but one cannot decide, or when a failed one had met a gap of
 * the world in a call that the task needs. Pure.
 */
export function grade(task: NeededCalls & Pick<Task, "checks">, trial: FinishedTrial, env: GradeEnv): Grade {
  const said = readAnswers(trial);
  const asked = userWords(task, trial);
  const gap = neededGap(task, trial, env);
  const read = task.checks.some((check) => check.kind === "calls_required" && madeOne(check.calls, trial));
  const verdicts = task.checks.map((check) => {
    const judged =
      check.kind === "asks" && task.user !== undefined
        ? clarifiedBeforeChange(task, trial)
        : ((read ? undefined : unseen(check, task, trial)) ?? judge(check, trial, env, said, asked, task.checks));
    // A required call that met a gap decides nothing only where it was needed, and the gap was there without the agent.
    const own = check.kind !== "calls_required" || judged.verdict !== "not_decided" || gap !== undefined;
    const decided = own ? judged : notMet(`${judged.reason}, for that call, or for a change before it, nobody asked`);
    return { kind: check.kind, ...withUnshown(decided, check, task, trial, env) };
  });
  const failed = verdicts.find((v) => v.verdict === "not_met");
  if (failed) {
    const changed = trial.calls.some((call) => call.changed);
    if (gap !== undefined && !changed) return { verdicts, end: "invalid", cause: `gap: ${gap} answered not_served` };
    return { verdicts, end: "failed", cause: `${failed.kind}: ${failed.reason}` };
  }
  const open = verdicts.find((v) => v.verdict === "not_decided" && !onlyWords(v, task.checks, verdicts));
  if (open) return { verdicts, end: "invalid", cause: `${open.kind}: ${open.reason}` };
  return { verdicts, end: "met", cause: "" };
}

/** Grades a trial that was made to try checks: a wrong agent need not name what it looked at, so that values alone must fail it. */
export function gradeMade(
  task: NeededCalls & Pick<Task, "checks">,
  { right, trial }: { readonly right: boolean; readonly trial: FinishedTrial },
  env: GradeEnv,
): Grade {
  return grade(task, trial, right ? env : { ...env, valuesAlone: true });
}
