import { z } from "zod";
import { idOfValue, recordBase, recordKind } from "../../record.ts";
import { Provenance } from "./evidence.ts";

/** What a person says of a trace: it went right, or wrong. */
export const Polarity = z.enum(["positive", "negative"]);
export type Polarity = z.infer<typeof Polarity>;

/** A person's verdict on a trace, one per trace: the newest stands. Its id is made of the trace's. */
export const Label = recordKind({
  kind: "label",
  prefix: "lb",
  schema: z.object({
    ...recordBase,
    trace: z.string(),
    surface: z.string(),
    polarity: Polarity,
    /** What the agent should have done or said, in words. */
    correction: z.string().optional(),
    /** Where the trace comes from: the stream the label is counted in. */
    stream: Provenance,
    updated_at: z.number(),
  }),
  fields: ["surface", "trace"],
});

/** The id of the one label that a trace has: said again it takes the same place. */
export function labelId(trace: string): string {
  return idOfValue(Label, trace);
}
