import { z } from "zod";
import { recordBase, recordKind } from "../../record.ts";
import { Tier } from "../../tier.ts";

/** What became of what was proposed. */
export const DimensionStatus = z.enum(["proposed", "accepted", "dismissed"]);

/** Who settled a proposal, when and why. */
const settled = {
  status: DimensionStatus,
  settled_by: z.string().optional(),
  settled_at: z.number().optional(),
  settled_reason: z.string().optional(),
};

/** An axis that somebody declared or a reader proposed. Its id is made of its field: an org has one axis of a field. */
export const DimensionAxis = recordKind({
  kind: "dimension_axis",
  prefix: "dx",
  schema: z.object({
    ...recordBase,
    field: z.string(),
    label: z.string().optional(),
    description: z.string().optional(),
    preset: z.string().optional(),
    tier: Tier,
    ...settled,
  }),
  fields: ["field", "status"],
});

/** How a persona or another value is described; what it is drawn and voiced by. */
export const Profile = z.record(z.string().min(1).max(100), z.string().max(2000));

/** What a value stands under. */
export const Attachment = z.object({
  field: z.string(),
  value: z.string(),
  id: z.string(),
  grader: z.string(),
  grader_kind: z.enum(["human", "model"]),
  reason: z.string().optional(),
  at: z.number(),
  tier: Tier,
});

/** A value of an axis. Its id is made of axis and value: it is written once. */
export const DimensionValue = recordKind({
  kind: "dimension_value",
  prefix: "dv",
  schema: z.object({
    ...recordBase,
    field: z.string(),
    value: z.string(),
    /** How it came here. */
    origin: z.enum(["declared", "derived", "document", "ontology", "added"]),
    /** Its share of use relative to the other values of its axis. */
    weight: z.number().optional(),
    profile: Profile.optional(),
    /** Use cases of this persona. */
    jobs: z.array(z.string()).optional(),
    /** Personas that have this use case. */
    personas: z.array(z.string()).optional(),
    /** Evidence records that show it. */
    cites: z.array(z.string()),
    /** In how many traces it was seen; absent where nobody counted. */
    traces: z.number().int().optional(),
    /** Other spellings that were folded into it. */
    spellings: z.array(z.string()),
    parent: Attachment.optional(),
    hero: z.boolean().optional(),
    prompt_version: z.string().optional(),
    tier: Tier,
    ...settled,
  }),
  fields: ["field", "status", "origin"],
});
