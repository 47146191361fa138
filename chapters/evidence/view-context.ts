import type { Ctx } from "../context.ts";
import type { Doc } from "../record.ts";
import { AFTER_INGEST, IngestPass } from "../records/evidence/after-ingest.ts";
import type { Evidence } from "../records/evidence/evidence.ts";
import { Source } from "../records/sources/sources.ts";
import type { EvidenceView } from "./view.ts";

/** What a source is called: its label, else what it is there. Undefined where the org has none of this id. */
export async function sourceName(ctx: Ctx, source: string | undefined): Promise<string | undefined> {
  const doc = source === undefined ? undefined : await ctx.store.records.get(Source, source);
  return doc && (doc.label ?? doc.external_id);
}

/** How far the pass after ingest is with a record. */
export async function deriveOf(ctx: Ctx, doc: Doc<typeof Evidence>): Promise<Pick<EvidenceView, "derive" | "job">> {
  const [live] = (await ctx.store.jobs.list({ kind: AFTER_INGEST, live: true, limit: 1 })).items;
  const seen = (await ctx.store.records.list(IngestPass, { limit: 1 })).items[0]?.looked_at ?? Number.NEGATIVE_INFINITY;
  if (seen >= doc.created_at) return { derive: "done" };
  return live ? { derive: live.status === "running" ? "running" : "due", job: live.id } : { derive: "due" };
}
