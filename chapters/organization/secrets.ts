import { randomBytes } from "node:crypto";
import type { Ctx } from "../context.ts";
import { conflict } from "../errors.ts";
import type { Doc } from "../record.ts";
import { OrgSecret } from "../records/organization/organization.ts";

/**
 * The secrets that an org leaves with the service, by name: the bot token of its chat workspace, the credential that
 * may write to its observability vendor, the key that those who opened what was sent are hashed with.
 */
export type SecretName = "chat_bot_token" | "obs_write" | "opens_key";

/** A secret's value; undefined when the org left none. Throws `conflict` when it was sealed with a key that is gone. */
export async function readSecret(ctx: Ctx, name: SecretName): Promise<string | undefined> {
  const doc = await ctx.store.records.get(OrgSecret, secretId(name));
  if (!doc) return undefined;
  try {
    return ctx.sealer.open(doc.sealed);
  } catch {
    throw conflict(
      "A stored secret cannot be opened: this workspace no longer has the key it was sealed with. Give the secret again.",
    );
  }
}

/** Who left a secret and when, never its value; undefined when the org left none. */
export async function secretFacts(
  ctx: Ctx,
  name: SecretName,
): Promise<{ readonly by: string; readonly at: number; readonly opens: boolean } | undefined> {
  const doc = await ctx.store.records.get(OrgSecret, secretId(name));
  return doc && { by: doc.by, at: doc.created_at, opens: opens(ctx, doc) };
}

/** Leaves a secret, in place of the one before. */
export async function putSecret(ctx: Ctx, name: SecretName, value: string, by: string): Promise<void> {
  await ctx.store.records.put(OrgSecret, sealedDoc(ctx, name, value, by));
}

/** Forgets a secret; false when there was none. */
export async function dropSecret(ctx: Ctx, name: SecretName): Promise<boolean> {
  return ctx.store.records.delete(OrgSecret, secretId(name));
}

/** A key of 32 random bytes as hex, made at the first asking. Two first askings get the same one. */
export async function secretKey(ctx: Ctx, name: "opens_key"): Promise<string> {
  const known = await readSecret(ctx, name);
  if (known !== undefined) return known;
  const made = randomBytes(32).toString("hex");
  if (await ctx.store.records.insert(OrgSecret, sealedDoc(ctx, name, made, "service"))) return made;
  return (await readSecret(ctx, name)) ?? made;
}

function sealedDoc(ctx: Ctx, name: SecretName, value: string, by: string): Doc<typeof OrgSecret> {
  return { id: secretId(name), created_at: ctx.now(), by, name, sealed: ctx.sealer.seal(value) };
}

function secretId(name: SecretName): string {
  return `${OrgSecret.prefix}_${name}`;
}

function opens(ctx: Ctx, { sealed }: Doc<typeof OrgSecret>): boolean {
  try {
    ctx.sealer.open(sealed);
    return true;
  } catch {
    return false;
  }
}
