import type { Ctx } from "../../context.ts";
import { badField } from "../../errors.ts";
import { certifiedTasks } from "../../ontology/live-tasks.ts";
import { Run, type TrialRow } from "../../records/runs/runs.ts";
import { TaskRecord } from "../../records/sandboxes/sandboxes.ts";
import type { TaskDoc } from "../../sandboxes/tasks/task-records.ts";
import { findGroup } from "../groups/group-data.ts";
import { trialsOf } from "../trials/trial-rows.ts";
import { heldSetOf } from "./held-set.ts";
import { sample, TASK_SET } from "./select-tasks.ts";

/** A set of tasks, with the trials that a group made of them. */
export interface TaskSet {
  readonly kind: "live" | "selection" | "held" | "group";
  readonly name: string | null;
  readonly tasks: readonly TaskDoc[];
  /** Absent where no group was named. */
  readonly trials?: readonly TrialRow[];
  /** The runs of the group. */
  readonly runs: readonly string[];
}

/**
 * The tasks of a set: every certified task of the live environments, a sample of them by name (`ci-10`), or those that a
 * held set froze (by its group's id). With a group, its tasks and trials; with both, the set's tasks and the group's trials.
 */
export async function taskSet(
  ctx: Ctx,
  input: { readonly set?: string | undefined; readonly group?: string | undefined },
): Promise<TaskSet> {
  const { set, group } = input;
  const played = group === undefined ? undefined : await playedBy(ctx, group);
  const rest = { runs: played?.runs ?? [], ...(played === undefined ? {} : { trials: played.trials }) };
  if (set === undefined && played) return { kind: "group", name: group ?? null, tasks: played.tasks, ...rest };
  if (set === undefined) return { kind: "live", name: null, tasks: await liveTasks(ctx), ...rest };
  if (TASK_SET.test(set)) return { kind: "selection", name: set, tasks: await sampled(ctx, set), ...rest };
  if (!set.startsWith("rg_")) throw badField("set", "use full, ci-N, smoke-N, or the group of a held set");
  const held = await heldSetOf(ctx, set);
  const tasks = await ctx.store.records.getMany(
    TaskRecord,
    held.tasks.map(({ task }) => task),
  );
  return { kind: "held", name: set, tasks, ...rest };
}

async function liveTasks(ctx: Ctx): Promise<TaskDoc[]> {
  const tasks: TaskDoc[] = [];
  for await (const task of certifiedTasks(ctx)) tasks.push(task);
  return tasks;
}

async function sampled(ctx: Ctx, name: string): Promise<TaskDoc[]> {
  const all = await liveTasks(ctx);
  if (name === "full") return all;
  return [...Map.groupBy(all, ({ environment }) => environment).values()].flatMap((own) => sample(own, name));
}

async function playedBy(ctx: Ctx, id: string) {
  const group = await findGroup(ctx, id);
  const runs = await ctx.store.records.getMany(
    Run,
    group.runs.map(({ run }) => run),
  );
  const ids = [...new Set(runs.flatMap((run) => run.tasks.map((task) => task.id)))];
  const tasks = await ctx.store.records.getMany(TaskRecord, ids);
  const trials = (await Promise.all(runs.map((run) => trialsOf(ctx, run.id)))).flat();
  return { tasks, trials, runs: runs.map((run) => run.id) };
}
