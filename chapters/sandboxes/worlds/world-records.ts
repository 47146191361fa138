import { actor, type Ctx } from "../../context.ts";
import { notFound } from "../../errors.ts";
import { everyRow } from "../../page.ts";
import type { Doc } from "../../record.ts";
import { WorldRecord } from "../../records/sandboxes/sandboxes.ts";

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
  if (!world || (bundle !== undefined && !stoodOn(world, bundle))) throw notFound("world");
  return world;
}

/** Whether a world stands on a bundle or did before a new draw: addresses that were handed out then still lead to it. */
export function stoodOn({ bundle, earlier }: Pick<WorldDoc, "bundle" | "earlier">, named: string): boolean {
  return bundle === named || (earlier?.includes(named) ?? false);
}

/** A fresh world record of an environment; it costs nothing until its first call. Throws `rate_limited` past what the org may make. */
export async function makeWorld(
  ctx: Ctx,
  environment: {
    readonly id: string;
    readonly bundle: string;
    readonly seed: string;
    readonly base_blob?: string | undefined;
  },
  made: { readonly label?: string; readonly trial?: string; readonly start?: string; readonly by?: string },
): Promise<WorldDoc> {
  const world: WorldDoc = {
    id: ctx.id("wl"),
    created_at: ctx.now(),
    by: actor(ctx, made.by),
    bundle: environment.bundle,
    environment: environment.id,
    ...(environment.base_blob === undefined ? {} : { base_blob: environment.base_blob }),
    seed: environment.seed,
    ...(made.start === undefined ? {} : { start: made.start }),
    ...(made.label === undefined ? {} : { label: made.label }),
    ...(made.trial === undefined ? { minted: true as const } : { trial: made.trial }),
  };
  await ctx.limits.world();
  await ctx.store.records.insert(WorldRecord, world);
  return world;
}

/**
 * Puts the worlds that callers minted of an environment on its draw as it is now: emptied of what was done in them. The
 * addresses they had stay good. Worlds of trials stay. Answers how many.
 */
export async function resetWorlds(
  ctx: Ctx,
  environment: { readonly id: string; readonly bundle: string; readonly seed: string; readonly base_blob: string },
): Promise<number> {
  let n = 0;
  const where = { environment: environment.id, minted: true };
  for await (const { id, ended_at } of everyRow((page) => ctx.store.records.list(WorldRecord, { ...page, where }))) {
    if (ended_at !== undefined) continue;
    const open = await ctx.worlds.open(id);
    // Closed to new calls while its ground changes: none may land between the empty journal and the new state.
    await ctx.store.records.update(WorldRecord, id, (row) => ({ ...row, ended_at: ctx.now() }));
    await open?.reset();
    ctx.worlds.drop(id);
    await ctx.store.journals.clear(id);
    const { bundle, base_blob, seed } = environment;
    await ctx.store.records.update(WorldRecord, id, ({ ended_at: _ended, earlier: before = [], ...row }) => {
      const earlier = [...new Set([...before, row.bundle])].filter((one) => one !== bundle);
      return { ...row, ...(earlier.length === 0 ? {} : { earlier }), bundle, base_blob, seed };
    });
    n++;
  }
  return n;
}
