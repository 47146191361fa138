import type { Ctx } from "../context.ts";
import { everyRow } from "../page.ts";
import { everyPin, mapId } from "./extract-documents.ts";
import { Extraction, ExtractionMap } from "./extraction-schema.ts";
import { EvidenceRevision } from "./revision-schema.ts";

/** Forgets what a record's traces were before they were converted again, and what was read of its documents: what is erased of the record stands in none of it. */
export async function forgetEarlier(ctx: Ctx, evidence: string): Promise<void> {
  const blobs = new Set<string>();
  for await (const row of everyRow((page) =>
    ctx.store.records.list(EvidenceRevision, { ...page, where: { evidence } }),
  )) {
    for (const blob of row.traces) blobs.add(blob);
    await ctx.store.records.update(EvidenceRevision, row.id, (doc) => ({ ...doc, traces: [] }));
  }
  for (const blob of blobs) await ctx.store.blobs.delete(blob);
  for (const { id } of await everyPin(ctx, evidence)) await ctx.store.records.delete(Extraction, id);
  await ctx.store.records.delete(ExtractionMap, mapId(evidence));
}
