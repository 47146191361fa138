import { z } from "zod";
import { recordBase, recordKind } from "../record.ts";
import { Tier } from "../tier.ts";

/** What a reader took out of one source: values of axes with the records they were read in. Kept, so that nothing is read twice for another use. */
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
