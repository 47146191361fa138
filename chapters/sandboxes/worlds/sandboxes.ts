import { z } from "zod";
import { loadBundle } from "../../blobs.ts";
import { actor, type Ctx } from "../../context.ts";
import { conflict } from "../../errors.ts";
import { job } from "../../job.ts";
import { everyRow, type PageInput, pageOf } from "../../page.ts";
import type { RecordChange } from "../../ports/store.ts";
import type { RecordKind } from "../../record.ts";
import { DEFAULT_SURFACE } from "../../records/evidence/evidence.ts";
import { Run } from "../../records/runs/runs.ts";
import { AnswerShape, EnvironmentAudit } from "../../records/sandboxes/audit.ts";
import { Door } from "../../records/sandboxes/doors.ts";
import { RealismRating } from "../../records/sandboxes/realism.ts";
import { EnvironmentRevision } from "../../records/sandboxes/revision.ts";
import { BundleRecord, Environment, Surface, TaskRecord, WorldRecord } from "../../records/sandboxes/sandboxes.ts";
import { TaskScript } from "../../records/sandboxes/script.ts";
import { audited } from "../../retirement.ts";
import { orgRealism } from "../authoring/realism.ts";
import { closeDoor, doorsOf, doorView } from "../doors/doors.ts";
import { drawEnvironment } from "../environments/draw-environment.ts";
import { type EnvironmentDoc, findEnvironment } from "../environments/environment-records.ts";
import { refuseWhileLive } from "../environments/live-work.ts";
import { HYPOTHESES, type Hypothesis, missingFor } from "../surfaces/hypotheses.ts";
import { findSurface, liveSurface } from "../surfaces/surfaces.ts";
import { environmentTasks, statusCounts } from "../tasks/task-records.ts";

// A sandbox and its drawn state are one record: the sandbox is the draw, the environment the draw with its tasks.

/** The org's sandboxes, newest first, with their representations, what may be minted now, and people's ratings of drawn rows. */
export async function listSandboxes(ctx: Ctx, input: PageInput) {
  const page = await pageOf(
    (next) => ctx.store.records.list(Environment, next),
    input,
    (row) => row.retired_at === undefined,
  );
  const sandboxes = await Promise.all(page.items.map((row) => view(ctx, row)));
  const { realism } = await orgRealism(ctx);
  return {
    hypotheses: HYPOTHESES.map((row) => ({ ...row })),
    mint: await mintable(ctx),
    realism,
    sandboxes,
    ...(page.next === undefined ? {} : { next: page.next }),
  };
}

async function view(ctx: Ctx, environment: EnvironmentDoc) {
  const { id, label, hypothesis, seed, rows, created_at, by, revision, tasks } = environment;
  const [surface, bundle] = await Promise.all([
    ctx.store.records.get(Surface, environment.surface),
    ctx.store.records.get(BundleRecord, environment.bundle),
  ]);
  const representation = {
    bundle: environment.bundle,
    digest: bundle?.digest ?? null,
    evidence: bundle?.evidence.length ?? 0,
    tools: bundle?.tools ?? 0,
    exceptions: bundle?.exceptions ?? 0,
    gaps: bundle?.gaps.length ?? 0,
  };
  return {
    id,
    label,
    surface: surface?.name ?? environment.surface,
    hypothesis,
    seed,
    rows,
    tasks,
    revision,
    created_at,
    by,
    representation,
  };
}

/** Per live surface, which hypotheses may be minted now and why the others may not. */
async function mintable(ctx: Ctx) {
  const found = [];
  for await (const surface of everyRow((page) => ctx.store.records.list(Surface, page))) {
    if (surface.retired_at !== undefined || surface.bundle === undefined) continue;
    const bundle = await ctx.store.records.get(BundleRecord, surface.bundle);
    if (!bundle) continue;
    const hypotheses = await Promise.all(
      HYPOTHESES.map(async ({ hypothesis }) => {
        const missing = await missingFor(ctx, bundle, hypothesis);
        return { hypothesis, available: missing === undefined, ...(missing === undefined ? {} : { missing }) };
      }),
    );
    found.push({ surface: surface.name, bundle: bundle.id, hypotheses });
  }
  return found;
}

const MintInput = z.object({
  bundle: z.string(),
  hypothesis: Environment.schema.shape.hypothesis,
  label: z.string(),
  seed: z.string(),
});

/** Draws one sandbox of a bundle under a hypothesis; the same again answers the one drawn before. */
export const mintJob = job({
  kind: "mint_sandbox",
  input: MintInput,
  key: ({ bundle, hypothesis, label, seed }) => `mint:${bundle}:${hypothesis}:${seed}:${label}`,
  attempts: 3,
  ends: "cancel",
  concurrency: 1,
  run: async (ctx, { bundle: id, hypothesis, label, seed }) => {
    const { record } = await loadBundle(ctx, id);
    const augment = hypothesis === "fitted";
    const environment = await drawEnvironment(ctx, record, {
      label,
      seed,
      augment,
      hypothesis,
      selection: {},
      tasks: 0,
    });
    return { sandbox: environment.id, hypothesis, rows: environment.rows };
  },
});

interface MintRequest {
  readonly hypothesis: Hypothesis;
  readonly surface?: string | undefined;
  readonly label?: string | undefined;
  readonly seed?: string | undefined;
}

/** Starts minting a sandbox from a representation of a surface. `conflict` names what a missing representation lacks. */
export async function mintSandbox(ctx: Ctx, request: MintRequest) {
  const surface = liveSurface(await findSurface(ctx, request.surface ?? DEFAULT_SURFACE));
  if (surface.bundle === undefined)
    throw conflict("The surface has not been compiled; run its pipeline first.", { by: "pipeline_post" });
  const { record } = await loadBundle(ctx, surface.bundle);
  const { hypothesis } = request;
  const missing = await missingFor(ctx, record, hypothesis);
  if (missing !== undefined) throw conflict(missing);
  const seed = request.seed ?? "1";
  const label = request.label ?? `${surface.name} ${hypothesis}`;
  const handle = await ctx.jobs.start(mintJob, { bundle: record.id, hypothesis, label, seed });
  return {
    ...handle,
    hypothesis,
    surface: surface.name,
    seed,
    note: "The job's result names the sandbox. It has no tasks yet; generate them, or mint worlds of it.",
  };
}

/** A sandbox with the worlds that callers minted of it, and how many runs it has had. */
export async function getSandbox(ctx: Ctx, input: { readonly sid: string }) {
  const environment = await findEnvironment(ctx, input.sid);
  const tasks = await environmentTasks(ctx, environment.id);
  const worlds = [];
  const where = { environment: environment.id, minted: true };
  for await (const row of everyRow((page) => ctx.store.records.list(WorldRecord, { ...page, where }))) {
    const { id, label, created_at, by, ended_at, bundle } = row;
    worlds.push({
      world: id,
      ...(label === undefined ? {} : { label }),
      created_at,
      by,
      live: ended_at === undefined,
      url: ctx.worlds.url(bundle, id),
    });
  }
  const doors = await Promise.all((await doorsOf(ctx, environment.id)).map((door) => doorView(ctx, door)));
  return {
    ...(await view(ctx, environment)),
    retired: environment.retired_at !== undefined,
    counts: statusCounts(tasks),
    worlds,
    doors,
    runs: await ctx.store.records.count(Run, { environment: environment.id }),
  };
}

/** What stands on a draw and goes with it. */
const WITH_DRAW: readonly RecordKind[] = [
  TaskRecord,
  EnvironmentRevision,
  TaskScript,
  EnvironmentAudit,
  AnswerShape,
  RealismRating,
];

/** Deletes a sandbox with its tasks, revisions and worlds; connector tokens end at once, runs stay. */
export async function deleteSandbox(ctx: Ctx, input: { readonly sid: string; readonly by?: string | undefined }) {
  const environment = await findEnvironment(ctx, input.sid);
  await refuseWhileLive(ctx, environment);
  const where = { environment: environment.id };
  const worlds = new Set<string>();
  for await (const { id } of everyRow((page) => ctx.store.records.list(WorldRecord, { ...page, where })))
    worlds.add(id);
  const doors = await doorsOf(ctx, environment.id);
  for (const door of doors) await closeDoor(ctx, door, input);
  await endWorlds(ctx, worlds);
  const changes: RecordChange[] = [{ op: "delete", kind: Environment, id: environment.id }];
  for (const kind of WITH_DRAW)
    for await (const { id } of everyRow((page) => ctx.store.records.list(kind, { ...page, where })))
      changes.push({ op: "delete", kind, id: id as string });
  for (const id of worlds) changes.push({ op: "delete", kind: WorldRecord, id });
  for (const { id } of doors) changes.push({ op: "delete", kind: Door, id });
  await ctx.store.records.apply(changes);
  await audited(ctx, input, "sandbox_deleted", {
    sandbox: environment.id,
    tasks: environment.tasks,
    worlds: worlds.size,
  });
  const runs_kept = await ctx.store.records.count(Run, where);
  return { deleted: environment.id, by: actor(ctx, input.by), worlds_ended: worlds.size, runs_kept };
}

async function endWorlds(ctx: Ctx, worlds: ReadonlySet<string>): Promise<void> {
  for await (const token of everyRow((page) => ctx.store.tokens.list("world", page)))
    if (token.world !== null && worlds.has(token.world) && token.revoked_at === null)
      await ctx.store.tokens.revoke(token.id, ctx.now());
  for (const id of worlds) {
    await ctx.store.records.update(WorldRecord, id, (row) => ({ ...row, ended_at: row.ended_at ?? ctx.now() }));
    ctx.worlds.drop(id);
    await ctx.store.journals.clear(id);
  }
}
