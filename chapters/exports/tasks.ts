import type { Ctx } from "../context.ts";
import { everyRow } from "../page.ts";
import { Environment } from "../records/sandboxes/sandboxes.ts";
import { counts, sample } from "../runs/start/select-tasks.ts";
import { type EnvironmentDoc, findEnvironment } from "../sandboxes/environments/environment-records.ts";
import { environmentTasks, type TaskDoc } from "../sandboxes/tasks/task-records.ts";

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
  for await (const environment of environments(ctx, input.environment))
    yield { environment, tasks: await tasksOfSet(ctx, environment, input.set) };
}

/** An environment with how many tasks of it are exported; `read` reads them, when their turn has come. */
export interface ChosenTasks {
  readonly environment: EnvironmentDoc;
  readonly count: number;
  readonly read: () => Promise<readonly TaskDoc[]>;
}

/** The same, counted beforehand and read one environment at a time; `keep` narrows the tasks. */
export async function chosenTasks(
  ctx: Ctx,
  input: { readonly environment?: string | undefined; readonly set?: string | undefined },
  keep: (task: TaskDoc) => boolean = () => true,
): Promise<ChosenTasks[]> {
  const chosen: ChosenTasks[] = [];
  for await (const { environment, tasks } of exportedTasks(ctx, input))
    chosen.push({
      environment,
      count: tasks.filter(keep).length,
      read: async () => (await tasksOfSet(ctx, environment, input.set)).filter(keep),
    });
  return chosen;
}

async function tasksOfSet(ctx: Ctx, environment: EnvironmentDoc, set = "full"): Promise<readonly TaskDoc[]> {
  const all = (await environmentTasks(ctx, environment.id)).filter((task) => counts(task, false));
  return set === "full" ? all : sample(all, set);
}

async function* environments(ctx: Ctx, id: string | undefined): AsyncGenerator<EnvironmentDoc> {
  if (id !== undefined) yield await findEnvironment(ctx, id);
  else
    for await (const row of everyRow((page) => ctx.store.records.list(Environment, { ...page, order: "oldest" })))
      if (row.retired_at === undefined) yield row;
}
