import { sha256 } from "../../../worlds/digest.ts";
import type { Ctx } from "../../context.ts";
import { AppError, unavailable } from "../../errors.ts";
import { type Doc, idOfValue } from "../../record.ts";
import { RollingSpans, RollingTrace, type StreamFacts } from "../../records/evidence/rolling.ts";
import { type Span, spansOf } from "../formats/otlp/span.ts";
import { findSecrets, isCredentialHeader } from "../intake/secrets.ts";
import { secretReason } from "../reading/trace-reader.ts";

/** Spans of one trace beyond these are rejected: no session is so long, and a trace is put together in memory. */
const MOST_SPANS = 50_000;
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_PARTS = 10_000;
const DAY = 86_400;

/** What became of the spans of a post. */
export interface Received {
  readonly rejected: number;
  /** Why, of the first that was rejected; no text of the spans. Empty when none was. */
  readonly message: string;
}

/**
 * Keeps the spans of an export until their traces are whole. Spans that stand already change nothing, so that a post
 * can be sent again; two posts of one trace at once keep both.
 */
export async function receiveSpans(ctx: Ctx, request: unknown, facts: StreamFacts): Promise<Received> {
  const traces = new Map<string, Span[]>();
  const rejections: { readonly n: number; readonly why: string }[] = [];
  let nameless = 0;
  for (const span of spansOf(request, 1) ?? []) {
    if (!isId(span.trace) || !isId(span.id)) nameless++;
    else traces.set(span.trace, [...(traces.get(span.trace) ?? []), withoutHeaders(span)]);
  }
  if (nameless > 0) rejections.push({ n: nameless, why: "a span without a trace id or a span id" });
  const kept = await Promise.all(
    [...traces].map(async ([trace, spans]) => ({ n: spans.length, why: await keep(ctx, trace, spans, facts) })),
  );
  for (const { n, why } of kept) if (why !== undefined) rejections.push({ n, why });
  return { rejected: rejections.reduce((sum, { n }) => sum + n, 0), message: rejections[0]?.why ?? "" };
}

/** Ids as the protocol has them are hexadecimal; others are taken as they are, all zeros and nothing at all are none. */
function isId(id: string): boolean {
  return id !== "" && id !== "undefined" && id !== "null" && !/^0+$/.test(id);
}

const HEADER = /^http\.(?:request|response)\.header\.(.+)$/;

function withoutHeaders(span: Span): Span {
  const kept = Object.entries(span.attributes).filter(([name]) => {
    const header = HEADER.exec(name)?.[1];
    return header === undefined || !isCredentialHeader(header.replaceAll("_", "-"));
  });
  return { ...span, attributes: Object.fromEntries(kept) };
}

/** How often spans are written again when others wrote to their trace at the same time. */
const TRIES = 100;

/** Keeps spans of one trace; answers why not. Throws AppError `unavailable` when too many others write to the trace. */
async function keep(ctx: Ctx, trace: string, spans: readonly Span[], facts: StreamFacts): Promise<string | undefined> {
  const { by: _by, ...said } = facts;
  const id = idOfValue(RollingTrace, JSON.stringify(said), trace);
  const text = JSON.stringify(spans);
  const secrets = facts.allow_secrets ? [] : await findSecrets(text);
  const part = secrets.length > 0 ? undefined : partOf(ctx, id, text, facts);
  const news: News = { at: ctx.now(), spans, bytes: text.length, part: part?.id, secrets };
  const refused = secrets.length > 0 ? `a span ${secretReason(secrets)}` : undefined;
  for (let n = 0; n < TRIES; n++) {
    const stored = await ctx.store.records.raw(RollingTrace.kind, id);
    const doc = stored ? (JSON.parse(stored.text) as RollingDoc) : empty(id, news.at, facts);
    const why = refusalOf(doc, news);
    if (why !== undefined) return why;
    const next = joined(doc, news);
    if (next === doc) return refused;
    try {
      // As one step: spans that no trace knows of would stay for ever.
      await ctx.store.records.apply([
        ...(part === undefined ? [] : [{ op: "put" as const, kind: RollingSpans, doc: part }]),
        stored
          ? { op: "put", kind: RollingTrace, doc: next, expect: stored.digest }
          : { op: "insert", kind: RollingTrace, doc: next },
      ]);
      return refused;
    } catch (cause) {
      if (!(cause instanceof AppError) || cause.code !== "conflict") throw cause;
    }
  }
  throw unavailable("Too many posts hold spans of one trace at once; send this one again.");
}

function partOf(ctx: Ctx, trace: string, text: string, facts: StreamFacts): Doc<typeof RollingSpans> {
  const sealed = facts.access !== "full";
  const id = idOfValue(RollingSpans, trace, sha256(text));
  const spans = sealed ? ctx.sealer.seal(text) : text;
  return { id, created_at: ctx.now(), by: facts.by, trace, sealed, spans };
}

type RollingDoc = Doc<typeof RollingTrace>;

interface News {
  /** When they came, unix seconds. */
  readonly at: number;
  readonly spans: readonly Span[];
  readonly bytes: number;
  readonly part: string | undefined;
  readonly secrets: readonly string[];
}

function empty(id: string, at: number, facts: StreamFacts): RollingDoc {
  return {
    id,
    created_at: at,
    by: facts.by,
    state: "open",
    facts,
    last_at: at,
    root_ended: false,
    spans: 0,
    bytes: 0,
    parts: [],
    secrets: [],
    goes_on: goesOn(at),
  };
}

function refusalOf(doc: RollingDoc, { spans, bytes, part }: News): string | undefined {
  if (doc.state === "erased") return "a span of a trace that was erased";
  if (part !== undefined && doc.parts.includes(part)) return undefined;
  const over =
    doc.spans + spans.length > MOST_SPANS || doc.bytes + bytes > MOST_BYTES || doc.parts.length >= MOST_PARTS;
  return over ? "a span of a trace that is larger than can be put together" : undefined;
}

function joined(doc: RollingDoc, { at: now, spans, bytes, part, secrets }: News): RollingDoc {
  const known = part === undefined ? secrets.every((kind) => doc.secrets.includes(kind)) : doc.parts.includes(part);
  if (known) return doc;
  const at = Math.max(doc.last_at, now);
  return {
    ...doc,
    state: "open",
    last_at: at,
    goes_on: goesOn(at),
    root_ended: doc.root_ended || spans.some((span) => span.parent === undefined && span.end !== undefined),
    ...(part === undefined
      ? { secrets: [...new Set([...doc.secrets, ...secrets])].sort() }
      : { parts: [...doc.parts, part], spans: doc.spans + spans.length, bytes: doc.bytes + bytes }),
  };
}

/** Spans stay a whole day after the newest: exporters that lost their connection send late. */
function goesOn(at: number): number {
  return Math.floor(at / DAY) + 2;
}
