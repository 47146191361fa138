import { z } from "zod";
import { actor, type Ctx, type RequestBody } from "../../context.ts";
import { badField, forbidden } from "../../errors.ts";
import { words } from "../../fields.ts";
import { invalidInput } from "../../invalid-input.ts";
import { DataAccess, EvidenceKind, Provenance } from "../../records/evidence/evidence.ts";
import { type FileAnswer, Reply } from "../../reply.ts";
import { MAX_VALUE_BYTES, once, readAll } from "../reading/bytes.ts";
import { LINE_TYPES } from "../reading/source.ts";
import { type EvidenceView, evidenceView } from "../view.ts";
import { deriveOf, sourceName } from "../view-context.ts";
import { PROTOBUF_TYPES, takeExport } from "./otlp-export.ts";
import { mayKeep, sourceAccess } from "./source-access.ts";
import { type EvidenceFacts, type StoredEvidence, storeEvidence } from "./store-evidence.ts";

/** What is said of evidence when it is sent; the fields of the envelope, and the query of a raw body. */
export const postFields = {
  kind: EvidenceKind.optional().describe("What it is; found out when absent."),
  format: words(40).optional().describe("Its format; found out when absent, and told in `method`."),
  content: z
    .union([z.string(), z.array(z.unknown()), z.record(z.string(), z.unknown())])
    .optional()
    .describe("The evidence as text or JSON; a PDF, archive or compressed file as base64."),
  provenance: Provenance.optional().describe("Where it comes from; decided by rule when absent, and told."),
  surface: words(100).optional().describe("The surface it belongs to; `main` when absent."),
  source: words(100).optional().describe("The id of the source it came through."),
  tag: words(100).optional().describe("A label to find the record by."),
  pipeline: words(100).optional().describe("The sender's own name for where it was made."),
  progress: z
    .boolean()
    .optional()
    .describe("Whether to tell how far the reading is while the call waits; yes when absent."),
  data_access: DataAccess.optional().describe("anonymized: keyed pseudonyms; shapes: types only; full when absent."),
  idempotency_key: words(200).optional().describe("The same key stores once and answers the first record."),
  author: words(200).optional().describe("Who sends it; the caller's name when absent."),
  author_member: words(100).optional().describe("Id of the member who sends it."),
  bytes: z
    .number()
    .int()
    .nonnegative()
    .optional()
    .describe("How many bytes the content has; where others arrive, nothing is stored."),
  sha256: z
    .string()
    .regex(/^[0-9a-fA-F]{64}$/, "is 64 hexadecimal digits")
    .optional()
    .describe("SHA-256 of the content's bytes, hexadecimal; nothing is stored if others arrive."),
  allow_secrets: z
    .boolean()
    .optional()
    .describe("Take traces that hold secrets as they are, instead of refusing them."),
};

const Envelope = z.object({ org: z.string().optional(), ...postFields }).strict();
type PostInput = z.infer<typeof Envelope>;

const ENVELOPE_KEYS: ReadonlySet<string> = new Set(Object.keys(Envelope.shape));

/**
 * Stores evidence. The content stands in the input (MCP, or a JSON envelope over REST) or is the raw body itself:
 * a file, JSON lines, gzip of either, or an OpenTelemetry export, which is answered in its own form.
 */
export async function postEvidence(ctx: Ctx, input: PostInput): Promise<Reply<EvidenceView> | Reply<FileAnswer>> {
  if (input.content !== undefined || ctx.body === undefined) return storeContent(ctx, input);
  const { type } = ctx.body;
  if (type !== undefined && PROTOBUF_TYPES.has(type)) return takeExport(ctx, ctx.body, await factsOf(ctx, input, type));
  const body = new PeekedBody(ctx.body);
  const key = await body.firstKey();
  const lines = type !== undefined && LINE_TYPES.has(type);
  if (!lines && key !== undefined && ENVELOPE_KEYS.has(key)) {
    const bytes = await readAll(body.bytes(), MAX_VALUE_BYTES);
    const envelope = envelopeOf(bytes);
    if (envelope !== undefined) return storeContent(ctx, { ...input, ...checkedEnvelope(ctx, envelope) });
    return answered(ctx, await storeEvidence(ctx, once(bytes), await factsOf(ctx, input, type)));
  }
  const exported = key === "resourceSpans" && input.format === undefined && input.kind === undefined;
  if (exported) return takeExport(ctx, { type, bytes: body.bytes() }, await factsOf(ctx, input, type));
  return answered(ctx, await storeEvidence(ctx, body.bytes(), await factsOf(ctx, input, type)));
}

async function storeContent(ctx: Ctx, input: PostInput): Promise<Reply<EvidenceView>> {
  const { content } = input;
  if (content === undefined) throw badField("content", "is missing");
  if (typeof content !== "string" && (input.bytes ?? input.sha256) !== undefined)
    throw badField("content", "is compared with bytes and sha256 as text; send it as text");
  const bytes = typeof content === "string" ? bytesOf(content) : Buffer.from(JSON.stringify(content));
  return answered(ctx, await storeEvidence(ctx, once(bytes), await factsOf(ctx, input, undefined)));
}

/** What PDF files, archives and compressed files begin with, in base64. */
const BASE64_FILE = /^(?:JVBERi0|UEsDB|H4sI|KLUv\/)[A-Za-z0-9+/\s]*={0,2}\s*$/;

function bytesOf(content: string): Buffer {
  return BASE64_FILE.test(content) ? Buffer.from(content, "base64") : Buffer.from(content);
}

async function answered(ctx: Ctx, { doc, ids, stored }: StoredEvidence): Promise<Reply<EvidenceView>> {
  const beside = { sourceName: await sourceName(ctx, doc.source), derive: await deriveOf(ctx, doc) };
  return new Reply(stored ? 201 : 200, evidenceView(ctx.org.tag, doc, { ids, digest: doc.digest, ...beside }));
}

async function factsOf(ctx: Ctx, input: PostInput, type: string | undefined): Promise<EvidenceFacts> {
  await mayKeep(ctx, input.source);
  return {
    type,
    kind: input.kind,
    format: input.format,
    allowSecrets: input.allow_secrets,
    by: actor(ctx, input.author),
    provenance: input.provenance,
    privacy: await sourceAccess(ctx, input.source, input.data_access),
    surface: input.surface,
    source: input.source,
    tag: input.tag,
    pipeline: input.pipeline,
    authorMember: input.author_member,
    idempotencyKey: input.idempotency_key,
    declared: { bytes: input.bytes, sha256: input.sha256?.toLowerCase() },
    progress: input.progress,
  };
}

/** The body as an envelope: an object of its fields with `content` among them. Undefined: the body is the evidence itself. */
function envelopeOf(bytes: Buffer): Record<string, unknown> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8"));
  } catch {
    return undefined;
  }
  const fields = value as Record<string, unknown>;
  const keys = Object.keys(fields);
  const mostlyKnown = keys.filter((key) => ENVELOPE_KEYS.has(key)).length * 2 > keys.length;
  return "content" in fields &&
    !("role" in fields) &&
    mostlyKnown &&
    ("kind" in fields || "format" in fields || keys.every((key) => ENVELOPE_KEYS.has(key)))
    ? fields
    : undefined;
}

function checkedEnvelope(ctx: Ctx, given: Record<string, unknown>): PostInput {
  const envelope = Envelope.safeParse(given);
  if (!envelope.success) throw invalidInput(envelope.error);
  if (envelope.data.org !== undefined && envelope.data.org !== ctx.org.tag) {
    throw forbidden("This token belongs to another org than the one the call names.");
  }
  return envelope.data;
}

const PEEKED = 4096;

/** A body whose beginning can be looked at before it is read. */
class PeekedBody {
  readonly #given: AsyncIterator<Uint8Array>;
  #head = Buffer.alloc(0);

  constructor(body: RequestBody) {
    this.#given = body.bytes[Symbol.asyncIterator]();
  }

  /** The first member's name where the body begins as a JSON object. */
  async firstKey(): Promise<string | undefined> {
    while (this.#head.length < PEEKED) {
      const next = await this.#given.next();
      if (next.done) break;
      this.#head = Buffer.concat([this.#head, next.value]);
    }
    return /^\ufeff?\s*\{\s*"([^"\\]{1,100})"\s*:/.exec(this.#head.toString("utf8", 0, PEEKED))?.[1];
  }

  async *bytes(): AsyncGenerator<Uint8Array> {
    if (this.#head.length > 0) yield this.#head;
    try {
      for (let next = await this.#given.next(); !next.done; next = await this.#given.next()) yield next.value;
    } finally {
      await this.#given.return?.();
    }
  }
}
