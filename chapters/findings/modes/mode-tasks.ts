import { z } from "zod";
import { digestOf } from "../../../worlds/digest.ts";
import { loadEnvironment } from "../../blobs.ts";
import type { Ctx } from "../../context.ts";
import { countOf } from "../../count-of.ts";
import type { ModeDoc } from "../../modes/record-modes.ts";
import { FailureMode } from "../../records/findings/findings.ts";
import { liveEnvironment } from "../../sandboxes/environments/environment-records.ts";
import { revise } from "../../sandboxes/environments/revise.ts";
import { judgeTasks, reviewed } from "../../sandboxes/review/review-tasks.ts";
import { writeModeTasks } from "../../sandboxes/tasks/failure-tasks.ts";
import { environmentTasks, type TaskDoc } from "../../sandboxes/tasks/task-records.ts";
import { draftsOf } from "../../sandboxes/tasks/write-tasks.ts";

/** How many tasks are written and tried for each that is wanted. */
const CANDIDATES = 3;

/** What tasks are written for a mode with. */
export const ModeTaskPlan = z.object({
  mode: z.string(),
  environment: z.string(),
  behaviour: z.string(),
  tool: z.string().optional(),
  count: z.number().int(),
  by: z.string(),
});
export type ModeTaskPlan = z.infer<typeof ModeTaskPlan>;

/** The tasks that hold agents to a mode now, and where those are fewer than were wanted, why. */
export interface ModeTasks {
  readonly tasks: TaskDoc[];
  readonly why: string | null;
}

/**
 * Writes tasks that hold agents to a mode onto its sandbox, through the same gate as all tasks, as one revision, and puts
 * them on the mode. The same plan writes the same tasks: what a run before it added is taken up, not added again.
 */
export async function writeTasksOf(ctx: Ctx, plan: ModeTaskPlan, job?: string): Promise<ModeTasks> {
  const environment = await liveEnvironment(ctx, plan.environment);
  const world = await loadEnvironment(ctx, environment);
  const standing = await environmentTasks(ctx, environment.id);
  const byDigest = new Map(standing.map((row) => [row.digest, row]));
  const asked = new Set(standing.map((row) => row.task.request));
  const { behaviour, tool, count } = plan;
  const written = await ctx.compute.run(
    writeModeTasks,
    { ...world, plan: { behaviour, tool, seed: plan.mode, count: count * CANDIDATES } },
    ctx.signal,
  );
  const kept = written
    .flatMap((task) => byDigest.get(digestOf(task)) ?? [])
    .filter((row) => row.status === "certified");
  const fresh = written.filter((task) => !asked.has(task.request)).slice(0, count * CANDIDATES);
  const own = kept.slice(0, count);
  const missing = count - own.length;
  const drafts = missing === 0 ? [] : draftsOf(ctx, environment, fresh);
  const reviews = await judgeTasks(ctx, world, drafts);
  const passed = drafts.flatMap((draft, i) => (reviews[i]!.certificate.passed ? [{ draft, review: reviews[i]! }] : []));
  const added = passed.slice(0, missing).map(({ draft, review }, i) => ({
    ...reviewed(draft, review, true, ctx.now()),
    index: environment.tasks + i,
  }));
  if (added.length > 0)
    await revise(ctx, environment, {
      act: "tasks_added",
      by: plan.by,
      changed: [],
      added,
      ...(job ? { jobs: [job] } : {}),
    });
  const tasks = [...own, ...added];
  await ctx.store.records.update(FailureMode, plan.mode, (mode) => withTasks(mode, tasks));
  const why = tasks.length >= count ? null : whyFewer(plan, tasks.length, written.length, drafts.length);
  return { tasks, why };
}

function whyFewer({ behaviour, tool, count }: ModeTaskPlan, got: number, written: number, tried: number): string {
  const what = `${behaviour.replaceAll("_", " ")}${tool === undefined ? "" : " of the mode's tool"}`;
  const of = `${got} of ${countOf(count, "task was", "tasks were")} written`;
  if (written === 0)
    return `${of}: no task that rules write on this sandbox can show ${what}. Send traces that do, or add tasks of your own with environment_tasks_post.`;
  if (tried === 0) return `${of}: this sandbox already has every task that rules write for ${what}.`;
  return `${of}: of ${tried} more that were tried for ${what} none passed review. Add tasks of your own with environment_tasks_post.`;
}

function withTasks(mode: ModeDoc, tasks: readonly TaskDoc[]): ModeDoc {
  const known = new Set(mode.tasks.map(({ task }) => task));
  const more = tasks.filter(({ id }) => !known.has(id)).map(({ id, environment }) => ({ environment, task: id }));
  return { ...mode, tasks: [...mode.tasks, ...more] };
}
