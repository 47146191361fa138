import type { ToolDefinition } from "../../../worlds/bundle.ts";
import { sha256 } from "../../../worlds/digest.ts";
import type { Ctx } from "../../context.ts";
import { countOf } from "../../count-of.ts";
import { AppError } from "../../errors.ts";
import type { NewTrace } from "../../ports/store.ts";
import type { Doc } from "../../record.ts";
import type { CanonicalTrace } from "../../records/evidence/evidence.ts";
import { DEFAULT_SURFACE, Evidence, EvidenceDraft, EvidenceKey } from "../../records/evidence/evidence.ts";
import { contentBytes, readToolListing } from "../documents/contents.ts";
import { diffListings, listingWords } from "../listing-diff.ts";
import { CountedBody, type DeclaredBytes } from "../reading/counted-body.ts";
import { type Hints, type OpenEvidence, openEvidence } from "../reading/evidence.ts";
import type { Tally } from "../reading/tally.ts";
import { detectProvenance, type ProvenanceKind } from "./provenance.ts";

/** What one transaction writes: about so many traces, from about so many bytes at most. */
const BATCH = 256;
const BATCH_BYTES = 16 * 1024 * 1024;
/** A draft as old as this was left behind by a crash, seconds. */
const DRAFT_LIFE = 3600;
const IDS_ANSWERED = 100;

/** What the sender says of a body of evidence. */
export interface EvidenceFacts extends Hints {
  readonly by: string;
  readonly provenance?: ProvenanceKind | undefined;
  readonly surface?: string | undefined;
  readonly source?: string | undefined;
  readonly tag?: string | undefined;
  readonly pipeline?: string | undefined;
  readonly authorMember?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly origin?: "push" | "pull" | undefined;
  /** What the sender says of the bytes; where others arrive nothing is kept. */
  readonly declared?: DeclaredBytes | undefined;
  /** Whether a waiting caller hears how far the reading is; yes when absent. */
  readonly progress?: boolean | undefined;
}

/** The record that holds the body, and whether it was made now. */
export interface StoredEvidence {
  readonly doc: Doc<typeof Evidence>;
  readonly ids: readonly string[];
  readonly stored: boolean;
}

/**
 * Reads and stores a body of evidence as one record, seen only when it is whole. The same bytes (for one surface) or
 * the same idempotency key answer the first record and write nothing. Throws AppError when nothing of it can be taken.
 */
export async function storeEvidence(
  ctx: Ctx,
  bytes: AsyncIterable<Uint8Array>,
  facts: EvidenceFacts,
): Promise<StoredEvidence> {
  const byKey =
    facts.idempotencyKey === undefined ? undefined : await holderOf(ctx, keyId("key", facts.idempotencyKey));
  if (byKey) return known(ctx, byKey);
  const body = new CountedBody(bytes, facts.declared);
  const early = await body.digestOfSmall();
  const before = early === undefined ? undefined : await holderOf(ctx, bytesKey(early, facts));
  if (before) return known(ctx, before);
  await clearOldDrafts(ctx);
  const id = ctx.id(Evidence.prefix);
  const open = await openEvidence(body, facts, ctx.compute);
  try {
    const read =
      open.format.kind === "traces"
        ? await storeTraces(ctx, id, open, facts, early === undefined)
        : await storeContents(ctx, open, body);
    if (read.admitted === 0) throw nothingTaken(open);
    return await finish(ctx, id, open, facts, body, read);
  } catch (cause) {
    await discard(ctx, id);
    throw cause;
  }
}

interface ReadParts {
  readonly admitted: number;
  readonly ids: readonly string[];
  readonly calls: number;
  readonly tools: number;
  /** Labels of the first trace. */
  readonly first?: CanonicalTrace["labels"] | undefined;
  /** The tools of a listing. */
  readonly listing?: readonly ToolDefinition[];
  readonly fields: Pick<Doc<typeof Evidence>, "blob" | "tables" | "document">;
  /** Traces of a body so small that they are written with their record; of a larger one a draft stands for what was written. */
  readonly unwritten?: readonly NewTrace[];
}

async function storeTraces(
  ctx: Ctx,
  id: string,
  open: OpenEvidence,
  facts: EvidenceFacts,
  large: boolean,
): Promise<ReadParts> {
  let drafted = false;
  const tools = new Set<string>();
  const ids: string[] = [];
  let rows: NewTrace[] = [];
  let bytes = 0;
  let writing: Promise<void> = Promise.resolve();
  let position = 0;
  let calls = 0;
  let first: ReadParts["first"];
  try {
    for await (const batch of open.batches(large ? ctx.compute : undefined)) {
      ctx.signal.throwIfAborted();
      first ??= batch.first;
      calls += batch.calls;
      for (const tool of batch.tools) tools.add(tool);
      for (const trace of batch.traces) {
        const row = { id: ctx.id("tr"), evidence: id, position: position++, ...trace };
        if (ids.length < IDS_ANSWERED) ids.push(row.id);
        rows.push(row);
      }
      bytes += batch.bytes;
      if (rows.length < BATCH && bytes < BATCH_BYTES) continue;
      if (!drafted) await ctx.store.records.insert(EvidenceDraft, { id, created_at: ctx.now(), by: facts.by });
      drafted = true;
      // One batch is written while the next is read.
      await writing;
      writing = ctx.store.traces.append(rows);
      writing.catch(() => {});
      rows = [];
      bytes = 0;
      if (facts.progress !== false) ctx.progress(position, undefined, `${countOf(position, "trace")} read`);
    }
  } finally {
    // Nothing may be written after a failed reading is cleared away.
    await writing.catch(() => {});
  }
  await writing;
  if (drafted && rows.length > 0) await ctx.store.traces.append(rows);
  const unwritten = drafted ? {} : { unwritten: rows };
  return { admitted: position, ids, calls, tools: tools.size, first, fields: {}, ...unwritten };
}

async function storeContents(ctx: Ctx, open: OpenEvidence, body: CountedBody): Promise<ReadParts> {
  if (open.format.kind === "tool_listing") {
    const tools = await open.tools();
    await body.whole();
    const blob = tools.length === 0 ? undefined : await ctx.store.blobs.put(contentBytes({ tools }));
    return {
      admitted: tools.length,
      ids: [],
      calls: 0,
      tools: tools.length,
      listing: tools,
      fields: blob === undefined ? {} : { blob },
    };
  }
  if (open.format.kind === "http_capture") {
    const exchanges = await open.capture();
    await body.whole();
    const blob = exchanges.length === 0 ? undefined : await ctx.store.blobs.put(contentBytes({ exchanges }));
    const fields = blob === undefined ? {} : { blob };
    return { admitted: exchanges.length, ids: [], calls: exchanges.length, tools: 0, fields };
  }
  const content = await open.document();
  await body.whole();
  const admitted = content.texts.length + content.tables.length;
  if (admitted === 0) return { admitted, ids: [], calls: 0, tools: 0, fields: {} };
  const title = content.texts.find((text) => text.title !== undefined)?.title;
  const chars = content.texts.reduce((sum, { text }) => sum + text.length, 0);
  const tables = content.tables.map(({ name, columns, rows }) => ({ name, rows: rows.length, columns: [...columns] }));
  const blob = await ctx.store.blobs.put(contentBytes(content));
  const document =
    content.texts.length === 0
      ? {}
      : {
          document: {
            ...(title === undefined ? {} : { title: title.slice(0, 300) }),
            texts: content.texts.length,
            chars,
          },
        };
  return {
    admitted,
    ids: [],
    calls: 0,
    tools: 0,
    fields: { blob, ...document, ...(tables.length === 0 ? {} : { tables }) },
  };
}

async function finish(
  ctx: Ctx,
  id: string,
  open: OpenEvidence,
  facts: EvidenceFacts,
  body: CountedBody,
  read: ReadParts,
): Promise<StoredEvidence> {
  const { digest, length } = await body.whole();
  const base = { created_at: ctx.now(), by: facts.by };
  const { tally, format } = open;
  const warnings = [...open.warnings, ...(await compareListings(ctx, facts, read))];
  const doc: Doc<typeof Evidence> = {
    ...base,
    id,
    kind: format.kind,
    format: format.name,
    provenance: facts.provenance ?? detectProvenance(format.name, read.first),
    provenance_detected: facts.provenance === undefined,
    data_access: facts.privacy?.access ?? "full",
    digest,
    surface: facts.surface ?? DEFAULT_SURFACE,
    stats: {
      traces: format.kind === "traces" ? read.admitted : 0,
      calls: read.calls,
      tools: read.tools,
      bytes: length,
      refused: tally.refusedCount,
      losses: tally.losses,
      stripped_credentials: tally.strippedCredentials,
    },
    refused: tally.refused,
    detected: open.detected,
    ...(warnings.length === 0 ? {} : { warnings }),
    method: `converter ${format.name}, version 1`,
    tier: "deterministic",
    origin: facts.origin ?? "push",
    ...read.fields,
    ...(facts.idempotencyKey === undefined ? {} : { idempotency_key: facts.idempotencyKey }),
    ...(facts.privacy?.ref === undefined ? {} : { anon_key_ref: facts.privacy.ref }),
    ...(facts.tag === undefined ? {} : { tag: facts.tag }),
    ...(facts.source === undefined ? {} : { source: facts.source }),
    ...(facts.pipeline === undefined ? {} : { pipeline: facts.pipeline }),
    ...(facts.authorMember === undefined ? {} : { author_member: facts.authorMember }),
  };
  const keys = [
    bytesKey(digest, facts),
    ...(facts.idempotencyKey === undefined ? [] : [keyId("key", facts.idempotencyKey)]),
  ];
  try {
    const drafted = format.kind === "traces" && read.unwritten === undefined;
    await ctx.store.records.apply(
      [
        ...keys.map((key) => ({ op: "insert" as const, kind: EvidenceKey, doc: { ...base, id: key, evidence: id } })),
        { op: "insert", kind: Evidence, doc },
        ...(drafted ? [{ op: "delete" as const, kind: EvidenceDraft, id }] : []),
      ],
      read.unwritten,
    );
  } catch (cause) {
    const holder = cause instanceof AppError && cause.code === "conflict" ? await firstHolder(ctx, keys) : undefined;
    if (!holder) throw cause;
    await discard(ctx, id);
    return known(ctx, holder);
  }
  return { doc, ids: read.ids, stored: true };
}

/** What is said of a listing beside others of its surface. A source's newer listing takes the place of its own earlier one. */
async function compareListings(ctx: Ctx, facts: EvidenceFacts, { listing }: ReadParts): Promise<string[]> {
  if (listing === undefined) return [];
  const where = { kind: "tool_listing", surface: facts.surface ?? DEFAULT_SURFACE };
  const { items } = await ctx.store.records.list(Evidence, { where, order: "oldest", limit: 500 });
  const standing = items.filter(
    ({ superseded_by, source }) => superseded_by === undefined && (source === undefined || source !== facts.source),
  );
  const earlier = await Promise.all(standing.map((row) => readToolListing(ctx, row)));
  const diff = diffListings([...earlier, listing]);
  return diff === undefined ? [] : [listingWords(diff)];
}

/** The 422 of a body that gave nothing, with what it counted. */
export class NothingTaken extends AppError {
  readonly tally: Tally;
  constructor(tally: Tally, reason: string) {
    super("unprocessable", reason);
    this.tally = tally;
  }
}

/** What was refused of a body that gave nothing: the first reason, with its place. */
function nothingTaken({ tally, format }: OpenEvidence): NothingTaken {
  const first = tally.refused[0];
  if (!first) return new NothingTaken(tally, `The content was read as ${format.name} and holds nothing to take.`);
  return new NothingTaken(
    tally,
    `Nothing could be taken; ${tally.refusedCount} refused. The first, item ${first.line}: ${first.reason}.`,
  );
}

async function discard(ctx: Ctx, id: string): Promise<void> {
  await ctx.store.traces.deleteEvidence(id);
  await ctx.store.records.delete(EvidenceDraft, id);
}

async function clearOldDrafts(ctx: Ctx): Promise<void> {
  const { items } = await ctx.store.records.list(EvidenceDraft, { order: "oldest", limit: 20 });
  for (const draft of items) if (draft.created_at < ctx.now() - DRAFT_LIFE) await discard(ctx, draft.id);
}

/** The id of the key that stands for a value: who inserts it first holds it. */
export function keyId(kind: "key" | "bytes" | "rolling", value: string): string {
  return `${EvidenceKey.prefix}_${sha256(JSON.stringify([kind, value])).slice(0, 40)}`;
}

/** Bytes are the same where they would be read the same: for one surface and data access, with or without secrets allowed. */
function bytesKey(digest: string, facts: EvidenceFacts): string {
  const access = facts.privacy === undefined ? [] : [facts.privacy.access];
  const read = [digest, facts.surface ?? DEFAULT_SURFACE, facts.allowSecrets === true, ...access];
  return keyId("bytes", JSON.stringify(read));
}

async function holderOf(ctx: Ctx, key: string): Promise<Doc<typeof Evidence> | undefined> {
  const found = await ctx.store.records.get(EvidenceKey, key);
  return found && (await ctx.store.records.get(Evidence, found.evidence));
}

async function firstHolder(ctx: Ctx, keys: readonly string[]): Promise<Doc<typeof Evidence> | undefined> {
  for (const key of keys) {
    const holder = await holderOf(ctx, key);
    if (holder) return holder;
  }
  return undefined;
}

async function known(ctx: Ctx, doc: Doc<typeof Evidence>): Promise<StoredEvidence> {
  const heads = await ctx.store.traces.heads(doc.id, { limit: IDS_ANSWERED });
  return { doc, ids: heads.items.map((head) => head.id), stored: false };
}
