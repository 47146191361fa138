import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { badField, conflict, notFound } from "../../errors.ts";
import { everyRow } from "../../page.ts";
import { Environment, Surface } from "../../records/sandboxes/sandboxes.ts";
import { audited } from "../../retirement.ts";
import { surfaceRef, whyField } from "../fields.ts";
import { findSurface, liveSurface } from "./surfaces.ts";

/** What `surface_supersede` takes. */
export const SupersedeInput = z.object({
  ...surfaceRef,
  ...whyField,
  superseded_by: z.string().min(1).max(200).optional().describe("The surface that takes its place, by name or id."),
});
export type SupersedeInput = z.output<typeof SupersedeInput>;

/** Marks a surface as superseded, by another if named: hidden in lists, nothing deleted. A second call changes the mark. */
export async function supersedeSurface(ctx: Ctx, input: SupersedeInput) {
  const surface = liveSurface(await findSurface(ctx, input.surface));
  const next = input.superseded_by === undefined ? undefined : await findSurface(ctx, input.superseded_by);
  if (next?.id === surface.id) throw badField("superseded_by", "is the surface itself");
  if (next && (await leadsTo(ctx, next, surface.id)))
    throw conflict("That surface is superseded by this one; list it again first.", { by: "surface_unsupersede" });
  const superseded = await ctx.store.records.update(Surface, surface.id, ({ superseded_reason: _was, ...row }) => ({
    ...row,
    superseded_by: next?.id ?? surface.id,
    superseded_at: ctx.now(),
    ...(input.reason === undefined ? {} : { superseded_reason: input.reason }),
  }));
  if (!superseded) throw notFound("surface");
  await audited(ctx, {}, "surface_superseded", { surface: surface.id, ...(next ? { by_surface: next.id } : {}) });
  return { superseded };
}

async function leadsTo(
  ctx: Ctx,
  from: { readonly superseded_by?: string | undefined; readonly id: string },
  target: string,
) {
  const seen = new Set<string>();
  let at: typeof from | undefined = from;
  while (at && at.superseded_by !== undefined && !seen.has(at.id)) {
    if (at.superseded_by === target) return true;
    seen.add(at.id);
    at = await ctx.store.records.get(Surface, at.superseded_by);
  }
  return false;
}

/** Lists a superseded surface by default again. One that is not superseded is a conflict. */
export async function unsupersedeSurface(ctx: Ctx, input: { readonly surface: string }) {
  const surface = await findSurface(ctx, input.surface);
  if (surface.superseded_by === undefined) throw conflict("The surface is not superseded.", { by: "surfaces_list" });
  const restored = await ctx.store.records.update(
    Surface,
    surface.id,
    ({ superseded_by: _by, superseded_at: _at, superseded_reason: _why, ...row }) => row,
  );
  if (!restored) throw notFound("surface");
  await audited(ctx, {}, "surface_listed_again", { surface: surface.id });
  return { restored };
}

/** What the org took off its pages: surfaces and environments, with who did it, when and why, newest first. */
export async function listRetired(ctx: Ctx) {
  const surfaces = [];
  const names = new Map<string, string>();
  for await (const row of everyRow((page) => ctx.store.records.list(Surface, page))) {
    names.set(row.id, row.name);
    if (row.retired_at !== undefined)
      surfaces.push({
        kind: "surface" as const,
        id: row.id,
        name: row.name,
        versions: row.versions.length,
        ...retirementOf(row),
      });
  }
  const environments = [];
  for await (const row of everyRow((page) => ctx.store.records.list(Environment, page)))
    if (row.retired_at !== undefined)
      environments.push({
        kind: "environment" as const,
        id: row.id,
        name: row.label,
        surface: names.get(row.surface) ?? row.surface,
        tasks: row.tasks,
        ...retirementOf(row),
      });
  const newest = <T extends { readonly retired_at: number }>(rows: T[]) =>
    rows.sort((a, b) => b.retired_at - a.retired_at);
  return { org: ctx.org.tag, surfaces: newest(surfaces), environments: newest(environments) };
}

function retirementOf(row: {
  readonly retired_at?: number | undefined;
  readonly retired_by?: string | undefined;
  readonly retired_reason?: string | undefined;
}) {
  const { retired_at, retired_by, retired_reason } = row;
  return {
    retired_at: retired_at ?? 0,
    ...(retired_by === undefined ? {} : { retired_by }),
    ...(retired_reason === undefined ? {} : { retired_reason }),
  };
}
