import { randomBytes } from "node:crypto";
import { z } from "zod";
import { recordBase, recordKind } from "../../../chapters/record.ts";

let counter = 0;

/** A new id; later ones sort after earlier ones. */
export function newId(prefix: string): string {
  counter += 1;
  return `${prefix}_${String(counter).padStart(8, "0")}${randomBytes(4).toString("hex")}`;
}

/** A kind of record that only these tests have. */
export const Note = recordKind({
  kind: "test_note",
  prefix: "note",
  schema: z.object({
    ...recordBase,
    text: z.string(),
    colour: z.string().optional(),
    size: z.number().optional(),
    open: z.boolean().optional(),
    n: z.number().int().default(0),
    more: z.record(z.string(), z.unknown()).optional(),
  }),
  fields: ["colour", "size", "open"],
});
export type Note = z.infer<typeof Note.schema>;

/** A note with what matters to a test. */
export function note(some: Partial<Note> = {}): Note {
  return { id: newId("note"), created_at: 1000, by: "tester", text: "t", n: 0, ...some };
}
