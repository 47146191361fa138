import { digestOf } from "../../../worlds/digest.ts";
import type { Ctx } from "../../context.ts";
import { conflict, orNotFound } from "../../errors.ts";
import type { Doc } from "../../record.ts";
import { Environment, Surface } from "../../records/sandboxes/sandboxes.ts";
import { audited, type Retiring, restore, retire } from "../../retirement.ts";
import { environmentsOf } from "../environments/environment-records.ts";

type SurfaceDoc = Doc<typeof Surface>;

/** A surface by its id or its name. Unknown and another org's are the same 404. */
export async function findSurface(ctx: Ctx, ref: string): Promise<SurfaceDoc> {
  return orNotFound((await ctx.store.records.get(Surface, ref)) ?? (await surfaceNamed(ctx, ref)), "surface");
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
  if (surface.retired_at !== undefined)
    throw conflict("The surface is retired; restore it first.", { by: "surface_restore" });
  return surface;
}

/** Takes a surface and every environment of it off the org's pages, as one step; its runs stay. Retiring twice keeps the first mark. */
export async function retireSurface(ctx: Ctx, input: { readonly surface: string } & Retiring) {
  const surface = await findSurface(ctx, input.surface);
  if (surface.retired_at !== undefined) return { retired: surface };
  const retired = retire(ctx, surface, input);
  const states = (await environmentsOf(ctx, surface.id)).filter((row) => row.retired_at === undefined);
  await ctx.store.records.apply([
    { op: "put", kind: Surface, doc: retired, expect: digestOf(surface) },
    ...states.map((row) => ({
      op: "put" as const,
      kind: Environment,
      doc: { ...retire(ctx, row, input), retired_with: surface.id },
      expect: digestOf(row),
    })),
  ]);
  await audited(ctx, input, "surface_retired", { surface: surface.id, environments: states.length });
  return { retired };
}

/** Puts a retired surface back on the org's pages, with the environments that went with it. */
export async function restoreSurface(ctx: Ctx, input: { readonly surface: string } & Retiring) {
  const surface = await findSurface(ctx, input.surface);
  if (surface.retired_at === undefined) throw conflict("The surface is not retired.", { by: "org_retired" });
  const restored = restore(surface);
  const states = (await environmentsOf(ctx, surface.id)).filter((row) => row.retired_with === surface.id);
  await ctx.store.records.apply([
    { op: "put", kind: Surface, doc: restored, expect: digestOf(surface) },
    ...states.map((row) => ({ op: "put" as const, kind: Environment, doc: restore(row), expect: digestOf(row) })),
  ]);
  await audited(ctx, input, "surface_restored", { surface: surface.id, environments: states.length });
  return { restored };
}
