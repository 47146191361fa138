import type { Ctx } from "../context.ts";
import { AppError } from "../errors.ts";
import { everyRow } from "../page.ts";
import { Run } from "../runs/schema.ts";
import type { EnvironmentDoc } from "./environment-records.ts";
import { Surface } from "./schema.ts";

/** Refuses a change of an environment while a job works on it: a run, its surface's pipeline, or one that writes its tasks. */
export async function refuseWhileLive(ctx: Ctx, environment: EnvironmentDoc, own?: string): Promise<void> {
  const surface = await ctx.store.records.get(Surface, environment.surface);
  for await (const job of everyRow((page) => ctx.store.jobs.list({ ...page, live: true }))) {
    if (job.id === own || !(await worksOn(ctx, job, environment, surface?.name))) continue;
    throw new AppError(
      "conflict",
      `A ${job.kind.replaceAll("_", " ")} works on this environment; wait for it or end it.`,
    );
  }
}

async function worksOn(
  ctx: Ctx,
  job: { readonly id: string; readonly kind: string; readonly input: unknown; readonly created_at: number },
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
      // What it draws itself is younger than it is.
      return input.bundle === environment.bundle && environment.created_at >= job.created_at;
    default:
      return input.environment === environment.id;
  }
}
