import { z } from "zod";
import { auditAct } from "../audit.ts";
import { actor, type Ctx } from "../context.ts";
import { countOf } from "../count-of.ts";
import { conflict, unprocessable } from "../errors.ts";
import type { PrivacyRule } from "../evidence/anonymize/index.ts";
import { privacyFor } from "../evidence/anonymize/pseudonym-keys.ts";
import { withoutPositions } from "../evidence/attributes/ranges.ts";
import { READER, readingId } from "../evidence/documents/extract-traces.ts";
import { evidenceOf } from "../evidence/evidence.ts";
import { pullTrace, RETENTION } from "../evidence/traces/pull-trace.ts";
import { type JobCtx, job } from "../job.ts";
import type { StoredTrace } from "../ports/store.ts";
import type { Doc } from "../record.ts";
import { AttributeReading } from "../records/evidence/attribute.ts";
import { Evidence } from "../records/evidence/evidence.ts";
import { EvidenceRevision } from "../records/evidence/revision.ts";
import type { SourceDoc } from "./source-view.ts";
import { allowed, targetOf } from "./sync.ts";

type EvidenceDoc = Doc<typeof Evidence>;
type RevisionDoc = Doc<typeof EvidenceRevision>;

const ReconvertInput = z.object({ evidence: z.string(), source: z.string(), by: z.string() });

/** How many traces are looked at before what they came to is written. */
const BATCH = 20;
const LEFT_NAMED = 100;
const STAGES = ["pull", "convert", "anonymise", "write", "count"];

/** Pulls a record's traces from their vendor again and writes each over the one that is stored; repeating it goes on where it was. */
export const reconvertJob = job({
  kind: "reconvert_evidence",
  input: ReconvertInput,
  key: ({ evidence }) => `reconvert:${evidence}`,
  attempts: 3,
  ends: "cancel",
  concurrency: 1,
  run: reconvert,
});

async function reconvert(ctx: JobCtx, input: z.infer<typeof ReconvertInput>) {
  const doc = await evidenceOf(ctx, input.evidence);
  const source = await allowed(ctx, input.source);
  const rule = await sameKey(ctx, doc, source);
  const target = await targetOf(ctx, source);
  let revision = await openRevision(ctx, doc, input);
  const total = await ctx.store.traces.count(doc.id);
  let looked = 0;
  for (;;) {
    const rows = await ctx.store.traces.at(doc.id, await nextPositions(ctx, doc.id, revision.next));
    if (rows.length === 0) break;
    revision = await step(ctx, doc, { target, rule, revision, rows });
    looked += rows.length;
    ctx.progress(looked, total, `${countOf(looked, "trace")} looked at`);
  }
  await settle(ctx, doc, revision);
  const { counts, left } = revision;
  await ctx.job.audit("reconverted", { evidence: doc.id, changed: counts.changed, gone: counts.gone });
  return { evidence: doc.id, revision: revision.id, traces: total, ...counts, left, model_calls: 0 };
}

/** The places of the next traces of a record, from one on. */
async function nextPositions(ctx: Ctx, evidence: string, from: number): Promise<number[]> {
  const page = await ctx.store.traces.heads(evidence, { limit: BATCH, from });
  return page.items.map(({ position }) => position);
}

/** The key that the record's pseudonyms were made with; a conflict where the source has another now. */
async function sameKey(ctx: Ctx, doc: EvidenceDoc, source: SourceDoc): Promise<PrivacyRule | undefined> {
  const rule = await privacyFor(ctx, doc.data_access, source);
  if (rule?.ref === doc.anon_key_ref) return rule;
  throw conflict(
    "The source's key is not the one that this record's pseudonyms were made with; the traces would no longer join.",
  );
}

const NONE: RevisionDoc["counts"] = {
  changed: 0,
  unchanged: 0,
  past_retention: 0,
  gone: 0,
  refused: 0,
  calls_before: 0,
  calls_after: 0,
  attributes_dropped: 0,
};

/** The reconversion that was broken off, else a new one. */
async function openRevision(ctx: Ctx, doc: EvidenceDoc, input: z.infer<typeof ReconvertInput>): Promise<RevisionDoc> {
  const { items } = await ctx.store.records.list(EvidenceRevision, {
    where: { evidence: doc.id, state: "open" },
    limit: 1,
  });
  if (items[0]) return items[0];
  const made: RevisionDoc = {
    id: ctx.id(EvidenceRevision.prefix),
    created_at: ctx.now(),
    by: input.by,
    evidence: doc.id,
    source: input.source,
    act: "reconvert",
    state: "open",
    next: 0,
    counts: NONE,
    left: { past_retention: [], gone: [], refused: [] },
    stats: { ...doc.stats },
    traces: [],
  };
  await ctx.store.records.insert(EvidenceRevision, made);
  return made;
}

interface Step {
  readonly target: Parameters<typeof pullTrace>[1];
  readonly rule: PrivacyRule | undefined;
  readonly revision: RevisionDoc;
  readonly rows: readonly StoredTrace[];
}

/** Looks at some traces: what they were is kept before they are written over, and where to go on is written last. */
async function step(ctx: JobCtx, doc: EvidenceDoc, { target, rule, revision, rows }: Step): Promise<RevisionDoc> {
  const counts = { ...revision.counts };
  const left = structuredClone(revision.left);
  const was: StoredTrace[] = [];
  const is: StoredTrace[] = [];
  for (const row of rows) {
    const { trace, position } = row;
    counts.calls_before += trace.calls.length;
    const old = trace.started_at !== undefined && trace.started_at < ctx.now() - RETENTION;
    const pulled = old ? { none: "past_retention" as const } : await pullTrace(ctx, target, trace, rule);
    if ("none" in pulled) {
      counts[pulled.none] += 1;
      if (left[pulled.none].length < LEFT_NAMED) left[pulled.none].push(position);
      counts.calls_after += trace.calls.length;
      continue;
    }
    counts.calls_after += pulled.trace.calls.length;
    if (JSON.stringify(pulled.trace) === JSON.stringify(trace)) {
      counts.unchanged += 1;
      continue;
    }
    counts.changed += 1;
    was.push(row);
    is.push({ ...row, trace: pulled.trace });
  }
  const traces = [...revision.traces];
  if (was.length > 0) {
    const kept = was.map(({ position, id, trace }) => ({ position, id, trace }));
    const blob = await ctx.store.blobs.put(Buffer.from(JSON.stringify(kept)));
    if (!traces.includes(blob)) traces.push(blob);
    // Named before anything is written over: nothing that was is lost whenever this ends.
    await ctx.store.records.update(EvidenceRevision, revision.id, (row) => ({ ...row, traces }));
    await ctx.store.traces.append(is);
    counts.attributes_dropped += await unread(
      ctx,
      doc.id,
      was.map(({ position }) => position),
    );
  }
  const next = rows.at(-1)!.position + 1;
  const after = await ctx.store.records.update(EvidenceRevision, revision.id, (row) => ({
    ...row,
    traces,
    counts,
    left,
    next,
  }));
  return after ?? revision;
}

/** Forgets what a reader of ours said of traces that are others now, so that the next reading reads them. */
async function unread(ctx: Ctx, evidence: string, positions: readonly number[]): Promise<number> {
  await ctx.store.records.update(AttributeReading, readingId(evidence), (row) => ({
    ...row,
    read: withoutPositions(row.read, positions),
  }));
  return ctx.store.attributes.drop(evidence, positions, READER);
}

/** Counts the record anew and closes the revision. */
async function settle(ctx: Ctx, doc: EvidenceDoc, revision: RevisionDoc): Promise<void> {
  if (revision.counts.changed > 0) {
    let calls = 0;
    const tools = new Set<string>();
    for await (const { trace } of ctx.store.traces.stream([doc.id])) {
      calls += trace.calls.length;
      for (const { tool } of trace.calls) tools.add(tool);
    }
    await ctx.store.records.update(Evidence, doc.id, (row) => ({
      ...row,
      stats: { ...row.stats, calls, tools: tools.size },
      reconverted: (row.reconverted ?? 0) + 1,
    }));
  }
  await ctx.store.records.update(EvidenceRevision, revision.id, (row) => ({ ...row, state: "landed" as const }));
}

/**
 * Starts pulling a record's traces again from the source row they came from. 422 for a record that is no batch of the
 * observability vendor's; a conflict while one runs, where the source may not be pulled, or where its key is another now.
 */
export async function startReconvert(
  ctx: Ctx,
  input: { readonly eid: string; readonly source?: string | undefined; readonly by?: string | undefined },
) {
  const doc = await evidenceOf(ctx, input.eid);
  const sid = input.source ?? doc.source;
  if (doc.kind !== "traces" || doc.format !== "obs-spans" || sid === undefined)
    throw unprocessable("Only a stored batch of the observability vendor's traces can be converted again.");
  const source = await allowed(ctx, sid);
  if (source.kind !== "obs") throw unprocessable("The source is not one of the observability vendor's.");
  await sameKey(ctx, doc, source);
  const by = actor(ctx, input.by);
  const handle = await ctx.jobs.start(reconvertJob, { evidence: doc.id, source: sid, by });
  if (handle.deduplicated) throw conflict("This record is being converted again already.", { by: "jobs_list" });
  await auditAct(ctx, "reconvert_started", { evidence: doc.id, source: sid, job: handle.job }, input.by);
  return {
    evidence: doc.id,
    job: handle.job,
    poll: handle.poll,
    traces: await ctx.store.traces.count(doc.id),
    model_calls: 0,
    stages: STAGES,
  };
}
