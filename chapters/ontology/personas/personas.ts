import { z } from "zod";
import { REGISTERS } from "../../../worlds/tasks/words/revoice.ts";
import { loadEnvironment } from "../../blobs.ts";
import { actor, type Ctx } from "../../context.ts";
import { changeValue, everyValue, type ValueDoc, valueId } from "../../dimensions/axes.ts";
import { useCaseDemand } from "../../dimensions/demand.ts";
import { plainSpelling } from "../../dimensions/spellings.ts";
import { isVoiced, personaNamed, personaOf, UNVOICED } from "../../dimensions/voices.ts";
import { badField, conflict, notFound, unprocessable } from "../../errors.ts";
import { byField, orgRef } from "../../fields.ts";
import { type JobCtx, job } from "../../job.ts";
import { everyRow } from "../../page.ts";
import type { Doc } from "../../record.ts";
import { Evidence } from "../../records/evidence/evidence.ts";
import { DimensionValue, Profile } from "../../records/ontology/dimension.ts";
import { BundleRecord, type Surface } from "../../records/sandboxes/sandboxes.ts";
import { audited } from "../../retirement.ts";
import { drawUnstored } from "../../sandboxes/environments/draw-environment.ts";
import { reviewEnvironment } from "../../sandboxes/review/review-tasks.ts";
import { evidenceOf } from "../../sandboxes/surfaces/surface-evidence.ts";
import { liveSurface } from "../../sandboxes/surfaces/surfaces.ts";
import { writeTasks } from "../../sandboxes/tasks/compute-tasks.ts";
import { whyNoneFits } from "../../sandboxes/tasks/no-tasks.ts";
import { environmentTasks, statusCounts } from "../../sandboxes/tasks/task-records.ts";
import { addTasks } from "../../sandboxes/tasks/write-tasks.ts";
import { surfaceField } from "../fields.ts";
import { theSurface } from "../surfaces.ts";

const DrawInput = z.object({
  persona: z.string(),
  register: z.enum(REGISTERS),
  bundle: z.string(),
  label: z.string(),
  tasks: z.number().int(),
});
type DrawInput = z.infer<typeof DrawInput>;

const DEFAULT_TASKS = 30;

const Name = z.string().trim().min(1).max(200);

/** Draws an environment whose tasks a persona asks, in the register of its profile; rules write them, so that nothing is spent. */
export const personaDrawJob = job({
  kind: "persona_draw",
  input: DrawInput,
  key: (input) => `persona:${input.bundle}:${input.persona}`,
  attempts: 3,
  ends: "cancel",
  concurrency: 1,
  run: runDraw,
});

async function runDraw(ctx: JobCtx, { persona, register, bundle: id, label, tasks }: DrawInput) {
  const bundle = await ctx.store.records.get(BundleRecord, id);
  if (!bundle) throw unprocessable("The bundle to draw from is gone.", { by: "bundles_list" });
  const seed = `persona ${persona}`;
  const selection = { persona: [persona], register: [register] };
  const asks = { ...(await personaNamed(ctx, persona)), register };
  const plan = { label, seed, augment: false, selection, tasks, personas: [asks] };
  const { environment, stored } = await drawUnstored(ctx, bundle, plan);
  if (environment.tasks === 0) {
    const world = await loadEnvironment(ctx, environment);
    const demand = await useCaseDemand(ctx);
    const input = { ...world, seed, count: tasks, families: undefined, demand, mined: [], selection, personas: [asks] };
    const drafted = await ctx.compute.run(writeTasks, input, ctx.signal);
    const written = await addTasks(ctx, environment, drafted.tasks, stored);
    if (written.length === 0)
      throw unprocessable(whyNoneFits(["persona"], bundle, await evidenceOf(ctx, bundle.evidence)));
  }
  const drafts = (await environmentTasks(ctx, environment.id)).filter(({ status }) => status === "draft");
  await reviewEnvironment(ctx, environment, drafts, true);
  const counts = statusCounts(await environmentTasks(ctx, environment.id));
  await ctx.job.audit("persona_drawn", { environment: environment.id, certified: counts.certified });
  const voiced = isVoiced(asks);
  return { persona, environment: environment.id, ...counts, usd: 0, voiced, ...(voiced ? {} : { note: UNVOICED }) };
}

/** What `dimensions_persona_draw` takes. */
export const DrawRequest = z.object({
  ...orgRef,
  ...byField,
  ...surfaceField,
  value: Name.describe("The persona's name or id."),
});
export type DrawRequest = z.output<typeof DrawRequest>;

/** Starts drawing an environment for a persona, by its name or id, or answers the draw that runs. */
export async function drawPersona(ctx: Ctx, input: DrawRequest) {
  const persona = (await everyValue(ctx, "persona")).find((row) => row.value === input.value || row.id === input.value);
  if (!persona) throw notFound("persona");
  if (persona.status === "dismissed")
    throw conflict("The persona was dismissed; accept it first.", { by: "dimension_value_accept" });
  return startDraw(ctx, persona, await drawable(ctx, input.surface), DEFAULT_TASKS, input.by);
}

async function drawable(ctx: Ctx, named: string | undefined) {
  const surface = liveSurface(await theSurface(ctx, named));
  if (surface.bundle === undefined)
    throw conflict("The surface has not been compiled; run its pipeline first.", { by: "pipeline_post" });
  return { ...surface, bundle: surface.bundle };
}

async function startDraw(
  ctx: Ctx,
  persona: ValueDoc,
  surface: Doc<typeof Surface> & { bundle: string },
  tasks: number,
  by: string | undefined,
) {
  const register = personaOf(persona).register ?? "plain";
  const handle = await ctx.jobs.start(personaDrawJob, {
    persona: persona.value,
    register,
    bundle: surface.bundle,
    label: `${surface.name} for ${persona.value}`,
    tasks,
  });
  await audited(ctx, { by }, "persona_draw_started", { persona: persona.id, job: handle.job });
  const voiced = isVoiced({ ...personaOf(persona), register });
  const told = { voiced, ...(voiced ? {} : { note: UNVOICED }) };
  return { ...handle, persona: persona.value, surface: surface.name, register, by: actor(ctx, by), ...told };
}

/** A draw that was started for a persona, with what came of it. */
export const PersonaDraw = z.object({
  job: z.string(),
  status: z.string(),
  persona: z.string(),
  result: z.unknown(),
});

/** The org's personas with who added them, and the draws that were started for them, newest first. */
export async function getPersonas(ctx: Ctx) {
  const draw: z.infer<typeof PersonaDraw>[] = [];
  for await (const row of everyRow((page) => ctx.store.jobs.list({ ...page, kind: personaDrawJob.kind })))
    draw.push({ job: row.id, status: row.status, persona: DrawInput.parse(row.input).persona, result: row.result });
  return { added: await everyValue(ctx, "persona"), draw };
}

type Persona = NonNullable<z.output<typeof PostPersonasInput>["personas"]>[number];

/** What `dimensions_personas_post` takes. */
export const PostPersonasInput = z.object({
  ...orgRef,
  ...byField,
  ...surfaceField,
  add: z.array(Name).min(1).max(100).optional().describe("Personas by name alone."),
  personas: z
    .array(
      z.object({
        value: Name,
        profile: Profile.optional().describe("What is known of such a person, by field."),
        weight: z.number().min(0).max(1_000_000).optional().describe("Its use relative to the other personas."),
        jobs: z.array(Name).max(500).optional().describe("Names of jobs to be done that the persona has."),
      }),
    )
    .min(1)
    .max(100)
    .optional(),
  cited: z.array(z.string().min(1).max(200)).max(100).optional().describe("Evidence records."),
  stated_from: z.string().min(1).max(2000).optional().describe("Where they were stated."),
  notes: z.string().min(1).max(2000).optional(),
  draw: z.boolean().optional().describe("Start an environment for each persona."),
  n: z.number().int().min(1).max(200).optional().describe("Tasks a draw; 30 when absent."),
});

/** Adds stated personas; one known under any spelling gets what is new. `draw` starts an environment for each. */
export async function postPersonas(ctx: Ctx, input: z.output<typeof PostPersonasInput>) {
  const wanted: Persona[] = [...(input.add ?? []).map((value) => ({ value })), ...(input.personas ?? [])];
  if (wanted.length === 0) throw badField("add", "name at least one persona");
  const cited = [...new Set(input.cited ?? [])];
  const known = new Set((await ctx.store.records.getMany(Evidence, cited)).map(({ id }) => id));
  const unknown = cited.findIndex((id) => !known.has(id));
  if (unknown >= 0) throw badField(`cited.${unknown}`, "is no evidence of the org");
  // What cannot be drawn is refused before anything is written.
  const surface = input.draw === true ? await drawable(ctx, input.surface) : undefined;
  const added: ValueDoc[] = [];
  for (const persona of wanted) added.push(await addPersona(ctx, persona, cited, input));
  await audited(ctx, input, "personas_added", { personas: added.length });
  const draw = [];
  if (surface)
    for (const persona of added) draw.push(await startDraw(ctx, persona, surface, input.n ?? DEFAULT_TASKS, input.by));
  return { added, draw };
}

async function addPersona(
  ctx: Ctx,
  { value, profile, weight, jobs }: Persona,
  cited: readonly string[],
  said: {
    readonly stated_from?: string | undefined;
    readonly notes?: string | undefined;
    readonly by?: string | undefined;
  },
): Promise<ValueDoc> {
  const spelt = plainSpelling(value);
  const same = (await everyValue(ctx, "persona")).find((row) =>
    [row.value, ...row.spellings].some((name) => plainSpelling(name) === spelt),
  );
  const id = same?.id ?? valueId("persona", value);
  const base = { id, created_at: ctx.now(), by: actor(ctx, said.by), field: "persona", value, tier: "human" as const };
  if (!same)
    await ctx.store.records.insert(DimensionValue, {
      ...base,
      origin: "added",
      cites: [],
      spellings: [],
      status: "accepted",
    });
  const notes = {
    ...(said.stated_from === undefined ? {} : { stated_from: said.stated_from }),
    ...(said.notes === undefined ? {} : { notes: said.notes }),
  };
  return changeValue(ctx, id, (row) => ({
    ...row,
    status: "accepted",
    cites: [...new Set([...row.cites, ...cited])],
    ...(profile === undefined && Object.keys(notes).length === 0
      ? {}
      : { profile: { ...row.profile, ...profile, ...notes } }),
    ...(weight === undefined ? {} : { weight }),
    ...(jobs === undefined ? {} : { jobs: [...new Set([...(row.jobs ?? []), ...jobs])] }),
  }));
}
