import { z } from "zod";
import { recordBase, recordKind } from "../../record.ts";
import { Tier } from "../../tier.ts";

/** A bucket that a person's words name: what it is called, what it is in one sentence, and the sentence that says so. */
export const StatedBucket = z.object({
  label: z.string().min(1).max(60),
  profile: z.string().min(1).max(300),
  sentence: z.string().min(1).max(2_000),
});
export type StatedBucket = z.infer<typeof StatedBucket>;

/** What a person stated about how their agent is used, word for word, and what a pass proposed from it. */
export const Statement = recordKind({
  kind: "statement",
  prefix: "st",
  schema: z.object({
    ...recordBase,
    text: z.string(),
    author: z.string(),
    origin: z.enum(["upload", "paste", "home"]),
    file_name: z.string().optional(),
    read: z.boolean(),
    /** At most one proposal: its buckets, and the dimension values that were proposed of them. */
    proposal: z
      .object({
        buckets: z.array(StatedBucket),
        values: z.array(z.string()),
        at: z.number(),
        tier: Tier,
        model: z.string().nullable(),
        prompt_version: z.string().nullable(),
      })
      .optional(),
  }),
  fields: ["read"],
});
