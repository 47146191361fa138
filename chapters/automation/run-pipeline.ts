import { z } from "zod";
import type { Ctx } from "../context.ts";
import { countOf } from "../count-of.ts";
import { voicedPersonas } from "../dimensions/voices.ts";
import { unprocessable } from "../errors.ts";
import { listingWords } from "../evidence/listing-diff.ts";
import { orgRef } from "../fields.ts";
import { FailedWith, type JobCtx, job } from "../job.ts";
import { offeredModel } from "../models/spend.ts";
import { compileSurface } from "../ontology/compile.ts";
import { proposeUseCases } from "../ontology/derive.ts";
import type { PageInput } from "../page.ts";
import { DEFAULT_SURFACE } from "../records/evidence/evidence.ts";
import type { ListingDiff } from "../records/evidence/listing-diff.ts";
import { publicProposal } from "../records/sandboxes/proposals.ts";
import { requestPrograms } from "../sandboxes/proposals/pipeline.ts";
import { reviewEnvironment } from "../sandboxes/review/review-tasks.ts";
import { compileBundle, compiledBefore, serveBundle, tellCompiled } from "../sandboxes/surfaces/compile-bundle.ts";
import {
  inputsDigest,
  readInputs,
  type SurfaceInputs,
  surfaceEvidence,
} from "../sandboxes/surfaces/surface-evidence.ts";
import { ensureSurface, liveSurface, surfaceNamed } from "../sandboxes/surfaces/surfaces.ts";
import { whyFewCount } from "../sandboxes/tasks/few-tasks.ts";
import { whyNoneCounts } from "../sandboxes/tasks/no-tasks.ts";
import type { TaskDoc } from "../sandboxes/tasks/task-records.ts";
import { drawWithTasks } from "../sandboxes/tasks/write-tasks.ts";

const PipelineInput = z.object({
  surface: z.string(),
  /** Whether tasks that pass review count at once; else they are held. */
  admit: z.boolean(),
  /** Whether rows may be drawn beside the observed ones. */
  augment: z.boolean(),
  /** How many environments. */
  k: z.number().int().min(1).max(20),
  /** Tasks per environment. */
  tasks: z.number().int().min(1).max(1000),
  seed: z.string(),
  /** Asked for while another ran: it follows that one. */
  rerun: z.boolean(),
  /** The model that is asked for programs of tools that are answered badly; none where absent. */
  model: z.string().optional(),
  /** What it may cost at most, US dollars. */
  usd_cap: z.number().min(0).optional(),
});
type PipelineInput = z.infer<typeof PipelineInput>;

/** What a pipeline answers when it lands; it fails, with the rest of it, where no environment got a task. */
export interface PipelineResult {
  readonly surface: string;
  readonly bundle: string;
  /** The revision of the surface's graph, and how many evidence records were read for use cases now. */
  readonly ontology?: string;
  readonly dimensions?: number;
  readonly reused: readonly string[];
  /** How the newest of several tool listings differs from the others; absent where it does not. */
  readonly listings?: ListingDiff;
  /** What a model was asked for in this run, and what was taken of it; absent where none was named. */
  readonly proposed?: ReturnType<typeof publicProposal>;
  readonly environments: readonly {
    readonly id: string;
    readonly tasks: number;
    readonly certified: number;
    readonly refused: number;
    readonly held: number;
    /** Why none or few of its tasks count, and what evidence would help; absent where enough do or one waits for a person. */
    readonly note?: string;
  }[];
  /** How many environments got no task and were not kept; absent where each did. */
  readonly empty?: number;
}

/**
 * From a surface's evidence to environments whose tasks are certified: compile the bundle and the graph, read what the
 * evidence is used for, draw, write, review. Graph and use cases are read by rule: no model is asked but the one that is
 * named, and that only for programs. Each stage is
 * skipped while its inputs are unchanged, so that an interrupted or repeated pipeline goes on where it was.
 */
export const pipelineJob = job<PipelineInput, PipelineResult>({
  kind: "pipeline",
  input: PipelineInput,
  // A run that asks a model is none that a run without one stands for.
  key: ({ surface, rerun, model }) =>
    `pipeline:${surface}${rerun ? ":rerun" : ""}${model === undefined ? "" : `:${model}`}`,
  attempts: 3,
  ends: "cancel",
  concurrency: 1,
  run: runPipeline,
  note: (result) => {
    const { listings } = result;
    const notes = [withoutTasks(result), listings === undefined ? null : listingWords(listings)];
    return notes.filter((note) => note !== null).join(" ") || null;
  },
});

/** Why environments have nothing or little to test with, and how many were not kept; null where each has enough or waits. */
function withoutTasks({ environments, empty = 0 }: PipelineResult): string | null {
  const none = environments.filter(({ certified }) => certified === 0).flatMap(({ note }) => note ?? []);
  const notes = none.length > 0 ? none : environments.flatMap(({ note }) => note ?? []);
  const dropped = empty === 0 ? [] : [`${countOf(empty, "environment")} got no task and was not kept.`];
  const [first] = notes;
  if (first === undefined) return dropped[0] ?? null;
  if (notes.length === environments.length && new Set(notes).size === 1) return [first, ...dropped].join(" ");
  const lack = none.length > 0 ? "nothing" : "little";
  const some = `${notes.length} of ${countOf(environments.length, "environment")} have ${lack} to test with, as the result says of each. The first: ${first}`;
  return [some, ...dropped].join(" ");
}

async function runPipeline(ctx: JobCtx, input: PipelineInput): Promise<PipelineResult> {
  const surface = await ensureSurface(ctx, input.surface);
  const evidence = await surfaceEvidence(ctx, input.surface);
  const reused: string[] = [];
  ctx.progress(0, undefined, "compile");
  const known = await compiledBefore(ctx, surface.id, inputsDigest(evidence));
  let reading: Promise<SurfaceInputs> | undefined;
  const inputs = () => (reading ??= readInputs(ctx, evidence));
  const asked = await requestPrograms(ctx, surface, { input, known, evidence, inputs });
  const before = asked?.anew ? undefined : known;
  const how = { proposed: asked?.compileWith, told: tellCompiled(ctx) };
  const bundle = before ?? (await compileBundle(ctx, surface, usable(await inputs()), input.seed, how));
  if (surface.bundle !== bundle.id) await serveBundle(ctx, bundle);
  if (before) reused.push("compile");
  await ctx.job.audit("compiled", { bundle: bundle.id, tools: bundle.tools, reused: before !== undefined });
  ctx.progress(0, undefined, "ontology");
  const graph = { surface: surface.id, force: false, redraw: false, rule: true };
  const { ontology, revision, reused: stood } = await compileSurface(ctx, graph, () => {});
  if (stood) reused.push("ontology");
  ctx.progress(0, undefined, "dimensions");
  let dimensions = 0;
  for (const { id, kind } of evidence)
    if (kind === "traces" && (await ctx.store.traces.count(id)) > 0 && (await proposeUseCases(ctx, id)))
      dimensions += 1;
  if (dimensions === 0) reused.push("dimensions");
  await ctx.job.audit("understood", { ontology, revision, dimensions });
  const asking = await voicedPersonas(ctx);
  const environments = [];
  for (let i = 0; i < input.k; i++) {
    const seed = input.k === 1 ? input.seed : `${input.seed}.${i + 1}`;
    const label = `${input.surface} ${i + 1}`;
    ctx.progress(i, input.k, "tasks");
    const { augment, tasks: wanted } = input;
    const plan = {
      label,
      seed,
      augment,
      selection: {},
      tasks: wanted,
      ...(asking.length === 0 ? {} : { personas: asking }),
    };
    const { environment, tasks, lost } = await drawWithTasks(ctx, bundle, plan, {
      seed,
      count: wanted,
      mined: async () => (await inputs()).traces,
    });
    if (environment.tasks > 0) reused.push(`tasks ${environment.id}`);
    if (tasks.length === 0) continue;
    ctx.progress(i, input.k, "review");
    const due = tasks.filter((row) => isDue(row, input.admit));
    const settled = tasks.filter((row) => !isDue(row, input.admit));
    const all = [...settled, ...(await reviewEnvironment(ctx, environment, due, input.admit))];
    const count = (status: string) => all.filter((row) => row.status === status).length;
    const none = whyNoneCounts(all, bundle, evidence) && whyNoneCounts(all, bundle, evidence, (await inputs()).traces);
    const note = none ?? whyFewCount(all, lost);
    environments.push({
      id: environment.id,
      tasks: all.length,
      certified: count("certified"),
      refused: count("refused"),
      held: count("held"),
      ...(note === undefined ? {} : { note }),
    });
    await ctx.job.audit("reviewed", {
      environment: environment.id,
      tasks: all.length,
      certified: count("certified"),
      refused: count("refused"),
    });
  }
  const { listings } = bundle;
  const proposed = asked && publicProposal(asked.anew ? (bundle.proposed ?? asked.report) : asked.report);
  const empty = input.k - environments.length;
  const result: PipelineResult = {
    ...{ surface: surface.name, bundle: bundle.id, ontology, dimensions, reused, environments },
    ...(empty === 0 ? {} : { empty }),
    ...(listings === undefined ? {} : { listings }),
    ...(proposed === undefined ? {} : { proposed }),
  };
  if (environments.length > 0) return result;
  const why = whyNoneCounts([], bundle, evidence, (await inputs()).traces) ?? "No task was written.";
  throw new FailedWith(why, result);
}

function usable(inputs: SurfaceInputs): SurfaceInputs {
  if (inputs.traces.length > 0 || inputs.tools !== undefined) return inputs;
  throw unprocessable("The surface has no traces and no tool listing to compile from.", { by: "evidence_post" });
}

/** Drafts, and what was not admitted when now it would be; what a person, a poor world or a missing judge holds stays held. */
function isDue({ status, held_by, certificate }: TaskDoc, admit: boolean): boolean {
  if (status === "draft") return true;
  const proven = certificate?.passed === true && certificate.neighbourhood?.poor === undefined;
  return admit && proven && status === "held" && held_by === undefined;
}

/** What a call of `pipeline_post` may say; the rest falls to what most want. */
export const PipelineRequest = z.object({
  ...orgRef,
  surface: z.string().min(1).max(100).optional().describe("Which surface's evidence; `main` when absent."),
  admit: z
    .boolean()
    .optional()
    .describe("Whether tasks that pass review count at once (the default); else they are held."),
  augment: z.boolean().optional().describe("Whether rows may be drawn beside the observed ones; off when absent."),
  k: z.number().int().min(1).max(20).optional().describe("How many environments to draw; 1 when absent."),
  model: z
    .string()
    .max(200)
    .optional()
    .describe("An offered model, asked for programs of badly answered tools; none when absent."),
  usd_cap: z.number().min(0).max(10_000).optional().describe("What that model may cost at most, US dollars."),
});
export type PipelineRequest = z.output<typeof PipelineRequest>;

const TASKS_PER_ENVIRONMENT = 60;

/** Starts the pipeline of one surface, or answers the running one, whose end will be followed by one more run. */
export async function startPipeline(ctx: Ctx, request: PipelineRequest) {
  const known = await surfaceNamed(ctx, request.surface ?? DEFAULT_SURFACE);
  if (known) liveSurface(known);
  const input: PipelineInput = {
    surface: request.surface ?? DEFAULT_SURFACE,
    admit: request.admit ?? true,
    augment: request.augment ?? false,
    k: request.k ?? 1,
    tasks: TASKS_PER_ENVIRONMENT,
    seed: "1",
    rerun: false,
    ...(request.model === undefined ? {} : { model: offeredModel(ctx, request.model).model }),
    ...(request.usd_cap === undefined ? {} : { usd_cap: request.usd_cap }),
  };
  const first = await ctx.jobs.start(pipelineJob, input);
  const handle =
    first.deduplicated && first.status === "running"
      ? await ctx.jobs.start(pipelineJob, { ...input, rerun: true })
      : first;
  return { ...handle, org: ctx.org.tag, surface: input.surface, admit: input.admit };
}

/** The org's pipeline jobs, newest first, with what each made. */
export async function listPipelines(ctx: Ctx, input: PageInput) {
  const page = await ctx.store.jobs.list({ ...input, kind: pipelineJob.kind });
  return { jobs: page.items, ...(page.next === undefined ? {} : { next: page.next }) };
}
