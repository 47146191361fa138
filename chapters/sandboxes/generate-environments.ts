import { z } from "zod";
import { digestOf } from "../../worlds/digest.ts";
import { REGISTERS } from "../../worlds/tasks/revoice.ts";
import { Family } from "../../worlds/tasks/schema.ts";
import type { Ctx } from "../context.ts";
import { AppError, notFound } from "../errors.ts";
import { DEFAULT_SURFACE } from "../evidence/schema.ts";
import { type JobCtx, job } from "../job.ts";
import { refuseModel } from "./author-tasks.ts";
import { loadBundle } from "./blobs.ts";
import { type DrawPlan, drawEnvironment } from "./draw-environment.ts";
import { type Hypothesis, missingFor } from "./hypotheses.ts";
import { audited } from "./retirement.ts";
import { reviewEnvironment } from "./review-tasks.ts";
import { BundleRecord, Environment } from "./schema.ts";
import { REVIEW_CHECKS } from "./suite.ts";
import { evidenceOf, readInputs } from "./surface-evidence.ts";
import { findSurface, liveSurface } from "./surfaces.ts";
import { statusCounts } from "./task-records.ts";
import { writeEnvironmentTasks } from "./write-tasks.ts";

/** Dimension values that tasks must have: any of an axis's values, on every axis named. */
export const TaskSelection = z
  .object({ family: z.array(Family).min(1).optional() })
  .catchall(z.array(z.string().min(1).max(200)).min(1).max(50));
type TaskSelection = z.infer<typeof TaskSelection>;

/** One cell of the dimensions: a value of each axis named. */
export const Situation = z
  .record(z.string().min(1).max(64), z.string().min(1).max(200))
  .refine((cell) => Object.keys(cell).length > 0, "names no axis");

const GenerateInput = z.object({
  bundle: z.string(),
  label: z.string(),
  seed: z.string(),
  count: z.number().int(),
  tasks: z.number().int(),
  selection: TaskSelection.optional(),
  /** Cells of the dimensions: as many tasks are written for each. */
  situations: z.array(Situation).optional(),
  voice: z.enum(REGISTERS).optional(),
  augment: z.boolean(),
  hypothesis: Environment.schema.shape.hypothesis.optional(),
});
type GenerateInput = z.infer<typeof GenerateInput>;

/** Draws environments of a bundle, writes tasks and reviews them; repeating it goes on where it was. */
export const generateJob = job({
  kind: "generate_environments",
  input: GenerateInput,
  key: (input) => `generate:${digestOf(input)}`,
  attempts: 3,
  ends: "cancel",
  concurrency: 1,
  run: generate,
});

async function generate(ctx: JobCtx, input: GenerateInput) {
  const bundle = await ctx.store.records.get(BundleRecord, input.bundle);
  if (!bundle) throw new AppError("unprocessable", "The bundle to draw from is gone.");
  const environments = [];
  for (const plan of plansOf(input)) {
    const environment = await drawEnvironment(ctx, bundle, plan);
    const tasks = await writeEnvironmentTasks(ctx, environment, {
      seed: plan.seed,
      count: input.tasks,
      families: input.selection?.family,
      selection: selectionOf(input),
      situations: input.situations,
      voice: input.voice,
      mined: async () => (await readInputs(ctx, await evidenceOf(ctx, bundle.evidence))).traces,
    });
    const drafts = tasks.filter((row) => row.status === "draft");
    const reviewed = [
      ...tasks.filter((row) => row.status !== "draft"),
      ...(await reviewEnvironment(ctx, environment, drafts, true)),
    ];
    environments.push({ id: environment.id, ...statusCounts(reviewed) });
    await ctx.job.audit("generated", { environment: environment.id, tasks: reviewed.length });
  }
  return { bundle: bundle.id, environments };
}

/** What a generation draws its environments with, in their order. */
function plansOf(input: GenerateInput): DrawPlan[] {
  const { situations } = input;
  const stored = { ...selectionOf(input), ...valuesOf(situations ?? []) };
  return Array.from({ length: input.count }, (_, i) => ({
    label: `${input.label} ${i + 1}`,
    // Other cells are another environment, also where they have the same values.
    seed: [input.seed, ...(situations ? [digestOf(situations).slice(0, 8)] : []), i + 1].join("."),
    augment: input.augment,
    ...(input.hypothesis === undefined ? {} : { hypothesis: input.hypothesis }),
    selection: input.voice === undefined ? stored : { ...stored, register: [input.voice] },
    tasks: input.tasks,
  }));
}

/** Whether a generation, by its job's input, is one that draws the environment of this bundle and plan. */
export function generates(
  input: unknown,
  { bundle, plan }: { readonly bundle: string; readonly plan?: string | undefined },
): boolean {
  const generation = GenerateInput.safeParse(input);
  if (!generation.success || generation.data.bundle !== bundle) return false;
  return plansOf(generation.data).some((one) => digestOf(one) === plan);
}

function selectionOf({ selection = {} }: GenerateInput): Record<string, string[]> {
  return Object.fromEntries(Object.entries(selection).map(([axis, values]) => [axis, [...(values ?? [])]]));
}

/** The values that cells have, by axis. */
function valuesOf(cells: readonly z.infer<typeof Situation>[]): Record<string, string[]> {
  const values: Record<string, string[]> = {};
  for (const cell of cells)
    for (const [axis, value] of Object.entries(cell)) values[axis] = [...new Set([...(values[axis] ?? []), value])];
  return values;
}

interface GenerateRequest {
  readonly surface?: string | undefined;
  /** A compiled version of the surface; the one it serves when absent. */
  readonly surface_version?: string | undefined;
  /** The same version, by its bundle's id alone. */
  readonly bundle?: string | undefined;
  readonly representation?: Hypothesis | undefined;
  readonly model?: string | undefined;
  readonly count?: number | undefined;
  readonly tasks?: number | undefined;
  readonly voice?: GenerateInput["voice"];
  readonly selection?: TaskSelection | undefined;
  readonly situations?: readonly z.infer<typeof Situation>[] | undefined;
  readonly criteria?: readonly string[] | undefined;
  readonly criteria_only?: boolean | undefined;
  readonly exemplars?: readonly string[] | undefined;
  readonly history?: boolean | undefined;
  readonly web?: boolean | undefined;
  readonly kind_floor?: number | undefined;
  readonly seed?: string | undefined;
  readonly by?: string | undefined;
  readonly label?: string | undefined;
  readonly augment?: boolean | undefined;
}

const DEFAULT_TASKS = 30;

/** What rules cannot write tasks from is said, not passed over. */
function refuseUnread({ criteria, criteria_only, exemplars, history, web, kind_floor }: GenerateRequest): void {
  if (criteria_only === true || (criteria ?? []).length > 0)
    throw new AppError("unprocessable", "Tasks of criteria are written by environments_for_criteria; ask that.");
  if ((exemplars ?? []).length > 0 || history === true || web === true)
    throw new AppError(
      "unprocessable",
      "Tasks are written by rule from the world and its traces: exemplars, history and the web are not read. Leave them out.",
    );
  if (kind_floor !== undefined && kind_floor > 0)
    throw new AppError(
      "unprocessable",
      "Families take turns, and none is held to a floor. Leave kind_floor out, and name the families in selection.",
    );
}

/** Starts a generation on a surface's served bundle, or answers the one that runs already. */
export async function startGeneration(ctx: Ctx, request: GenerateRequest) {
  const asked = request.surface_version ?? request.bundle;
  const named = request.surface ?? (asked && (await loadBundle(ctx, asked)).record.surface);
  const surface = liveSurface(await findSurface(ctx, named ?? DEFAULT_SURFACE));
  refuseModel(request.model);
  refuseUnread(request);
  if (surface.bundle === undefined)
    throw new AppError("conflict", "The surface has not been compiled; run its pipeline first.");
  const version = asked ?? surface.bundle;
  if (version !== surface.bundle && !surface.versions.some(({ bundle }) => bundle === version))
    throw notFound("surface version");
  const { record } = await loadBundle(ctx, version);
  const hypothesis = request.representation;
  const missing = hypothesis === undefined ? undefined : await missingFor(ctx, record, hypothesis);
  if (missing !== undefined) throw new AppError("conflict", missing);
  const { selection, situations = [] } = request;
  const input: GenerateInput = {
    bundle: version,
    label: request.label ?? `${surface.name} generated`,
    seed: request.seed ?? "1",
    count: request.count ?? 1,
    tasks: request.tasks ?? DEFAULT_TASKS,
    augment: request.augment ?? hypothesis === "fitted",
    ...(hypothesis === undefined ? {} : { hypothesis }),
    ...(selection === undefined ? {} : { selection }),
    ...(situations.length === 0 ? {} : { situations: [...situations] }),
    ...(request.voice === undefined ? {} : { voice: request.voice }),
  };
  const handle = await ctx.jobs.start(generateJob, input);
  if (!handle.deduplicated) await audited(ctx, request, "generation_started", { surface: surface.id, job: handle.job });
  return {
    ...handle,
    surface: surface.name,
    surface_version: version,
    count: input.count,
    tasks: input.tasks,
    selection: { ...selection },
    voice: request.voice ?? null,
    checks: REVIEW_CHECKS.map(({ name }) => name),
    stage: "draw",
    stages: ["draw", "write", "review"],
    note: "The job's result names the environments, with their tasks by status.",
  };
}
