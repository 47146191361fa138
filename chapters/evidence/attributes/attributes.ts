import { setImmediate } from "node:timers/promises";
import { z } from "zod";
import { auditAct } from "../../audit.ts";
import { actor, type Ctx } from "../../context.ts";
import { badRequest, type FieldError, unprocessable } from "../../errors.ts";
import { everyRow, type PageInput } from "../../page.ts";
import type { AttributeCount, AttributeRow, ValuePositions } from "../../ports/store.ts";
import type { Doc } from "../../record.ts";
import {
  ATTRIBUTES_VERSION,
  AttributeField,
  AttributeValue,
  type FieldSummary,
  type TraceAttributes,
} from "../../records/evidence/attribute.ts";
import type { Evidence } from "../../records/evidence/evidence.ts";
import { Tier, weakestTier } from "../../tier.ts";
import { evidenceOf } from "../evidence.ts";
import { eid } from "../fields.ts";
import { findSecrets } from "../intake/secrets.ts";
import { secretReason } from "../reading/trace-reader.ts";

/** A record of traces; 404 where there is none, 422 for one of another kind. */
export async function traceEvidence(ctx: Ctx, id: string): Promise<Doc<typeof Evidence>> {
  const doc = await evidenceOf(ctx, id);
  if (doc.kind !== "traces")
    throw unprocessable("Only evidence of kind traces has attributes. evidence_list with kind traces lists it.");
  return doc;
}

/** What `evidence_attributes_post` takes. */
export const FileInput = z.object({
  eid,
  attributes: z
    .array(
      z.strictObject({
        trace: z.string().min(1).max(200).describe("The id of the trace."),
        values: z
          .record(
            AttributeField,
            z.strictObject({
              value: AttributeValue,
              cite: z.string().min(1).max(200).optional().describe("Where in the trace, such as `turns.0`."),
              tier: Tier.optional().describe("Who read it: a person, code or a model."),
            }),
          )
          .describe("By field."),
      }),
    )
    .min(1)
    .max(1000),
  extractor_model: z.string().min(1).max(200).optional().describe("The model that read them."),
  method: z.string().min(1).max(200).optional().describe("How code read them."),
});
export type FileInput = z.output<typeof FileInput>;

/**
 * Files what somebody read of traces, each value over the one of its trace and field. A value is of the tier it names, else
 * of a model's where one is named, of code's where a method is, else a person's; what a model read is never said to be more.
 * Nothing is written where one trace is not the record's.
 */
export async function fileAttributes(ctx: Ctx, input: FileInput) {
  const doc = await traceEvidence(ctx, input.eid);
  const secrets = await findSecrets(JSON.stringify(input.attributes));
  if (secrets.length > 0) throw unprocessable(`What was sent ${secretReason(secrets)}; nothing was filed.`);
  const { extractor_model: model, method } = input;
  const by = actor(ctx, undefined);
  const reader = (model ?? method ?? by).slice(0, 200);
  const traces = input.attributes.map(({ trace }) => trace);
  const places = await positionsOf(ctx, doc.id, traces, (i) => `attributes.${i}.trace`);
  const rows = input.attributes.flatMap(({ values }, i): AttributeRow[] =>
    Object.entries(values).map(([field, given]) => ({
      position: places[i]!,
      field,
      value: given.value,
      cite: given.cite ?? null,
      tier: model !== undefined ? "llm-derived" : (given.tier ?? (method === undefined ? "human" : "deterministic")),
      reader,
    })),
  );
  await ctx.store.attributes.put(doc.id, rows);
  await auditAct(ctx, "attributes_filed", { evidence: doc.id, traces: places.length, values: rows.length });
  return {
    _v: ATTRIBUTES_VERSION,
    id: doc.id,
    attributes: await fieldSummaries(ctx, doc.id),
    extracted: {
      traces: new Set(places).size,
      values: rows.length,
      extractor_model: model ?? null,
      method: method ?? null,
      tier: weakestTier(rows.map(({ tier }) => tier)) ?? "human",
    },
  };
}

/** The places of traces in their record, in the order named; those that are not in it are a 400 that says which, by its path. */
export async function positionsOf(
  ctx: Ctx,
  evidence: string,
  traces: readonly string[],
  path: (i: number) => string,
): Promise<number[]> {
  const places = new Map<string, number>();
  const wanted = new Set(traces);
  for await (const head of everyRow((page) => ctx.store.traces.heads(evidence, page))) {
    if (wanted.has(head.id)) places.set(head.id, head.position);
    if (places.size === wanted.size) break;
  }
  const unknown = traces.flatMap((trace, i): FieldError[] =>
    places.has(trace) ? [] : [{ path: path(i), message: "is no trace of this record" }],
  );
  if (unknown.length > 0)
    throw badRequest("The request has traces that the record does not hold; see fields.", {
      fields: unknown.slice(0, 20),
    });
  return traces.map((trace) => places.get(trace)!);
}

/**
 * A page of a record's traces with the attributes of each, as they are stored; a trace that nobody read has none. How far each
 * field is filled, over the whole record, is counted for the first page alone: of millions of attributes it takes a second.
 */
export async function readAttributes(ctx: Ctx, input: PageInput & { readonly eid: string }) {
  const doc = await traceEvidence(ctx, input.eid);
  const { items, next } = await ctx.store.traces.heads(doc.id, input);
  const traces = new Map<number, TraceAttributes>(
    items.map(({ id, position }) => [position, { trace: id, position, attributes: {} }]),
  );
  const range = { from: items[0]?.position ?? 0, before: (items.at(-1)?.position ?? -1) + 1 };
  for await (const row of everyRow((page) => ctx.store.attributes.list(doc.id, { ...page, ...range }))) {
    const { position, field, ...stored } = row;
    const trace = traces.get(position);
    if (trace) trace.attributes[field] = stored;
  }
  return {
    id: doc.id,
    org: ctx.org.tag,
    _v: ATTRIBUTES_VERSION,
    ...(input.cursor === undefined ? { fields: await fieldSummaries(ctx, doc.id) } : {}),
    attributes: [...traces.values()],
    ...(next === undefined ? {} : { next }),
  };
}

/** Every field of a record with its values over all traces, `placed` ones counted from there. Yields between fields. */
export async function fieldCounts(
  ctx: Ctx,
  evidence: string,
  placed: ReadonlyMap<string, readonly ValuePositions[]> = new Map(),
  named?: ReadonlySet<string>,
): Promise<Map<string, AttributeCount[]>> {
  const counts = new Map<string, AttributeCount[]>();
  for (const field of await ctx.store.attributes.fields(evidence)) {
    if (named?.has(field) === false) continue;
    const known = placed.get(field)?.map(({ value, tier, positions }) => ({ value, tier, n: positions.length }));
    counts.set(field, known ?? (await ctx.store.attributes.values(evidence, field)));
    if (!known) await setImmediate();
  }
  return counts;
}

/** How far a field is filled, from its counts. */
export function summaryOf(field: string, counts: readonly AttributeCount[], traces: number): FieldSummary {
  const filled = counts.reduce((sum, { n }) => sum + n, 0);
  return {
    field,
    filled,
    share: traces === 0 ? 0 : filled / traces,
    distinct: new Set(counts.map(({ value }) => value)).size,
    tier: weakestTier(counts.map(({ tier }) => tier)) ?? "deterministic",
  };
}

/** One more than the last place that has a value. */
export function lengthOf(placed: readonly ValuePositions[]): number {
  let length = 0;
  for (const { positions } of placed) for (const position of positions) length = Math.max(length, position + 1);
  return length;
}

async function fieldSummaries(ctx: Ctx, evidence: string): Promise<FieldSummary[]> {
  const traces = await ctx.store.traces.count(evidence);
  return [...(await fieldCounts(ctx, evidence))].map(([field, counts]) => summaryOf(field, counts, traces));
}
