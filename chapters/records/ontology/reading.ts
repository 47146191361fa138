import { z } from "zod";
import { recordBase, recordKind } from "../../record.ts";
import { Tier } from "../../tier.ts";

/** Relations that a document can state. */
export const StatedKind = z.enum(["exposes", "reads", "writes", "has", "refers_to"]);

/** What a reader took from one source: axis values with their records. Kept, so that nothing is read twice. */
export const DimensionReading = recordKind({
  kind: "dimension_reading",
  prefix: "dr",
  schema: z.object({
    ...recordBase,
    source: z.string(),
    axes: z.array(z.string()),
    values: z.array(
      z.object({
        field: z.string(),
        value: z.string(),
        /** Records of the source, by their id or their place from 1. */
        records: z.array(z.string()),
        profile: z.record(z.string(), z.string()).optional(),
      }),
    ),
    records: z.number().int(),
    read: z.number().int(),
    read_chars: z.number().int(),
    /** Whether some of the source was left unread. */
    partial: z.boolean(),
    model: z.string().nullable(),
    prompt_version: z.string().nullable(),
    calls: z.array(z.string()),
    usd: z.number(),
    tier: Tier,
  }),
  fields: ["source"],
});

/** What a document states of a surface's systems, as it was read last: every compile puts it into the graph again. */
export const RelationReading = recordKind({
  kind: "relation_reading",
  prefix: "rlr",
  schema: z.object({
    ...recordBase,
    surface: z.string(),
    source: z.string(),
    edges: z.array(z.object({ kind: StatedKind, from: z.string(), to: z.string(), record: z.string() })),
    model: z.string().nullable(),
    prompt_version: z.string().nullable(),
    calls: z.array(z.string()),
    usd: z.number(),
    tier: Tier,
  }),
  fields: ["surface", "source"],
});
