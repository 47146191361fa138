import { createHash } from "node:crypto";
import type { Ctx } from "../../context.ts";
import { AppError } from "../../errors.ts";
import type { Doc } from "../../record.ts";
import { detectProvenance } from "../provenance.ts";
import { DEFAULT_SURFACE, Evidence, EvidenceKey } from "../schema.ts";
import { keyId } from "../store-evidence.ts";
import { type RollingContent, RollingTrace, type StreamFacts } from "./rolling-schema.ts";

const DAY = 86_400;
/** Refusals kept with their reasons; all are counted. */
const REFUSALS_KEPT = 100;

type EvidenceDoc = Doc<typeof Evidence>;
type RollingDoc = Doc<typeof RollingTrace>;

/** A trace with its place in its rolling record. */
export interface Placed {
  readonly read: RollingDoc;
  readonly digest: string;
  readonly content: RollingContent;
  readonly told: NonNullable<RollingDoc["told"]>;
}

/**
 * Reads a trace and gives it a place in the rolling record of its service and UTC day, once: later spans keep it.
 * Undefined when the trace is not there, `gone` when its record is not.
 */
export async function placeFor(
  ctx: Ctx,
  id: string,
  contentOf: (doc: RollingDoc) => Promise<RollingContent>,
): Promise<Placed | "gone" | undefined> {
  const first = await ctx.store.records.get(RollingTrace, id);
  if (!first) return undefined;
  const early = first.told === undefined ? await contentOf(first) : undefined;
  if (early) {
    const day = Math.floor((early.startedAt ?? first.created_at) / DAY);
    const evidence = await recordFor(ctx, first.facts, early.service, day);
    const position = await nextPosition(ctx, evidence);
    // A place that another process took first is the one that counts; this one stays empty.
    const told = { evidence, row: ctx.id("tr"), position };
    await ctx.store.records.update(RollingTrace, id, (doc) =>
      doc.told === undefined ? { ...doc, told, row: told.row } : doc,
    );
  }
  const stored = await ctx.store.records.raw(RollingTrace.kind, id);
  const read = stored && (JSON.parse(stored.text) as RollingDoc);
  if (!stored || !read?.told) return undefined;
  if (!(await ctx.store.records.get(Evidence, read.told.evidence))) return "gone";
  const same = early && read.parts.length === first.parts.length && read.secrets.length === first.secrets.length;
  return { read, digest: stored.digest, content: same ? early : await contentOf(read), told: read.told };
}

/** The rolling record of a service and day, made by whoever is first. */
async function recordFor(ctx: Ctx, facts: StreamFacts, service: string, day: number): Promise<string> {
  const { by: _by, ...said } = facts;
  const key = keyId("rolling", JSON.stringify([said, service, day]));
  const known = await ctx.store.records.get(EvidenceKey, key);
  if (known) return known.evidence;
  const base = { created_at: ctx.now(), by: facts.by };
  const doc = emptyRecord({ ...base, id: ctx.id(Evidence.prefix) }, facts, { service, day });
  try {
    await ctx.store.records.apply([
      { op: "insert", kind: EvidenceKey, doc: { ...base, id: key, evidence: doc.id } },
      { op: "insert", kind: Evidence, doc },
    ]);
    return doc.id;
  } catch (cause) {
    const holder = await ctx.store.records.get(EvidenceKey, key);
    if (!holder || !(cause instanceof AppError) || cause.code !== "conflict") throw cause;
    return holder.evidence;
  }
}

function emptyRecord(
  base: Pick<EvidenceDoc, "id" | "created_at" | "by">,
  facts: StreamFacts,
  of: { readonly service: string; readonly day: number },
): EvidenceDoc {
  return {
    ...base,
    kind: "traces",
    format: "otlp",
    provenance: facts.provenance ?? "unknown",
    provenance_detected: facts.provenance === undefined,
    data_access: facts.access,
    digest: createHash("sha256").update(base.id).digest("hex"),
    surface: facts.surface ?? DEFAULT_SURFACE,
    stats: { traces: 0, calls: 0, tools: 0, bytes: 0, refused: 0, losses: {}, stripped_credentials: 0 },
    refused: [],
    detected: "otlp: spans that an exporter sent, put together by trace",
    method: "converter otlp, version 1",
    tier: "deterministic",
    origin: "push",
    rolling: { service: of.service, day: new Date(of.day * DAY * 1000).toISOString().slice(0, 10), next: 0, tools: [] },
    ...(facts.tag === undefined ? {} : { tag: facts.tag }),
    ...(facts.source === undefined ? {} : { source: facts.source }),
    ...(facts.pipeline === undefined ? {} : { pipeline: facts.pipeline }),
    ...(facts.author_member === undefined ? {} : { author_member: facts.author_member }),
  };
}

async function nextPosition(ctx: Ctx, evidence: string): Promise<number> {
  const doc = await ctx.store.records.update(Evidence, evidence, (given) =>
    given.rolling ? { ...given, rolling: { ...given.rolling, next: given.rolling.next + 1 } } : given,
  );
  if (!doc?.rolling) throw new AppError("internal", "A rolling record has no place for its traces.");
  return doc.rolling.next - 1;
}

/** Counts a trace that is stored, and marks it told, as one step. A `conflict` when spans came, or another was first, meanwhile. */
export async function countTold(ctx: Ctx, { read, digest, content, told }: Placed): Promise<void> {
  const { trace, losses, refused } = content;
  const counted = {
    traces: trace ? 1 : 0,
    calls: trace?.calls.length ?? 0,
    bytes: read.bytes,
    losses,
    ...(refused === undefined ? {} : { refused }),
  };
  const stored = await ctx.store.records.raw(Evidence.kind, told.evidence);
  if (!stored) throw new AppError("conflict", "The record of the trace is not there any more.");
  const after = counting(JSON.parse(stored.text) as EvidenceDoc, content, told, counted);
  await ctx.store.records.apply([
    { op: "put", kind: RollingTrace, doc: { ...read, state: "closed", told: { ...told, counted } }, expect: digest },
    { op: "put", kind: Evidence, doc: after, expect: stored.digest },
  ]);
}

type Told = NonNullable<RollingDoc["told"]>;
type Counted = NonNullable<Told["counted"]>;

function counting(doc: EvidenceDoc, { trace }: RollingContent, told: Told, now: Counted): EvidenceDoc {
  const before = told.counted;
  const { stats, rolling } = doc;
  const tools = [...new Set([...(rolling?.tools ?? []), ...(trace?.calls ?? []).map((call) => call.tool)])].sort();
  const line = told.position + 1;
  const others = doc.refused.filter((refusal) => refusal.line !== line);
  const refusals = now.refused === undefined ? others : [...others, { line, reason: now.refused }];
  const refusedBefore = before?.refused === undefined ? 0 : 1;
  const content = createHash("sha256")
    .update(doc.digest)
    .update(told.row)
    .update(JSON.stringify(trace ?? null));
  return {
    ...doc,
    ...(doc.provenance_detected && trace ? { provenance: detectProvenance(doc.format, trace.labels) } : {}),
    digest: content.digest("hex"),
    stats: {
      ...stats,
      traces: stats.traces + now.traces - (before?.traces ?? 0),
      calls: stats.calls + now.calls - (before?.calls ?? 0),
      bytes: stats.bytes + now.bytes - (before?.bytes ?? 0),
      refused: stats.refused + (now.refused === undefined ? 0 : 1) - refusedBefore,
      losses: summed(stats.losses, now.losses, before?.losses ?? {}),
      tools: tools.length,
    },
    refused: refusals.slice(0, REFUSALS_KEPT),
    ...(rolling ? { rolling: { ...rolling, tools, superseded: (rolling.superseded ?? 0) + (before ? 1 : 0) } } : {}),
  };
}

function summed(
  sum: Readonly<Record<string, number>>,
  plus: Readonly<Record<string, number>>,
  minus: Readonly<Record<string, number>>,
): Record<string, number> {
  const names = new Set([...Object.keys(sum), ...Object.keys(plus)]);
  const all = [...names].map((name) => [name, (sum[name] ?? 0) + (plus[name] ?? 0) - (minus[name] ?? 0)] as const);
  return Object.fromEntries(all.filter(([, n]) => n > 0));
}
