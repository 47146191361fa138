import type { Ctx } from "../context.ts";
import { everyRow } from "../page.ts";
import { Environment } from "../records/sandboxes/sandboxes.ts";
import { environmentTasks, type TaskDoc } from "../sandboxes/tasks/task-records.ts";

/** The certified tasks of every environment that stands. */
export async function* certifiedTasks(ctx: Ctx): AsyncGenerator<TaskDoc> {
  for await (const environment of everyRow((page) => ctx.store.records.list(Environment, page))) {
    if (environment.retired_at !== undefined) continue;
    for (const row of await environmentTasks(ctx, environment.id)) if (row.status === "certified") yield row;
  }
}
