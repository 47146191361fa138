import { z } from "zod";
import { sha256 } from "../../../worlds/digest.ts";
import type { Ctx } from "../../context.ts";
import { countOf } from "../../count-of.ts";
import { everyAxis, STANDING } from "../../dimensions/axes.ts";
import { plainSpelling } from "../../dimensions/spellings.ts";
import { AppError, unprocessable } from "../../errors.ts";
import { type JobCtx, job } from "../../job.ts";
import { read, readerOf, UnusableAnswer } from "../../models/pass.ts";
import { everyRow } from "../../page.ts";
import { type Doc, idOfValue } from "../../record.ts";
import type { Evidence } from "../../records/evidence/evidence.ts";
import { Extraction, ExtractionMap } from "../../records/evidence/extraction.ts";
import { weakestTier } from "../../tier.ts";
import { evidenceOf } from "../evidence.ts";
import { readTexts } from "./contents.ts";
import { documentsPass } from "./documents-pass.ts";

type ExtractionDoc = Doc<typeof Extraction>;

const ExtractInput = z.object({
  evidence: z.string(),
  /** Reads documents that are pinned already, in place of those that are not. */
  again: z.boolean(),
  limit: z.number().int().nullable(),
  usd_cap: z.number().nullable(),
  /** What it may cost at most, micro-dollars. */
  estimate: z.number().int(),
});
type ExtractInput = z.infer<typeof ExtractInput>;

/** Documents that this job has read, and what they cost. */
const Done = z.object({ documents: z.array(z.string()), usd: z.number() });

/** Characters of a document that are read. */
const MOST_CHARS = 60_000;

/** Reads documents and pins what each contributed, then draws the record's map. Each is pinned as it is read: repeating the job goes on. */
export const extractDocumentsJob = job({
  kind: "extract_documents",
  input: ExtractInput,
  key: ({ evidence }) => `extract:${evidence}`,
  attempts: 3,
  ends: "cancel",
  concurrency: 1,
  estimate: ({ estimate }) => estimate,
  run: extractDocuments,
});

/** A document of a record, named as its pins are. */
export interface RecordDocument {
  readonly document: string;
  readonly title?: string;
  readonly text: string;
  readonly digest: string;
}

/** The documents of a record that have text; 422 for a record without any. */
export async function documentsOf(ctx: Ctx, doc: Doc<typeof Evidence>): Promise<RecordDocument[]> {
  if (doc.kind !== "document" && doc.kind !== "corpus")
    throw unprocessable("Only traces and documents can be read.", { by: "evidence_list" });
  const texts = (await readTexts(ctx, doc)).map(({ id, title, text }, i) => ({
    document: id ?? String(i + 1),
    ...(title === undefined ? {} : { title }),
    text,
    digest: sha256(text),
  }));
  const some = texts.filter(({ text }) => text.trim() !== "");
  if (some.length === 0) throw unprocessable("The record has no text to read.");
  return some;
}

/** Every pin of a record, oldest first. */
export async function everyPin(ctx: Ctx, evidence: string): Promise<ExtractionDoc[]> {
  const pins: ExtractionDoc[] = [];
  const where = { evidence };
  for await (const row of everyRow((page) => ctx.store.records.list(Extraction, { ...page, where, order: "oldest" })))
    pins.push(row);
  return pins;
}

async function extractDocuments(ctx: JobCtx, input: ExtractInput) {
  const doc = await evidenceOf(ctx, input.evidence);
  const known = Done.safeParse(ctx.job.state);
  const done = known.success ? known.data : { documents: [], usd: 0 };
  const documents = await documentsOf(ctx, doc);
  const pinned = new Map(
    (await everyPin(ctx, doc.id)).filter(({ state }) => state === "current").map((pin) => [pin.document, pin]),
  );
  const wanted = documents.filter(
    ({ document }) => input.again || !pinned.has(document) || done.documents.includes(document),
  );
  const fields = await documentFields(ctx);
  let capped = false;
  const refused: string[] = [];
  for (const one of wanted.slice(0, input.limit ?? wanted.length)) {
    ctx.signal.throwIfAborted();
    if (done.documents.includes(one.document)) continue;
    const text = one.text.slice(0, MOST_CHARS);
    const { estimate_usd } = readerOf(ctx, documentsPass, { fields, text });
    if (input.usd_cap !== null && done.usd + estimate_usd > input.usd_cap) {
      capped = true;
      break;
    }
    const cost = await pin(ctx, doc.id, one, { fields, text }, pinned.get(one.document));
    if (!cost.pinned) refused.push(one.document);
    done.usd += cost.usd;
    done.documents.push(one.document);
    await ctx.job.checkpoint(done);
    ctx.progress(done.documents.length, wanted.length, `${countOf(done.documents.length, "document")} read`);
  }
  const map = await drawMap(ctx, doc.id);
  return {
    evidence_id: doc.id,
    documents: done.documents.length,
    refused: refused.length,
    left: wanted.length - done.documents.length,
    capped,
    usd: done.usd,
    values: map.values.length,
    unfilled: fields.map(({ field }) => field).filter((field) => !map.values.some((row) => row.field === field)),
    tier: map.tier,
  };
}

/** The axes that a document can speak of. */
async function documentFields(ctx: Ctx) {
  return (await everyAxis(ctx))
    .filter(({ status }) => status !== "dismissed")
    .map(({ field, description }) => ({ field, description: description ?? STANDING[field] ?? field }));
}

/** Reads one document and replaces its pin; answers the cost. An unusable answer of a model leaves the earlier pin. */
async function pin(
  ctx: Ctx,
  evidence: string,
  { document, title, text: whole, digest }: RecordDocument,
  input: { readonly fields: Awaited<ReturnType<typeof documentFields>>; readonly text: string },
  before: ExtractionDoc | undefined,
): Promise<{ readonly usd: number; readonly pinned: boolean }> {
  const said = await read(ctx, documentsPass, input).catch((error: unknown) => {
    if (error instanceof AppError && error.code === "unprocessable")
      return { refused: error instanceof UnusableAnswer ? error.usd : 0 };
    throw error;
  });
  if ("refused" in said) return { usd: said.refused, pinned: false };
  const made: ExtractionDoc = {
    id: ctx.id(Extraction.prefix),
    created_at: ctx.now(),
    by: ctx.caller.name,
    evidence,
    document,
    ...(title === undefined ? {} : { title }),
    version: (before?.version ?? 0) + 1,
    state: "current",
    text_digest: digest,
    statements: said.value.statements.map((one) => ({ ...one, at: Math.max(0, input.text.indexOf(one.quote)) })),
    chars: whole.length,
    read_chars: input.text.length,
    model: said.model,
    prompt_version: said.prompt_version,
    calls: [...said.calls],
    usd: said.usd,
    tier: said.tier,
  };
  await ctx.store.records.apply([
    { op: "insert", kind: Extraction, doc: made },
    ...(before === undefined
      ? []
      : [
          {
            op: "put" as const,
            kind: Extraction,
            doc: { ...before, state: "superseded" as const, superseded_by: made.id },
          },
        ]),
  ]);
  return { usd: said.usd, pinned: true };
}

/** The id of the one map that an evidence record has: drawn again it takes the same place. */
export function mapId(evidence: string): string {
  return idOfValue(ExtractionMap, evidence);
}

/** Draws which values a record's documents share, spellings of one value as one. */
async function drawMap(ctx: Ctx, evidence: string): Promise<Doc<typeof ExtractionMap>> {
  const current = (await everyPin(ctx, evidence)).filter(({ state }) => state === "current");
  const shared = new Map<string, { field: string; value: string; documents: Set<string>; spellings: Set<string> }>();
  for (const { document, statements } of current)
    for (const { field, value } of statements) {
      const key = JSON.stringify([field, plainSpelling(value)]);
      const row = shared.get(key) ?? { field, value, documents: new Set(), spellings: new Set() };
      row.documents.add(document);
      row.spellings.add(value);
      shared.set(key, row);
    }
  const map: Doc<typeof ExtractionMap> = {
    id: mapId(evidence),
    created_at: ctx.now(),
    by: ctx.caller.name,
    evidence,
    pins: current.map(({ id }) => id),
    values: [...shared.values()]
      .sort(
        (a, b) => b.documents.size - a.documents.size || (`${a.field} ${a.value}` < `${b.field} ${b.value}` ? -1 : 1),
      )
      .map(({ documents, spellings, ...row }) => ({ ...row, documents: [...documents], spellings: [...spellings] })),
    tier: weakestTier(current.map(({ tier }) => tier)) ?? "deterministic",
  };
  await ctx.store.records.put(ExtractionMap, map);
  return map;
}

/** Starts reading a record's documents: those without a pin, or with `again` all of them anew. */
export async function startDocuments(
  ctx: Ctx,
  doc: Doc<typeof Evidence>,
  input: { readonly again: boolean; readonly limit?: number | undefined; readonly usd_cap?: number | undefined },
) {
  const documents = await documentsOf(ctx, doc);
  const pinned = new Set((await everyPin(ctx, doc.id)).map(({ document }) => document));
  const wanted = documents.filter(({ document }) => input.again || !pinned.has(document)).slice(0, input.limit);
  const fields = await documentFields(ctx);
  const costs = wanted.map(
    ({ text }) => readerOf(ctx, documentsPass, { fields, text: text.slice(0, MOST_CHARS) }).estimate_usd,
  );
  const most = Math.min(
    costs.reduce((sum, cost) => sum + cost, 0),
    input.usd_cap ?? Number.POSITIVE_INFINITY,
  );
  const handle = await ctx.jobs.start(extractDocumentsJob, {
    evidence: doc.id,
    again: input.again,
    limit: input.limit ?? null,
    usd_cap: input.usd_cap ?? null,
    estimate: Math.ceil(most * 1_000_000),
  });
  return { ...handle, evidence_id: doc.id, traces: 0, documents: wanted.length, estimate_usd: most };
}
