import { randomBytes } from "node:crypto";
import { sha256 } from "../../../worlds/digest.ts";
import type { Ctx } from "../../context.ts";
import { type Doc, idOfValue } from "../../record.ts";
import { AnonKey, type Source } from "../../records/sources/sources.ts";
import type { PrivacyRule } from "./index.ts";

/** Keeps a key that the org chose for a source's pseudonyms. What it is made of is never kept. */
export async function putAnonKey(ctx: Ctx, source: string, chosen: string): Promise<void> {
  const key = sha256(chosen);
  await ctx.store.records.put(AnonKey, { ...keyDoc(ctx, key, source), source });
}

/** Deletes a source's own key: no pseudonym made with it can be led back, or made again. False: there was none. */
export async function forgetAnonKey(ctx: Ctx, source: string): Promise<boolean> {
  return ctx.store.records.delete(AnonKey, keyId(source));
}

/** Gives the org a new key of its own in the place of the one before; false when it had none. */
export async function rotateAnonKey(ctx: Ctx): Promise<boolean> {
  const had = (await ctx.store.records.get(AnonKey, keyId(undefined))) !== undefined;
  await ctx.store.records.put(AnonKey, keyDoc(ctx, randomBytes(32).toString("hex"), undefined));
  return had;
}

/** Whether a source's own key is here now. */
export async function hasAnonKey(ctx: Ctx, source: string): Promise<boolean> {
  return (await ctx.store.records.get(AnonKey, keyId(source))) !== undefined;
}

/** How evidence of a given access is read: with the source's own key where it has one, else the org's. Undefined: as it is. */
export async function privacyFor(
  ctx: Ctx,
  access: "full" | "anonymized" | "shapes",
  source?: Pick<Doc<typeof Source>, "id" | "own_anon_key">,
): Promise<PrivacyRule | undefined> {
  if (access === "full") return undefined;
  const doc = await anonKey(ctx, source?.own_anon_key ? source.id : undefined);
  return { access, key: ctx.sealer.open(doc.sealed), ref: `${doc.id}@${doc.created_at}` };
}

/** The key, made at its first use. Two first uses at once end with one key. */
async function anonKey(ctx: Ctx, source: string | undefined): Promise<Doc<typeof AnonKey>> {
  const known = await ctx.store.records.get(AnonKey, keyId(source));
  if (known) return known;
  const made = keyDoc(ctx, randomBytes(32).toString("hex"), source);
  return (await ctx.store.records.insert(AnonKey, made)) ? made : anonKey(ctx, source);
}

function keyDoc(ctx: Ctx, key: string, source: string | undefined): Doc<typeof AnonKey> {
  return {
    id: keyId(source),
    created_at: ctx.now(),
    by: ctx.caller.name,
    ...(source === undefined ? {} : { source }),
    sealed: ctx.sealer.seal(key),
  };
}

/** The id that a key is stored by: a source's own, or the org's. */
export function keyId(source: string | undefined): string {
  return idOfValue(AnonKey, ...(source === undefined ? [] : [source]));
}
