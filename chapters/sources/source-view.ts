import { z } from "zod";
import type { Ctx } from "../context.ts";
import { hasAnonKey } from "../evidence/anonymize/pseudonym-keys.ts";
import { everyRow } from "../page.ts";
import type { Doc } from "../record.ts";
import { DataAccess, Evidence } from "../records/evidence/evidence.ts";
import {
  Cadence,
  Consent,
  LastPull,
  Source,
  SourceImport,
  SourceKind,
  SourceScope,
} from "../records/sources/sources.ts";
import { hasSecret, NEEDS_AUTH } from "./secrets.ts";

/** A source as stored. */
export type SourceDoc = Doc<typeof Source>;

/** Kinds that this service asks by itself; the others are sent to it. */
export const PULLABLE: readonly SourceKind[] = ["obs", "trace_store", "mcp_server", "http_json", "vcs"];
/** Kinds whose traces hold what people said and did: anonymized unless the org says otherwise. */
const PERSONAL: ReadonlySet<SourceKind> = new Set(["otlp", "obs", "trace_store", "http_json"]);
const PERIOD: Readonly<Record<z.infer<typeof Cadence>, number>> = {
  manual: Number.POSITIVE_INFINITY,
  hourly: 3600,
  daily: 86_400,
  weekly: 604_800,
};

/** What an org is asked before anything is pulled, by kind. */
export const CONSENT_QUESTIONS: Readonly<Record<SourceKind, string>> = {
  upload: "May what is uploaded here be kept and read to build tests from it?",
  otlp: "May the spans that are sent here be kept and read to build tests from them?",
  obs: "May this workspace read the spans of the application at the observability vendor, from the day the import begins, and keep them?",
  trace_store: "May this workspace read the observations of the project at the tracing tool, and keep them?",
  mcp_server: "May this workspace connect to the tool server and keep its list of tools? No tool is called.",
  http_json: "May this workspace read the address at the cadence that is set, and keep what it answers?",
  vcs: "May this workspace read the Markdown documents of the repository, and keep them?",
};

const SourceStats = z.object({
  evidence: z.number().int(),
  traces: z.number().int(),
  calls: z.number().int(),
  tools: z.number().int(),
  refused: z.number().int(),
  tier: z.literal("deterministic"),
});

/** A source as answered: what was said of it, and what follows. Times are unix seconds. */
export const SourceView = z.object({
  id: z.string(),
  kind: SourceKind,
  label: z.string().optional(),
  surface: z.string(),
  external_id: z.string(),
  agent: z.string().optional(),
  cadence: Cadence,
  consent: Consent,
  consent_by: z.string().optional(),
  consent_at: z.number().optional(),
  consent_question: z.string(),
  data_access: DataAccess,
  anonymize: z.boolean().describe("Whether identifying values are kept out of what is stored."),
  anonymize_default: z.boolean().describe("What `anonymize` is for this kind when nobody says."),
  scope: SourceScope,
  services: z.array(z.string()),
  import: SourceImport,
  auth_mode: Source.schema.shape.auth_mode,
  key_location: z.string().describe("Where its credential and its key of pseudonyms are kept; never the values."),
  pullable: z.boolean().describe("Whether this service asks it; else evidence is sent."),
  pull_pending: z.boolean(),
  last_sync: z.number().nullable(),
  last_pull: LastPull.nullable(),
  next_sync: z.number().nullable().describe("When it is pulled next by itself; null where it is not."),
  sync_blocked: z.string().nullable().describe("Why it is not pulled now; null where nothing is in the way."),
  span_resume: z
    .object({ since: z.number(), slice_seconds: z.number() })
    .nullable()
    .describe("Where the next pull of spans goes on: from this second, this many seconds at once."),
  stats: SourceStats,
  by: z.string(),
  created_at: z.number(),
  updated_at: z.number(),
});
export type SourceView = z.infer<typeof SourceView>;

/** Whether a kind's values are kept out when nobody says. */
export function anonymizeDefault(kind: SourceKind): boolean {
  return PERSONAL.has(kind);
}

/** Whether this service asks sources of a kind by itself. */
export function isPullable(kind: SourceKind): boolean {
  return PULLABLE.includes(kind);
}

/** The source as answered, with what its evidence holds. */
export async function sourceView(ctx: Ctx, doc: SourceDoc): Promise<SourceView> {
  const { resume, own_anon_key: _own, retry_at: _retry, seen: _seen, last_sync, last_pull, ...row } = doc;
  const blocked = await syncBlocked(ctx, doc);
  return {
    ...row,
    consent_question: CONSENT_QUESTIONS[doc.kind],
    anonymize: doc.data_access !== "full",
    anonymize_default: anonymizeDefault(doc.kind),
    key_location: await keyLocation(ctx, doc),
    pullable: isPullable(doc.kind),
    last_sync: last_sync ?? null,
    last_pull: last_pull ?? null,
    next_sync: nextSync(doc, ctx.now()),
    sync_blocked: blocked,
    span_resume: resume === undefined ? null : { since: resume.since, slice_seconds: resume.slice_seconds },
    stats: await statsOf(ctx, doc),
  };
}

/** When a source is pulled next by its cadence, unix seconds; null for one that is not pulled by itself. */
export function nextSync(doc: SourceDoc, now: number): number | null {
  if (doc.cadence === "manual" || !isPullable(doc.kind) || doc.consent !== "granted") return null;
  const last = Math.max(doc.last_pull?.at ?? 0, doc.last_sync ?? 0);
  const due = last === 0 ? Math.min(now, doc.created_at) : last + PERIOD[doc.cadence];
  return Math.max(due, doc.retry_at ?? 0);
}

/** Why a source cannot be pulled now, in words; null when it can. */
export async function syncBlocked(ctx: Ctx, doc: SourceDoc): Promise<string | null> {
  if (!isPullable(doc.kind)) return "Sources of this kind are sent to the service; there is nothing to pull.";
  if (doc.consent === "unset") return "Nobody has consented to this source yet; nothing is pulled without it.";
  if (doc.consent === "declined") return "Consent to this source was declined; nothing is pulled.";
  const wait = (doc.retry_at ?? 0) - ctx.now();
  if (wait > 0) return `The source asked not to be called again for ${Math.ceil(wait)} more seconds.`;
  if ((NEEDS_AUTH.has(doc.kind) || doc.auth_mode !== "none") && !(await hasSecret(ctx, doc.id)))
    return "Its credential is not stored here; give it again.";
  return null;
}

async function keyLocation(ctx: Ctx, doc: SourceDoc): Promise<string> {
  const held = doc.auth_mode !== "none" && (await hasSecret(ctx, doc.id));
  const credential =
    doc.auth_mode === "none"
      ? "It has no credential."
      : held
        ? "Its credential is sealed in this workspace's store."
        : "Its credential is not stored here.";
  if (doc.data_access === "full") return credential;
  const key = !doc.own_anon_key
    ? "Pseudonyms are made with the org's key, sealed in this workspace's store."
    : (await hasAnonKey(ctx, doc.id))
      ? "Pseudonyms are made with a key of its own, sealed in this workspace's store."
      : "Its own key of pseudonyms is forgotten; another is made at the next pull.";
  return `${credential} ${key}`;
}

async function statsOf(ctx: Ctx, doc: SourceDoc): Promise<z.infer<typeof SourceStats>> {
  const stats = { evidence: 0, traces: 0, calls: 0, tools: 0, refused: 0, tier: "deterministic" as const };
  const where = { source: doc.id };
  for await (const row of everyRow((page) => ctx.store.records.list(Evidence, { ...page, where }))) {
    if (row.superseded_by !== undefined) continue;
    stats.evidence++;
    stats.traces += row.stats.traces;
    stats.calls += row.stats.calls;
    stats.refused += row.stats.refused;
    if (row.kind === "tool_listing") stats.tools += row.stats.tools;
  }
  return stats;
}
