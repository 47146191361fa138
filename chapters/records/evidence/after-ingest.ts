import { z } from "zod";
import { recordBase, recordKind } from "../../record.ts";
import { Tier } from "../../tier.ts";

/** The kind of the job that makes a pass. */
export const AFTER_INGEST = "after_ingest";

/**
 * What a pass can propose. `redraw`: new rows contradict what environments were drawn with. `rebuild`: the served version
 * answers new calls worse than the calls it was measured on. `value`: a dimension value was found. `tasks`: something is
 * done or wanted that no certified task covers. `reread`: documents nobody read, or pins of an older reader.
 */
export const IngestProposalKind = z.enum(["redraw", "rebuild", "value", "tasks", "reread"]);
export type IngestProposalKind = z.infer<typeof IngestProposalKind>;

/** `superseded`: another measure stands in its place, or what it was offered for is gone. */
export const IngestProposalState = z.enum(["open", "accepted", "dismissed", "superseded"]);

/** What was measured: the figure that its threshold is held against, out of how many, and what else was counted. Shares are 0..1. */
export const IngestMeasure = z.object({
  name: z.string(),
  value: z.number(),
  threshold: z.number(),
  of: z.number().int().optional(),
  counts: z.record(z.string(), z.number()),
});

/** The call that a proposal stands for: an operation, its route (`{orgtag}` as it is called then) and its body. */
export const IngestAct = z.object({
  operation: z.string(),
  method: z.literal("POST"),
  route: z.string(),
  body: z.record(z.string(), z.unknown()),
});

/** Something that a pass offers to do. Its id is made of what it is about and the measure's digest: the same reason is offered once. */
export const IngestProposal = recordKind({
  kind: "ingest_proposal",
  prefix: "ap",
  schema: z.object({
    ...recordBase,
    kind: IngestProposalKind,
    /** Id of the record it is about: a surface, a value or evidence; of a gap of the coverage its persona's value. */
    target: z.string(),
    state: IngestProposalState,
    measure: IngestMeasure,
    /** Digest of the measure. */
    digest: z.string(),
    /** In words, with counts alone. */
    reason: z.string(),
    act: IngestAct,
    tier: Tier,
    /** Since when somebody is accepting it; absent when nobody is. */
    claimed_at: z.number().optional(),
    closed_at: z.number().optional(),
    closed_by: z.string().optional(),
    /** What the act started and made, once accepted. */
    job: z.string().optional(),
    touched: z.array(z.string()).optional(),
  }),
  fields: ["kind", "target", "state"],
});

/** One pass over what came in: what it read, found and offered. */
export const IngestPass = recordKind({
  kind: "ingest_pass",
  prefix: "ai",
  schema: z.object({
    ...recordBase,
    job: z.string(),
    /** When it began to look; what landed later is the next pass's. */
    looked_at: z.number(),
    /** Digest of the newest evidence as it was found. */
    mark: z.string(),
    line: z.string(),
    counts: z.object({
      evidence: z.number().int(),
      traces: z.number().int(),
      operations_new: z.number().int(),
      values_new: z.number().int(),
      offered: z.number().int(),
      superseded: z.number().int(),
      open: z.number().int(),
    }),
    usd: z.number(),
    tier: Tier,
  }),
  fields: ["job"],
});

/** An operation of a surface, from the evidence that showed it first. One a surface and name: `created_at` is when that evidence came. */
export const SeenOperation = recordKind({
  kind: "seen_operation",
  prefix: "sop",
  schema: z.object({ ...recordBase, surface: z.string(), name: z.string(), evidence: z.string() }),
  fields: ["surface"],
});
