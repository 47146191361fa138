import { z } from "zod";
import { recordBase, recordKind } from "../../record.ts";
import { DataAccess, Provenance } from "./evidence.ts";

/** What the sender says of all spans of an exporter; spans that it says other things of are other traces. */
export const StreamFacts = z.object({
  by: z.string(),
  access: DataAccess,
  allow_secrets: z.boolean(),
  provenance: Provenance.optional(),
  surface: z.string().optional(),
  source: z.string().optional(),
  tag: z.string().optional(),
  pipeline: z.string().optional(),
  author_member: z.string().optional(),
});
export type StreamFacts = z.infer<typeof StreamFacts>;

/** Where the trace stands in its rolling record, and what that record counted of it. */
const Told = z.object({
  evidence: z.string(),
  /** Id and position of the trace; kept when later spans supersede it. */
  row: z.string(),
  position: z.number().int(),
  /** Absent until the record has counted it. */
  counted: z
    .object({
      traces: z.number().int(),
      calls: z.number().int(),
      bytes: z.number().int(),
      losses: z.record(z.string(), z.number().int()),
      refused: z.string().optional(),
    })
    .optional(),
});

/** A trace whose spans come over many posts. Its id is made of what the sender says and of the trace's own id. */
export const RollingTrace = recordKind({
  kind: "rolling_trace",
  prefix: "rtr",
  scope: "admin",
  copy: { staysBehind: "spans that wait for the rest of their trace" },
  schema: z.object({
    ...recordBase,
    /** `open` waits for more, `closed` is told, `erased` takes no more spans: its trace was deleted. */
    state: z.enum(["open", "closed", "erased"]),
    facts: StreamFacts,
    /** When the newest spans came, unix seconds. */
    last_at: z.number(),
    root_ended: z.boolean(),
    spans: z.number().int(),
    bytes: z.number().int(),
    /** Ids of the `RollingSpans`, in the order they came. */
    parts: z.array(z.string()),
    /** Kinds of secrets that spans held; these spans are not kept, and the trace is refused. */
    secrets: z.array(z.string()),
    told: Told.optional(),
    /** The id of its trace, once there is one. */
    row: z.string().optional(),
    /** The UTC day (since 1970) on which its spans may go. */
    goes_on: z.number().int(),
  }),
  fields: ["state", "goes_on", "row"],
});

/** Spans of one trace that came in one post. Its id is made of them: the same post twice keeps them once. */
export const RollingSpans = recordKind({
  kind: "rolling_spans",
  prefix: "rsp",
  scope: "admin",
  copy: { staysBehind: "spans that wait for the rest of their trace" },
  schema: z.object({
    ...recordBase,
    trace: z.string(),
    sealed: z.boolean(),
    /** The spans as JSON text; sealed where values may not be kept. */
    spans: z.string(),
  }),
  fields: ["trace"],
});
