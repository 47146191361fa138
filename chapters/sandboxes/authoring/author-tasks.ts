import { digestOf } from "../../../worlds/digest.ts";
import type { Task } from "../../../worlds/tasks/schema.ts";
import { loadEnvironment } from "../../blobs.ts";
import type { Ctx } from "../../context.ts";
import { personasFor } from "../../dimensions/voices.ts";
import { unprocessable } from "../../errors.ts";
import { documentTexts } from "../../evidence/documents/document-texts.ts";
import type { EnvironmentDoc } from "../environments/environment-records.ts";
import { tracesOf } from "../environments/environment-traces.ts";
import { judgeTasks, reviewed } from "../review/review-tasks.ts";
import { writeTasks } from "../tasks/compute-tasks.ts";
import type { TaskDoc } from "../tasks/task-records.ts";

/** Refuses a request that names a model: tasks are written, voiced and reviewed by rule here. */
export function refuseModel(model: string | undefined): void {
  if (model === undefined) return;
  throw unprocessable("This workspace has no model connected for this; leave model out, and rules do it.", {
    by: "providers_get",
  });
}

/** How many candidates are written and tried for each task that is to be replaced. */
export const CANDIDATES = 4;

/**
 * Writes tasks anew by rule: for each of `rows` another of its family that is not asked yet and passes review on the
 * environment's world, of the same operation where there is one. Tasks for which none was found are left out.
 */
export async function rewriteTasks(
  ctx: Ctx,
  environment: EnvironmentDoc,
  rows: readonly TaskDoc[],
  plan: { readonly seed: string; readonly asked: ReadonlySet<string> },
): Promise<Map<string, TaskDoc>> {
  if (rows.length === 0) return new Map();
  const world = await loadEnvironment(ctx, environment);
  const families = [...new Set(rows.map((row) => row.task.family))];
  // The sessions also show how people speak: what is written anew is asked as the rest of the set is.
  const mined = await tracesOf(ctx, environment);
  const count = rows.length * CANDIDATES + plan.asked.size;
  // Who was to ask asks what is written anew.
  const { persona, register } = environment.selection;
  const selection = { ...(persona && { persona }), ...(register && { register }) };
  const personas = await personasFor(ctx, selection);
  const documents = await documentTexts(ctx);
  const input = { ...world, seed: plan.seed, count, families, mined, selection, personas, documents };
  const { tasks: written } = await ctx.compute.run(writeTasks, input, ctx.signal);
  const fresh = written.filter((task) => !plan.asked.has(task.request));
  const drafts = candidatesFor(rows, fresh);
  const reviews = await judgeTasks(
    ctx,
    world,
    drafts.map(({ draft }) => draft),
  );
  const found = new Map<string, TaskDoc>();
  const used = new Set<string>();
  drafts.forEach(({ row, draft }, i) => {
    const review = reviews[i]!;
    if (found.has(row.id) || used.has(draft.digest) || !review.certificate.passed) return;
    used.add(draft.digest);
    found.set(row.id, reviewed(draft, review, true, ctx.now()));
  });
  return found;
}

function candidatesFor(rows: readonly TaskDoc[], tasks: readonly Task[]): { row: TaskDoc; draft: TaskDoc }[] {
  const left = [...tasks];
  return rows.flatMap((row) => {
    const mine = left
      .filter((task) => task.family === row.task.family)
      .sort((a, b) => Number(sameOperation(b, row.task)) - Number(sameOperation(a, row.task)))
      .slice(0, CANDIDATES);
    for (const task of mine) left.splice(left.indexOf(task), 1);
    return mine.map((task) => ({ row, draft: withTask(row, task) }));
  });
}

function sameOperation(a: Task, b: Task): boolean {
  return a.cell.operation === b.cell.operation;
}

/** A task's record with other content: its review and its marks are those of what it was, and go. */
export function withTask(row: TaskDoc, task: Task): TaskDoc {
  const {
    reason: _reason,
    held_by: _held,
    certificate: _certificate,
    health: _health,
    reviewed_at: _at,
    ...rest
  } = row;
  return { ...rest, task, digest: digestOf(task), status: "draft", verdicts: [] };
}
