import { z } from "zod";
import { Family } from "../../worlds/tasks/schema.ts";
import type { Ctx } from "../context.ts";
import { AppError } from "../errors.ts";
import { DEFAULT_SURFACE } from "../evidence/schema.ts";
import { type JobCtx, job } from "../job.ts";
import { refuseModel } from "./author-tasks.ts";
import { loadBundle } from "./blobs.ts";
import { drawEnvironment } from "./draw-environment.ts";
import { findEnvironment } from "./environment-records.ts";
import { reviewEnvironment } from "./review-tasks.ts";
import { Surface } from "./schema.ts";
import { evidenceOf, readInputs } from "./surface-evidence.ts";
import { findSurface, liveSurface } from "./surfaces.ts";
import { environmentTasks } from "./task-records.ts";
import { Worldplan } from "./worldplan-schema.ts";
import { writeWorldplan } from "./worldplans.ts";
import { writeEnvironmentTasks } from "./write-tasks.ts";

const PlanInput = z.object({
  plan: z.string(),
  environment: z.string(),
  label: z.string(),
  count: z.number().int(),
  families: z.array(Family).optional(),
  by: z.string(),
});
type PlanInput = z.infer<typeof PlanInput>;

/** Writes and reviews tasks on a plan's environment and stores the plan; repeating it goes on where it was. */
export const planJob = job({
  kind: "worldplan",
  input: PlanInput,
  key: ({ plan }) => `worldplan:${plan}`,
  attempts: 3,
  ends: "cancel",
  concurrency: 1,
  run: makePlan,
});

async function makePlan(ctx: JobCtx, input: PlanInput) {
  const environment = await findEnvironment(ctx, input.environment);
  const { record } = await loadBundle(ctx, environment.bundle);
  const { count, families } = input;
  await writeEnvironmentTasks(ctx, environment, {
    seed: environment.seed,
    count,
    families,
    mined: async () => (await readInputs(ctx, await evidenceOf(ctx, record.evidence))).traces,
  });
  const drafts = (await environmentTasks(ctx, environment.id)).filter((row) => row.status === "draft");
  await reviewEnvironment(ctx, environment, drafts, true);
  const rows = await environmentTasks(ctx, environment.id);
  const tasks = rows
    .filter((row) => row.status !== "retired")
    .map(({ index, digest, task, status, reason }) => ({
      index,
      digest,
      task,
      status,
      ...(reason === undefined ? {} : { reason }),
    }));
  const dimensions: Record<string, string[]> = families === undefined ? {} : { family: [...families] };
  const { plan: id, label, by } = input;
  const plan = await writeWorldplan(ctx, { id, label, by, environment: environment.id, dimensions }, tasks);
  const certified = plan.tasks.filter((row) => row.status === "certified").length;
  return { worldplan: plan.id, environment: environment.id, tasks: plan.tasks.length, certified };
}

interface PlanRequest {
  readonly bundle?: string | undefined;
  readonly count?: number | undefined;
  readonly dimensions?: { readonly family?: readonly Family[] | undefined } | undefined;
  readonly label?: string | undefined;
  readonly model?: string | undefined;
}

const DEFAULT_TASKS = 30;

/** Draws the world of a plan on a served bundle and starts writing its tasks. The same request answers the same plan; one that a person owns is never generated again. */
export async function startPlan(ctx: Ctx, request: PlanRequest) {
  refuseModel(request.model);
  const { record } = await loadBundle(ctx, request.bundle ?? (await servedBundle(ctx)));
  const surface = await ctx.store.records.get(Surface, record.surface);
  if (surface) liveSurface(surface);
  const families = request.dimensions?.family;
  const count = request.count ?? DEFAULT_TASKS;
  const label = request.label ?? `${surface?.name ?? "surface"} plan`;
  const environment = await drawEnvironment(ctx, record, {
    label,
    seed: "plan",
    augment: false,
    selection: families === undefined ? {} : { family: [...families] },
    tasks: count,
  });
  // The environment's own id in the plan's: one plan an environment, and lists in order of making.
  const plan = `${Worldplan.prefix}_${environment.id.slice(environment.id.indexOf("_") + 1)}`;
  const known = await ctx.store.records.get(Worldplan, plan);
  if (known?.owned_by !== undefined)
    throw new AppError(
      "conflict",
      "A person owns this plan: it is never generated again. Give another label for a new one.",
    );
  const handle = await ctx.jobs.start(planJob, {
    plan,
    environment: environment.id,
    label,
    count,
    by: ctx.caller.name,
    ...(families === undefined ? {} : { families: [...families] }),
  });
  return {
    ...handle,
    bundle: record.id,
    count,
    environment: environment.id,
    suite: plan,
    stages: ["write", "review", "plan"],
    note: "The plan stands under the id of its suite once the job has landed.",
  };
}

async function servedBundle(ctx: Ctx): Promise<string> {
  const surface = liveSurface(await findSurface(ctx, DEFAULT_SURFACE));
  if (surface.bundle === undefined)
    throw new AppError("conflict", "The surface has not been compiled; run its pipeline first, or name a bundle.");
  return surface.bundle;
}
