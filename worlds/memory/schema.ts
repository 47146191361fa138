import { z } from "zod";

/**
 * What sessions were answered, where the rest of the world does not answer so. `keys` holds hashes, 14 characters each,
 * in order: of a level, of what its answers rest on (the task, calls before that may have changed something) and of the
 * question. `entries` holds two numbers for each: the answer's place, and how it was borne out (its place in `sure`).
 * Ids that sessions generated stand under their numbers, and what an answer to other arguments repeats under their names.
 */
export const MemoryModel = z.object({
  v: z.literal(1),
  /** Parts of answers that the system makes up, as tool and path: ids, and readings of a clock. */
  generated: z.array(z.string()),
  clocks: z.array(z.string()),
  /** Tools that were shown to change nothing. */
  pure: z.array(z.string()),
  /** How far acts reach among the answers of a tool, by the hash of both. */
  reaches: z.record(z.string(), z.enum(["any", "named", "none"])).optional(),
  /** Hashes of the tasks that sessions had. */
  tasks: z.array(z.string()),
  answers: z.array(
    z.object({
      value: z.unknown(),
      ok: z.boolean(),
      answer_class: z.string(),
      is_error: z.boolean(),
      /** Ids that it shows first, as they were generated. */
      fresh: z.array(z.union([z.string(), z.number()])).optional(),
    }),
  ),
  /** Level, and how likely answers of it are right in sessions of tasks that evidence knows, and in others. 0..1 */
  sure: z.array(z.object({ level: z.string(), known: z.number(), unknown: z.number() })),
  /** Ids that sessions generated and of whose form there are so few that one might be made up again. */
  issued: z.array(z.string()).optional(),
  /** Hashes of the texts that answers showed, 14 characters each, where answers rest on that one was never shown. */
  shown: z.string().optional(),
  keys: z.string(),
  entries: z.array(z.number().int()),
  /** Tools of which anything is on record; `exact` those of which an answer comes before what a behaviour says. */
  tools: z.array(z.string()),
  exact: z.array(z.string()),
  least: z.number(),
});
export type MemoryModel = z.infer<typeof MemoryModel>;
