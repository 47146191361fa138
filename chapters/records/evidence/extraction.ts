import { z } from "zod";
import { recordBase, recordKind } from "../../record.ts";
import { Tier } from "../../tier.ts";

/** One thing that a document says, with the passage that says it. */
export const Statement = z.object({
  field: z.string(),
  value: z.string(),
  /** The passage, word for word. */
  quote: z.string(),
  /** Where the passage begins in the document, characters. */
  at: z.number().int(),
});

/** What one document contributed, as it was read. A pin stands until the document is read anew; it is marked then, never changed. */
export const Extraction = recordKind({
  kind: "extraction",
  prefix: "ex",
  schema: z.object({
    ...recordBase,
    evidence: z.string(),
    /** The document's id in its record, or its place from 1. */
    document: z.string(),
    title: z.string().optional(),
    /** Counts from 1 for each document. */
    version: z.number().int(),
    state: z.enum(["current", "superseded"]),
    superseded_by: z.string().optional(),
    /** SHA-256 of the text that was read. */
    text_digest: z.string(),
    statements: z.array(Statement),
    chars: z.number().int(),
    /** Characters that were read; fewer than `chars` where it is longer than a reader takes. */
    read_chars: z.number().int(),
    model: z.string().nullable(),
    prompt_version: z.string().nullable(),
    calls: z.array(z.string()),
    usd: z.number(),
    tier: Tier,
  }),
  fields: ["evidence", "document", "state"],
});

/** Which values a record's documents share, drawn from their current pins. One a record: its id is made of the record's. */
export const ExtractionMap = recordKind({
  kind: "extraction_map",
  prefix: "em",
  schema: z.object({
    ...recordBase,
    evidence: z.string(),
    pins: z.array(z.string()),
    values: z.array(
      z.object({
        field: z.string(),
        value: z.string(),
        documents: z.array(z.string()),
        spellings: z.array(z.string()),
      }),
    ),
    tier: Tier,
  }),
  fields: ["evidence"],
});
