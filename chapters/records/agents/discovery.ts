import { z } from "zod";
import { recordBase, recordKind } from "../../record.ts";
import { FinalAnswerClass } from "../evidence/evidence.ts";
import { EndCause } from "../runs/runs.ts";

/** Calls by what answered them: a fitted behaviour, a recorded answer, nothing (a gap), or the argument check. */
export const AnsweredBy = z.object({
  behaviour: z.number().int(),
  recorded: z.number().int(),
  gap: z.number().int(),
  schema: z.number().int(),
});

/** How often an operation was called, and who answered. */
const Used = z.object({
  tool: z.string(),
  effect: z.enum(["read", "write"]),
  calls: z.number().int(),
  errors: z.number().int(),
  answered_by: AnsweredBy,
});

/** What a version did with one task. No grade: a discovery measures nothing. */
export const DiscoveredTask = z.object({
  task: z.string(),
  index: z.number().int(),
  family: z.string(),
  /** Its use case, where its cell names one. */
  topic: z.string().optional(),
  tools: z.array(Used),
  writes: z.number().int(),
  /** Writes to a row that it had not read before. */
  unread_writes: z.number().int(),
  answer_class: FinalAnswerClass,
  /** Whether its last answer ends in a question. */
  asked: z.boolean(),
  cause: EndCause.nullable(),
  connected: z.boolean(),
  ms: z.number(),
});
export type DiscoveredTask = z.infer<typeof DiscoveredTask>;

/** How an agent version uses a served surface: its operations, who answered them, and its way through a few tasks. */
export const AgentDiscovery = recordKind({
  kind: "agent_discovery",
  prefix: "adi",
  schema: z.object({
    ...recordBase,
    agent: z.string(),
    version: z.string(),
    surface: z.string(),
    environment: z.string(),
    bundle: z.string(),
    tasks: z.array(DiscoveredTask),
    operations: z.array(Used.extend({ tasks: z.number().int() })),
    /** Tools of the surface that it never called. */
    unused: z.array(z.string()),
    topics: z.array(z.object({ topic: z.string(), tasks: z.number().int(), answered: z.number().int() })),
    behaviour: z.object({
      answered: z.number().int(),
      said_no_data: z.number().int(),
      refused: z.number().int(),
      asked: z.number().int(),
      silent: z.number().int(),
      /** Tasks that it did not end by itself in time. */
      broken_off: z.number().int(),
      most_calls: z.number().int(),
      writes: z.number().int(),
      unread_writes: z.number().int(),
    }),
    tier: z.literal("deterministic"),
  }),
  fields: ["agent", "version", "surface"],
});
