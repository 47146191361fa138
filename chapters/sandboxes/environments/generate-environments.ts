import { z } from "zod";
import { digestOf } from "../../../worlds/digest.ts";
import type { ObservedTrace } from "../../../worlds/observation.ts";
import { REGISTERS } from "../../../worlds/tasks/words/revoice.ts";
import { loadBundle, loadEnvironment } from "../../blobs.ts";
import type { Ctx } from "../../context.ts";
import { countOf } from "../../count-of.ts";
import { isVoiced, personasFor, UNVOICED } from "../../dimensions/voices.ts";
import { conflict, notFound, unprocessable } from "../../errors.ts";
import { byField, orgRef, words } from "../../fields.ts";
import { type JobCtx, job } from "../../job.ts";
import type { Doc } from "../../record.ts";
import { DEFAULT_SURFACE } from "../../records/evidence/evidence.ts";
import { BundleRecord, Environment } from "../../records/sandboxes/sandboxes.ts";
import { audited } from "../../retirement.ts";
import { refuseModel } from "../authoring/author-tasks.ts";
import { modelField } from "../fields.ts";
import { reviewEnvironment } from "../review/review-tasks.ts";
import { missingFor } from "../surfaces/hypotheses.ts";
import { evidenceOf, readInputs, readSome } from "../surfaces/surface-evidence.ts";
import { findSurface, liveSurface } from "../surfaces/surfaces.ts";
import { writeTasks } from "../tasks/compute-tasks.ts";
import { CRITERIA, type Criterion } from "../tasks/criterion-families.ts";
import { whyFewCount } from "../tasks/few-tasks.ts";
import { whyNoneFits } from "../tasks/no-tasks.ts";
import { REVIEW_CHECKS } from "../tasks/suite.ts";
import { statusCounts, type TaskDoc } from "../tasks/task-records.ts";
import { checkSelection, Situation, TaskSelection } from "../tasks/task-selection.ts";
import { drawWithTasks } from "../tasks/write-tasks.ts";
import { type DrawPlan, drawUnstored } from "./draw-environment.ts";
import { checkParts, criteriaOf, exemplarsOf, partsOf } from "./generation-parts.ts";
import { nameValue, unmetOf, valuesIn, valuesOf, whyNoneHas } from "./unmet-values.ts";

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
  /** Who asks, where it was stated. */
  personas: z
    .array(z.object({ name: z.string(), says: z.array(z.string()).readonly(), register: z.enum(REGISTERS).optional() }))
    .optional(),
  /** Kinds of checks that tasks must carry, before or instead of others. */
  criteria: z.array(z.enum(CRITERIA as [Criterion, ...Criterion[]])).optional(),
  criteria_only: z.literal(true).optional(),
  /** Traces to write tasks like: tasks come from these alone and use no other tools. */
  exemplars: z.array(z.object({ evidence: z.string(), positions: z.array(z.number().int()) })).optional(),
  /** Whether recorded sessions come first, or are left out. */
  history: z.boolean().optional(),
  /** Tasks of each family that are written before the rest. */
  kind_floor: z.number().int().optional(),
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
  note: ({ note }) => note ?? null,
});

async function generate(ctx: JobCtx, input: GenerateInput) {
  const bundle = await ctx.store.records.get(BundleRecord, input.bundle);
  if (!bundle) throw unprocessable("The bundle to draw from is gone.", { by: "bundles_list" });
  const environments = [];
  const written: TaskDoc[] = [];
  let few: string | undefined;
  const exemplars = input.exemplars === undefined ? undefined : await tracesAt(ctx, input.exemplars);
  const selection =
    exemplars === undefined ? selectionOf(input) : { operation: toolsOf(exemplars), ...selectionOf(input) };
  const mined = async () =>
    exemplars ??
    (input.history === false ? [] : (await readInputs(ctx, await evidenceOf(ctx, bundle.evidence))).traces);
  for (const plan of plansOf(input)) {
    const parts = partsOf(input);
    const { environment, tasks, lost } = await drawWithTasks(ctx, bundle, plan, {
      seed: plan.seed,
      count: input.tasks,
      families: input.selection?.family,
      selection,
      situations: input.situations,
      ...(parts.length === 0 ? {} : { parts, partsOnly: input.criteria_only }),
      voice: input.voice,
      mined,
    });
    if (tasks.length === 0) continue;
    const drafts = tasks.filter((row) => row.status === "draft");
    const reviewed = [
      ...tasks.filter((row) => row.status !== "draft"),
      ...(await reviewEnvironment(ctx, environment, drafts, true)),
    ];
    environments.push({ id: environment.id, ...statusCounts(reviewed), ...kindsOf(input, reviewed) });
    written.push(...reviewed);
    few ??= whyFewCount(reviewed, lost);
    await ctx.job.audit("generated", { environment: environment.id, tasks: reviewed.length });
  }
  const empty = input.count - environments.length;
  if (environments.length === 0) throw unprocessable(await whyNone(ctx, bundle, input, mined));
  const notes = [ofUnvoiced(input), ofOtherVoices(input, written), ofUnmet(input, written), few];
  const note = notes.filter((one) => one !== undefined).join(" ") || undefined;
  return {
    bundle: bundle.id,
    environments,
    ...(empty === 0 ? {} : { empty }),
    ...(note === undefined ? {} : { note }),
  };
}

/** What is said of the personas asked for that rules have no words for, where there are any. */
function ofUnvoiced({ personas = [], selection, voice }: GenerateInput): string | undefined {
  const silent = selection?.register || voice ? [] : personas.filter((persona) => !isVoiced(persona));
  return silent.length === 0 ? undefined : `${silent.map(({ name }) => JSON.stringify(name)).join(", ")}: ${UNVOICED}`;
}

/** How many requests are not in the register asked for, where there are any: nobody's own words are put in another. */
function ofOtherVoices({ voice }: GenerateInput, tasks: readonly TaskDoc[]): string | undefined {
  const others = tasks.filter(({ task }) => voice !== undefined && task.voice.register !== voice).length;
  if (others === 0) return undefined;
  return `${others} of ${countOf(tasks.length, "request")} keep the words that a user said, which are not put in another register.`;
}

/** Which of the values asked for no task has, where there are any. */
function ofUnmet(input: GenerateInput, tasks: readonly TaskDoc[]): string | undefined {
  const unmet = unmetOf(input, valuesIn(tasks.map(({ task }) => task)));
  return unmet.length === 0 ? undefined : `No task has ${unmet.map(nameValue).join(", or ")}.`;
}

/** Why a generation wrote nothing: what it was narrowed to, which values tasks have instead, and what the evidence lacks. */
async function whyNone(
  ctx: JobCtx,
  bundle: Doc<typeof BundleRecord>,
  input: GenerateInput,
  mined: () => Promise<readonly ObservedTrace[]>,
): Promise<string> {
  const { selection, situations, criteria, exemplars, history, voice } = input;
  const asked = { selection, situations, criteria, exemplars, history: history === false || undefined, voice };
  const narrowed = Object.entries(asked).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  const evidence = await evidenceOf(ctx, bundle.evidence);
  if (selection === undefined && situations === undefined) return whyNoneFits(narrowed, bundle, evidence);
  const [plan] = plansOf(input);
  const { environment } = await drawUnstored(ctx, bundle, plan!);
  const world = await loadEnvironment(ctx, environment);
  const any = { ...world, seed: plan!.seed, count: ENOUGH_TO_NAME, families: undefined, mined: await mined() };
  const values = valuesIn((await ctx.compute.run(writeTasks, any, ctx.signal)).tasks);
  if (values.size === 0) return whyNoneFits(narrowed, bundle, evidence);
  return whyNoneHas(narrowed, unmetOf(input, values), values);
}

/** So many tasks are written to tell which values tasks have. */
const ENOUGH_TO_NAME = 200;

/** How many tasks there are of what was asked for, where that was said: by family, and by criterion. */
function kindsOf({ criteria, kind_floor }: GenerateInput, tasks: readonly TaskDoc[]) {
  const count = (names: readonly string[]) =>
    Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]).sort());
  return {
    ...(kind_floor === undefined ? {} : { families: count(tasks.map(({ task }) => task.family)) }),
    ...(criteria === undefined
      ? {}
      : {
          criteria: Object.fromEntries(
            criteria.map((kind) => [
              kind,
              tasks.filter(({ task }) => task.checks.some((check) => check.kind === kind)).length,
            ]),
          ),
        }),
  };
}

async function tracesAt(ctx: JobCtx, places: NonNullable<GenerateInput["exemplars"]>): Promise<ObservedTrace[]> {
  const found: ObservedTrace[] = [];
  for (const { evidence, positions } of places) {
    const [record] = await evidenceOf(ctx, [evidence]);
    if (!record) throw unprocessable("The evidence of an exemplar is gone.");
    found.push(...(await readSome(ctx, record, positions)));
  }
  return found;
}

function toolsOf(traces: readonly ObservedTrace[]): string[] {
  return [...new Set(traces.flatMap(({ calls }) => calls.map(({ tool }) => tool)))].sort();
}

/** What a generation draws its environments with, in their order. */
function plansOf(input: GenerateInput): DrawPlan[] {
  const { situations, criteria, criteria_only, exemplars, history, kind_floor } = input;
  const kinds = { criteria, criteria_only, exemplars, history, kind_floor };
  const narrowed = Object.values(kinds).some((value) => value !== undefined);
  const stored = { ...selectionOf(input), ...valuesOf(situations ?? []) };
  return Array.from({ length: input.count }, (_, i) => ({
    label: `${input.label} ${i + 1}`,
    // Other cells, and other kinds, are another environment, also where they have the same values.
    seed: [
      input.seed,
      ...(situations ? [digestOf(situations).slice(0, 8)] : []),
      ...(narrowed ? [digestOf(JSON.parse(JSON.stringify(kinds))).slice(0, 8)] : []),
      i + 1,
    ].join("."),
    augment: input.augment,
    ...(input.hypothesis === undefined ? {} : { hypothesis: input.hypothesis }),
    selection: input.voice === undefined ? stored : { ...stored, register: [input.voice] },
    tasks: input.tasks,
    ...(input.personas === undefined ? {} : { personas: input.personas }),
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

/** What `generate_environments` takes. */
export const GenerateRequest = z.object({
  ...orgRef,
  surface: words(200).optional().describe("The surface's name or id; `main` when absent."),
  count: z.number().int().min(1).max(20).optional().describe("How many environments; 1 when absent."),
  tasks: z.number().int().min(1).max(500).optional().describe("Tasks to write per environment; 30 when absent."),
  selection: TaskSelection.optional().describe(
    'Values by axis, see dimensions_get: {operation: ["refund"]}; all when absent.',
  ),
  situations: z
    .array(Situation)
    .min(1)
    .max(50)
    .optional()
    .describe("Cells, as many tasks for each: {use_case, persona, …}, a value an axis."),
  criteria: z
    .array(z.string().max(200))
    .max(100)
    .optional()
    .describe("Kinds of checks that half of the tasks carry, as many for each."),
  criteria_only: z.boolean().optional().describe("Whether every task must carry one of the criteria."),
  exemplars: z
    .array(z.string().max(200))
    .max(100)
    .optional()
    .describe("Ids of traces: tasks are mined from these alone and use no other tools."),
  history: z
    .boolean()
    .optional()
    .describe("Whether half of the tasks come from recorded sessions (true) or none (false)."),
  web: z.boolean().optional().describe("Refused when true: no web page is read; send pages as documents."),
  kind_floor: z
    .number()
    .int()
    .min(0)
    .max(500)
    .optional()
    .describe("Tasks of each family that are written before the rest, where rows allow it."),
  voice: z.enum(REGISTERS).optional().describe("The register of every request; every one in turn when absent."),
  seed: z.string().max(100).optional().describe("The same seed draws and writes the same."),
  label: words(200).optional(),
  augment: z.boolean().optional().describe("Whether rows may be drawn beside the observed ones."),
  representation: Environment.schema.shape.hypothesis
    .optional()
    .describe("The hypothesis to draw from; by `augment` when absent."),
  surface_version: words(200).optional().describe("A compiled version of the surface; the served one when absent."),
  bundle: words(200).optional().describe("The same by the bundle's id alone."),
  ...modelField,
  ...byField,
});
export type GenerateRequest = z.output<typeof GenerateRequest>;

const DEFAULT_TASKS = 30;

/** Of which kinds tasks are asked for, checked; what cannot be done is refused with what would do. */
async function requestedKinds(ctx: Ctx, request: GenerateRequest, { evidence }: Doc<typeof BundleRecord>) {
  const { selection, history, kind_floor, web } = request;
  const tasks = request.tasks ?? DEFAULT_TASKS;
  const criteria = criteriaOf(request.criteria ?? [], { selection, tasks });
  const records = history === true ? await evidenceOf(ctx, evidence) : [];
  const sessions = records.reduce((sum, { stats }) => sum + stats.traces, 0);
  checkParts({ tasks, criteria, criteria_only: request.criteria_only, history, kind_floor, selection, web, sessions });
  const exemplars = await exemplarsOf(ctx, request.exemplars ?? [], evidence);
  return {
    ...(criteria.length === 0 ? {} : { criteria }),
    ...(request.criteria_only === true ? { criteria_only: true as const } : {}),
    ...(exemplars.length === 0 ? {} : { exemplars }),
    ...(history === undefined ? {} : { history }),
    ...(kind_floor === undefined || kind_floor === 0 ? {} : { kind_floor }),
  };
}

/** Starts a generation on a surface's served bundle, or answers the one that runs already. */
export async function startGeneration(ctx: Ctx, request: GenerateRequest) {
  const asked = request.surface_version ?? request.bundle;
  const named = request.surface ?? (asked && (await loadBundle(ctx, asked)).record.surface);
  const surface = liveSurface(await findSurface(ctx, named ?? DEFAULT_SURFACE));
  refuseModel(request.model);
  if (surface.bundle === undefined)
    throw conflict("The surface has not been compiled; run its pipeline first.", { by: "pipeline_post" });
  const version = asked ?? surface.bundle;
  if (version !== surface.bundle && !surface.versions.some(({ bundle }) => bundle === version))
    throw notFound("surface version");
  const { record, bundle } = await loadBundle(ctx, version);
  const kinds = await requestedKinds(ctx, request, record);
  await checkSelection(ctx, bundle, request.selection ?? {}, "selection");
  for (const [i, cell] of (request.situations ?? []).entries())
    await checkSelection(ctx, bundle, valuesOf([cell]), `situations.${i}`);
  const hypothesis = request.representation;
  const missing = hypothesis === undefined ? undefined : await missingFor(ctx, record, hypothesis);
  if (missing !== undefined) throw conflict(missing);
  const { selection, situations = [] } = request;
  const asking = [...new Set([...(selection?.persona ?? []), ...situations.flatMap(({ persona }) => persona ?? [])])];
  const personas = await personasFor(ctx, asking.length === 0 ? {} : { persona: asking });
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
    ...(personas.length === 0 ? {} : { personas }),
    ...kinds,
  };
  const unvoiced = ofUnvoiced(input);
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
    note: ["The job's result names the environments, with their tasks by status.", unvoiced ?? []].flat().join(" "),
  };
}
