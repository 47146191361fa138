import type { Ctx } from "../../context.ts";
import { everyRow } from "../../page.ts";
import { Extraction, ExtractionMap } from "../../records/evidence/extraction.ts";
import { EvidenceRevision } from "../../records/evidence/revision.ts";
import { everyPin, mapId } from "../documents/extract-documents.ts";

/** Deletes a record's earlier conversions and what was read of its documents, so that erased content is in none of them. */
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

/** Whether what a record's traces were before, or what was read of its documents, holds something. */
export async function earlierHolds(ctx: Ctx, evidence: string, holds: (text: string) => boolean): Promise<boolean> {
  const map = await ctx.store.records.get(ExtractionMap, mapId(evidence));
  if (holds(JSON.stringify([map ?? null, await everyPin(ctx, evidence)]))) return true;
  for await (const row of everyRow((page) =>
    ctx.store.records.list(EvidenceRevision, { ...page, where: { evidence } }),
  ))
    for (const blob of row.traces)
      if (holds(Buffer.from((await ctx.store.blobs.get(blob)) ?? []).toString("utf8"))) return true;
  return false;
}
