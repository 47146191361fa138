import { randomBytes } from "node:crypto";
import { sha256 } from "../../worlds/digest.ts";
import type { Ctx } from "../context.ts";
import { badField } from "../errors.ts";
import type { PrivacyRule } from "../evidence/anonymize/index.ts";
import { type Doc, idOfValue } from "../record.ts";
import { AnonKey, type Source, type SourceKind, SourceSecret } from "../records/sources/sources.ts";
import type { SourceAuth } from "./vendor.ts";

type AuthMode = Doc<typeof Source>["auth_mode"];

/** Which ways there are to open a source of a kind; the first that is given counts. */
const MODES: Readonly<Record<SourceKind, readonly AuthMode[]>> = {
  upload: [],
  otlp: [],
  obs: ["keys", "oauth"],
  trace_store: ["keys"],
  mcp_server: ["token", "headers"],
  http_json: ["token", "headers"],
  vcs: ["token"],
};

/** Kinds that cannot be pulled without a credential. */
export const NEEDS_AUTH: ReadonlySet<SourceKind> = new Set(["obs", "trace_store"]);

/** How a credential opens a source of a kind; 400 for one that a source of that kind has no use for, or half of a pair. */
export function authModeOf(kind: SourceKind, auth: SourceAuth): AuthMode {
  const [key, other] = kind === "obs" ? (["api_key", "app_key"] as const) : (["public_key", "secret_key"] as const);
  const given = Object.entries(auth).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  const allowed = new Set<string>(
    MODES[kind].flatMap((mode) => (mode === "keys" ? [key, other] : mode === "oauth" ? ["grant"] : [mode])),
  );
  const unknown = given.find((name) => !allowed.has(name));
  if (unknown !== undefined) throw badField(`auth.${unknown}`, "opens no source of this kind");
  if (given.length === 0) return "none";
  if (auth.grant !== undefined) return "oauth";
  if (auth.token !== undefined) return "token";
  if (auth.headers !== undefined) return "headers";
  for (const name of [key, other])
    if (auth[name] === undefined) throw badField(`auth.${name}`, "is the other half of the pair");
  return "keys";
}

/** Seals what opens a source, in the place of what opened it before; nothing, where nothing opens it any more. */
export async function putSecret(ctx: Ctx, source: string, auth: SourceAuth | undefined): Promise<void> {
  if (auth === undefined) {
    await ctx.store.records.delete(SourceSecret, secretId(source));
    return;
  }
  const made = { created_at: ctx.now(), by: ctx.caller.name };
  const doc = { ...made, id: secretId(source), source, sealed: ctx.sealer.seal(JSON.stringify(auth)) };
  await ctx.store.records.put(SourceSecret, doc);
}

/** What opens a source, in the open, for a pull only; undefined where nothing is stored here. */
export async function openSecret(ctx: Ctx, source: string): Promise<SourceAuth | undefined> {
  const row = await ctx.store.records.get(SourceSecret, secretId(source));
  return row && (JSON.parse(ctx.sealer.open(row.sealed)) as SourceAuth);
}

/** Whether something that opens the source is stored here. */
export async function hasSecret(ctx: Ctx, source: string): Promise<boolean> {
  return (await ctx.store.records.get(SourceSecret, secretId(source))) !== undefined;
}

/** Forgets what opens a source, and its own key of pseudonyms. */
export async function deleteSecrets(ctx: Ctx, source: string): Promise<void> {
  await ctx.store.records.apply([
    { op: "delete", kind: SourceSecret, id: secretId(source) },
    { op: "delete", kind: AnonKey, id: keyId(source) },
  ]);
}

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

function secretId(source: string): string {
  return idOfValue(SourceSecret, source);
}

function keyId(source: string | undefined): string {
  return idOfValue(AnonKey, ...(source === undefined ? [] : [source]));
}
