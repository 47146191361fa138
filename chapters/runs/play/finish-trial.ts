import { withStart } from "../../../worlds/starts.ts";
import { classOf } from "../../../worlds/tasks/checks/answer-class.ts";
import { distinctName } from "../../../worlds/tasks/distinct.ts";
import type { GradeEnv } from "../../../worlds/tasks/grading/grade.ts";
import { grade } from "../../../worlds/tasks/grading/grade.ts";
import { isLoop, rootCause } from "../../../worlds/tasks/grading/root-cause.ts";
import type { FinishedTrial, Task } from "../../../worlds/tasks/schema.ts";
import type { FinalAnswerClass } from "../../records/evidence/evidence.ts";
import { type EndCause, RootCause, type TrialEnd, type TrialRow, type TrialTokens } from "../../records/runs/runs.ts";

/** What a player did in one attempt, however it played. */
export interface Played {
  readonly trial: FinishedTrial;
  /** What ended it other than its own last answer. */
  readonly cause?: EndCause;
  /** Whether the world's endpoint was reached with the attempt's token; absent for what plays on a world directly. */
  readonly connected?: boolean;
  readonly ms: number;
  readonly log: string;
  /** Seconds that whoever was at fault asked to be left alone for. */
  readonly retryAfter?: number;
  /** What went out beside the world, where that was counted. */
  readonly egress?: TrialRow["egress"];
  readonly isolation?: TrialRow["isolation"];
  /** What it cost, US dollars, where that is known. */
  readonly usd?: number;
  /** What the agent's model calls read and wrote, where that is known. */
  readonly tokens?: TrialTokens;
}

/** Ends that are nobody's fault who is measured: tried again. */
const INFRA = new Set<EndCause>(["could_not_start", "killed", "provider", "service"]);
/** Of these, ends that an agent could bring about once it has been given its first turn: then they are its crash. */
const BEFORE_A_TURN = new Set<EndCause>(["could_not_start", "killed"]);
/** Ends of the agent's that say their root cause by themselves. */
const ROOTS: Readonly<Partial<Record<EndCause, RootCause>>> = {
  crash: "crash",
  out_of_memory: "crash",
  timeout: "timeout",
  format: "format",
  stopped_early: "stopped_early",
};

/**
 * Grades one attempt: its end by the contract of trials, the checks' verdicts, and the root cause of a failure. Pure.
 * The task may be absent only for an attempt whose cause is `task`.
 */
export function finishTrial(
  task: Task | undefined,
  env: GradeEnv,
  played: Played,
): Pick<
  TrialRow,
  | "distinct"
  | "end"
  | "cause"
  | "root_cause"
  | "answer_class"
  | "checks"
  | "trial"
  | "ms"
  | "log"
  | "egress"
  | "isolation"
> {
  const { trial, ms, log, egress, isolation } = played;
  const cause = causeOf(played);
  const base = {
    ...(task === undefined ? {} : { distinct: distinctName(task) }),
    ...{ trial, ms, log, answer_class: finalClass(trial) },
    ...(egress === undefined ? {} : { egress }),
    ...(isolation === undefined ? {} : { isolation }),
  };
  if (cause !== undefined && INFRA.has(cause)) return { ...base, end: "infra", cause, root_cause: null, checks: [] };
  if (task === undefined || cause === "task" || cause === "gap")
    return { ...base, end: "invalid", cause: cause ?? "task", root_cause: null, checks: [] };
  const graded = grade(task, trial, withStart(env, task));
  const [end, why] = endOf(graded, cause);
  const root = end === "failed" ? rootOf(task, trial, graded.verdicts, why) : null;
  return { ...base, end, cause: why, root_cause: root, checks: graded.verdicts };
}

/** A call that the world recorded, or an answer, shows that the agent had begun. */
function causeOf({ cause, trial }: Played): EndCause | undefined {
  const begun = trial.calls.length > 0 || trial.answers.length > 0;
  return begun && cause !== undefined && BEFORE_A_TURN.has(cause) ? "crash" : cause;
}

function endOf(graded: ReturnType<typeof grade>, cause: EndCause | undefined): [TrialEnd, EndCause | null] {
  // How the agent ended is its failure whatever it had done by then.
  if (cause !== undefined) return ["failed", cause];
  if (graded.end === "met") return ["met", null];
  if (graded.end === "failed") return ["failed", "checks"];
  return ["invalid", graded.cause.startsWith("gap:") ? "gap" : "undecided"];
}

function rootOf(task: Task, trial: FinishedTrial, verdicts: TrialRow["checks"], cause: EndCause | null): RootCause {
  // A flood of one call is a loop.
  if (cause === "flood") return isLoop(trial.calls) ? "loop" : "flood";
  const known = cause === null ? undefined : ROOTS[cause];
  return known ?? RootCause.catch("other").parse(rootCause(task, trial, verdicts));
}

function finalClass(trial: FinishedTrial): FinalAnswerClass {
  const last = trial.answers.findLast((answer) => answer.class !== undefined || answer.text.trim() !== "");
  if (!last) return "none";
  return last.class ?? classOf(last.text) ?? "answered";
}
