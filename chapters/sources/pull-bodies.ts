import { AppError } from "../errors.ts";
import { Evidence } from "../evidence/schema.ts";
import type { JobCtx } from "../job.ts";
import { everyRow } from "../page.ts";
import { waitOf } from "./busy.ts";
import { Source } from "./schema.ts";
import type { SourceDoc } from "./source-view.ts";
import { storePulled } from "./store-pulled.ts";
import type { PulledBody, PullTarget } from "./vendor.ts";

const TAG_CHARS = 100;

interface Sums {
  readonly evidence: string[];
  traces: number;
  refused: number;
  unchanged: number;
}

/**
 * Pulls what a source holds as whole bodies: a tool server's list, a repository's documents, an address's answer. The
 * same bytes store once; a new body stands in the place of the older one of its name.
 */
export async function pullBodies(ctx: JobCtx, source: SourceDoc, target: PullTarget) {
  const found = await ctx.vendors.sources.bodies(target, source.seen, ctx.signal);
  const sums: Sums = { evidence: [], traces: 0, refused: 0, unchanged: 0 };
  if (found === undefined) return { ...sums, unchanged: 1 };
  try {
    for await (const body of found.bodies) await take(ctx, source.id, body, sums);
  } catch (cause) {
    const wait = waitOf(cause);
    if (wait === undefined) throw cause;
    return { ...sums, wait };
  }
  // Only a source that was read to its end is known by what it was.
  const seen = found.seen();
  if (seen !== undefined) await ctx.store.records.update(Source, source.id, (doc) => ({ ...doc, seen }));
  return sums;
}

async function take(ctx: JobCtx, id: string, body: PulledBody, sums: Sums): Promise<void> {
  ctx.signal.throwIfAborted();
  const source = await ctx.store.records.get(Source, id);
  if (source?.consent !== "granted")
    throw new AppError("conflict", "Consent to the source was taken back, or it was disconnected; the pull ended.");
  const tag = body.name.slice(0, TAG_CHARS);
  const stored = await storePulled(ctx, source, { bytes: body.bytes, kind: body.kind, format: body.format, tag });
  sums.refused += stored.refused;
  if (stored.evidence === undefined) return;
  if (!stored.fresh) {
    sums.unchanged++;
    return;
  }
  sums.evidence.push(stored.evidence);
  sums.traces += stored.traces;
  await supersede(ctx, source, tag, stored.evidence);
  ctx.progress(sums.evidence.length, undefined, "bodies stored");
}

/** Traces are more evidence; a list of tools or a document is the newest word on its subject. */
async function supersede(ctx: JobCtx, source: SourceDoc, tag: string, by: string): Promise<void> {
  const where = { source: source.id, tag };
  for await (const row of everyRow((page) => ctx.store.records.list(Evidence, { ...page, where }))) {
    if (row.id === by || row.superseded_by !== undefined || row.kind === "traces") continue;
    await ctx.store.records.update(Evidence, row.id, (doc) => ({ ...doc, superseded_by: by }));
  }
}
