import { z } from "zod";
import type { Ctx } from "../context.ts";
import { everyAxis, everyValue, STANDING } from "../dimensions/axes.ts";
import { proposeValues } from "../dimensions/propose.ts";
import { plainSpelling } from "../dimensions/spellings.ts";
import { badField, orNotFound, unprocessable } from "../errors.ts";
import { readTexts } from "../evidence/documents/contents.ts";
import { orgRef, words } from "../fields.ts";
import { type JobCtx, job } from "../job.ts";
import { type ReadOptions, read, readerOf } from "../models/pass.ts";
import type { Doc } from "../record.ts";
import { Evidence } from "../records/evidence/evidence.ts";
import { DimensionValue } from "../records/ontology/dimension.ts";
import { DimensionReading } from "../records/ontology/reading.ts";
import { type ReadValues, type SourceRecord, valuesPass } from "./dimensions/values-pass.ts";
import { sourceField } from "./fields.ts";

type ReadingDoc = Doc<typeof DimensionReading>;

const DeriveInput = z.object({
  source: z.string(),
  /** Axes that are read; empty: all that can be. */
  attributes: z.array(z.string()),
  limit: z.number().int(),
  /** Share of the records that is read, evenly spread. */
  subsample: z.number(),
  additive: z.boolean(),
  propose: z.boolean(),
  curve: z.boolean(),
  /** What it may cost at most, micro-dollars. */
  estimate: z.number().int().optional(),
});
type DeriveInput = z.infer<typeof DeriveInput>;

/** Characters of one record that are read. */
const RECORD_CHARS = 4000;
/** A rule costs nothing: it reads a record as far as a model reads a document. */
const RULE_CHARS = 60_000;
const LIMIT = 200;
const STAGES = ["read the source", "write values"];

/** Reads one source once and writes what it shows as proposed values of axes. */
export const deriveJob = job({
  kind: "dimensions_derive",
  input: DeriveInput,
  key: (input) => `dimensions:${input.source}`,
  attempts: 3,
  ends: "cancel",
  concurrency: 1,
  estimate: ({ estimate }) => estimate ?? 0,
  run: runDerive,
});

/** The axes that a source can show; operations and objects come from graphs. */
function readable(fields: readonly { field: string; status: string; description?: string | undefined }[]) {
  return fields
    .filter(({ field, status }) => status !== "dismissed" && field !== "operation" && field !== "object")
    .map(({ field, description }) => ({ field, description: description ?? STANDING[field] ?? field }));
}

const BY_LISTS =
  "A rule read this: of a document it takes the items of lists under headings that name an axis, and people who speak as `As a …, I`. Other prose it cannot read; a model can (SVC_MODELS).";
const BY_CALLS =
  "A rule read this: of a trace it takes the use case from the tools that were called. Other axes it cannot read; a model can (SVC_MODELS).";

async function runDerive(ctx: JobCtx, input: DeriveInput) {
  const tell = (stage: number, what = "") => ctx.progress(stage, STAGES.length, what);
  const result = await deriveSource(ctx, input, {}, tell);
  tell(STAGES.length, STAGES.at(-1));
  return result;
}

/** Reads one source by rule into proposed use cases, as the pipeline does. False where it was read before. */
export async function proposeUseCases(ctx: Ctx, source: string): Promise<boolean> {
  const { items } = await ctx.store.records.list(DimensionReading, { where: { source }, limit: 100 });
  if (items.some(({ axes }) => axes.includes("use_case"))) return false;
  const input = { source, attributes: ["use_case"], limit: LIMIT, subsample: 1, additive: true, propose: true };
  await deriveSource(ctx, { ...input, curve: false }, { reader: "rule" }, () => {});
  return true;
}

async function deriveSource(
  ctx: Ctx,
  input: DeriveInput,
  reader: ReadOptions,
  tell: (stage: number, what: string) => void,
) {
  const source = await ctx.store.records.get(Evidence, input.source);
  if (!source) throw unprocessable("The source to read is gone.");
  tell(0, "read the source");
  const taken = await recordsOf(ctx, source, input);
  if (taken.records.length === 0) throw unprocessable("The source has no text to read.");
  const axes = await axesToRead(ctx, input);
  const said = await read(ctx, valuesPass, { axes, records: taken.records }, reader);
  const { kept, refused, dropped } = checked(said.value, axes, taken.records);
  const reading: ReadingDoc = {
    id: ctx.id(DimensionReading.prefix),
    created_at: ctx.now(),
    by: ctx.caller.name,
    source: source.id,
    axes: axes.map(({ field }) => field),
    values: kept,
    records: taken.total,
    read: taken.records.length,
    read_chars: taken.chars,
    partial: taken.partial,
    model: said.model,
    prompt_version: said.prompt_version,
    calls: [...said.calls],
    usd: said.usd,
    tier: said.tier,
  };
  await ctx.store.records.insert(DimensionReading, reading);
  tell(1, "write values");
  const written = input.propose
    ? await writeValues(ctx, reading, source.kind === "traces")
    : { proposed: [], deduped: 0 };
  const complements = input.additive ? [] : await dropUnseen(ctx, reading);
  return {
    reading: reading.id,
    ...written,
    complements,
    refused,
    dropped_ids: dropped,
    records: reading.records,
    read: reading.read,
    read_chars: reading.read_chars,
    partial: reading.partial,
    ...(reading.model === null ? { note: source.kind === "traces" ? BY_CALLS : BY_LISTS } : {}),
    ...(input.curve ? { curve: curveOf(kept, taken.records) } : {}),
    model: reading.model,
    prompt_version: reading.prompt_version,
    tier: reading.tier,
  };
}

/** The records of a source that a reading takes, with how many there are; reading ends where enough are taken. */
async function recordsOf(ctx: Ctx, source: Doc<typeof Evidence>, { limit, subsample }: DeriveInput) {
  const most = readerOf(ctx, valuesPass, { axes: [], records: [] }).model === null ? RULE_CHARS : RECORD_CHARS;
  const records: SourceRecord[] = [];
  let [chars, cut, due] = [0, false, 0];
  const take = (id: string, text: string, tools?: readonly string[]) => {
    due += subsample;
    if (due < 1) return;
    due -= 1;
    const part = text.slice(0, most);
    if (part.length < text.length) cut = true;
    chars += part.length;
    records.push({ id, text: part, ...(tools === undefined ? {} : { tools }) });
  };
  let total = 0;
  if (source.kind === "traces") {
    total = await ctx.store.traces.count(source.id);
    for await (const { trace, position } of ctx.store.traces.stream([source.id])) {
      if (records.length >= limit) break;
      const tools = trace.calls.map(({ tool }) => tool);
      take(String(position + 1), trace.request, tools);
    }
  } else {
    const texts = await readTexts(ctx, source);
    total = texts.length;
    for (const [i, { id, title, text }] of texts.entries())
      if (records.length < limit) take(id ?? String(i + 1), title === undefined ? text : `# ${title}\n${text}`);
  }
  return { records, total, chars, partial: cut || records.length < total };
}

/** The axes of an org that are read of a source. */
async function axesToRead(ctx: Ctx, { attributes }: DeriveInput) {
  return readable(await everyAxis(ctx)).filter(({ field }) => attributes.length === 0 || attributes.includes(field));
}

/** What a reader said, without values of axes that were not asked and citations of records that are not there. */
function checked(said: ReadValues, axes: readonly { field: string }[], records: readonly SourceRecord[]) {
  const fields = new Set(axes.map(({ field }) => field));
  const ids = new Set(records.map(({ id }) => id));
  const dropped = new Set<string>();
  let refused = 0;
  const kept = said.values.flatMap(({ profile, ...row }) => {
    const cited = row.records.filter((id) => ids.has(id));
    for (const id of row.records) if (!ids.has(id)) dropped.add(id);
    if (!fields.has(row.field) || cited.length === 0) {
      refused++;
      return [];
    }
    return [{ ...row, records: [...new Set(cited)], ...(profile === undefined ? {} : { profile }) }];
  });
  return { kept, refused, dropped: [...dropped] };
}

async function writeValues(ctx: Ctx, reading: ReadingDoc, counted: boolean) {
  const found = reading.values.map(({ field, value, profile, records }) => ({
    field,
    value,
    profile,
    cites: [reading.source],
    ...(counted ? { traces: records.length } : {}),
  }));
  const { proposed, deduped } = await proposeValues(ctx, found, reading);
  return { proposed: proposed.map(({ id }) => id), deduped };
}

/** Takes proposals away that only this source showed and that it does not show any more. */
async function dropUnseen(ctx: Ctx, reading: ReadingDoc): Promise<string[]> {
  const seen = new Set(reading.values.map(({ field, value }) => `${field} ${plainSpelling(value)}`));
  const gone: string[] = [];
  for (const row of await everyValue(ctx)) {
    if (row.origin !== "derived" || row.status !== "proposed" || !reading.axes.includes(row.field)) continue;
    if (row.cites.join() !== reading.source || seen.has(`${row.field} ${plainSpelling(row.value)}`)) continue;
    if (await ctx.store.records.delete(DimensionValue, row.id)) gone.push(row.value);
  }
  return gone;
}

/** How many different values the first records showed, after each tenth of them. */
function curveOf(values: ReadingDoc["values"], records: readonly SourceRecord[]) {
  const step = Math.max(1, Math.ceil(records.length / 10));
  const points: { records: number; values: number }[] = [];
  for (let n = step; n < records.length + step; n += step) {
    const first = new Set(records.slice(0, n).map(({ id }) => id));
    const shown = values.filter((row) => row.records.some((id) => first.has(id))).length;
    points.push({ records: Math.min(n, records.length), values: shown });
  }
  return points;
}

/** What `dimensions_derive` takes. */
export const StartDeriveInput = z.object({
  ...orgRef,
  ...sourceField,
  attributes: z.array(words(64)).min(1).max(50).optional().describe("The axes to read; all when absent."),
  limit: z.number().int().min(1).max(2000).optional().describe("Records read at most; 200 when absent."),
  subsample: z.number().gt(0).max(1).optional().describe("Share of the records that is read, evenly spread."),
  additive: z.boolean().optional().describe("False drops proposals of this source alone that it shows no more."),
  propose: z.boolean().optional().describe("False reads and keeps the reading, and writes no value."),
  curve: z.boolean().optional().describe("Tell how many values each further tenth of the records added."),
});

/** Starts the reading of one source, or answers the one that runs. */
export async function startDerive(ctx: Ctx, input: z.output<typeof StartDeriveInput>) {
  const source = orNotFound(await ctx.store.records.get(Evidence, input.source), "evidence");
  if (source.kind !== "traces" && source.kind !== "document" && source.kind !== "corpus")
    throw unprocessable("Only traces, documents and corpus items can be read for dimensions.");
  const fields = new Set(readable(await everyAxis(ctx)).map(({ field }) => field));
  const unknown = (input.attributes ?? []).findIndex((field) => !fields.has(field));
  if (unknown >= 0) throw badField(`attributes.${unknown}`, "is no axis that a source can show");
  const { model } = readerOf(ctx, valuesPass, { axes: [], records: [] });
  const asked: DeriveInput = {
    source: source.id,
    attributes: [...(input.attributes ?? [])],
    limit: input.limit ?? LIMIT,
    subsample: input.subsample ?? 1,
    additive: input.additive ?? true,
    propose: input.propose ?? true,
    curve: input.curve ?? false,
  };
  const estimate = model === null ? 0 : await estimateOf(ctx, source, asked);
  const handle = await ctx.jobs.start(deriveJob, { ...asked, estimate });
  return {
    ...handle,
    org: ctx.org.tag,
    model,
    prompt_version: model === null ? null : valuesPass.version,
    stages: STAGES,
    tier: model === null ? ("deterministic" as const) : ("llm-derived" as const),
    note: "The job's result says what was proposed, what was there already and what was refused.",
  };
}

/** Micro-dollars that a model's reading of a source may cost at most. */
async function estimateOf(ctx: Ctx, source: Doc<typeof Evidence>, input: DeriveInput): Promise<number> {
  const { records } = await recordsOf(ctx, source, input);
  return Math.ceil(readerOf(ctx, valuesPass, { axes: await axesToRead(ctx, input), records }).estimate_usd * 1_000_000);
}
