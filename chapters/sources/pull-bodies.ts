import { conflict } from "../errors.ts";
import type { JobCtx } from "../job.ts";
import { everyRow } from "../page.ts";
import type { PulledBody, PullTarget } from "../ports/source-vendor.ts";
import type { Doc } from "../record.ts";
import { Evidence } from "../records/evidence/evidence.ts";
import { Source } from "../records/sources/sources.ts";
import { waitOf } from "./busy.ts";
import type { SourceDoc } from "./source-view.ts";
import { storePulled } from "./store-pulled.ts";

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
    throw conflict("Consent to the source was taken back, or it was disconnected; the pull ended.");
  const tag = body.name.slice(0, TAG_CHARS);
  const stored = await storePulled(ctx, source, { bytes: body.bytes, kind: body.kind, format: body.format, tag });
  sums.refused += stored.refused;
  if (stored.evidence === undefined) return;
  const moved = await stand(ctx, source, tag, stored.evidence);
  if (!stored.fresh && !moved) {
    sums.unchanged++;
    return;
  }
  sums.evidence.push(stored.evidence);
  if (stored.fresh) sums.traces += stored.traces;
  ctx.progress(sums.evidence.length, undefined, "bodies stored");
}

/**
 * Makes a record what its source says now under a name: others of that name are superseded by it, and it by none of
 * them, also where it was stored before. Traces are more evidence; a list of tools or a document is the newest word on its
 * subject. What a person put in its place stays there. Answers whether anything changed.
 */
async function stand(ctx: JobCtx, source: SourceDoc, tag: string, id: string): Promise<boolean> {
  const { records } = ctx.store;
  const ofName = (row: Doc<typeof Evidence> | undefined) => row?.source === source.id && row.tag === tag;
  const now = await records.get(Evidence, id);
  if (!now || !ofName(now) || now.kind === "traces") return false;
  const older = now.superseded_by === undefined ? undefined : await records.get(Evidence, now.superseded_by);
  if (now.superseded_by !== undefined && !ofName(older)) return false;
  let moved = false;
  if (now.superseded_by !== undefined) {
    await records.update(Evidence, id, ({ superseded_by: _was, ...doc }) => doc);
    moved = true;
  }
  const where = { source: source.id, tag };
  for await (const row of everyRow((page) => records.list(Evidence, { ...page, where }))) {
    if (row.id === id || row.superseded_by !== undefined || row.kind === "traces") continue;
    await records.update(Evidence, row.id, (doc) => ({ ...doc, superseded_by: id }));
    moved = true;
  }
  return moved;
}
