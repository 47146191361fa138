import { z } from "zod";
import { recordBase, recordKind } from "../../record.ts";
import { Provenance } from "../evidence/evidence.ts";

/** From how many sessions, and from which share of its writes on, a tool's unread writes are proposed as a failure mode. */
export const WRITE_PATH_THRESHOLD = { sessions: 5, share: 0.05 } as const;

/** The writes of one tool over all traces that were counted. */
export const ToolWrites = z.object({
  tool: z.string(),
  /** Successful calls. */
  writes: z.number().int(),
  /** Of these, calls that change rows their arguments name: the share is of them. */
  with_row: z.number().int(),
  /** Of these, calls with a row that had not been read earlier in the trace. */
  unread: z.number().int(),
  /** Sessions with a call of `with_row`, and with one of `unread`. */
  sessions: z.number().int(),
  unread_sessions: z.number().int(),
  /** `unread` of `with_row`, 0 to 1; absent where no call names a row. */
  share: z.number().optional(),
  /** How its effect and its rows were told: by its compiled behaviour, or by names alone. */
  told_by: z.enum(["behaviour", "names"]),
  /** Some traces with an unread write, oldest first. */
  examples: z.array(z.object({ trace: z.string(), session: z.string(), provenance: Provenance })),
});
export type ToolWrites = z.infer<typeof ToolWrites>;

/** A count of write paths over an agent's stored traces. */
export const WritePathCount = recordKind({
  kind: "write_path_count",
  prefix: "wpc",
  schema: z.object({
    ...recordBase,
    agent: z.string(),
    tools: z.array(ToolWrites),
    coverage: z.object({
      /** Trace batches that were counted, and those left out because they are another agent's. */
      batches: z.number().int(),
      apart: z.number().int(),
      traces: z.number().int(),
      calls: z.number().int(),
      writes: z.number().int(),
      with_row: z.number().int(),
    }),
    /** Tools whose unread writes pass the threshold, highest share first. */
    proposals: z.array(z.string()),
    tier: z.literal("deterministic"),
  }),
  fields: ["agent"],
});
