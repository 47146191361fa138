import type { Ctx } from "../context.ts";
import { AppError, badField } from "../errors.ts";
import { everyRow } from "../page.ts";
import type { Doc } from "../record.ts";
import { DEFAULT_SURFACE } from "../records/evidence/evidence.ts";
import { Surface } from "../records/sandboxes/sandboxes.ts";
import { surfaceEvidence } from "../sandboxes/surfaces/surface-evidence.ts";
import { ensureSurface, findSurface, surfaceNamed } from "../sandboxes/surfaces/surfaces.ts";

type SurfaceDoc = Doc<typeof Surface>;

/** The surface that a call names, else the org's only one that stands. Several, and none named, is a 400 that says so. */
export async function theSurface(ctx: Ctx, named: string | undefined): Promise<SurfaceDoc> {
  if (named !== undefined) return findSurface(ctx, named);
  const live: SurfaceDoc[] = [];
  for await (const row of everyRow((page) => ctx.store.records.list(Surface, page)))
    if (row.retired_at === undefined && row.superseded_by === undefined) live.push(row);
  const [only, ...more] = live;
  if (only === undefined) throw new AppError("not_found", "The org has no surface yet; send evidence and compile it.");
  if (more.length > 0) throw badField("surface", "name a surface: the org has several");
  return only;
}

/** The surface to compile: as `theSurface`, made where only its evidence is there yet. */
export async function surfaceToCompile(ctx: Ctx, named: string | undefined): Promise<SurfaceDoc> {
  const { items } = await ctx.store.records.list(Surface, { limit: 1 });
  const name = named ?? (items.length === 0 ? DEFAULT_SURFACE : undefined);
  if (name === undefined || (await ctx.store.records.get(Surface, name)) || (await surfaceNamed(ctx, name)))
    return theSurface(ctx, name);
  if ((await surfaceEvidence(ctx, name)).length === 0) return findSurface(ctx, name);
  return ensureSurface(ctx, name);
}
