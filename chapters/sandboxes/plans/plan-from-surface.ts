import { z } from "zod";
import type { ObservedTrace } from "../../../worlds/observation.ts";
import { Family } from "../../../worlds/tasks/schema.ts";
import { loadBundle } from "../../blobs.ts";
import type { Ctx } from "../../context.ts";
import { conflict, unprocessable } from "../../errors.ts";
import { orgRef, words } from "../../fields.ts";
import { type JobCtx, job } from "../../job.ts";
import type { Doc } from "../../record.ts";
import { DEFAULT_SURFACE } from "../../records/evidence/evidence.ts";
import { type BundleRecord, Environment, Surface } from "../../records/sandboxes/sandboxes.ts";
import { Worldplan } from "../../records/sandboxes/worldplan.ts";
import { refuseModel } from "../authoring/author-tasks.ts";
import { type DrawPlan, drawEnvironment } from "../environments/draw-environment.ts";
import { findEnvironment } from "../environments/environment-records.ts";
import { modelField } from "../fields.ts";
import { reviewEnvironment } from "../review/review-tasks.ts";
import { evidenceOf, readInputs, readSome } from "../surfaces/surface-evidence.ts";
import { findSurface, liveSurface } from "../surfaces/surfaces.ts";
import { whyFewCount } from "../tasks/few-tasks.ts";
import { whyNoneCounts, whyNoneFits } from "../tasks/no-tasks.ts";
import { environmentTasks } from "../tasks/task-records.ts";
import { checkSelection, TaskSelection } from "../tasks/task-selection.ts";
import { writeEnvironmentTasks } from "../tasks/write-tasks.ts";
import { writeWorldplan } from "./worldplans.ts";

/** Most traces that a plan mines tasks from. */
export const MOST_MINED = 500;

const PlanInput = z.object({
  plan: z.string(),
  environment: z.string(),
  label: z.string(),
  count: z.number().int(),
  families: z.array(Family).optional(),
  /** Values that the plan is for, where they are no task families. */
  dimensions: z.record(z.string(), z.array(z.string())).optional(),
  /** Dimension values that its tasks must have. */
  selection: z.record(z.string(), z.array(z.string())).optional(),
  /** The traces that it is for: tasks are mined from these alone and use no other tools. */
  from: z
    .object({ evidence: z.string(), traces: z.number().int(), positions: z.array(z.number().int()).max(MOST_MINED) })
    .optional(),
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
  note: ({ note }) => note ?? null,
});

/** What `planJob` makes. A plan that gets no task is refused, with the reason, and neither it nor its environment stays. */
async function makePlan(ctx: JobCtx, input: PlanInput) {
  const made = await planOrReason(ctx, input);
  if ("none" in made) throw unprocessable(made.none);
  return made;
}

/** Makes a plan within a job, or says why it got no task; then neither it nor its environment stays. */
export async function planOrReason(ctx: JobCtx, input: PlanInput) {
  const environment = await findEnvironment(ctx, input.environment);
  const { record } = await loadBundle(ctx, environment.bundle);
  const { count, families, from } = input;
  const chosen = from === undefined ? undefined : await chosenTraces(ctx, from);
  const { lost } = await writeEnvironmentTasks(ctx, environment, {
    seed: environment.seed,
    count,
    families,
    ...(chosen === undefined && input.selection === undefined
      ? {}
      : { selection: { ...(chosen === undefined ? {} : { operation: toolsOf(chosen) }), ...input.selection } }),
    mined: async () => chosen ?? (await readInputs(ctx, await evidenceOf(ctx, record.evidence))).traces,
  });
  const drafts = (await environmentTasks(ctx, environment.id)).filter((row) => row.status === "draft");
  await reviewEnvironment(ctx, environment, drafts, true);
  const rows = await environmentTasks(ctx, environment.id);
  const evidence = await evidenceOf(ctx, record.evidence);
  if (rows.length === 0) {
    const stored = await ctx.store.records.get(Worldplan, input.plan);
    if (stored === undefined || (stored.tasks.length === 0 && stored.owned_by === undefined)) {
      if (stored !== undefined) await ctx.store.records.delete(Worldplan, stored.id);
      await ctx.store.records.delete(Environment, environment.id);
    }
    return { none: whyNoneFits(input.selection === undefined ? [] : ["dimensions"], record, evidence) };
  }
  const tasks = rows
    .filter((row) => row.status !== "retired")
    .map(({ index, digest, task, status, reason }) => ({
      index,
      digest,
      task,
      status,
      ...(reason === undefined ? {} : { reason }),
    }));
  const plan = await writeWorldplan(ctx, { ...headOf(input), environment: environment.id }, tasks);
  const certified = plan.tasks.filter((row) => row.status === "certified").length;
  const note = whyNoneCounts(rows, record, evidence) ?? whyFewCount(rows, lost);
  return {
    worldplan: plan.id,
    environment: environment.id,
    tasks: plan.tasks.length,
    certified,
    ...(note === undefined ? {} : { note }),
  };
}

/** What a plan says of itself before it has tasks. */
export function headOf({ plan, label, by, families, dimensions, selection, from }: PlanInput) {
  return {
    id: plan,
    label,
    by,
    dimensions: dimensions ?? selection ?? (families === undefined ? {} : { family: [...families] }),
    ...(from === undefined
      ? {}
      : { minted_from: { evidence: from.evidence, traces: from.traces, mined: from.positions.length } }),
  };
}

async function chosenTraces(ctx: JobCtx, { evidence, positions }: NonNullable<PlanInput["from"]>) {
  const [record] = await evidenceOf(ctx, [evidence]);
  if (!record) throw unprocessable("The evidence to mint from is gone.", { by: "evidence_list" });
  return readSome(ctx, record, positions);
}

function toolsOf(traces: readonly ObservedTrace[]): string[] {
  return [...new Set(traces.flatMap(({ calls }) => calls.map(({ tool }) => tool)))].sort();
}

/** What `worldplans_from_surface` takes. */
export const PlanRequest = z.object({
  ...orgRef,
  bundle: words(200).optional().describe("The bundle to draw from; the one that `main` serves when absent."),
  count: z.number().int().min(1).max(500).optional().describe("How many tasks; 30 when absent."),
  dimensions: TaskSelection.optional().describe(
    'Values by axis, see dimensions_get: {operation: ["refund"]}; all when absent.',
  ),
  label: words(200).optional(),
  ...modelField,
});
export type PlanRequest = z.output<typeof PlanRequest>;

/** How many tasks a plan has where nobody says. */
export const DEFAULT_TASKS = 30;

/** Draws a plan's world on a served bundle and starts writing tasks. The same request answers the same plan; owned ones stay. */
export async function startPlan(ctx: Ctx, request: PlanRequest) {
  refuseModel(request.model);
  const { record, bundle } = await loadBundle(ctx, request.bundle ?? (await servedBundle(ctx, DEFAULT_SURFACE)));
  await checkSelection(ctx, bundle, request.dimensions ?? {}, "dimensions");
  const surface = await ctx.store.records.get(Surface, record.surface);
  if (surface) liveSurface(surface);
  const families = request.dimensions?.family;
  const count = request.count ?? DEFAULT_TASKS;
  const label = request.label ?? `${surface?.name ?? "surface"} plan`;
  const selection = Object.fromEntries(
    Object.entries(request.dimensions ?? {}).map(([axis, values]) => [axis, [...(values ?? [])]]),
  );
  const input = await drawnPlan(ctx, record, { label, seed: "plan", augment: false, selection, tasks: count });
  const handle = await ctx.jobs.start(planJob, {
    ...input,
    ...(families === undefined ? {} : { families: [...families] }),
    ...(Object.keys(selection).length === 0 ? {} : { selection }),
  });
  return {
    ...handle,
    bundle: record.id,
    count,
    environment: input.environment,
    suite: input.plan,
    stages: ["write", "review", "plan"],
    note: "The plan stands under the id of its suite once the job has landed.",
  };
}

/** Draws the world of a plan, and says under which id the plan will stand. A plan that a person owns is a conflict. */
export async function drawnPlan(ctx: Ctx, bundle: Doc<typeof BundleRecord>, draw: DrawPlan): Promise<PlanInput> {
  const environment = await drawEnvironment(ctx, bundle, draw);
  // The environment's own id in the plan's: one plan an environment, and lists in order of making.
  const plan = `${Worldplan.prefix}_${environment.id.slice(environment.id.indexOf("_") + 1)}`;
  const known = await ctx.store.records.get(Worldplan, plan);
  if (known?.owned_by !== undefined)
    throw conflict("A person owns this plan: it is never generated again. Give another label for a new one.");
  return { plan, environment: environment.id, label: draw.label, count: draw.tasks, by: ctx.caller.name };
}

/** The bundle that a surface serves; 404 for one that is not there, a conflict for one that was never compiled. */
export async function servedBundle(ctx: Ctx, name: string): Promise<string> {
  const surface = liveSurface(await findSurface(ctx, name));
  if (surface.bundle === undefined)
    throw conflict("The surface has not been compiled; run its pipeline first, or name a bundle.", {
      by: "pipeline_post",
    });
  return surface.bundle;
}
