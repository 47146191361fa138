import { z } from "zod";
import { recordBase, recordKind } from "../../record.ts";
import { Tier } from "../../tier.ts";

/** The version of the form that attributes are kept in. */
export const ATTRIBUTES_VERSION = 1;

/** A field's name. */
export const AttributeField = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, "is snake_case, at most 64 characters");
/** A field's value of one trace: short text that many traces share. */
export const AttributeValue = z.string().trim().min(1).max(200);
/** Any of a field's values, on every field named. */
export const AttributeSelection = z.record(AttributeField, z.array(AttributeValue).min(1).max(100));

/** One value as it is stored. */
export const StoredAttribute = z.object({
  value: z.string(),
  cite: z.string().nullable().describe("Where in the trace it was read, such as `turns.0`."),
  tier: Tier,
  reader: z.string().describe("What read it."),
});

/** The fields of one trace, as they were sent or read. */
export const TraceAttributes = z.object({
  trace: z.string(),
  position: z.number().int(),
  attributes: z.record(z.string(), StoredAttribute),
});
export type TraceAttributes = z.infer<typeof TraceAttributes>;

/** How far a field is filled. */
export const FieldSummary = z.object({
  field: z.string(),
  filled: z.number().int().describe("Traces that have a value of it."),
  share: z.number().describe("Of the record's traces, 0..1."),
  distinct: z.number().int(),
  tier: Tier,
});
export type FieldSummary = z.infer<typeof FieldSummary>;

/** Who read the attributes of a record's traces last, how, and which traces. One record an evidence record: its id is made of that's. */
export const AttributeReading = recordKind({
  kind: "attribute_reading",
  prefix: "ar",
  schema: z.object({
    ...recordBase,
    evidence: z.string(),
    /** Counts from 1: every reading anew begins another. */
    version: z.number().int(),
    /** Positions that were read, as ranges with both ends, in order. */
    read: z.array(z.tuple([z.number().int(), z.number().int()])),
    values: z.number().int(),
    model: z.string().nullable(),
    prompt_version: z.string().nullable(),
    /** Exchanges with a model, and what they cost, US dollars. */
    calls: z.number().int(),
    usd: z.number(),
    tier: Tier,
    updated_at: z.number(),
  }),
  fields: ["evidence"],
});
