import { z } from "zod";
import { auditAct } from "../audit.ts";
import { actor, type Ctx } from "../context.ts";
import { countOf } from "../count-of.ts";
import { type AppError, conflict, notFound } from "../errors.ts";
import { putAnonKey } from "../evidence/anonymize/pseudonym-keys.ts";
import { orgRef } from "../fields.ts";
import { everyRow } from "../page.ts";
import type { SourceAuth } from "../ports/source-vendor.ts";
import type { DataAccess } from "../records/evidence/evidence.ts";
import { type Cadence, Consent, Source } from "../records/sources/sources.ts";
import { Reply } from "../reply.ts";
import { wanted } from "./fields.ts";
import { authModeOf, putSecret } from "./secrets.ts";
import { type SourceDoc, syncBlocked } from "./source-view.ts";
import { checkSite, makeSource } from "./sources.ts";
import { startSync } from "./sync.ts";

/** How far back spans are looked through for the applications there are, seconds. */
const LOOK_BACK = 7 * 86_400;

/** What is wanted of an application at the observability vendor, whichever way it is opened. */
export interface ObsWanted {
  readonly site: string;
  readonly service?: string | undefined;
  readonly surface?: string | undefined;
  readonly ml_app?: string | undefined;
  readonly requests_ml_app?: string | undefined;
  readonly requests_select?: string | undefined;
  readonly label?: string | undefined;
  readonly cadence?: z.infer<typeof Cadence> | undefined;
  readonly consent?: z.infer<typeof Consent> | undefined;
  readonly data_access?: z.infer<typeof DataAccess> | undefined;
  readonly anon_key?: string | undefined;
  readonly by?: string | undefined;
}

/** A first pull, where one was started. */
export const FirstSync = z.object({ job: z.string(), status: z.string(), poll: z.string() }).nullable();

/** A source that was connected, or connected anew: the same application at the same site is the same source. */
export async function connectObs(ctx: Ctx, wanted: ObsWanted, auth: SourceAuth) {
  const known = await sourceOf(ctx, wanted);
  const doc = known ? await reconnected(ctx, known, wanted, auth) : await connected(ctx, wanted, auth);
  if (wanted.anon_key !== undefined) {
    await putAnonKey(ctx, doc.id, wanted.anon_key);
    await ctx.store.records.update(Source, doc.id, (row) => ({ ...row, own_anon_key: true }));
  }
  const blocked = await syncBlocked(ctx, doc);
  const handle = blocked === null ? await startSync(ctx, doc) : undefined;
  return {
    doc,
    reconnected: known !== undefined,
    blocked,
    first_sync: handle === undefined ? null : { job: handle.job, status: handle.status, poll: handle.poll },
  };
}

/** What `sources_obs_connect` takes. */
export const KeysInput = z.object({
  ...orgRef,
  api_key: z.string().min(1).max(500),
  app_key: z.string().min(1).max(500),
  ...wanted,
  consent: Consent.optional().describe("Nothing is pulled without `granted`."),
  anon_key: z.string().min(16).max(500).optional().describe("A key of its own for pseudonyms; the org's when absent."),
  list: z.boolean().optional().describe("Only list the applications there are."),
});
export type KeysInput = z.output<typeof KeysInput>;

/**
 * Connects the vendor by two keys, which are tried first: nothing is stored of keys that open nothing. (Without consent
 * the application key is tried by the first pull.) With `list` the applications there are, and nothing is stored at all.
 */
export async function connectByKeys(ctx: Ctx, input: KeysInput) {
  const { api_key, app_key, list, ...wanted } = input;
  checkSite(ctx, input.site);
  const auth = { api_key, app_key };
  await ctx.vendors.sources.obs.validate({ site: input.site, apiKey: api_key }, ctx.signal);
  const known = await sourceOf(ctx, wanted);
  const consented = (wanted.consent ?? known?.consent) === "granted";
  // Without consent no span is read, but to answer which applications there are.
  const services = list === true || consented ? await applicationsOf(ctx, wanted, auth) : [];
  const answer = { site: input.site, ml_app: input.ml_app ?? null, services };
  if (list === true) {
    const message = `${countOf(services.length, "application")} sent spans in the last week. Nothing was connected.`;
    return new Reply(200, {
      ...answer,
      source: null,
      state: "listed" as const,
      reconnected: false,
      first_sync: null,
      message,
    });
  }
  const { doc, reconnected, blocked, first_sync } = await connectObs(ctx, wanted, auth);
  const what = reconnected ? "The source was connected anew." : "The source was connected.";
  const message = blocked === null ? `${what} Its first pull has begun.` : `${what} ${blocked}`;
  const body = { ...answer, source: doc.id, state: "connected" as const, reconnected, first_sync, message };
  return new Reply(reconnected ? 200 : 201, body);
}

/** Applications whose spans the keys can read, most spans first. Reading them is what tries the application key. */
async function applicationsOf(ctx: Ctx, { site, ml_app }: ObsWanted, auth: SourceAuth): Promise<string[]> {
  const scope = { site, ...(ml_app === undefined ? {} : { ml_app }) };
  const to = ctx.now();
  const target = { kind: "obs" as const, external_id: ml_app ?? site, scope, services: [], auth };
  const page = await ctx.vendors.sources.spans(target, { from: to - LOOK_BACK, to, of: "spans" }, ctx.signal);
  const counts = new Map<string, number>();
  for (const { value } of page.spans) {
    const app = (value as { attributes?: { ml_app?: unknown } }).attributes?.ml_app;
    if (typeof app === "string") counts.set(app, (counts.get(app) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a).map(([app]) => app.slice(0, 200));
}

function externalId({ service, ml_app, site }: ObsWanted): string {
  return service ?? ml_app ?? site;
}

async function sourceOf(ctx: Ctx, wanted: ObsWanted): Promise<SourceDoc | undefined> {
  const where = { kind: "obs", external_id: externalId(wanted), surface: wanted.surface ?? "main" };
  for await (const doc of everyRow((page) => ctx.store.records.list(Source, { ...page, where })))
    if (doc.scope.site === wanted.site) return doc;
  return undefined;
}

async function connected(ctx: Ctx, wanted: ObsWanted, auth: SourceAuth): Promise<SourceDoc> {
  const { service, surface, label, cadence, consent, data_access, by } = wanted;
  return makeSource(ctx, {
    kind: "obs",
    external_id: externalId(wanted),
    auth,
    scope: scopeOf(wanted),
    ...(service === undefined ? {} : { services: [service] }),
    surface,
    label,
    cadence,
    consent,
    data_access,
    by,
  });
}

/** New keys open the source; consent that is given stands, and one that is not given anew stays as it was. */
async function reconnected(ctx: Ctx, known: SourceDoc, wanted: ObsWanted, auth: SourceAuth): Promise<SourceDoc> {
  const { label, cadence, consent, data_access } = wanted;
  const by = actor(ctx, wanted.by);
  const now = ctx.now();
  await putSecret(ctx, known.id, auth);
  const granted =
    consent !== undefined && consent !== known.consent ? { consent, consent_by: by, consent_at: now } : {};
  const doc = await ctx.store.records.update(Source, known.id, ({ retry_at: _was, ...row }) => ({
    ...row,
    ...granted,
    auth_mode: authModeOf("obs", auth),
    scope: { ...row.scope, ...scopeOf(wanted) },
    ...(label === undefined ? {} : { label }),
    ...(cadence === undefined ? {} : { cadence }),
    ...(data_access === undefined ? {} : { data_access }),
    updated_at: now,
  }));
  if (!doc) throw notFound("source");
  await auditAct(ctx, "source_reconnected", { source: doc.id, kind: "obs" }, wanted.by);
  return doc;
}

function scopeOf({ site, ml_app, requests_ml_app, requests_select }: ObsWanted): SourceDoc["scope"] {
  return {
    site,
    ...(ml_app === undefined ? {} : { ml_app }),
    ...(requests_ml_app === undefined ? {} : { requests_ml_app }),
    ...(requests_select === undefined ? {} : { requests_select }),
  };
}

/** The 409 for a way of connecting that needs the service to be reached over HTTP. */
export function needsAddress(): AppError {
  return conflict("The vendor sends people back to an address, and this service is reached at none.");
}
