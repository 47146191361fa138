import type { GradeEnv } from "../../../worlds/tasks/grading/grade.ts";
import type { Task } from "../../../worlds/tasks/schema.ts";
import type { ComputeTask } from "../../compute.ts";
import type { EndCause, TrialRow } from "../../records/runs/runs.ts";
import { finishTrial } from "../play/finish-trial.ts";

/** What grading says of a try: the part of its row that another grading may change. */
export type TrialGrade = Pick<TrialRow, "end" | "cause" | "root_cause" | "answer_class" | "checks"> & {
  /** The attempt that is graded, where it is not the newest: one before it counts by the contract of today. */
  readonly attempt?: number;
};

/** One try: its attempts, oldest first, and the one of them that counts now, as it is graded now. */
export interface GradedTry {
  readonly attempts: readonly TrialRow[];
  readonly counted: TrialRow;
}

interface RegradeInput extends GradeEnv {
  /** The tasks by record id. */
  readonly tasks: Readonly<Record<string, Task>>;
  readonly tries: readonly GradedTry[];
  /** Whether a connected agent played: no provider's fault is the service's then. */
  readonly connected: boolean;
}

/**
 * Grades stored tries again, by code alone. What ended the agent stays what ended it, but for an end that was taken for
 * somebody else's and that its own evidence shows to be the agent's: the first attempt that counts then is the try's. What
 * a judge decided stays decided.
 */
export const regradeTrials: ComputeTask<RegradeInput, TrialGrade[]> = {
  name: "regrade_trials",
  run: ({ tasks, tries, connected, ...env }) =>
    tries.map(({ attempts, counted }) => {
      const task = tasks[counted.task];
      const newest = attempts.at(-1)?.attempt;
      const of = ({ attempt }: TrialRow) => (attempt === newest ? {} : { attempt });
      if (task === undefined) return { ...gradeOf(counted), ...of(counted) };
      const graded = attempts.map((row) => {
        const grade = regraded(row.attempt === counted.attempt ? counted : row, task, env, connected);
        return { ...grade, ...of(row) };
      });
      return graded.find(({ end }) => end !== "infra") ?? graded.at(-1) ?? gradeOf(counted);
    }),
};

/** The grade that a row holds. */
export function gradeOf({ end, cause, root_cause, answer_class, checks }: TrialRow): TrialGrade {
  return { end, cause, root_cause, answer_class, checks };
}

/** Causes that grading gives, so that another may give others; every other one is how the agent or we ended. */
const GRADED = new Set<EndCause>(["checks", "gap", "undecided", "task"]);

function regraded(row: TrialRow, task: Task, env: GradeEnv, connected: boolean): TrialGrade {
  const was = connected ? ownEnd(row, task) : row.cause;
  const ended = was !== null && !GRADED.has(was) ? { cause: was } : {};
  const fresh = finishTrial(task, env, { trial: row.trial, ms: row.ms, log: row.log, ...ended });
  const judged = fresh.checks.map((check, i) => {
    const before = row.checks[i];
    const decided = check.kind === "judged" && before?.kind === "judged" && before.verdict !== "not_decided";
    return decided ? before : check;
  });
  const open = fresh.end === "invalid" && fresh.cause === "undecided";
  const { end, cause, answer_class } = fresh;
  const root_cause = malformed(row) && cause === "checks" ? "format" : fresh.root_cause;
  if (!open || judged.some(({ verdict }) => verdict === "not_decided"))
    return { end, cause, root_cause, answer_class, checks: judged };
  const failed = judged.some(({ verdict }) => verdict === "not_met");
  return failed
    ? { end: "failed", cause: "checks", root_cause: row.root_cause ?? "other", answer_class, checks: judged }
    : { end: "met", cause: null, root_cause: null, answer_class, checks: judged };
}

/** What ended a connected agent, where its row says less than is known: only its own address answers as a provider does. */
function ownEnd({ cause, trial }: TrialRow, task: Task): EndCause | null {
  if (cause === "provider") return "crash";
  const own = cause === null || GRADED.has(cause);
  return own && cause !== "task" && trial.answers.length <= task.turns.length ? "stopped_early" : cause;
}

/** Rows of before such an end had a cause of its own: an answer in no form has no text. */
function malformed({ cause, root_cause, trial }: TrialRow): boolean {
  return cause === "checks" && root_cause === "format" && trial.answers.some(({ text }) => text === "");
}
