import type { Ctx } from "../context.ts";
import { AppError, notFound } from "../errors.ts";
import type { Doc } from "../record.ts";
import { audited, type Retiring, restore, retire } from "./retirement.ts";
import { Surface } from "./schema.ts";

type SurfaceDoc = Doc<typeof Surface>;

/** A surface by its id or its name. Unknown and another org's are the same 404. */
export async function findSurface(ctx: Ctx, ref: string): Promise<SurfaceDoc> {
  const found = (await ctx.store.records.get(Surface, ref)) ?? (await surfaceNamed(ctx, ref));
  if (!found) throw notFound("surface");
  return found;
}

/** The surface of this name, or undefined. */
export async function surfaceNamed(ctx: Ctx, name: string): Promise<SurfaceDoc | undefined> {
  const { items } = await ctx.store.records.list(Surface, { where: { name }, limit: 1, order: "oldest" });
  return items[0];
}

/** The surface of this name, made when there is none. */
export async function ensureSurface(ctx: Ctx, name: string): Promise<SurfaceDoc> {
  const known = await surfaceNamed(ctx, name);
  if (known) return known;
  const surface: SurfaceDoc = {
    id: ctx.id("sf"),
    created_at: ctx.now(),
    by: ctx.caller.name,
    name,
    versions: [],
    evidence: [],
  };
  await ctx.store.records.insert(Surface, surface);
  return surface;
}

/** A surface that may be worked with: a retired one is a conflict. */
export function liveSurface(surface: SurfaceDoc): SurfaceDoc {
  if (surface.retired_at !== undefined) throw new AppError("conflict", "The surface is retired; restore it first.");
  return surface;
}

/** Takes a surface off the org's pages; its runs stay. Retiring twice keeps the first mark. */
export async function retireSurface(ctx: Ctx, input: { readonly surface: string } & Retiring) {
  const { id, retired_at } = await findSurface(ctx, input.surface);
  const retired = await ctx.store.records.update(Surface, id, (row) => retire(ctx, row, input));
  if (retired_at === undefined) await audited(ctx, input, "surface_retired", { surface: id });
  if (!retired) throw notFound("surface");
  return { retired };
}

/** Puts a retired surface back on the org's pages. */
export async function restoreSurface(ctx: Ctx, input: { readonly surface: string } & Retiring) {
  const { id, retired_at } = await findSurface(ctx, input.surface);
  if (retired_at === undefined) throw new AppError("conflict", "The surface is not retired.");
  const restored = await ctx.store.records.update(Surface, id, restore);
  await audited(ctx, input, "surface_restored", { surface: id });
  if (!restored) throw notFound("surface");
  return { restored };
}
