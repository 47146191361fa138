import { createHash, randomBytes } from "node:crypto";
import { z } from "zod";
import { auditAct } from "../audit.ts";
import type { Ctx } from "../context.ts";
import { badField, badRequest } from "../errors.ts";
import { byField, orgRef } from "../fields.ts";
import { everyRow } from "../page.ts";
import { idOfValue } from "../record.ts";
import { OauthState } from "../records/sources/sources.ts";
import { Reply } from "../reply.ts";
import { connectObs, needsAddress, type ObsWanted } from "./obs-connect.ts";
import { checkSite } from "./sources.ts";

/** How long a consent page may be open, seconds. */
const LIFE = 600;

/** Sends a person to the vendor's consent page. The state is theirs once, for ten minutes; the verifier stays here. */
export async function startOauth(ctx: Ctx, input: ObsWanted & { readonly consent: "granted" }) {
  const { publicUrl } = ctx.settings;
  if (publicUrl === undefined) throw needsAddress();
  const site = checkSite(ctx, input.site);
  // A page of the console: a browser that comes back carries a session there, and nowhere a token.
  const redirectUri = `${publicUrl}/console/consent/obs`;
  const state = randomBytes(32).toString("base64url");
  const verifier = randomBytes(48).toString("base64url");
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const { obs } = ctx.vendors.sources;
  const authorizeUrl = obs.authorizeUrl({ site, state, challenge, redirectUri });
  await clearOld(ctx);
  const now = ctx.now();
  await ctx.store.records.insert(OauthState, {
    id: idOfValue(OauthState, state),
    created_at: now,
    by: ctx.caller.name,
    expires_at: now + LIFE,
    sealed: ctx.sealer.seal(verifier),
    redirect_uri: redirectUri,
    wanted: Object.fromEntries(
      Object.entries(input).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
    ),
  });
  await auditAct(ctx, "source_consent_asked", { site }, input.by);
  const body = { authorize_url: authorizeUrl, scopes: [...obs.scopes], state };
  return new Reply(302, body, { location: authorizeUrl, "cache-control": "no-store" });
}

/** What `sources_obs_oauth_callback` takes. */
export const CallbackInput = z.object({
  ...orgRef,
  state: z.string().min(1).max(500).describe("As sources_obs_oauth_start made it."),
  code: z.string().min(1).max(4000).optional().describe("Sent by the vendor."),
  domain: z.string().min(1).max(200).optional().describe("The site that the person signed in at."),
  site: z.string().max(200).optional().describe("Sent by the vendor; `domain` counts."),
  client_id: z.string().max(200).optional().describe("Sent by the vendor."),
  error: z.string().min(1).max(500).optional().describe("Sent by the vendor in place of a code."),
  error_description: z.string().max(2000).optional().describe("Sent by the vendor."),
  ...byField,
});
export type CallbackInput = z.output<typeof CallbackInput>;

/** Takes a person back from the consent page: the code is exchanged at the site that was asked, the source connected. */
export async function finishOauth(ctx: Ctx, input: CallbackInput) {
  const pending = await taken(ctx, input.state);
  const wanted = { ...(pending.wanted as unknown as ObsWanted), ...(input.by === undefined ? {} : { by: input.by }) };
  if (input.error !== undefined) {
    await auditAct(ctx, "source_consent_refused", { site: wanted.site }, input.by);
    const none = { auth: null, source: null, first_sync: null, reconnected: false, ml_app: wanted.ml_app ?? null };
    return { ...none, site: wanted.site, state: "refused" as const };
  }
  if (input.code === undefined) throw badField("code", "the vendor sends a code or an error with the state");
  // The person may sign in at another site than was asked; the code is worth something there alone.
  const site = input.domain === undefined ? wanted.site : checkSite(ctx, bare(input.domain));
  const verifier = ctx.sealer.open(pending.sealed);
  const ask = { site, code: input.code, verifier, redirectUri: pending.redirect_uri };
  const grant = await ctx.vendors.sources.obs.exchangeCode(ask, ctx.signal);
  const { doc, reconnected, first_sync } = await connectObs(ctx, { ...wanted, site }, { grant });
  return {
    auth: "oauth" as const,
    source: doc.id,
    first_sync,
    reconnected,
    ml_app: wanted.ml_app ?? null,
    site,
    state: "connected" as const,
  };
}

function bare(domain: string): string {
  return domain
    .toLowerCase()
    .replace(/^https?:\/\//, "")
    .replace(/^(?:app|api)\./, "")
    .replace(/\/+$/, "");
}

/** What a state stands for; it is gone with the first use, whoever comes first. Unknown, used and expired are one refusal. */
async function taken(ctx: Ctx, state: string) {
  const id = idOfValue(OauthState, state);
  const pending = await ctx.store.records.get(OauthState, id);
  const mine = pending !== undefined && (await ctx.store.records.delete(OauthState, id));
  if (!mine || pending.expires_at <= ctx.now())
    throw badRequest("This consent is unknown, used or older than ten minutes. Start it again.", {
      by: "sources_obs_oauth_start",
      fields: [{ path: "state", message: "stands for no consent that is under way" }],
    });
  return pending;
}

async function clearOld(ctx: Ctx): Promise<void> {
  for await (const row of everyRow((page) => ctx.store.records.list(OauthState, { ...page, order: "oldest" })))
    if (row.expires_at <= ctx.now()) await ctx.store.records.delete(OauthState, row.id);
}
