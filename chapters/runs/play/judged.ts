import type { CheckVerdict, Task } from "../../../worlds/tasks/schema.ts";
import type { Ctx } from "../../context.ts";
import { askJudge } from "../../sandboxes/review/judged-check.ts";
import type { finishTrial } from "./finish-trial.ts";

type Finished = ReturnType<typeof finishTrial>;

/**
 * Has a judge decide what code left open in a trial that nothing failed: its checks of kind `judged`, each by the model
 * chosen for it. A check whose judge does not answer stays undecided. All else of the grading stays as it was.
 */
export async function judgeTrial(ctx: Ctx, task: Task | undefined, finished: Finished): Promise<Finished> {
  const open = finished.end === "invalid" && finished.cause === "undecided";
  if (!task || !open || !task.checks.some((check) => check.kind === "judged")) return finished;
  const checks: CheckVerdict[] = [];
  for (const [i, verdict] of finished.checks.entries()) {
    const check = task.checks[i];
    checks.push(
      check?.kind === "judged" ? await askJudge(ctx, check.criterion, task, finished.trial, verdict) : verdict,
    );
  }
  const at = { ...finished, checks };
  if (checks.some(({ verdict }) => verdict === "not_met"))
    return { ...at, end: "failed", cause: "checks", root_cause: finished.root_cause ?? "other" };
  return checks.every(({ verdict }) => verdict === "met") ? { ...at, end: "met", cause: null } : at;
}
