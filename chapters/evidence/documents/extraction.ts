import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { countOf } from "../../count-of.ts";
import { conflict, notFound, unprocessable } from "../../errors.ts";
import { count } from "../../fields.ts";
import type { Doc } from "../../record.ts";
import { type Extraction, ExtractionMap } from "../../records/evidence/extraction.ts";
import { evidenceOf } from "../evidence.ts";
import { eid } from "../fields.ts";
import { documentsOf, everyPin, mapId, startDocuments } from "./extract-documents.ts";
import { startTraces } from "./extract-traces.ts";

/** What `evidence_extract` takes. */
export const ExtractRequest = z.object({
  eid,
  fresh: z.boolean().optional().describe("Traces that were read before too; not for documents."),
  limit: count.min(1).max(1_000_000).optional().describe("Most traces or documents to read; all when absent."),
  usd_cap: z.number().min(0).max(10_000).optional().describe("What a model may cost at most, US dollars."),
});
export type ExtractRequest = z.output<typeof ExtractRequest>;

/** Starts reading what nobody read of a record: attributes of traces, or documents. A pinned document is never read anew here. */
export async function startExtract(ctx: Ctx, input: ExtractRequest) {
  const doc = await evidenceOf(ctx, input.eid);
  if (doc.kind === "traces") return startTraces(ctx, doc, input);
  if (input.fresh === true)
    throw conflict("A document's pin is replaced by evidence_re_extract alone; leave fresh out.");
  return startDocuments(ctx, doc, { again: false, limit: input.limit, usd_cap: input.usd_cap });
}

/** Starts reading every document of a record anew: each gets a new pin in the place of the one before. */
export async function startReExtract(ctx: Ctx, input: { readonly eid: string }) {
  const doc = await evidenceOf(ctx, input.eid);
  if (doc.kind === "traces")
    throw unprocessable("Traces have no pins; read their attributes again with evidence_extract and fresh.");
  const { job, status, deduplicated, poll, evidence_id } = await startDocuments(ctx, doc, { again: true });
  return { job, status, deduplicated, poll, evidence_id };
}

type Pin = Doc<typeof Extraction>;

/** What `evidence_extraction_get` takes. */
export const ExtractionRequest = z.object({
  eid,
  cites: z.boolean().optional().describe("Whether the passages are answered too."),
  pin: z.string().min(1).max(200).optional().describe("One version, by its id."),
});

/**
 * What a record's documents contributed, as pinned: the pin asked for (or the one of a record of a single document), every
 * document with its pin, the map they share, every version, and pins whose text is not what it was. Passages only on request.
 */
export async function getExtraction(ctx: Ctx, input: z.output<typeof ExtractionRequest>) {
  const doc = await evidenceOf(ctx, input.eid);
  const documents = await documentsOf(ctx, doc);
  const pins = await everyPin(ctx, doc.id);
  const named = pins.find(({ id }) => id === input.pin);
  if (input.pin !== undefined && !named) throw notFound("pin");
  const current = new Map(pins.filter(({ state }) => state === "current").map((pin) => [pin.document, pin]));
  const [only] = documents.length === 1 ? [...current.values()] : [];
  const shown = named ?? only;
  const digests = new Map(documents.map(({ document, digest }) => [document, digest]));
  const map = await ctx.store.records.get(ExtractionMap, mapId(doc.id));
  const cited = shown ? [shown] : [...current.values()];
  return {
    id: doc.id,
    current: shown === undefined ? null : pinView(shown),
    documents: documents.map(({ document, title, text }) => {
      const pin = current.get(document);
      return {
        document,
        title: title ?? null,
        chars: text.length,
        pin: pin?.id ?? null,
        version: pin?.version ?? null,
        statements: pin?.statements.length ?? null,
      };
    }),
    map: map ? { pins: map.pins, values: map.values, drawn_at: map.created_at, tier: map.tier } : null,
    cites:
      input.cites === true
        ? cited.flatMap(({ id, document, statements }) =>
            statements.map(({ field, value, quote, at }) => ({ pin: id, document, field, value, quote, at })),
          )
        : [],
    orphaned: [...current.values()].flatMap(({ id, document, text_digest }) => {
      const digest = digests.get(document);
      if (digest === text_digest) return [];
      return [
        {
          pin: id,
          document,
          reason: digest === undefined ? "its document is gone" : "its document's text has changed",
        },
      ];
    }),
    versions: pins.toReversed().map((pin) => versionView(pin)),
    note:
      current.size === 0
        ? "Nothing was read of this yet; evidence_extract reads it."
        : `${current.size} of ${countOf(documents.length, "document is", "documents are")} pinned; evidence_re_extract alone replaces a pin.`,
  };
}

function versionView({
  id,
  document,
  version,
  state,
  superseded_by,
  created_at,
  by,
  model,
  prompt_version,
  usd,
  tier,
  statements,
}: Pin) {
  return {
    pin: id,
    document,
    version,
    state,
    superseded_by: superseded_by ?? null,
    created_at,
    by,
    model,
    prompt_version,
    usd,
    tier,
    statements: statements.length,
  };
}

function pinView(pin: Pin) {
  return {
    ...versionView(pin),
    chars: pin.chars,
    read_chars: pin.read_chars,
    says: pin.statements.map(({ field, value, at }) => ({ field, value, at })),
  };
}
