import type { Ctx } from "../context.ts";
import { everyRow } from "../page.ts";
import { counts, sample } from "../runs/select-tasks.ts";
import { type EnvironmentDoc, findEnvironment } from "../sandboxes/environment-records.ts";
import { Environment } from "../sandboxes/schema.ts";
import { environmentTasks, type TaskDoc } from "../sandboxes/task-records.ts";

/** An environment with the tasks of it that are exported. */
export interface ExportedTasks {
  readonly environment: EnvironmentDoc;
  readonly tasks: readonly TaskDoc[];
}

/** The environment asked for, else every one of the org that is not retired, oldest first, each with its certified tasks of the set. */
export async function* exportedTasks(
  ctx: Ctx,
  input: { readonly environment?: string | undefined; readonly set?: string | undefined },
): AsyncGenerator<ExportedTasks> {
  for await (const environment of environments(ctx, input.environment)) {
    const all = (await environmentTasks(ctx, environment.id)).filter((task) => counts(task, false));
    const { set = "full" } = input;
    yield { environment, tasks: set === "full" ? all : sample(all, set) };
  }
}

async function* environments(ctx: Ctx, id: string | undefined): AsyncGenerator<EnvironmentDoc> {
  if (id !== undefined) yield await findEnvironment(ctx, id);
  else
    for await (const row of everyRow((page) => ctx.store.records.list(Environment, { ...page, order: "oldest" })))
      if (row.retired_at === undefined) yield row;
}
