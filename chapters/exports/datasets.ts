import type { Ctx } from "../context.ts";
import type { TaskDoc } from "../sandboxes/tasks/task-records.ts";
import { datasetNames } from "./dataset-records.ts";
import { exportedTasks } from "./tasks.ts";

/**
 * The datasets a run can be started over, one per environment, named as an external tool holds them. `field` and `value`
 * narrow them to tasks of a family, a tier or a value of a dimension; a dataset without such a task is left out.
 */
export async function listDatasets(
  ctx: Ctx,
  input: { readonly field?: string | undefined; readonly value?: string | undefined },
) {
  const { field, value } = input;
  const nameOf = await datasetNames(ctx);
  const datasets = [];
  for await (const { environment, tasks } of exportedTasks(ctx, {})) {
    const kept = field === undefined ? tasks : tasks.filter((task) => fits(task, field, value));
    if (kept.length === 0) continue;
    const families: Record<string, number> = {};
    for (const { task } of kept) families[task.family] = (families[task.family] ?? 0) + 1;
    datasets.push({
      name: nameOf(environment),
      environment: environment.id,
      surface: environment.surface,
      revision: environment.revision,
      tasks: kept.length,
      families,
    });
  }
  return { org: ctx.org.tag, datasets, tier: "deterministic" as const };
}

function fits({ task }: TaskDoc, field: string, value: string | undefined): boolean {
  const own =
    field === "family" || field === "tier"
      ? task[field]
      : Object.hasOwn(task.cell, field)
        ? task.cell[field as keyof typeof task.cell]
        : undefined;
  return own !== undefined && (value === undefined || String(own) === value);
}
