import { z } from "zod";
import { recordBase, recordKind } from "../../record.ts";

/** A short public request: its words, where they stood and under which licence; nothing else of who wrote it. */
export const CorpusItem = recordKind({
  kind: "corpus_item",
  prefix: "cp",
  schema: z.object({
    ...recordBase,
    text: z.string(),
    site: z.string(),
    date: z.string().optional(),
    url: z.string().optional(),
    licence: z.string(),
    /** The hand-set use case its words read as; null where none does. */
    use_case: z.string().nullable(),
    /** Whether a derive pass has read it. */
    read: z.boolean(),
  }),
  fields: ["read", "site", "licence"],
});
