import { z } from "zod";
import { recordBase, recordKind } from "../../record.ts";

/** What a reconversion came to so far, by trace. */
export const ReconvertCounts = z.object({
  /** Written over: what was pulled converts to something else now. */
  changed: z.number().int(),
  unchanged: z.number().int(),
  /** Older than the vendor keeps. */
  past_retention: z.number().int(),
  /** The vendor holds them no more, or what it holds is none of them. */
  gone: z.number().int(),
  /** What was pulled could not be taken: a secret, or no trace. */
  refused: z.number().int(),
  calls_before: z.number().int(),
  calls_after: z.number().int(),
  attributes_dropped: z.number().int(),
});

/** What an evidence record was before its traces were converted again: the record's own state, and the traces that were written over. */
export const EvidenceRevision = recordKind({
  kind: "evidence_revision",
  prefix: "er",
  schema: z.object({
    ...recordBase,
    evidence: z.string(),
    source: z.string(),
    act: z.literal("reconvert"),
    /** `open` until every trace was looked at: a new start goes on at `next`. */
    state: z.enum(["open", "landed"]),
    /** The position to look at next. */
    next: z.number().int(),
    counts: ReconvertCounts,
    /** The first positions, at most 100 each, of traces that were left as they were. */
    left: z.object({
      past_retention: z.array(z.number().int()),
      gone: z.array(z.number().int()),
      refused: z.array(z.number().int()),
    }),
    /** The record's counts as they were. */
    stats: z.record(z.string(), z.unknown()),
    /** Blobs of the traces as they were: JSON lists of `{position, id, trace}`. */
    traces: z.array(z.string()),
  }),
  fields: ["evidence", "state"],
});
