import { z } from "zod";
import { actor, type Ctx } from "../../context.ts";
import { mintToken } from "../../credentials.ts";
import { conflict, notFound } from "../../errors.ts";
import { recordId } from "../../fields.ts";
import type { TokenRow } from "../../ports/store.ts";
import { expiresInDays, label } from "./fields.ts";
import { findWorld } from "./world-records.ts";

/** What `world_tokens_post` takes. */
export const MintInput = z.object({
  world: recordId("world"),
  bundle_id: z.string().max(200).optional(),
  label,
  expires_in_days: expiresInDays,
});
export type MintInput = z.output<typeof MintInput>;

/** A token that was just minted, and where it opens what. */
export const MintedToken = z.object({ token: z.string(), token_id: z.string(), url: z.string() });

const DAY = 86_400;

/** Mints a connector token: it opens this one world's MCP endpoint and nothing else. The raw token is answered once. */
export async function mintWorldToken(ctx: Ctx, input: MintInput): Promise<z.infer<typeof MintedToken>> {
  const world = await findWorld(ctx, input.world, input.bundle_id);
  if (world.ended_at !== undefined) throw conflict("The world has ended; mint another.", { by: "worlds_post" });
  const { raw, hash, prefix } = mintToken("world");
  const now = ctx.now();
  const row: TokenRow = {
    id: ctx.id("tok"),
    kind: "world",
    hash,
    prefix,
    name: input.label ?? "connector",
    scope: "push",
    world: world.id,
    created_by: actor(ctx, undefined),
    created_at: now,
    expires_at: input.expires_in_days === undefined ? null : now + input.expires_in_days * DAY,
    last_used_at: null,
    revoked_at: null,
  };
  await ctx.store.tokens.insert(row);
  return { token: raw, token_id: row.id, url: ctx.worlds.url(world.bundle, world.id) };
}

/** Revokes a connector token at once; a second revoke keeps the first mark. */
export async function revokeWorldToken(ctx: Ctx, input: { readonly tid: string }) {
  const known = await ctx.store.tokens.get(input.tid);
  if (known?.kind !== "world") throw notFound("token");
  const row = await ctx.store.tokens.revoke(input.tid, ctx.now());
  if (row?.revoked_at == null) throw notFound("token");
  return { token_id: row.id, world: row.world, revoked_at: row.revoked_at };
}

/** Ends a connector token that was minted for one trial, at once, and leaves no row of it. Whether its world was ever reached with it. */
export async function dropWorldToken(ctx: Ctx, tid: string): Promise<boolean> {
  const known = await ctx.store.tokens.get(tid);
  if (known?.kind !== "world") return false;
  await ctx.store.tokens.delete(tid);
  return known.last_used_at !== null;
}
