import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { countOf } from "../../count-of.ts";
import { everyAxis, STANDING } from "../../dimensions/axes.ts";
import { AppError } from "../../errors.ts";
import { type JobCtx, job } from "../../job.ts";
import { read, readerOf, UnusableAnswer } from "../../models/pass.ts";
import type { AttributeRow, StoredTrace } from "../../ports/store.ts";
import { type Doc, idOfValue } from "../../record.ts";
import { AttributeReading } from "../../records/evidence/attribute.ts";
import type { Evidence } from "../../records/evidence/evidence.ts";
import { traceEvidence } from "../attributes/attributes.ts";
import { attributesPass } from "../attributes/attributes-pass.ts";
import { type Ranges, withPositions } from "../attributes/ranges.ts";
import { STRUCTURAL, structural } from "../attributes/rule-attributes.ts";
import { unreadPositions } from "../traces/unread-traces.ts";

const ExtractInput = z.object({
  evidence: z.string(),
  /** Most traces that are read; null: all that are unread. */
  limit: z.number().int().nullable(),
  usd_cap: z.number().nullable(),
  /** Reads those anew that were read before. */
  fresh: z.boolean(),
  /** What it may cost at most, micro-dollars. */
  estimate: z.number().int(),
});
type ExtractInput = z.infer<typeof ExtractInput>;

/** What was done of an extraction: another attempt goes on from there. */
const Done = z.object({
  version: z.number().int(),
  traces: z.number().int(),
  values: z.number().int(),
  refused: z.number().int(),
  usd: z.number(),
});
type Done = z.infer<typeof Done>;

/** How many traces one write, or one question to a model, is of. */
const BATCH = { rule: 200, model: 5 };
/** The names of these readers begin so: what they wrote they write over, what others filed stays. */
export const READER = "extract:";

/** Reads the attributes of a record's traces. Each batch is kept as it is read: repeating it goes on where it was. */
export const extractTracesJob = job({
  kind: "extract_attributes",
  input: ExtractInput,
  key: ({ evidence }) => `extract:${evidence}`,
  attempts: 3,
  ends: "cancel",
  concurrency: 1,
  estimate: ({ estimate }) => estimate,
  run: extractTraces,
});

async function extractTraces(ctx: JobCtx, input: ExtractInput) {
  const { id: evidence } = await traceEvidence(ctx, input.evidence);
  const fields = await aboutFields(ctx);
  const { model } = readerOf(ctx, attributesPass, { fields, traces: [] });
  const known = Done.safeParse(ctx.job.state);
  let done: Done = known.success ? known.data : await begun(ctx, evidence, input.fresh);
  let capped = false;
  const total = Math.min(
    input.limit ?? Number.POSITIVE_INFINITY,
    await unread(ctx, evidence, input.fresh && !known.success),
  );
  const ranges = await readSoFar(ctx, evidence);
  const size = model === null ? BATCH.rule : BATCH.model;
  for await (const positions of unreadPositions(ctx, evidence, ranges, size)) {
    const room = (input.limit ?? Number.POSITIVE_INFINITY) - done.traces;
    if (room <= 0) break;
    ctx.signal.throwIfAborted();
    const rows = await ctx.store.traces.at(evidence, positions.slice(0, room));
    const traces = rows.map(({ position, trace }) => ({ id: String(position), trace }));
    const { estimate_usd } = readerOf(ctx, attributesPass, { fields, traces });
    if (input.usd_cap !== null && done.usd + estimate_usd > input.usd_cap) {
      capped = true;
      break;
    }
    const readerAnswer = await asked(ctx, { fields, traces });
    const values = attributesOf(rows, readerAnswer);
    await ctx.store.attributes.put(evidence, values, READER);
    done = {
      ...done,
      traces: done.traces + rows.length,
      values: done.values + values.length,
      refused: done.refused + (readerAnswer.value === undefined ? rows.length : 0),
      usd: done.usd + readerAnswer.usd,
    };
    await noted(ctx, evidence, rows, values.length, readerAnswer);
    await ctx.job.checkpoint(done);
    ctx.progress(done.traces, total, `${countOf(done.traces, "trace")} read`);
  }
  const left = await unread(ctx, evidence, false);
  return {
    evidence_id: evidence,
    ...done,
    left,
    capped,
    fields: fields.map(({ field }) => field),
    // Of those, what no trace of the record was found to say.
    unfilled: await unfilledOf(ctx, evidence, fields),
    model,
    prompt_version: model === null ? null : attributesPass.version,
    tier: model === null ? ("deterministic" as const) : ("llm-derived" as const),
  };
}

/** The axes that a trace can show, but for those that code counts. */
async function aboutFields(ctx: Ctx) {
  const counted = new Set<string>([...STRUCTURAL, "operation", "object"]);
  return (await everyAxis(ctx))
    .filter(({ field, status }) => status !== "dismissed" && !counted.has(field))
    .map(({ field, description }) => ({ field, description: description ?? STANDING[field] ?? field }));
}

async function unfilledOf(ctx: Ctx, evidence: string, fields: readonly { readonly field: string }[]) {
  const filled = new Set(await ctx.store.attributes.fields(evidence));
  return fields.map(({ field }) => field).filter((field) => !filled.has(field));
}

/** What a reader said of a batch; undefined where a model's answer could not be used. */
interface ReaderAnswer {
  readonly value:
    | {
        readonly traces: readonly {
          readonly id: string;
          readonly values: readonly { readonly field: string; readonly value: string; readonly cite: string }[];
        }[];
      }
    | undefined;
  readonly model: string | null;
  readonly calls: number;
  readonly usd: number;
}

async function asked(ctx: Ctx, input: Parameters<typeof attributesPass.prompt>[0]): Promise<ReaderAnswer> {
  try {
    const { value, model, calls, usd } = await read(ctx, attributesPass, input);
    return { value, model, calls: calls.length, usd };
  } catch (error) {
    if (!(error instanceof AppError && error.code === "unprocessable")) throw error;
    return { value: undefined, model: null, calls: 0, usd: error instanceof UnusableAnswer ? error.usd : 0 };
  }
}

function attributesOf(rows: readonly StoredTrace[], { value, model }: ReaderAnswer): AttributeRow[] {
  const about = new Map(value?.traces.map(({ id, values }) => [Number(id), values]));
  const tier = model === null ? "deterministic" : "llm-derived";
  return rows.flatMap(({ position, trace }) => [
    ...structural(trace).map(
      (one): AttributeRow => ({ position, ...one, tier: "deterministic", reader: `${READER}rule` }),
    ),
    ...(about.get(position) ?? []).map(
      (one): AttributeRow => ({ position, ...one, tier, reader: `${READER}${model ?? "rule"}` }),
    ),
  ]);
}

/** The record of what was read of an evidence record. */
export function readingId(evidence: string): string {
  return idOfValue(AttributeReading, evidence);
}

async function begun(ctx: JobCtx, evidence: string, fresh: boolean): Promise<Done> {
  const id = readingId(evidence);
  const base = { evidence, created_at: ctx.now(), by: ctx.caller.name, updated_at: ctx.now() };
  const none = {
    read: [],
    values: 0,
    model: null,
    prompt_version: null,
    calls: 0,
    usd: 0,
    tier: "deterministic" as const,
  };
  await ctx.store.records.insert(AttributeReading, { ...base, ...none, id, version: 1 });
  const doc = await ctx.store.records.update(AttributeReading, id, (row) =>
    fresh && row.read.length > 0 ? { ...row, ...base, ...none, version: row.version + 1 } : row,
  );
  const done = { version: doc?.version ?? 1, traces: 0, values: 0, refused: 0, usd: 0 };
  await ctx.job.checkpoint(done);
  return done;
}

async function noted(
  ctx: Ctx,
  evidence: string,
  rows: readonly StoredTrace[],
  values: number,
  readerAnswer: ReaderAnswer,
): Promise<void> {
  await ctx.store.records.update(AttributeReading, readingId(evidence), (row) => ({
    ...row,
    read: withPositions(
      row.read,
      rows.map(({ position }) => position),
    ),
    values: row.values + values,
    model: readerAnswer.model ?? row.model,
    prompt_version: readerAnswer.model === null ? row.prompt_version : attributesPass.version,
    calls: row.calls + readerAnswer.calls,
    usd: row.usd + readerAnswer.usd,
    tier: readerAnswer.model === null ? row.tier : "llm-derived",
    updated_at: ctx.now(),
  }));
}

async function readSoFar(ctx: Ctx, evidence: string): Promise<Ranges> {
  return (await ctx.store.records.get(AttributeReading, readingId(evidence)))?.read ?? [];
}

async function unread(ctx: Ctx, evidence: string, fresh: boolean): Promise<number> {
  const traces = await ctx.store.traces.count(evidence);
  if (fresh) return traces;
  const ranges = await readSoFar(ctx, evidence);
  // Traces that were erased since they were read are in the ranges and not among those counted.
  return Math.max(0, traces - ranges.reduce((sum, [from, to]) => sum + to - from + 1, 0));
}

/** Starts reading the attributes of a record's traces; what the reader lacks is refused at once. */
export async function startTraces(
  ctx: Ctx,
  doc: Doc<typeof Evidence>,
  input: {
    readonly limit?: number | undefined;
    readonly usd_cap?: number | undefined;
    readonly fresh?: boolean | undefined;
  },
) {
  const fields = await aboutFields(ctx);
  const fresh = input.fresh ?? false;
  const traces = Math.min(input.limit ?? Number.POSITIVE_INFINITY, await unread(ctx, doc.id, fresh));
  const sample = (await ctx.store.traces.heads(doc.id, { limit: BATCH.model })).items.map(({ position }) => position);
  const rows = await ctx.store.traces.at(doc.id, sample);
  const first = rows.map(({ position, trace }) => ({ id: String(position), trace }));
  const { estimate_usd } = readerOf(ctx, attributesPass, { fields, traces: first });
  const whole = estimate_usd * Math.ceil(traces / BATCH.model);
  const most = Math.min(whole, input.usd_cap ?? Number.POSITIVE_INFINITY);
  const handle = await ctx.jobs.start(extractTracesJob, {
    evidence: doc.id,
    limit: input.limit ?? null,
    usd_cap: input.usd_cap ?? null,
    fresh,
    estimate: Math.ceil(most * 1_000_000),
  });
  return { ...handle, evidence_id: doc.id, traces, documents: 0, estimate_usd: most };
}
