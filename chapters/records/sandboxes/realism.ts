import { z } from "zod";
import { recordBase, recordKind } from "../../record.ts";

/** Whether a row was seen in evidence or drawn to fit it. */
export const Origin = z.enum(["observed", "drawn"]);

/** What one person took one row for, and what it was. One record a rater and row. */
export const RealismRating = recordKind({
  kind: "realism_rating",
  prefix: "rr",
  schema: z.object({
    ...recordBase,
    environment: z.string(),
    /** The draw that the row is of: ratings of another draw say nothing of this one. */
    base_blob: z.string(),
    item: z.string(),
    table: z.string(),
    key: z.string(),
    origin: Origin,
    said: Origin,
    note: z.string().optional(),
  }),
  fields: ["environment", "base_blob", "said", "by"],
});
