import { z } from "zod";
import { recordBase, recordKind } from "../../record.ts";
import { Tier } from "../../tier.ts";

/** The name of the surface that evidence joins when it names none. */
export const DEFAULT_SURFACE = "main";

/** What an evidence record holds. */
export const EvidenceKind = z.enum([
  "traces",
  "tool_listing",
  "document",
  "http_capture",
  "corpus",
  "labels",
  "feedback",
]);
/** Where evidence came about. */
export const Provenance = z.enum(["production", "staging", "synthetic", "public", "operator", "unknown"]);
/** What of the values is stored: all, all with pseudonyms for what identifies, or their shapes alone. */
export const DataAccess = z.enum(["full", "anonymized", "shapes"]);

/** How one tool call ended: `data`, `empty`, `refused`, `pending`, `error:<class>`. */
export const AnswerClass = z.string().regex(/^(data|empty|refused|pending|error:[a-z0-9_]+)$/);

/** How an agent's final answer ended. */
export const FinalAnswerClass = z.enum(["answered", "said_no_data", "refused", "none"]);
export type FinalAnswerClass = z.infer<typeof FinalAnswerClass>;

/** A tool call of a trace. */
export const TraceCall = z.object({
  tool: z.string(),
  args: z.record(z.string(), z.unknown()),
  /** The result as it stood in the trace: a string stays a string, structure stays structure. Null when none came. */
  result: z.unknown(),
  answer_class: AnswerClass,
  is_error: z.boolean(),
  /** How long it took, milliseconds, where known. */
  ms: z.number().optional(),
  /** The id the trace gave this call. */
  span: z.string().optional(),
  /** Place among turns: the index in `turns` of the turn that made the call. */
  turn: z.number().int().optional(),
  /** Who called: the agent, or the user's own tools. */
  requestor: z.enum(["assistant", "user"]).optional(),
});
export type TraceCall = z.infer<typeof TraceCall>;

/** A message of a trace; `at` is unix seconds. */
export const TraceTurn = z.object({
  role: z.enum(["system", "user", "assistant", "tool"]),
  text: z.string(),
  at: z.number().optional(),
});

/** Version 1 of the one form every trace format converts to. Times are unix seconds. */
export const CanonicalTrace = z.object({
  v: z.literal(1),
  session: z.string(),
  started_at: z.number().optional(),
  /** When what it consists of had ended, where the source times that. */
  ended_at: z.number().optional(),
  /** The first user turn. */
  request: z.string(),
  turns: z.array(TraceTurn),
  calls: z.array(TraceCall),
  final_answer: z.string().nullable(),
  final_answer_class: FinalAnswerClass,
  usage: z.object({ input_tokens: z.number().optional(), output_tokens: z.number().optional() }).optional(),
  cost_usd: z.number().optional(),
  /** What the source says of the trace: task id, trial, model, domain. Strings only. */
  labels: z.record(z.string(), z.string()),
  /** How it went where the source knows: a reward in 0..1, and how that was decided. */
  outcome: z.object({ reward: z.number(), tier: Tier }).optional(),
  /** Tools offered to the agent in this trace, where it carries them. */
  tools: z
    .array(z.object({ name: z.string(), description: z.string().optional(), input_schema: z.unknown().optional() }))
    .optional(),
});
export type CanonicalTrace = z.infer<typeof CanonicalTrace>;

/** One line or item that a converter could not place. */
export const Refusal = z.object({
  /** Line or item number in the input, from 1. */
  line: z.number().int(),
  reason: z.string(),
});

/** An evidence record: what was given, how it was read, what came of it. Its traces are rows of their own. */
export const Evidence = recordKind({
  kind: "evidence",
  prefix: "ev",
  schema: z.object({
    ...recordBase,
    kind: EvidenceKind,
    format: z.string(),
    provenance: Provenance,
    provenance_detected: z.boolean(),
    data_access: DataAccess,
    /** SHA-256 of the bytes as given. */
    digest: z.string(),
    idempotency_key: z.string().optional(),
    /** What was read of a listing or document, as JSON (blob digest). Traces are rows of their own. */
    blob: z.string().optional(),
    tag: z.string().optional(),
    surface: z.string().optional(),
    agent: z.string().optional(),
    agent_version: z.string().optional(),
    source: z.string().optional(),
    superseded_by: z.string().optional(),
    stats: z.object({
      traces: z.number().int(),
      calls: z.number().int(),
      tools: z.number().int(),
      bytes: z.number().int(),
      refused: z.number().int(),
      /** What the converter could not carry over, by name, with how often. */
      losses: z.record(z.string(), z.number().int()),
      stripped_credentials: z.number().int(),
    }),
    /** What the key of its pseudonyms is known by; absent where it has none. */
    anon_key_ref: z.string().optional(),
    /** How often its traces were pulled and converted again, where that changed one. */
    reconverted: z.number().int().optional(),
    /** Traces, texts and rows that were erased since it was read; absent where none was. `stats` stays what was read. */
    erased: z.number().int().optional(),
    /** The first refusals, at most 100; `stats.refused` counts all. */
    refused: z.array(Refusal),
    /** Why this format: what detection saw. */
    detected: z.string(),
    /** What a person should know of how it was read; absent where there is nothing. */
    warnings: z.array(z.string()).optional(),
    /** Whether a client sent it or a source was asked for it. */
    origin: z.enum(["push", "pull"]).optional(),
    /** The name the sender gives its own pipeline. */
    pipeline: z.string().optional(),
    author_member: z.string().optional(),
    /** How it came to its agent: a person assigned it. */
    linked_by: z.enum(["assigned"]).optional(),
    /** Tables of a database export. */
    tables: z.array(z.object({ name: z.string(), rows: z.number().int(), columns: z.array(z.string()) })).optional(),
    /** What a text document is: the first title, how many texts, how many characters. */
    document: z.object({ title: z.string().optional(), texts: z.number().int(), chars: z.number().int() }).optional(),
    method: z.string(),
    tier: Tier,
    /** For a rolling record: service, UTC day, next position, tools seen, and how many traces later spans superseded. */
    rolling: z
      .object({
        service: z.string(),
        day: z.string(),
        next: z.number().int(),
        tools: z.array(z.string()),
        superseded: z.number().int().optional(),
      })
      .optional(),
  }),
  fields: ["kind", "format", "digest", "idempotency_key", "surface", "tag", "source", "data_access", "superseded_by"],
});

/** Which evidence holds given bytes or an idempotency key. Its id is made of them, so that two writers cannot both be first. */
export const EvidenceKey = recordKind({
  kind: "evidence_key",
  prefix: "ek",
  schema: z.object({ ...recordBase, evidence: z.string() }),
  fields: ["evidence"],
});

/** Evidence that is being written: its traces are rows already, the record is not. Left behind by a crash, it is cleared away. */
export const EvidenceDraft = recordKind({
  kind: "evidence_draft",
  prefix: "ev",
  schema: z.object({ ...recordBase }),
  copy: { staysBehind: "a write that has not ended" },
});
