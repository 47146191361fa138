import { z } from "zod";
import { Declarations } from "../../../worlds/declare.ts";
import { loadBundle } from "../../blobs.ts";
import { actor, type Ctx } from "../../context.ts";
import { AppError, conflict } from "../../errors.ts";
import { byField } from "../../fields.ts";
import { everyRow } from "../../page.ts";
import type { Doc } from "../../record.ts";
import { EnvironmentRevision, WorldRedraw } from "../../records/sandboxes/revision.ts";
import { type BundleRecord, Environment, Surface } from "../../records/sandboxes/sandboxes.ts";
import { audited } from "../../retirement.ts";
import { refuseModel } from "../authoring/author-tasks.ts";
import { envRef, modelField, seedField, surfaceRef, whyField } from "../fields.ts";
import { compileBundle, compiledBefore, serveBundle } from "../surfaces/compile-bundle.ts";
import { declareBundle, declaredAgain, declaresAnything } from "../surfaces/declare-bundle.ts";
import { inputsDigest, readInputs, surfaceEvidence } from "../surfaces/surface-evidence.ts";
import { findSurface, liveSurface } from "../surfaces/surfaces.ts";
import { environmentTasks, statusCounts } from "../tasks/task-records.ts";
import { type EnvironmentDoc, environmentsOf, findEnvironment, liveEnvironment } from "./environment-records.ts";
import { refuseWhileLive } from "./live-work.ts";
import { type Redraw, type Redrawn, redrawEnvironment } from "./redraw-environment.ts";
import { putBack, type RevisionDoc } from "./revise.ts";
import { headOf } from "./revisions.ts";

type BundleDoc = Doc<typeof BundleRecord>;
type SurfaceDoc = Doc<typeof Surface>;
type RedrawDoc = Doc<typeof WorldRedraw>;

/** What a re-draw of a surface may say. */
export const RedrawInput = z.object({
  ...surfaceRef,
  ...seedField,
  ...whyField,
  ...modelField,
  ...Declarations.shape,
  reobserve: z.boolean().optional().describe("Compile the evidence as it is now, and draw from that."),
  regate: z
    .boolean()
    .optional()
    .describe("Certify the tasks on the new worlds; true when absent. Otherwise they lapse."),
  reauthor: z.boolean().optional().describe("Write tasks again that no longer pass."),
  revert: z.boolean().optional().describe("Take the last re-draw back instead."),
});
export type RedrawInput = z.output<typeof RedrawInput>;

/** Draws a surface's environments again, each as a revision, after compiling or declaring on request; `revert` undoes the last. */
export async function redrawSurface(ctx: Ctx, input: RedrawInput) {
  if (input.revert === true) return revertSurface(ctx, input);
  const surface = liveSurface(await findSurface(ctx, input.surface));
  refuseModel(input.model);
  if (surface.bundle === undefined)
    throw conflict("The surface has not been compiled; run its pipeline first.", { by: "pipeline_post" });
  const environments = await hostedBy(ctx, surface);
  if (environments.length === 0)
    throw conflict("The surface hosts no environment to draw again.", { by: "generate_environments" });
  for (const environment of environments) await refuseWhileLive(ctx, environment);
  const { record: served } = await loadBundle(ctx, surface.bundle);
  const seed = input.seed ?? `redraw ${(await ctx.store.records.count(WorldRedraw, { surface: surface.id })) + 1}`;
  const observed = input.reobserve === true ? await observeAnew(ctx, surface, served) : served;
  const { added_tools, redeclared_tools, removed_tools, description_overrides } = input;
  const declared = { added_tools, redeclared_tools, removed_tools, description_overrides };
  const bundle = declaresAnything(declared) ? await declareBundle(ctx, observed, declared) : observed;
  const record: RedrawDoc = {
    id: ctx.id("rd"),
    created_at: ctx.now(),
    by: actor(ctx, undefined),
    surface: surface.id,
    seed,
    ...(input.reason === undefined ? {} : { reason: input.reason }),
    bundle_before: served.id,
    bundle_after: bundle.id,
    revisions: [],
  };
  const how = {
    act: "redraw" as const,
    seed,
    regate: input.regate ?? true,
    reauthor: input.reauthor ?? false,
    reason: input.reason,
  };
  await ctx.store.records.insert(WorldRedraw, record);
  const { done, refused } = await redrawAll(ctx, environments, bundle, how, record.id);
  if (bundle.id !== served.id) await serveBundle(ctx, bundle);
  await audited(ctx, {}, "surface_redrawn", { surface: surface.id, redraw: record.id, environments: done.length });
  const changed = done.flatMap(({ result }) => result ?? []);
  return {
    surface: surface.name,
    record: record.id,
    seed,
    resolved_by: input.seed === undefined ? ("next_seed" as const) : ("seed" as const),
    redrawn: changed.length > 0,
    environments_refreshed: changed.map(({ revision }) => refreshed(revision)),
    unchanged: done.filter(({ result }) => !result).map(({ environment }) => environment.id),
    refused: refused.map(({ environment, error }) => ({ environment, reason: error.reason })),
    held_to_observed: changed.filter((row) => row.keptToObserved).map(({ revision }) => revision.environment),
    observed_changed: bundle.base_blob !== served.base_blob,
    reobserved: input.reobserve === true,
    declared: declaredOf(bundle, served),
    previous_kept: changed.map(({ revision }) => revision.id),
    regated: sum(changed.map((row) => row.regated)),
    reauthor: { asked: how.reauthor, rewritten: sum(changed.map((row) => row.rewritten)) },
    reverted: false,
    worlds_reset: sum(changed.map((row) => row.worldsReset)),
    tier: "deterministic" as const,
  };
}

/** Draws each environment again. One that changed meanwhile is reported; if all refuse, the first refusal is thrown. */
async function redrawAll(
  ctx: Ctx,
  environments: readonly EnvironmentDoc[],
  bundle: BundleDoc,
  how: Redraw,
  record: string,
) {
  const done: { environment: EnvironmentDoc; result: Redrawn | undefined }[] = [];
  const refused: { environment: string; error: AppError }[] = [];
  for (const environment of environments) {
    try {
      const result = await redrawEnvironment(ctx, environment, bundle, how);
      done.push({ environment, result });
      if (result) await ctx.store.records.update(WorldRedraw, record, withRevision(environment.id, result.revision.id));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      refused.push({ environment: environment.id, error });
    }
    ctx.progress(done.length + refused.length, environments.length, "redraw");
  }
  if (done.length === 0 && refused[0]) throw refused[0].error;
  return { done, refused };
}

function withRevision(environment: string, revision: string) {
  return (row: RedrawDoc): RedrawDoc => ({ ...row, revisions: [...row.revisions, { environment, revision }] });
}

function refreshed({ environment, id, before, after, audit, worse }: RevisionDoc) {
  return {
    environment,
    revision: id,
    before: before.tasks,
    after: after.tasks,
    ...(audit === undefined ? {} : { audit }),
    held: Object.keys(worse).length === 0,
    worse,
  };
}

/** What this re-draw declared: the names, by what became of the tools. */
function declaredOf(bundle: BundleDoc, served: BundleDoc) {
  if (bundle.declared === undefined || bundle.id === served.id) return null;
  const { tools_added, tools_redeclared, tools_removed, descriptions_changed } = bundle.declared;
  return { tools_added, tools_redeclared, tools_removed, descriptions_changed };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, n) => total + n, 0);
}

async function hostedBy(ctx: Ctx, surface: SurfaceDoc): Promise<EnvironmentDoc[]> {
  return (await environmentsOf(ctx, surface.id)).filter((row) => row.retired_at === undefined);
}

/** The bundle of the surface's evidence as it is now; the served one while nothing changed. */
async function observeAnew(ctx: Ctx, surface: SurfaceDoc, served: BundleDoc): Promise<BundleDoc> {
  const evidence = await surfaceEvidence(ctx, surface.name);
  if (evidence.length === 0) throw conflict("The surface has no evidence to read again.", { by: "evidence_post" });
  const digest = inputsDigest(evidence);
  if (digest === served.inputs) return served;
  const known = await compiledBefore(ctx, surface.id, digest);
  const compiled = known ?? (await compileBundle(ctx, surface, await readInputs(ctx, evidence), "1"));
  return declaredAgain(ctx, served, compiled);
}

/** Takes a surface's last re-draw back: every environment as it was before, each as a revision of its own. */
export async function revertSurface(
  ctx: Ctx,
  input: { readonly surface: string; readonly reason?: string | undefined },
) {
  const surface = liveSurface(await findSurface(ctx, input.surface));
  const last = await lastRedraw(ctx, surface.id);
  if (!last) throw conflict("The surface has no re-draw to take back.", { by: "surface_world_redraw" });
  const parts: { environment: EnvironmentDoc; row: RevisionDoc }[] = [];
  for (const { environment, revision } of last.revisions) {
    const row = await ctx.store.records.get(EnvironmentRevision, revision);
    const doc = await ctx.store.records.get(Environment, environment);
    if (row?.state !== "applied" || !doc || doc.retired_at !== undefined) continue;
    await refuseWhileLive(ctx, doc);
    parts.push({ environment: doc, row });
  }
  const done = [];
  for (const { environment, row } of parts)
    done.push(await putBack(ctx, environment, row, { act: "revert", reason: input.reason }));
  const { record: before } = await loadBundle(ctx, last.bundle_before);
  // A version that came to be served since is not what the re-draw served: it stays.
  const unserved = last.bundle_after !== before.id && surface.bundle === last.bundle_after;
  if (unserved) await serveBundle(ctx, before);
  const mark = { reverted_at: ctx.now(), reverted_by: actor(ctx, undefined) };
  await ctx.store.records.update(WorldRedraw, last.id, (row) => ({ ...row, ...mark }));
  await audited(ctx, {}, "surface_redraw_reverted", {
    surface: surface.id,
    redraw: last.id,
    environments: done.length,
  });
  return {
    surface: surface.name,
    record: last.id,
    seed: last.seed,
    resolved_by: "revert" as const,
    redrawn: done.length > 0,
    environments_refreshed: done.map(({ revision }) => refreshed(revision)),
    unchanged: [],
    refused: [],
    held_to_observed: [],
    observed_changed: last.bundle_after !== before.id,
    reobserved: false,
    declared: null,
    previous_kept: done.map(({ revision }) => revision.id),
    regated: 0,
    reauthor: { asked: false, rewritten: 0 },
    reverted: true,
    worlds_reset: sum(done.map((row) => row.worldsReset)),
    tier: "deterministic" as const,
  };
}

async function lastRedraw(ctx: Ctx, surface: string): Promise<RedrawDoc | undefined> {
  for await (const row of everyRow((page) => ctx.store.records.list(WorldRedraw, { ...page, where: { surface } })))
    if (row.reverted_at === undefined && row.revisions.length > 0) return row;
  return undefined;
}

/** What `environment_world_refresh` takes. */
export const RefreshInput = z.object({
  ...envRef,
  ...seedField,
  ...whyField,
  ...byField,
  regate: z
    .boolean()
    .optional()
    .describe("Certify the tasks on the new world; true when absent. Otherwise they lapse."),
});
export type RefreshInput = z.output<typeof RefreshInput>;

/** Draws one environment from the served representation, as a revision; changes nothing where it is the newest. */
export async function refreshWorld(ctx: Ctx, input: RefreshInput) {
  const environment = await liveEnvironment(ctx, input.env_id);
  await refuseWhileLive(ctx, environment);
  const surface = await ctx.store.records.get(Surface, environment.surface);
  const { record: bundle } = await loadBundle(ctx, surface?.bundle ?? environment.bundle);
  const result = await redrawEnvironment(ctx, environment, bundle, {
    act: "refresh",
    seed: input.seed ?? environment.seed,
    regate: input.regate ?? true,
    reauthor: false,
    reason: input.reason,
    by: input.by,
  });
  const now = await findEnvironment(ctx, environment.id);
  return {
    environment: environment.id,
    refreshed: result !== undefined,
    bundle: { before: environment.bundle, after: now.bundle },
    seed: now.seed,
    revision: result ? headOf(ctx, result.revision) : null,
    counts: statusCounts(await environmentTasks(ctx, environment.id)),
    held_to_observed: result?.keptToObserved ?? false,
    regated: result?.regated ?? 0,
    worlds_reset: result?.worldsReset ?? 0,
    tier: "deterministic" as const,
  };
}
