import { createHash } from "node:crypto";
import { sha256 } from "../../../worlds/digest.ts";
import type { Ctx } from "../../context.ts";
import { AppError, conflict } from "../../errors.ts";
import type { Doc } from "../../record.ts";
import { DEFAULT_SURFACE, Evidence, EvidenceKey } from "../../records/evidence/evidence.ts";
import { RollingTrace, type StreamFacts } from "../../records/evidence/rolling.ts";
import { detectProvenance } from "../intake/provenance.ts";
import { keyId } from "../intake/store-evidence.ts";
import type { RollingContent } from "./read-spans.ts";

const DAY = 86_400;
/** Refusals kept with their reasons; all are counted. */
const REFUSALS_KEPT = 100;

type EvidenceDoc = Doc<typeof Evidence>;
type RollingDoc = Doc<typeof RollingTrace>;

/** A trace as it was read, with what its spans come to. */
export interface ReadRolling {
  readonly doc: RollingDoc;
  readonly digest: string;
  readonly content: RollingContent;
}

type RollingProgress = NonNullable<RollingDoc["told"]>;
type Counted = NonNullable<RollingProgress["counted"]>;

/** A trace with its place in its rolling record. */
export interface PlacedRolling extends ReadRolling {
  readonly told: RollingProgress;
}

/** The id of the rolling record of a trace's service and UTC day, made by whoever is first. */
export async function recordFor(ctx: Ctx, { doc: { facts, created_at }, content }: ReadRolling): Promise<string> {
  const { service } = content;
  const day = Math.floor((content.startedAt ?? created_at) / DAY);
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

/** Assigns new traces their positions in the record; later spans keep them. A `conflict` when others wrote meanwhile. */
export async function place(ctx: Ctx, evidence: string, group: readonly ReadRolling[]): Promise<PlacedRolling[]> {
  const { doc, digest } = await recordNow(ctx, evidence);
  const { rolling } = doc;
  if (!rolling) throw new AppError("internal", "A rolling record has no place for its traces.");
  const fresh = group.filter((read) => read.doc.told === undefined);
  const placed = fresh.map((read, i) => {
    const told = { evidence, row: ctx.id("tr"), position: rolling.next + i };
    return { ...read.doc, told, row: told.row };
  });
  if (fresh.length > 0)
    await ctx.store.records.apply([
      ...placed.map((next, i) => ({
        op: "put" as const,
        kind: RollingTrace,
        doc: next,
        expect: fresh[i]?.digest ?? "",
      })),
      {
        op: "put",
        kind: Evidence,
        doc: { ...doc, rolling: { ...rolling, next: rolling.next + fresh.length } },
        expect: digest,
      },
    ]);
  const found: PlacedRolling[] = [];
  for (const read of group) {
    const stored = read.doc.told ? undefined : await ctx.store.records.raw(RollingTrace.kind, read.doc.id);
    const now = stored ? (JSON.parse(stored.text) as RollingDoc) : read.doc;
    // Spans that came meanwhile are not in what was read.
    if (!now.told || now.parts.length !== read.doc.parts.length || now.secrets.length !== read.doc.secrets.length)
      throw conflict("Spans of the trace arrived while it was being counted.");
    found.push({ doc: now, digest: stored?.digest ?? read.digest, content: read.content, told: now.told });
  }
  return found;
}

async function recordNow(ctx: Ctx, id: string): Promise<{ readonly doc: EvidenceDoc; readonly digest: string }> {
  const stored = await ctx.store.records.raw(Evidence.kind, id);
  if (!stored) throw conflict("The record of the trace is not there any more.");
  return { doc: JSON.parse(stored.text) as EvidenceDoc, digest: stored.digest };
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
    digest: sha256(base.id),
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

/** Counts traces that are stored, and marks them told, as one step. A `conflict` when spans came, or another was first, meanwhile. */
export async function countReported(ctx: Ctx, evidence: string, placed: readonly PlacedRolling[]): Promise<void> {
  if (placed.length === 0) return;
  const { doc, digest } = await recordNow(ctx, evidence);
  const counted = placed.map((each) => ({ ...each, now: countedOf(each) }));
  await ctx.store.records.apply([
    ...counted.map(({ doc: given, digest: expect, told, now }) => ({
      op: "put" as const,
      kind: RollingTrace,
      doc: { ...given, state: "closed", told: { ...told, counted: now } },
      expect,
    })),
    {
      op: "put",
      kind: Evidence,
      doc: counted.reduce((sum, { content, told, now }) => counting(sum, content, told, now), doc),
      expect: digest,
    },
  ]);
}

function countedOf({ doc, content: { trace, losses, refused } }: PlacedRolling): Counted {
  return {
    traces: trace ? 1 : 0,
    calls: trace?.packed.calls ?? 0,
    bytes: doc.bytes,
    losses,
    ...(refused === undefined ? {} : { refused }),
  };
}

function counting(doc: EvidenceDoc, { trace }: RollingContent, told: RollingProgress, now: Counted): EvidenceDoc {
  const before = told.counted;
  const { stats, rolling } = doc;
  const tools = [...new Set([...(rolling?.tools ?? []), ...(trace?.tools ?? [])])].sort();
  const line = told.position + 1;
  const others = doc.refused.filter((refusal) => refusal.line !== line);
  const refusals = now.refused === undefined ? others : [...others, { line, reason: now.refused }];
  const refusedBefore = before?.refused === undefined ? 0 : 1;
  const content = createHash("sha256")
    .update(doc.digest)
    .update(told.row)
    .update(trace?.packed.digest ?? "");
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
