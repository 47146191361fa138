import type { ServiceCtx } from "../../context.ts";
import { mintToken } from "../../credentials.ts";
import { badRequest, conflict } from "../../errors.ts";
import { restoreOrg } from "../../exports/restore.ts";
import { ORG_TAG, ORG_TAG_FORM } from "../../organization/tag.ts";
import type { OrgRow, TokenRow } from "../../ports/store.ts";

type Deps = Pick<ServiceCtx, "service" | "now" | "id">;

/** Makes an org, and says so in the workspace's audit. Throws `bad_request` for a tag that is none, `conflict` for one that is taken. */
export async function newOrg({ service, now, id }: Deps, tag: string, by: string): Promise<OrgRow> {
  if (!ORG_TAG.test(tag)) throw badRequest(ORG_TAG_FORM);
  const row: OrgRow = { id: id("org"), tag, created_at: now() };
  if (!(await service.createOrg(row))) throw conflict("An org of this tag exists already.");
  await service.audit.append(row.created_at, by, "org_created", {});
  return row;
}

/** Mints an org token outside the org's own calls; answers it this once. */
export async function firstToken(
  { service, now, id }: Deps,
  org: OrgRow,
  token: Pick<TokenRow, "name" | "scope"> & { readonly by: string },
): Promise<string> {
  const { raw, hash, prefix } = mintToken("org");
  const store = service.forOrg(org.id);
  const at = now();
  const made = id("tok");
  const { by, name, scope } = token;
  await store.tokens.insert({
    id: made,
    kind: "org",
    hash,
    prefix,
    name,
    scope,
    world: null,
    created_by: by,
    created_at: at,
    expires_at: null,
    last_used_at: null,
    revoked_at: null,
  });
  await store.audit.append(at, by, "token_minted", { token: made, scope });
  return raw;
}

/** Makes an org with its first admin token, which is answered this once. */
export async function createOrgAct(
  ctx: ServiceCtx,
  input: { readonly tag: string; readonly name?: string | undefined },
) {
  const by = ctx.caller.name;
  const org = await newOrg(ctx, input.tag, by);
  const token = await firstToken(ctx, org, { name: input.name ?? "first admin", scope: "admin", by });
  return {
    org: org.tag,
    id: org.id,
    created_at: org.created_at,
    token,
    note: "The token is shown this once; only its hash is kept.",
  };
}

/** Brings an archived org back, under its tag or another; the archive is the call's body. */
export async function restoreAct(ctx: ServiceCtx, input: { readonly tag?: string | undefined }) {
  if (!ctx.body) throw badRequest("Send the archive as the body.");
  if (input.tag !== undefined && !ORG_TAG.test(input.tag)) throw badRequest(ORG_TAG_FORM);
  const { org, entries } = await restoreOrg(ctx.service, ctx.body.bytes, { tag: input.tag, now: ctx.now() });
  await ctx.service.audit.append(ctx.now(), ctx.caller.name, "org_restored", { entries });
  return { org: org.tag, id: org.id, entries };
}
