import type { ObservedTrace } from "../../worlds/observation.ts";
import type { Family, Task } from "../../worlds/tasks/schema.ts";
import type { Ctx } from "../context.ts";
import { jsonDigest, loadEnvironment } from "./blobs.ts";
import { writeTasks } from "./compute-tasks.ts";
import type { EnvironmentDoc } from "./environment-records.ts";
import { Environment, TaskRecord } from "./schema.ts";
import { environmentTasks, type TaskDoc } from "./task-records.ts";

export interface TaskPlan {
  readonly seed: string;
  readonly count: number;
  readonly families?: readonly Family[] | undefined;
  readonly mined: readonly ObservedTrace[];
}

/** Writes tasks into an environment that has none yet, as drafts; else answers those it has. */
export async function writeEnvironmentTasks(ctx: Ctx, environment: EnvironmentDoc, plan: TaskPlan): Promise<TaskDoc[]> {
  if (environment.tasks > 0) return environmentTasks(ctx, environment.id);
  const { bundle, base } = await loadEnvironment(ctx, environment);
  const { seed, count, families, mined } = plan;
  const tasks = await ctx.compute.run(writeTasks, { bundle, base, seed, count, families, mined }, ctx.signal);
  return addTasks(ctx, environment, tasks);
}

/** Adds tasks to an environment as drafts, after the ones that stand; all or none. */
export async function addTasks(ctx: Ctx, environment: EnvironmentDoc, tasks: readonly Task[]): Promise<TaskDoc[]> {
  const docs = tasks.map((task, i) => taskDoc(ctx, environment.id, environment.tasks + i, task));
  await ctx.store.records.apply([
    {
      op: "put",
      kind: Environment,
      doc: { ...environment, tasks: environment.tasks + docs.length },
      expect: jsonDigest(environment),
    },
    ...docs.map((doc) => ({ op: "insert" as const, kind: TaskRecord, doc })),
  ]);
  return docs;
}

function taskDoc(ctx: Ctx, environment: string, index: number, task: Task): TaskDoc {
  return {
    id: ctx.id("tk"),
    created_at: ctx.now(),
    by: ctx.caller.name,
    environment,
    index,
    digest: jsonDigest(task),
    task,
    status: "draft",
    verdicts: [],
  };
}
