import { z } from "zod";
import { recordBase, recordKind } from "../../record.ts";
import { Tier } from "../../tier.ts";

/** What notes can speak for: an axis, a kind of check, a rule of the review, a gate of the task writer, a detector of the analysis. */
export const NoteProposalKind = z.enum([
  "dimension",
  "criterion_kind",
  "review_rule",
  "generator_gate",
  "analyzer_detector",
]);
export type NoteProposalKind = z.infer<typeof NoteProposalKind>;

/** The stage that each kind would change. */
export const STAGE_OF: Readonly<Record<NoteProposalKind, string>> = {
  dimension: "dimensions",
  criterion_kind: "checks",
  review_rule: "review",
  generator_gate: "tasks",
  analyzer_detector: "findings",
};

/** Something that notes speak for, with the notes. It is written for people to read: nothing applies it. */
export const NoteProposal = recordKind({
  kind: "note_proposal",
  prefix: "np",
  schema: z.object({
    ...recordBase,
    kind: NoteProposalKind,
    /** The stage that it would change. */
    stage: z.string(),
    title: z.string(),
    /** What would be changed, in a sentence. */
    change: z.string(),
    /** Ids of the notes that speak for it. */
    cites: z.array(z.string()),
    /** The reading that wrote it. */
    reading: z.string(),
    tier: Tier,
  }),
  fields: ["kind", "reading"],
});

/** One reading of notes: which, by whom, and what it cost. */
export const NoteReading = recordKind({
  kind: "note_reading",
  prefix: "nr",
  schema: z.object({
    ...recordBase,
    notes: z.array(z.string()),
    proposals: z.number().int(),
    model: z.string().nullable(),
    prompt_version: z.string().nullable(),
    calls: z.array(z.string()),
    usd: z.number(),
    tier: Tier,
  }),
});
