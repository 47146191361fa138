import { AppError } from "../errors.ts";
import { Evidence } from "../evidence/schema.ts";
import type { JobCtx } from "../job.ts";
import { everyRow } from "../page.ts";
import { Source } from "./schema.ts";
import type { SourceDoc } from "./source-view.ts";
import { storePulled } from "./store-pulled.ts";
import type { PullTarget } from "./vendor.ts";

const TAG_CHARS = 100;

/**
 * Pulls what a source holds as whole bodies: a tool server's list, a repository's documents, an address's answer. The
 * same bytes store once; a new body stands in the place of the older one of its name.
 */
export async function pullBodies(ctx: JobCtx, source: SourceDoc, target: PullTarget) {
  const found = await ctx.vendors.sources.bodies(target, source.seen, ctx.signal);
  const sums = { evidence: [] as string[], traces: 0, refused: 0, unchanged: 0 };
  if (found === undefined) return { ...sums, unchanged: 1 };
  for await (const body of found.bodies) {
    ctx.signal.throwIfAborted();
    const now = await ctx.store.records.get(Source, source.id);
    if (now?.consent !== "granted")
      throw new AppError("conflict", "Consent to the source was taken back, or it was disconnected; the pull ended.");
    const tag = body.name.slice(0, TAG_CHARS);
    const stored = await storePulled(ctx, now, { bytes: body.bytes, kind: body.kind, format: body.format, tag });
    sums.refused += stored.refused;
    if (stored.evidence === undefined) continue;
    if (!stored.fresh) {
      sums.unchanged++;
      continue;
    }
    sums.evidence.push(stored.evidence);
    sums.traces += stored.traces;
    await supersede(ctx, source, tag, stored.evidence);
    ctx.progress(sums.evidence.length, undefined, "bodies stored");
  }
  const seen = found.seen();
  if (seen !== undefined) await ctx.store.records.update(Source, source.id, (doc) => ({ ...doc, seen }));
  return sums;
}

/** Traces are more evidence; a list of tools or a document is the newest word on its subject. */
async function supersede(ctx: JobCtx, source: SourceDoc, tag: string, by: string): Promise<void> {
  const where = { source: source.id, tag };
  for await (const row of everyRow((page) => ctx.store.records.list(Evidence, { ...page, where }))) {
    if (row.id === by || row.superseded_by !== undefined || row.kind === "traces") continue;
    await ctx.store.records.update(Evidence, row.id, (doc) => ({ ...doc, superseded_by: by }));
  }
}
