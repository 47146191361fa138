import { z } from "zod";
import { recordBase, recordKind } from "../../record.ts";
import { Tier } from "../../tier.ts";

/** A group of traces of a facet space, with its measures. */
export const FacetCluster = z.object({
  label: z.string(),
  size: z.number().int().describe("Traces in it."),
  share: z.number().optional().describe("Of all traces that have the attributes, 0..1."),
  cohesion: z
    .number()
    .optional()
    .describe(
      "One less the mean share of fields in which its traces differ from its medoid; absent where no trace of it has the attributes.",
    ),
  exemplars: z
    .array(z.object({ trace: z.string(), position: z.number().int() }))
    .describe("Traces nearest its medoid."),
  medoid: z.record(z.string(), z.string()).describe("The values of the trace that the others differ least from."),
  describes: z
    .array(z.object({ field: z.string(), value: z.string(), share: z.number(), share_of_all: z.number() }))
    .describe("Values that are more frequent in it than over all."),
});
export type FacetCluster = z.infer<typeof FacetCluster>;

/** Groups that a record's traces fall into. */
export const FacetSpace = recordKind({
  kind: "facet_space",
  prefix: "fs",
  schema: z.object({
    ...recordBase,
    evidence: z.string(),
    /** The attributes that traces were compared by. */
    fields: z.array(z.string()),
    seed: z.string(),
    clusters: z.array(FacetCluster),
    traces: z.number().int().describe("Traces that the groups are made of."),
    cohesion: z.number().optional().describe("Over all grouped traces, 0..1."),
    /** The attribute that holds each trace's group, where one was asked for. */
    as_field: z.string().optional(),
    method: z.string(),
    /** Of the groups; their measures are always code's. */
    tier: Tier,
  }),
  fields: ["evidence"],
});
