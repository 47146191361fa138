import type { Ctx } from "../../context.ts";
import { everyRow } from "../../page.ts";
import { Evidence } from "../../records/evidence/evidence.ts";
import { Surface } from "../../records/sandboxes/sandboxes.ts";
import type { GroupData } from "../../runs/groups/group-data.ts";

/** Whether any of the traces behind the groups' worlds were made up rather than seen. */
export async function invented(ctx: Ctx, groups: readonly GroupData[]): Promise<boolean> {
  return inventedSurfaces(
    ctx,
    groups.flatMap(({ runs }) => runs.map(({ run }) => run.surface)),
  );
}

/** Whether every system of the org stands on traces that were made up: then so does all that is told of its runs and tasks. */
export async function orgInvented(ctx: Ctx): Promise<boolean> {
  let n = 0;
  for await (const surface of everyRow((page) => ctx.store.records.list(Surface, page))) {
    if (surface.retired_at !== undefined) continue;
    if (!(await inventedSurfaces(ctx, [surface.id]))) return false;
    n += 1;
  }
  return n > 0;
}

/** Whether any of the traces behind these surfaces were made up rather than seen. */
export async function inventedSurfaces(ctx: Ctx, ids: readonly string[]): Promise<boolean> {
  const surfaces = await ctx.store.records.getMany(Surface, [...new Set(ids)]);
  const evidence = await ctx.store.records.getMany(Evidence, [
    ...new Set(surfaces.flatMap((surface) => surface.evidence)),
  ]);
  return evidence.some(({ provenance }) => provenance === "synthetic");
}
