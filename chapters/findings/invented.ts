import type { Ctx } from "../context.ts";
import { Evidence } from "../evidence/schema.ts";
import type { GroupData } from "../runs/group-data.ts";
import { Surface } from "../sandboxes/schema.ts";

/** Whether any of the traces behind the groups' worlds were made up rather than seen. */
export async function invented(ctx: Ctx, groups: readonly GroupData[]): Promise<boolean> {
  const ids = [...new Set(groups.flatMap(({ runs }) => runs.map(({ run }) => run.surface)))];
  const surfaces = await ctx.store.records.getMany(Surface, ids);
  const evidence = await ctx.store.records.getMany(Evidence, [
    ...new Set(surfaces.flatMap((surface) => surface.evidence)),
  ]);
  return evidence.some(({ provenance }) => provenance === "synthetic");
}
