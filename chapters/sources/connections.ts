import type { Ctx } from "../context.ts";
import type { PageInput } from "../page.ts";
import { WorldRecord } from "../records/sandboxes/sandboxes.ts";

/** The org's minted worlds as connections, newest first; worlds of trials are no connections. */
export async function listConnections(ctx: Ctx, input: PageInput) {
  const page = await ctx.store.records.list(WorldRecord, { ...input, where: { minted: true } });
  const connections = page.items.map(({ id, label, bundle, environment, by, created_at, ended_at }) => ({
    world: id,
    ...(label === undefined ? {} : { label }),
    bundle_id: bundle,
    environment,
    urls: [ctx.worlds.url(bundle, id)],
    live: ended_at === undefined,
    by,
    created_at,
  }));
  return { connections, ...(page.next === undefined ? {} : { next: page.next }) };
}
