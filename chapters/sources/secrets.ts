import type { Ctx } from "../context.ts";
import { badField } from "../errors.ts";
import { keyId } from "../evidence/anonymize/pseudonym-keys.ts";
import type { SourceAuth } from "../ports/source-vendor.ts";
import { type Doc, idOfValue } from "../record.ts";
import { AnonKey, type Source, type SourceKind, SourceSecret } from "../records/sources/sources.ts";

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

function secretId(source: string): string {
  return idOfValue(SourceSecret, source);
}
