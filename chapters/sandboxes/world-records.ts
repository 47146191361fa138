import { actor, type Ctx } from "../context.ts";
import { notFound } from "../errors.ts";
import type { Doc } from "../record.ts";
import { WorldRecord } from "./schema.ts";

/** A stored world: what it is an instance of, and whether it has ended. */
export type WorldDoc = Doc<typeof WorldRecord>;

/** What names a world in a route. */
export interface WorldRef {
  readonly bundle_id: string;
  readonly world: string;
}

/** A world of this org, of this bundle where one is named. Unknown and another org's are the same 404. */
export async function findWorld(ctx: Ctx, id: string, bundle: string | undefined): Promise<WorldDoc> {
  const world = await ctx.store.records.get(WorldRecord, id);
  if (!world || (bundle !== undefined && world.bundle !== bundle)) throw notFound("world");
  return world;
}

/** A fresh world record of an environment; it costs nothing until its first call. */
export async function makeWorld(
  ctx: Ctx,
  environment: { readonly id: string; readonly bundle: string; readonly seed: string },
  made: { readonly label?: string; readonly trial?: string; readonly by?: string },
): Promise<WorldDoc> {
  const world: WorldDoc = {
    id: ctx.id("wl"),
    created_at: ctx.now(),
    by: actor(ctx, made.by),
    bundle: environment.bundle,
    environment: environment.id,
    seed: environment.seed,
    ...(made.label === undefined ? {} : { label: made.label }),
    ...(made.trial === undefined ? { minted: true as const } : { trial: made.trial }),
  };
  await ctx.store.records.insert(WorldRecord, world);
  return world;
}
