import { z } from "zod";
import { digestOf } from "../../../worlds/digest.ts";
import type { Ctx } from "../../context.ts";
import { countOf } from "../../count-of.ts";
import { STANDING } from "../../dimensions/axes.ts";
import { proposeValues } from "../../dimensions/propose.ts";
import { readToolListing } from "../../evidence/documents/contents.ts";
import { countFigures } from "../../evidence/figures/figures.ts";
import { ingestDigest, landedSince, newestPositions } from "../../evidence/traces/new-traces.ts";
import { type JobCtx, job } from "../../job.ts";
import { read } from "../../models/pass.ts";
import { type SourceRecord, valuesPass } from "../../ontology/dimensions/values-pass.ts";
import { everyRow } from "../../page.ts";
import { type Doc, idOfValue } from "../../record.ts";
import { AFTER_INGEST, IngestPass, IngestProposal, SeenOperation } from "../../records/evidence/after-ingest.ts";
import { DEFAULT_SURFACE, Evidence } from "../../records/evidence/evidence.ts";
import { measureOffers, type Offer } from "./after-ingest-measures.ts";

type EvidenceDoc = Doc<typeof Evidence>;
export type IngestProposalDoc = Doc<typeof IngestProposal>;

/** Traces of one record that are read for values and operations, the newest. */
const READ_OF_RECORD = 400;
/** A trace that exporters send closes so long after it started, at most, seconds. */
const LATE = 7200;

/**
 * Looks at what landed since the last pass, compares it with what is compiled, and offers what would help. It asks no
 * model and changes nothing but by proposing; repeating it offers nothing twice.
 */
export const afterIngestJob = job({
  kind: AFTER_INGEST,
  input: z.object({ by: z.string() }),
  key: () => "after_ingest",
  attempts: 3,
  ends: "cancel",
  concurrency: 1,
  run: lookThrough,
});

async function lookThrough(ctx: JobCtx, { by }: { readonly by: string }) {
  // One pass a job: an attempt that died after it wrote its own has looked through everything.
  const id = idOfValue(IngestPass, ctx.job.id);
  const written = await ctx.store.records.get(IngestPass, id);
  if (written !== undefined) return { pass: id, line: written.line, counts: written.counts };
  const before = await lastPass(ctx);
  const looked_at = ctx.now();
  const mark = (await ingestDigest(ctx)) ?? "";
  ctx.progress(0, 3, "read what came in");
  const landed = await landedSince(ctx, before?.looked_at ?? 0);
  const read = await readLanded(ctx, landed, (before?.looked_at ?? 0) - LATE);
  await countFigures(ctx);
  ctx.progress(1, 3, "measure");
  const offers = await measureOffers(ctx);
  ctx.progress(2, 3, "offer");
  const { offered, superseded } = await writeOffers(ctx, offers, by);
  const open = await ctx.store.records.count(IngestProposal, { state: "open" });
  const counts = { evidence: landed.length, ...read, offered, superseded, open };
  const pass: Doc<typeof IngestPass> = {
    id,
    created_at: ctx.now(),
    by,
    job: ctx.job.id,
    looked_at,
    mark,
    line: `${countOf(counts.evidence, "evidence record")} with ${countOf(counts.traces, "trace")} read: ${countOf(counts.operations_new, "new operation")}, ${countOf(counts.values_new, "new value")}, ${countOf(offered, "proposal")} offered, ${open} open.`,
    counts,
    usd: 0,
    tier: "deterministic",
  };
  await ctx.store.records.insert(IngestPass, pass);
  await ctx.job.audit("looked_through", { evidence: counts.evidence, offered, superseded });
  return { pass: id, line: pass.line, counts };
}

/** The pass that ended last. */
export async function lastPass(ctx: Ctx): Promise<Doc<typeof IngestPass> | undefined> {
  return (await ctx.store.records.list(IngestPass, { limit: 1 })).items[0];
}

/** Whether something came in that no pass has looked at. */
export async function isDue(ctx: Ctx): Promise<boolean> {
  const mark = await ingestDigest(ctx);
  return mark !== undefined && mark !== (await lastPass(ctx))?.mark;
}

/** What comes in is let settle for so many seconds, so that a stream of posts is one pass. */
const QUIET = 120;
/** A stream that never rests is looked through so often all the same, seconds. */
const LONGEST_WAIT = 900;

/** Starts a pass where something came in and has settled; the ticker calls it. */
export async function afterIngestDue(ctx: Ctx): Promise<void> {
  if (!(await isDue(ctx)) || !(await hasSettled(ctx))) return;
  await ctx.jobs.start(afterIngestJob, { by: ctx.caller.name });
}

async function hasSettled(ctx: Ctx): Promise<boolean> {
  const [newest] = (await ctx.store.records.list(Evidence, { limit: 1 })).items;
  if (newest !== undefined && newest.created_at + QUIET <= ctx.now()) return true;
  const waits = (await lastPass(ctx))?.looked_at ?? (await oldestAt(ctx));
  return waits !== undefined && waits + LONGEST_WAIT <= ctx.now();
}

async function oldestAt(ctx: Ctx): Promise<number | undefined> {
  return (await ctx.store.records.list(Evidence, { order: "oldest", limit: 1 })).items[0]?.created_at;
}

async function readLanded(ctx: Ctx, landed: readonly EvidenceDoc[], since: number) {
  const counts = { traces: 0, operations_new: 0, values_new: 0 };
  for (const record of landed) {
    ctx.signal.throwIfAborted();
    const operations = new Set<string>();
    if (record.kind === "tool_listing") for (const { name } of await readToolListing(ctx, record)) operations.add(name);
    if (record.kind === "traces") {
      const places = await newestPositions(ctx, record, since, READ_OF_RECORD);
      const rows = await ctx.store.traces.at(record.id, places);
      counts.traces += rows.length;
      const records = rows.map(({ position, trace }) => ({
        id: String(position + 1),
        text: trace.request,
        tools: trace.calls.map(({ tool }) => tool),
      }));
      for (const { tools } of records) for (const tool of tools) operations.add(tool);
      for (const tool of record.rolling?.tools ?? []) operations.add(tool);
      counts.values_new += await proposeUseCases(ctx, record, records);
    }
    for (const name of operations) if (await seeOperation(ctx, record, name)) counts.operations_new++;
  }
  return counts;
}

/** Use cases by rule, of the tools that were called: nothing of a trace's words is read. */
async function proposeUseCases(ctx: Ctx, record: EvidenceDoc, records: readonly SourceRecord[]): Promise<number> {
  const axes = [{ field: "use_case", description: STANDING.use_case ?? "use_case" }];
  const said = await read(ctx, valuesPass, { axes, records }, { reader: "rule" });
  const found = said.value.values.map(({ field, value, records: shown }) => ({
    field,
    value,
    cites: [record.id],
    traces: shown.length,
  }));
  return (await proposeValues(ctx, found, said)).proposed.length;
}

function seeOperation(ctx: Ctx, record: EvidenceDoc, name: string): Promise<boolean> {
  const { id: evidence, surface = DEFAULT_SURFACE, created_at, by } = record;
  const id = idOfValue(SeenOperation, surface, name);
  return ctx.store.records.insert(SeenOperation, { id, created_at, by, surface, name, evidence });
}

/** Writes what is new among the offers; an open one whose reason is no longer among them is superseded. */
async function writeOffers(ctx: Ctx, offers: readonly Offer[], by: string) {
  const standing = new Set<string>();
  let offered = 0;
  for (const { kind, target, measure, about, reason, act } of offers) {
    const digest = digestOf([measure, about]);
    const id = idOfValue(IngestProposal, kind, target, digest);
    standing.add(id);
    const doc: IngestProposalDoc = {
      id,
      created_at: ctx.now(),
      by,
      kind,
      target,
      state: "open",
      measure,
      digest,
      reason,
      act,
      tier: "deterministic",
    };
    if (await ctx.store.records.insert(IngestProposal, doc)) offered++;
    else if (await reopened(ctx, id)) offered++;
  }
  let superseded = 0;
  const open = everyRow((page) => ctx.store.records.list(IngestProposal, { ...page, where: { state: "open" } }));
  const gone: string[] = [];
  for await (const { id } of open) if (!standing.has(id)) gone.push(id);
  for (const id of gone) if (await supersede(ctx, id)) superseded++;
  return { offered, superseded };
}

/** A reason that was gone and is back is offered again; one that a person closed stays closed. */
async function reopened(ctx: Ctx, id: string): Promise<boolean> {
  if ((await ctx.store.records.get(IngestProposal, id))?.state !== "superseded") return false;
  let was = false;
  await ctx.store.records.update(IngestProposal, id, (row) => {
    was = row.state === "superseded";
    const { closed_at: _at, closed_by: _by, ...open } = row;
    return was ? { ...open, state: "open" as const, created_at: ctx.now() } : row;
  });
  return was;
}

/** An accept that was begun so many seconds ago and has no end lost its process: it may be made again. */
const CLAIM_LASTS = 600;

/** Whether somebody accepts a proposal right now. */
export function isClaimed({ claimed_at }: IngestProposalDoc, now: number): boolean {
  return claimed_at !== undefined && claimed_at > now - CLAIM_LASTS;
}

/** One that somebody accepts right now is left to them. */
async function supersede(ctx: Ctx, id: string): Promise<boolean> {
  let did = false;
  await ctx.store.records.update(IngestProposal, id, (row) => {
    did = row.state === "open" && !isClaimed(row, ctx.now());
    return did ? { ...row, state: "superseded" as const, closed_at: ctx.now(), closed_by: ctx.caller.name } : row;
  });
  return did;
}
