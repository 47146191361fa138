import type { Ctx } from "../context.ts";
import { everyRow } from "../page.ts";
import { EvidenceRevision } from "./revision-schema.ts";

/** Forgets what a record's traces were before they were converted again: what is erased of the record stands in none. Answers how many were forgotten. */
export async function dropRevisions(ctx: Ctx, evidence: string): Promise<number> {
  const blobs = new Set<string>();
  let gone = 0;
  for await (const row of everyRow((page) =>
    ctx.store.records.list(EvidenceRevision, { ...page, where: { evidence } }),
  )) {
    for (const blob of row.traces) blobs.add(blob);
    await ctx.store.records.update(EvidenceRevision, row.id, (doc) => ({ ...doc, traces: [] }));
    gone += row.traces.length > 0 ? 1 : 0;
  }
  for (const blob of blobs) await ctx.store.blobs.delete(blob);
  return gone;
}
