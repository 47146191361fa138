import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { countOf } from "../../count-of.ts";
import { conflict, unprocessable } from "../../errors.ts";
import { type JobCtx, job } from "../../job.ts";
import { BundleRecord, Surface } from "../../records/sandboxes/sandboxes.ts";
import { reviewEnvironment } from "../review/review-tasks.ts";
import { findSurface, liveSurface } from "../surfaces/surfaces.ts";
import { environmentTasks, statusCounts } from "../tasks/task-records.ts";
import { addTasks } from "../tasks/write-tasks.ts";
import { drawEnvironment } from "./draw-environment.ts";
import { findEnvironment, liveEnvironment } from "./environment-records.ts";

const ReserveInput = z.object({ environment: z.string(), bundle: z.string(), label: z.string() });
type ReserveInput = z.infer<typeof ReserveInput>;

/** Copies an environment's tasks onto a new environment of another bundle and certifies them there; repeating it goes on where it was. */
export const reserveJob = job({
  kind: "reserve_tasks",
  input: ReserveInput,
  key: ({ environment, bundle }) => `reserve:${environment}:${bundle}`,
  attempts: 3,
  ends: "cancel",
  concurrency: 1,
  run: reserve,
});

async function reserve(ctx: JobCtx, input: ReserveInput) {
  const source = await findEnvironment(ctx, input.environment);
  const bundle = await ctx.store.records.get(BundleRecord, input.bundle);
  if (!bundle) throw unprocessable("The bundle to copy the tasks to is gone.", { by: "bundles_list" });
  const rows = (await environmentTasks(ctx, source.id)).filter((row) => row.status !== "retired");
  const environment = await drawEnvironment(ctx, bundle, {
    label: input.label,
    seed: source.seed,
    augment: source.hypothesis === "fitted",
    selection: { source: [source.id, String(source.revision)] },
    tasks: rows.length,
  });
  const copies =
    environment.tasks > 0
      ? await environmentTasks(ctx, environment.id)
      : await addTasks(
          ctx,
          environment,
          rows.map((row) => row.task),
        );
  const due = copies.filter((row) => row.status === "draft");
  const settled = copies.filter((row) => row.status !== "draft");
  const reviewed = await reviewEnvironment(ctx, environment, due, true);
  return { source: source.id, environment: environment.id, ...statusCounts([...settled, ...reviewed]) };
}

/** Starts copying an environment's tasks to another surface, where each is certified on its own or refused with the reason. */
export async function startReserve(ctx: Ctx, input: { readonly env_id: string; readonly surface: string }) {
  const source = await liveEnvironment(ctx, input.env_id);
  const target = liveSurface(await findSurface(ctx, input.surface));
  if (target.id === source.surface)
    throw conflict("The tasks are on this surface already; name another.", { by: "surfaces_list" });
  if (target.bundle === undefined)
    throw conflict("The surface has not been compiled; run its pipeline first.", { by: "pipeline_post" });
  const rows = (await environmentTasks(ctx, source.id)).filter((row) => row.status !== "retired");
  if (rows.length === 0)
    throw conflict("The environment has no task to copy.", { by: "environment_review_regenerate" });
  const from = await ctx.store.records.get(Surface, source.surface);
  const label = `${source.label} on ${target.name}`.slice(0, 200);
  const handle = await ctx.jobs.start(reserveJob, { environment: source.id, bundle: target.bundle, label });
  return {
    ...handle,
    environment: source.id,
    source_surface: from?.name ?? source.surface,
    surface: target.name,
    checks: rows.reduce((n, row) => n + row.task.checks.length, 0),
    stage: "draw",
    stages: ["draw", "copy", "review"],
    note: `Copied: ${countOf(rows.length, "task")}; the job's result names the new environment and how many passed there.`,
  };
}
