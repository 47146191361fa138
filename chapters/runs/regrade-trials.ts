import type { BaseState, Bundle } from "../../worlds/bundle.ts";
import type { Task } from "../../worlds/tasks/schema.ts";
import type { ComputeTask } from "../compute.ts";
import { finishTrial } from "./finish-trial.ts";
import type { EndCause, TrialRow } from "./schema.ts";

/** What grading says of a try: the part of its row that another grading may change. */
export type TrialGrade = Pick<TrialRow, "end" | "cause" | "root_cause" | "answer_class" | "checks">;

interface RegradeInput {
  readonly bundle: Bundle;
  readonly base: BaseState;
  /** The tasks by record id. */
  readonly tasks: Readonly<Record<string, Task>>;
  readonly rows: readonly TrialRow[];
}

/** Grades stored tries again, by code alone: what ended the agent stays what ended it, what a judge decided stays decided. */
export const regradeTrials: ComputeTask<RegradeInput, TrialGrade[]> = {
  name: "regrade_trials",
  run: ({ bundle, base, tasks, rows }) =>
    rows.map((row) => {
      const task = tasks[row.task];
      return task === undefined ? gradeOf(row) : regraded(row, task, { bundle, base });
    }),
};

/** The grade that a row holds. */
export function gradeOf({ end, cause, root_cause, answer_class, checks }: TrialRow): TrialGrade {
  return { end, cause, root_cause, answer_class, checks };
}

/** Causes that grading gives, so that another may give others; every other one is how the agent or we ended. */
const GRADED = new Set<EndCause>(["checks", "gap", "undecided", "task"]);

function regraded(row: TrialRow, task: Task, env: { bundle: Bundle; base: BaseState }): TrialGrade {
  const ended = row.cause !== null && !GRADED.has(row.cause) ? { cause: row.cause } : {};
  const malformed = row.root_cause === "format" ? { malformed: true } : {};
  const fresh = finishTrial(task, env, { trial: row.trial, ms: row.ms, log: row.log, ...ended, ...malformed });
  const judged = fresh.checks.map((check, i) => {
    const before = row.checks[i];
    const decided = check.kind === "judged" && before?.kind === "judged" && before.verdict !== "not_decided";
    return decided ? before : check;
  });
  const open = fresh.end === "invalid" && fresh.cause === "undecided";
  const { end, cause, root_cause, answer_class } = fresh;
  if (!open || judged.some(({ verdict }) => verdict === "not_decided"))
    return { end, cause, root_cause, answer_class, checks: judged };
  const failed = judged.some(({ verdict }) => verdict === "not_met");
  return failed
    ? { end: "failed", cause: "checks", root_cause: row.root_cause ?? "other", answer_class, checks: judged }
    : { end: "met", cause: null, root_cause: null, answer_class, checks: judged };
}
