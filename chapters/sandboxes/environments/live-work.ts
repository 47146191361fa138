import type { Ctx } from "../../context.ts";
import { conflict } from "../../errors.ts";
import { everyRow } from "../../page.ts";
import { Run } from "../../records/runs/runs.ts";
import { Surface } from "../../records/sandboxes/sandboxes.ts";
import type { EnvironmentDoc } from "./environment-records.ts";
import { generates } from "./generate-environments.ts";

/** What works on an environment, by the kind of its job. */
const WORK: Readonly<Record<string, string>> = {
  run: "A run",
  run_group: "A run",
  pipeline: "The surface's pipeline",
  generate_environments: "The generation that draws it",
  author_tasks: "A writing of its tasks",
  review: "A review of its tasks",
  rereview: "A review of its tasks",
  reserve_tasks: "A copying of its tasks",
  audit_environment: "An audit",
  failure_mode_tasks: "A writing of tasks for a failure mode",
  worldplan: "A writing of tasks",
};

/** Refuses a change of an environment while a job works on it: a run, its surface's pipeline, or one that writes its tasks. */
export async function refuseWhileLive(ctx: Ctx, environment: EnvironmentDoc, own?: string): Promise<void> {
  const surface = await ctx.store.records.get(Surface, environment.surface);
  for await (const job of everyRow((page) => ctx.store.jobs.list({ ...page, live: true }))) {
    if (job.id === own || !(await worksOn(ctx, job, environment, surface?.name))) continue;
    const work = WORK[job.kind] ?? "A job";
    const names = [job.id];
    throw conflict(`${work} works on this environment; wait for it or end it.`, { names });
  }
}

async function worksOn(
  ctx: Ctx,
  job: { readonly id: string; readonly kind: string; readonly input: unknown },
  environment: EnvironmentDoc,
  surface: string | undefined,
): Promise<boolean> {
  const input = (job.input ?? {}) as Readonly<Record<string, unknown>>;
  switch (job.kind) {
    case "run":
      return (await ctx.store.records.get(Run, job.id))?.environment === environment.id;
    case "run_group": {
      const { items } = await ctx.store.records.list(Run, {
        where: { group: job.id, environment: environment.id },
        limit: 1,
      });
      return items.length > 0;
    }
    case "pipeline":
      return input.surface === surface;
    case "generate_environments":
      return generates(input, environment);
    default:
      return input.environment === environment.id;
  }
}
