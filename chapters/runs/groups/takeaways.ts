import { countOf } from "../../count-of.ts";
import { trialName } from "../../records/runs/run-bundle.ts";
import type { RootCause, TrialRow } from "../../records/runs/runs.ts";
import { toolName } from "../grading/findings-by-rule.ts";
import type { ratesOf } from "../trials/rates.ts";

/** Tasks and checks that one sentence names at most. */
const NAMED = 5;

/** What to look at first where trials fail in a way. */
export const LOOK_AT: Readonly<Record<RootCause, string>> = {
  missing_call: "a call that the task needs was not made: see which its checks name",
  wrong_tool: "another tool was called than the task needs: compare the tools' descriptions",
  wrong_argument: "the right tool was called with other arguments: see where the agent takes them from",
  unverified_write: "something was changed that had not been read: have the agent look first",
  extra_write: "more was changed than was requested",
  tool_error_unhandled: "a tool answered with an error and the agent went on: read what the error says",
  false_no_data: "the agent said that there is nothing although its tools had answered",
  invented_value: "the answer holds values that no tool answered",
  padded_answer: "the answer names rows beyond those that were requested",
  over_refusal: "the agent refused what it was to do",
  policy_breach: "the agent did what it was to refuse",
  loop: "the same calls were made over and over",
  flood: "it put out more than is taken, or went on past every limit: see what it prints and when it stops",
  timeout: "the time limit passed: see how long its calls and answers take",
  crash: "the agent's program ended by itself: its log says how",
  stopped_early: "the agent stopped before it had answered",
  format: "the answer is not in the required form",
  other: "no rule names the cause: read a trial",
};

/**
 * Sentences by rule, each with its counts: how many met, the cause of most failures with what to look at, tasks that
 * failed on every try or on some, tools that erred and checks that were missed in failed trials, and where to read on.
 * None where nothing stands out; no text of a trial is told.
 */
export function takeaways(rows: readonly TrialRow[], summary: ReturnType<typeof ratesOf>): string[] {
  const failed = rows.filter(({ end }) => end === "failed");
  return [
    ...whole(summary),
    ...ofCauses(failed),
    ...ofTasks(rows),
    ...ofTools(rows, failed),
    ...ofChecks(failed),
    ...ofLost(summary),
    ...next(failed),
  ];
}

function whole({ valid, failed, met }: ReturnType<typeof ratesOf>): string[] {
  if (valid > 0 && failed === 0)
    return [valid === 1 ? "The one valid trial met its task." : `All ${valid} valid trials met their task.`];
  return valid > 0 && met === 0
    ? [valid === 1 ? "The one valid trial did not meet its task." : `None of ${valid} valid trials met its task.`]
    : [];
}

function ofCauses(failed: readonly TrialRow[]): string[] {
  const [first] = ranked(failed.flatMap(({ root_cause }) => root_cause ?? []));
  return first ? [`Most failures: ${first[0]} (${first[1]} of ${failed.length}); ${LOOK_AT[first[0]]}.`] : [];
}

function ofTasks(rows: readonly TrialRow[]): string[] {
  const valid = rows.filter(({ end }) => end === "met" || end === "failed");
  const tasks = [...Map.groupBy(valid, ({ task }) => task)].map(([task, tries]) => ({
    task,
    failed: tries.filter(({ end }) => end === "failed").length,
    tries: tries.length,
  }));
  const never = tasks.filter(({ failed, tries }) => failed === tries);
  const some = tasks.filter(({ failed, tries }) => failed > 0 && failed < tries);
  const most = Math.max(0, ...tasks.map(({ tries }) => tries));
  const list = (of: typeof tasks) => named(of.map(({ task }) => task));
  const often = most > 1 ? " on every try" : "";
  return [
    ...(never.length === 0 ? [] : [`${never.length} of ${tasks.length} tasks failed${often}: ${list(never)}.`]),
    ...(some.length === 0 ? [] : [`${some.length} of ${tasks.length} tasks failed on some tries only: ${list(some)}.`]),
  ];
}

function ofTools(rows: readonly TrialRow[], failed: readonly TrialRow[]): string[] {
  const erring = (of: readonly TrialRow[]) =>
    of.flatMap(({ trial }) => [...new Set(trial.calls.flatMap(({ tool, is_error }) => (is_error ? [tool] : [])))]);
  const [first] = ranked(erring(failed));
  if (!first) return [];
  const [tool, n] = first;
  const others = rows.filter(({ end }) => end === "met");
  const there = erring(others).filter((name) => name === tool).length;
  return [
    `Calls of ${toolName(tool)} answered with an error in ${n} of ${failed.length} failed trials and ${there} of ${others.length} that met their task.`,
  ];
}

function ofChecks(failed: readonly TrialRow[]): string[] {
  const missed = ranked(
    failed.flatMap(({ checks }) => [
      ...new Set(checks.flatMap(({ kind, verdict }) => (verdict === "not_met" ? [kind] : []))),
    ]),
  );
  if (missed.length === 0) return [];
  const told = missed.slice(0, NAMED).map(([kind, n]) => `${kind} ${n}`);
  return [`Checks that were not met, by failed trials: ${told.join(", ")}.`];
}

function ofLost({ infra, invalid }: ReturnType<typeof ratesOf>): string[] {
  return [
    ...(infra > 0
      ? [
          `${countOf(infra, "trial")} ended for reasons outside the agent and ${infra === 1 ? "is" : "are"} not counted.`,
        ]
      : []),
    ...(invalid > 0 ? [`${countOf(invalid, "trial")} could not be judged: the world or the task was at fault.`] : []),
  ];
}

function next(failed: readonly TrialRow[]): string[] {
  const [first] = failed;
  return first ? [`Next: run_trace of trial ${trialName(first.task, first.n)} shows a failed one call by call.`] : [];
}

/** How often each is there, most first; of as many, by name. */
function ranked<T extends string>(all: readonly T[]): [T, number][] {
  const counts = new Map<T, number>();
  for (const each of all) counts.set(each, (counts.get(each) ?? 0) + 1);
  return [...counts].sort(([x, a], [y, b]) => b - a || (x < y ? -1 : 1));
}

function named(all: readonly string[]): string {
  const more = all.length - NAMED;
  return `${all.slice(0, NAMED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
