import { z } from "zod";
import { auditAct } from "../audit.ts";
import { Scope } from "../caller.ts";
import type { Ctx, Settings } from "../context.ts";
import { mintToken } from "../credentials.ts";
import { badField, badRequest, notFound, orNotFound } from "../errors.ts";
import { orgRef } from "../fields.ts";
import type { Page, PageInput } from "../page.ts";
import type { TokenRow } from "../ports/store.ts";

/** An org token as it may be shown: never the token, never its hash. Times are unix seconds. */
export const TokenView = z.object({
  id: z.string(),
  name: z.string().describe("What holds the token."),
  scope: Scope,
  prefix: z.string().describe("Leading characters, for recognition."),
  created_by: z.string(),
  created_at: z.number(),
  expires_at: z.number().optional(),
  last_used_at: z.number().optional(),
  revoked_at: z.number().optional(),
});
type TokenView = z.infer<typeof TokenView>;

/** What `org_tokens_list` answers. */
export const TokenList = z.object({ tokens: z.array(TokenView), next: z.string().optional() });
type TokenList = z.infer<typeof TokenList>;

const DAY = 86_400;

/** The org's tokens, newest first, revoked ones included. */
export async function listTokens(ctx: Ctx, input: PageInput): Promise<TokenList> {
  const page: Page<TokenRow> = await ctx.store.tokens.list("org", input);
  return { tokens: page.items.map(view), ...(page.next === undefined ? {} : { next: page.next }) };
}

/** What `org_tokens_post` takes. */
export const MintInput = z.object({
  ...orgRef,
  name: z.string().min(1).max(200).describe("What will hold the token."),
  scope: Scope,
  expires_in_days: z.number().positive().max(3650).optional().describe("Or `expires_at`."),
  expires_at: z.number().optional().describe("Unix seconds."),
  created_by: z.string().min(1).max(200).optional().describe("Who asked for it; the caller when absent."),
});
export type MintInput = z.output<typeof MintInput>;

/** Mints a token and answers it once; only its hash is kept. `created_by` falls to the caller, as `token:<name>` when a token asks. */
export async function mintOrgToken(ctx: Ctx, input: MintInput) {
  const now = ctx.now();
  const expiresAt = expiry(input, now) ?? endByDefault(ctx.settings, now);
  const { raw, hash, prefix } = mintToken("org");
  const { kind, name, member } = ctx.caller;
  const caller = kind === "org" && member === undefined ? `token:${name}` : name;
  const row: TokenRow = {
    id: ctx.id("tok"),
    kind: "org",
    hash,
    prefix,
    name: input.name,
    scope: input.scope,
    world: null,
    created_by: input.created_by ?? caller,
    created_at: now,
    expires_at: expiresAt ?? null,
    last_used_at: null,
    revoked_at: null,
  };
  await ctx.store.tokens.insert(row);
  await auditAct(ctx, "token_minted", { token: row.id, scope: row.scope });
  return {
    ...view(row),
    token: raw,
    note: "Shown once; only a hash is kept. Mint another and revoke this one if it is lost.",
  };
}

/** Revokes at once; a second revoke keeps the first mark. Another org's id is an unknown id. */
export async function revokeOrgToken(ctx: Ctx, input: { readonly tid: string }): Promise<TokenView> {
  const known = await ctx.store.tokens.get(input.tid);
  if (known?.kind !== "org") throw notFound("token");
  const row = orNotFound(await ctx.store.tokens.revoke(input.tid, ctx.now()), "token");
  if (known.revoked_at === null) await auditAct(ctx, "token_revoked", { token: row.id });
  return view(row);
}

function endByDefault({ tokenDays }: Settings, now: number): number | undefined {
  return tokenDays === undefined ? undefined : now + tokenDays * DAY;
}

function expiry(input: MintInput, now: number): number | undefined {
  if (input.expires_at !== undefined && input.expires_in_days !== undefined) {
    throw badRequest("Give expires_at or expires_in_days, not both.");
  }
  const at = input.expires_at ?? (input.expires_in_days === undefined ? undefined : now + input.expires_in_days * DAY);
  if (at !== undefined && at <= now) throw badField("expires_at", "lies in the past");
  return at;
}

function view(row: TokenRow): TokenView {
  const { id, name, scope, prefix, created_by, created_at } = row;
  return {
    id,
    name,
    scope,
    prefix,
    created_by,
    created_at,
    ...(row.expires_at === null ? {} : { expires_at: row.expires_at }),
    ...(row.last_used_at === null ? {} : { last_used_at: row.last_used_at }),
    ...(row.revoked_at === null ? {} : { revoked_at: row.revoked_at }),
  };
}
