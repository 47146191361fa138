import { z } from "zod";
import { auditAct } from "../audit.ts";
import { actor, type Ctx } from "../context.ts";
import { mintToken } from "../credentials.ts";
import { everyRow, type PageInput } from "../page.ts";
import type { TokenRow } from "../ports/store.ts";
import { WorldRecord } from "../records/sandboxes/sandboxes.ts";
import { Rotation } from "../records/sources/sources.ts";

/** A connector's address with its new token, shown this once. */
export const Link = z.object({
  world: z.string(),
  label: z.string().describe("The token's name, which says who holds it."),
  bundle_id: z.string(),
  url: z.string(),
  token: z.string(),
  token_id: z.string(),
  revoked: z.string().describe("The id of the token that opened it before."),
});
export type Link = z.infer<typeof Link>;

/** When the org's connector links were turned over, newest first, and by whom. */
export async function listRotations(ctx: Ctx, input: PageInput) {
  const page = await ctx.store.records.list(Rotation, input);
  return {
    org: ctx.org.tag,
    rotations: page.items,
    note:
      page.items.length === 0
        ? "No connector link of this org was turned over yet."
        : "A link that was turned over stopped answering with its next request.",
    ...(page.next === undefined ? {} : { next: page.next }),
  };
}

/**
 * Turns over every live connector link of the org, all in one transaction: every token of a world that stands gets a
 * successor, and is refused from its next request on. A link that another rotation turned over meanwhile is that one's.
 * Worlds of trials under way keep theirs: they end by themselves.
 */
export async function rotateLinks(
  ctx: Ctx,
  input: { readonly by?: string | undefined; readonly via?: string | undefined },
) {
  const now = ctx.now();
  const by = actor(ctx, input.by);
  const live = await liveTokens(ctx, now);
  const turned: { readonly link: Link; readonly row: TokenRow }[] = [];
  for await (const world of everyRow((page) =>
    ctx.store.records.list(WorldRecord, { ...page, where: { minted: true } }),
  )) {
    if (world.ended_at !== undefined) continue;
    for (const token of live.get(world.id) ?? []) {
      const { raw, row } = successor(ctx, token, by);
      const url = ctx.worlds.url(world.bundle, world.id);
      const told = { world: world.id, label: token.name, bundle_id: world.bundle, url };
      turned.push({ link: { ...told, token: raw, token_id: row.id, revoked: token.id }, row });
    }
  }
  const pairs = turned.map(({ link, row }) => ({ old: link.revoked, row }));
  const replaced = new Set(pairs.length === 0 ? [] : await ctx.store.tokens.replace(pairs, now));
  const links = turned.flatMap(({ link }) => (replaced.has(link.revoked) ? [link] : []));
  const missed = turned.length - links.length;
  const counts = { worlds: new Set(links.map(({ world }) => world)).size, links: links.length };
  const rotation = { id: ctx.id(Rotation.prefix), created_at: now, by, via: input.via ?? "api", ...counts };
  await ctx.store.records.insert(Rotation, rotation);
  await auditAct(ctx, "links_rotated", { rotation: rotation.id, ...counts }, input.by);
  return {
    org: ctx.org.tag,
    public_url: ctx.settings.publicUrl ?? null,
    rotated: links.length,
    rotation,
    links,
    note:
      missed > 0
        ? `${missed} of ${turned.length} links were turned over or revoked by somebody else at the same moment: who did holds their new tokens.`
        : links.length === 0
          ? "The org holds no live connector link."
          : "Tokens are shown this once. Every token that opened these worlds before is refused from now on.",
  };
}

async function liveTokens(ctx: Ctx, now: number): Promise<Map<string, TokenRow[]>> {
  const live = new Map<string, TokenRow[]>();
  for await (const token of everyRow((page) => ctx.store.tokens.live("world", now, page))) {
    if (token.world !== null) live.set(token.world, [...(live.get(token.world) ?? []), token]);
  }
  return live;
}

/** A token in the place of another: for the same world, under the same name, for as long. */
function successor(ctx: Ctx, old: TokenRow, by: string): { raw: string; row: TokenRow } {
  const { raw, hash, prefix } = mintToken("world");
  const made = { id: ctx.id("tok"), created_by: by, created_at: ctx.now(), last_used_at: null, revoked_at: null };
  return { raw, row: { ...old, ...made, hash, prefix } };
}
