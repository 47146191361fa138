import { z } from "zod";
import { auditAct } from "../audit.ts";
import { actor, type Ctx } from "../context.ts";
import { badField, conflict, notFound, orNotFound } from "../errors.ts";
import { forgetAnonKey, putAnonKey } from "../evidence/anonymize/pseudonym-keys.ts";
import { byField, orgRef, words } from "../fields.ts";
import { findAgent } from "../find-agent.ts";
import type { PageInput } from "../page.ts";
import type { SourceAuth } from "../ports/source-vendor.ts";
import { DataAccess, Evidence } from "../records/evidence/evidence.ts";
import { Cadence, Consent, Source, SourceImport, SourceKind, SourceScope } from "../records/sources/sources.ts";
import { sid } from "./fields.ts";
import { authModeOf, deleteSecrets, putSecret } from "./secrets.ts";
import {
  anonymizeDefault,
  CONSENT_QUESTIONS,
  isPullable,
  PULLABLE,
  type SourceDoc,
  type SourceView,
  sourceView,
} from "./source-view.ts";

/** A source of this org. Unknown and another org's are the same 404. */
export async function findSource(ctx: Ctx, sid: string): Promise<SourceDoc> {
  return orNotFound(await ctx.store.records.get(Source, sid), "source");
}

/** The org's sources, newest first, with what may be said of one. */
export async function listSources(ctx: Ctx, input: PageInput & { readonly surface?: string | undefined }) {
  const { surface, limit, cursor } = input;
  const where = surface === undefined ? {} : { surface };
  const page = await ctx.store.records.list(Source, { limit, cursor, where });
  return {
    kinds: SourceKind.options,
    cadences: Cadence.options,
    consent_questions: CONSENT_QUESTIONS,
    pullable: [...PULLABLE],
    sources: await Promise.all(page.items.map((doc) => sourceView(ctx, doc))),
    ...(page.next === undefined ? {} : { next: page.next }),
  };
}

/** One source of this org. Unknown and another org's are the same 404. */
export async function getSource(ctx: Ctx, input: { readonly sid: string }): Promise<SourceView> {
  return sourceView(ctx, await findSource(ctx, input.sid));
}

/** What may be said of a source when it is connected and when it is changed. */
export interface SourceFacts {
  readonly auth?: SourceAuth | undefined;
  readonly cadence?: z.infer<typeof Cadence> | undefined;
  readonly consent?: z.infer<typeof Consent> | undefined;
  readonly agent?: string | undefined;
  readonly anonymize?: boolean | undefined;
  readonly data_access?: z.infer<typeof DataAccess> | undefined;
  readonly import?: z.infer<typeof SourceImport> | undefined;
  readonly label?: string | undefined;
  readonly last_sync?: number | undefined;
  readonly scope?: z.infer<typeof SourceScope> | undefined;
  readonly services?: readonly string[] | undefined;
  readonly by?: string | undefined;
}

const secret = words(4000);
const auth = z
  .object({
    api_key: secret.describe("obs: the vendor's API key."),
    app_key: secret.describe("obs: the vendor's application key."),
    public_key: secret.describe("trace_store: the project's public key."),
    secret_key: secret.describe("trace_store: the project's secret key."),
    token: secret.describe("mcp_server, http_json, vcs: sent as a bearer token."),
    headers: z.record(z.string().regex(/^[A-Za-z0-9-]{1,100}$/), secret).describe("mcp_server, http_json."),
  })
  .partial()
  .strict()
  .describe("What opens it: stored sealed, never answered.");
export const facts = {
  auth: auth.optional(),
  cadence: Cadence.optional().describe("How often it is pulled by itself; `manual`: only when asked."),
  consent: Consent.optional().describe("Nothing is pulled without `granted`; sources_list has the question."),
  agent: words(200).optional().describe("The agent whose sessions it holds."),
  anonymize: z.boolean().optional().describe("Whether identifying values are replaced; says the same as data_access."),
  data_access: DataAccess.optional().describe(
    "anonymized: keyed pseudonyms that keep form and joins; shapes: types, no value.",
  ),
  import: SourceImport.optional().describe("Which part of what it already holds the first pull takes."),
  label: words(200).optional(),
  last_sync: z.number().min(0).max(1e11).optional().describe("The unix second up to which it was pulled elsewhere."),
  scope: SourceScope.strict().optional().describe("What of it is pulled, by kind."),
  services: z.array(words(200)).max(100).optional().describe("obs: only spans of these services."),
  ...byField,
};

/** A source that is to be connected. */
export const NewSource = z.object({
  ...orgRef,
  kind: SourceKind,
  surface: words(100).optional().describe("The surface its evidence joins; `main` when absent."),
  external_id: words(500).describe("A URL (trace_store, mcp_server, http_json), owner/repository (vcs), else a name."),
  ...facts,
});
export type NewSource = z.output<typeof NewSource>;

/** Connects a source. Nothing is pulled before its consent is granted. */
export async function addSource(ctx: Ctx, input: NewSource): Promise<SourceView> {
  const doc = await makeSource(ctx, input);
  return sourceView(ctx, doc);
}

/** The record of a new source, stored, its credential sealed beside it. */
export async function makeSource(ctx: Ctx, input: NewSource): Promise<SourceDoc> {
  const { kind, external_id } = input;
  checkExternal(kind, external_id, input.scope);
  const auth_mode = input.auth === undefined ? "none" : authModeOf(kind, input.auth);
  const now = ctx.now();
  const by = actor(ctx, input.by);
  const blank: SourceDoc = {
    id: ctx.id(Source.prefix),
    created_at: now,
    by,
    kind,
    surface: input.surface ?? "main",
    external_id,
    cadence: "manual",
    consent: "unset",
    data_access: anonymizeDefault(kind) ? "anonymized" : "full",
    scope: kind === "obs" ? { site: checkSite(ctx, input.scope?.site ?? ctx.vendors.sources.obs.sites[0]) } : {},
    services: [],
    import: {},
    auth_mode,
    own_anon_key: false,
    pull_pending: false,
    updated_at: now,
  };
  const doc = await withFacts(ctx, blank, input, by);
  await ctx.store.records.insert(Source, doc);
  if (input.auth !== undefined && auth_mode !== "none") await putSecret(ctx, doc.id, input.auth);
  await auditAct(ctx, "source_connected", { source: doc.id, kind, consent: doc.consent }, input.by);
  return doc;
}

/** A change of a source; what is absent stays. */
export const SourcePatch = z.object({
  ...orgRef,
  sid,
  anon_key: z.string().min(16).max(500).optional().describe("Chosen by the org; stored sealed, never answered."),
  forget_anon_key: z.boolean().optional().describe("Forget the org's own key for pseudonyms."),
  evidence: z.array(words(200)).max(500).optional().describe("Ids of evidence that came from it."),
  pull_pending: z.boolean().optional().describe("Whether somebody else is to pull it, or does."),
  ...facts,
});
export type SourcePatch = z.output<typeof SourcePatch>;

/** Changes a source; answers what changed, and whether a key of pseudonyms was forgotten. */
export async function patchSource(ctx: Ctx, input: SourcePatch) {
  const before = await findSource(ctx, input.sid);
  if (input.anon_key !== undefined && input.forget_anon_key === true)
    throw badField("forget_anon_key", "set a key or forget it, not both");
  const auth_mode = input.auth === undefined ? undefined : authModeOf(before.kind, input.auth);
  const by = actor(ctx, input.by);
  const evidence = await evidenceToLink(ctx, input.evidence ?? []);
  // What could refuse comes before what is written.
  const made = await withFacts(ctx, before, input, by);
  if (input.auth !== undefined) await putSecret(ctx, before.id, auth_mode === "none" ? undefined : input.auth);
  if (input.anon_key !== undefined) await putAnonKey(ctx, before.id, input.anon_key);
  const forgotten = input.forget_anon_key === true && (await forgetAnonKey(ctx, before.id));
  for (const id of evidence) {
    await ctx.store.records.update(Evidence, id, (row) => ({ ...row, source: before.id }));
  }
  let changes: string[] = [];
  const after = await ctx.store.records.update(Source, before.id, (doc) => {
    const next: SourceDoc = {
      ...doc,
      ...picked(made, input),
      ...(auth_mode === undefined ? {} : { auth_mode }),
      ...(input.anon_key === undefined ? {} : { own_anon_key: true }),
      ...(input.pull_pending === undefined ? {} : { pull_pending: input.pull_pending }),
      updated_at: ctx.now(),
    };
    changes = changedFields(doc, next);
    return next;
  });
  if (!after) throw notFound("source");
  if (input.auth !== undefined) changes.push("auth");
  if (input.anon_key !== undefined) changes.push("anon_key");
  if (evidence.length > 0) changes.push("evidence");
  await auditAct(ctx, "source_changed", { source: after.id, changes: changes.join(","), forgotten }, input.by);
  return { ...(await sourceView(ctx, after)), changes, forgotten };
}

/** Disconnects a source: its credential and its key of pseudonyms go, its evidence stays. */
export async function deleteSource(ctx: Ctx, input: { readonly sid: string; readonly by?: string | undefined }) {
  const { id } = await findSource(ctx, input.sid);
  await deleteSecrets(ctx, id);
  await ctx.store.records.delete(Source, id);
  await auditAct(ctx, "source_disconnected", { source: id }, input.by);
  return { deleted: id, evidence_kept: await ctx.store.records.count(Evidence, { source: id }) };
}

/** Records a pull that somebody else made: the source is as fresh as now, and no pull is pending. */
export async function recordPulled(ctx: Ctx, input: { readonly sid: string }): Promise<SourceView> {
  const before = await findSource(ctx, input.sid);
  if (before.consent !== "granted")
    throw conflict("Nobody has consented to this source; no pull of it can be recorded.", { by: "sources_patch" });
  const now = ctx.now();
  const after = await ctx.store.records.update(Source, before.id, (doc) => ({
    ...doc,
    last_sync: now,
    pull_pending: false,
    updated_at: now,
  }));
  if (!after) throw notFound("source");
  await auditAct(ctx, "source_pulled", { source: after.id });
  return sourceView(ctx, after);
}

const URL_KINDS: ReadonlySet<SourceKind> = new Set(["mcp_server", "http_json"]);
const REPOSITORY = /^[\w.-]{1,100}\/[\w.-]{1,100}$/;

function checkExternal(kind: SourceKind, external: string, scope: NewSource["scope"]): void {
  if (URL_KINDS.has(kind) || (kind === "trace_store" && external.includes("://"))) {
    const url = URL.canParse(external) ? new URL(external) : undefined;
    if (!url || !/^https?:$/.test(url.protocol)) throw badField("external_id", "is not an http or https URL");
    if (url.username !== "" || url.password !== "")
      throw badField("external_id", "holds a credential; give it in auth instead");
  }
  if (kind === "vcs" && !REPOSITORY.test(external)) throw badField("external_id", "is not owner/repository");
  if (scope?.site !== undefined && kind !== "obs") throw badField("scope.site", "belongs to sources of kind obs");
  if (!isPullable(kind) && Object.keys(scope ?? {}).length > 0)
    throw badField("scope", "belongs to sources that are pulled");
}

/** The site of the observability vendor; only those that the vendor has are spoken to. */
export function checkSite(ctx: Ctx, site: string | undefined): string {
  const { sites } = ctx.vendors.sources.obs;
  if (site === undefined || !sites.includes(site))
    throw badField("scope.site", `must be one of the vendor's sites: ${sites.join(", ")}`);
  return site;
}

/** The source with what the input says of it. Throws for what cannot be said; writes nothing. */
async function withFacts(ctx: Ctx, doc: SourceDoc, input: SourceFacts, by: string): Promise<SourceDoc> {
  if (input.scope?.site !== undefined && doc.kind === "obs") checkSite(ctx, input.scope.site);
  if (input.scope?.site !== undefined && doc.scope.site !== undefined && doc.scope.site !== input.scope.site)
    throw badField("scope.site", "cannot change: its credential was given for another site; connect a new source");
  const agent = input.agent === undefined ? undefined : (await findAgent(ctx, input.agent)).id;
  const access = accessOf(doc, input);
  const consented = input.consent !== undefined && input.consent !== doc.consent;
  return {
    ...doc,
    ...(agent === undefined ? {} : { agent }),
    ...(input.cadence === undefined ? {} : { cadence: cadenceOf(doc.kind, input.cadence) }),
    ...(input.consent === undefined ? {} : { consent: input.consent }),
    ...(consented ? { consent_by: by, consent_at: ctx.now() } : {}),
    data_access: access,
    ...(input.import === undefined ? {} : { import: input.import }),
    ...(input.label === undefined ? {} : { label: input.label }),
    ...(input.last_sync === undefined ? {} : { last_sync: input.last_sync }),
    ...(input.scope === undefined ? {} : { scope: { ...doc.scope, ...input.scope } }),
    ...(input.services === undefined ? {} : { services: [...input.services] }),
  };
}

function cadenceOf(kind: SourceKind, cadence: z.infer<typeof Cadence>) {
  if (cadence !== "manual" && !isPullable(kind)) throw badField("cadence", "sources of this kind are sent, not pulled");
  return cadence;
}

function accessOf(doc: SourceDoc, { data_access, anonymize }: SourceFacts): z.infer<typeof DataAccess> {
  if (data_access !== undefined) {
    if (anonymize !== undefined && anonymize !== (data_access !== "full"))
      throw badField("anonymize", "says another thing than data_access");
    return data_access;
  }
  if (anonymize === undefined) return doc.data_access;
  return anonymize ? (doc.data_access === "full" ? "anonymized" : doc.data_access) : "full";
}

/** What of the planned change was asked for, so that a change made meanwhile by another writer stays. */
function picked(made: SourceDoc, input: SourcePatch): Partial<SourceDoc> {
  const fields: (keyof SourceDoc)[] = [
    ...(["agent", "cadence", "import", "label", "last_sync", "scope", "services"] as const).filter(
      (field) => input[field] !== undefined,
    ),
    ...(input.consent === undefined ? [] : (["consent", "consent_by", "consent_at"] as const)),
    ...(input.data_access === undefined && input.anonymize === undefined ? [] : (["data_access"] as const)),
  ];
  return Object.fromEntries(
    fields.filter((field) => made[field] !== undefined).map((field) => [field, made[field]]),
  ) as Partial<SourceDoc>;
}

function changedFields(before: SourceDoc, after: SourceDoc): string[] {
  return (Object.keys(after) as (keyof SourceDoc)[]).filter(
    (field) => field !== "updated_at" && JSON.stringify(before[field]) !== JSON.stringify(after[field]),
  );
}

async function evidenceToLink(ctx: Ctx, ids: readonly string[]): Promise<string[]> {
  const found = new Set((await ctx.store.records.getMany(Evidence, ids)).map((row) => row.id));
  const missing = ids.findIndex((id) => !found.has(id));
  if (missing !== -1) throw badField(`evidence.${missing}`, "no such evidence");
  return [...ids];
}
