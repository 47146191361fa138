import type { Ctx } from "../../context.ts";
import { conflict, orNotFound } from "../../errors.ts";
import { everyRow } from "../../page.ts";
import type { Doc } from "../../record.ts";
import { Environment, Surface } from "../../records/sandboxes/sandboxes.ts";

/** A stored environment. */
export type EnvironmentDoc = Doc<typeof Environment>;

/** An environment of this org. Unknown and another org's are the same 404. */
export async function findEnvironment(ctx: Ctx, id: string): Promise<EnvironmentDoc> {
  return orNotFound(await ctx.store.records.get(Environment, id), "environment");
}

/** The environments that a surface hosts, retired ones included, oldest first. */
export async function environmentsOf(ctx: Ctx, surface: string): Promise<EnvironmentDoc[]> {
  const found: EnvironmentDoc[] = [];
  const where = { surface };
  for await (const row of everyRow((page) => ctx.store.records.list(Environment, { ...page, where, order: "oldest" })))
    found.push(row);
  return found;
}

/** An environment that may be worked with: a retired one is a conflict. */
export async function liveEnvironment(ctx: Ctx, id: string): Promise<EnvironmentDoc> {
  const environment = await findEnvironment(ctx, id);
  if (environment.retired_at !== undefined)
    throw conflict("The environment is retired; restore it first.", { by: "environment_restore" });
  const surface = await ctx.store.records.get(Surface, environment.surface);
  if (surface?.retired_at !== undefined)
    throw conflict("The environment's surface is retired; restore that first.", { by: "surface_restore" });
  return environment;
}
