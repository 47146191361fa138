import { certificateTerms, lapse } from "../../../worlds/tasks/grading/certificate.ts";
import type { GradeEnv } from "../../../worlds/tasks/grading/grade.ts";
import type { Ctx } from "../../context.ts";
import { notFound } from "../../errors.ts";
import type { Doc } from "../../record.ts";
import { TaskRecord } from "../../records/sandboxes/sandboxes.ts";
import { findEnvironment } from "../environments/environment-records.ts";

/** A stored task with its review. */
export type TaskDoc = Doc<typeof TaskRecord>;

/** An environment's task by its index; unknown indexes and environments are the same 404 as another org's. */
export async function findTask(ctx: Ctx, environment: string, index: number): Promise<TaskDoc> {
  await findEnvironment(ctx, environment);
  const { items } = await ctx.store.records.list(TaskRecord, { where: { environment, index }, limit: 1 });
  if (!items[0]) throw notFound("task");
  return items[0];
}

/** An environment's tasks by index, retired ones included. */
export async function environmentTasks(ctx: Ctx, environment: string): Promise<TaskDoc[]> {
  const tasks: TaskDoc[] = [];
  let cursor: string | undefined;
  do {
    const page = await ctx.store.records.list(TaskRecord, {
      where: { environment },
      order: "oldest",
      limit: 500,
      cursor,
    });
    tasks.push(...page.items);
    cursor = page.next;
  } while (cursor !== undefined);
  return tasks.sort((a, b) => a.index - b.index);
}

const LAPSED = {
  engine: "Another version of the checks certified it",
  task: "It was changed after it was certified",
};
/** What makes a task of a lapsed certificate count again. */
export const REVIEW_AGAIN = "environment_review_post reviews it again, without a model";

/** Why a certified task's certificate no longer holds and what to do, in words; undefined where it holds, or the task is not certified. */
export function staleness({ status, certificate, task }: TaskDoc): string | undefined {
  const why = status === "certified" && certificate ? lapse(certificate, task) : undefined;
  return why === undefined ? undefined : `${LAPSED[why]}: it does not count; ${REVIEW_AGAIN}.`;
}

/** Whether a task is held by its review, since its world is too poor for it, and by no person. */
export function isHeldAsPoor({ status, held_by, certificate }: TaskDoc): boolean {
  return status === "held" && held_by === undefined && certificate?.neighbourhood?.poor !== undefined;
}

/** Whether a held task's certificate no longer proves it on this world: what is run of it then was proven of something else. */
export function isLapsedHold({ status, certificate, task }: TaskDoc, world: GradeEnv): boolean {
  if (status !== "held" || certificate === undefined) return false;
  const now = certificateTerms(task, world);
  return lapse(certificate, task) !== undefined || certificate.world !== now.world || certificate.tools !== now.tools;
}

/** Whether a task counts: it is certified, and its certificate holds. */
export function standing(row: TaskDoc): boolean {
  return row.status === "certified" && staleness(row) === undefined;
}

/** How many tasks stand at each status. */
export function statusCounts(tasks: readonly TaskDoc[]) {
  const counts = { draft: 0, certified: 0, held: 0, refused: 0, retired: 0 };
  for (const task of tasks) counts[task.status]++;
  return counts;
}

/**
 * How the checks of an environment's tasks did on the trials made to prove them: wrong ones rejected, equal ones
 * spared, and those on which a check could not decide, each with its share, 0 to 1. Absent before a review.
 */
export function verifierHealth(tasks: readonly TaskDoc[]) {
  const reviewed = tasks.flatMap((row) => {
    if (!row.health || row.status === "refused") return [];
    const undecided = row.verdicts.find(({ name }) => name === "discriminating")?.counts.undecided ?? 0;
    return [{ ...row.health, undecided }];
  });
  if (reviewed.length === 0) return undefined;
  const sum = (key: "mutants" | "rejected" | "equals" | "spared" | "undecided") =>
    reviewed.reduce((total, health) => total + health[key], 0);
  const [mutants, rejected, equals, spared] = [sum("mutants"), sum("rejected"), sum("equals"), sum("spared")];
  const undecided = sum("undecided");
  return {
    mutants,
    rejected,
    equals,
    spared,
    undecided,
    shares: {
      ...share("rejected", rejected, mutants),
      ...share("spared", spared, equals),
      ...share("undecided", undecided, mutants + equals),
    },
    tier: "deterministic" as const,
  };
}

function share(name: string, part: number, whole: number): Record<string, number> {
  return whole === 0 ? {} : { [name]: part / whole };
}
