import { z } from "zod";
import { countOf } from "../count-of.ts";
import type { Doc } from "../record.ts";
import { DataAccess, Evidence, EvidenceKind, Provenance, Refusal } from "../records/evidence/evidence.ts";
import { Tier } from "../tier.ts";

/** An evidence record as it is answered. */
export const EvidenceView = z.object({
  id: z.string(),
  org: z.string(),
  kind: EvidenceKind,
  format: z.string(),
  line: z.string().describe("What was stored, in one sentence."),
  admitted: z.number().int().describe("How many traces, tools, texts, tables or exchanges were taken."),
  ids: z.array(z.string()).optional().describe("The ids of the first traces, at most 100."),
  stats: Evidence.schema.shape.stats,
  refused: z.array(Refusal).describe("The first refusals, at most 100; stats.refused counts all."),
  provenance_kind: Provenance,
  provenance_detected: z.boolean().describe("Whether a rule decided the provenance; else the sender said it."),
  data_access: DataAccess,
  method: z.string().describe("What read it."),
  tier: Tier,
  surface: z.string().optional(),
  agent: z.string().optional(),
  agent_name: z.string().optional(),
  agent_version: z.string().optional(),
  linked_by: z.string().optional(),
  pipeline: z.string().optional(),
  source: z.string().optional(),
  source_name: z.string().optional().describe("The label of its source, else what the source is there."),
  derive: z
    .enum(["due", "running", "done"])
    .optional()
    .describe("Whether a pass looks through it for what it changes: one is to come, runs now, or has ended."),
  job: z.string().optional().describe("The pass that waits or runs now."),
  tags: z.array(z.string()),
  origin: z.enum(["push", "pull"]),
  never_pulled: z.boolean().describe("Whether it came by itself; no source was asked for it."),
  columns: z.record(z.string(), z.array(z.string())).optional().describe("Columns per table of a database export."),
  document: z.object({ title: z.string().optional(), texts: z.number().int(), chars: z.number().int() }).optional(),
  superseded: z.boolean(),
  warnings: z.array(z.string()).optional().describe("What to know of how it was read; absent where there is nothing."),
  digest: z
    .string()
    .optional()
    .describe(
      "SHA-256 of the bytes that arrived, hexadecimal; stats.bytes is how many. Compare them with what was sent.",
    ),
});
export type EvidenceView = z.infer<typeof EvidenceView>;

interface ViewContext {
  readonly ids?: readonly string[];
  readonly agentName?: string | undefined;
  readonly digest?: string;
  readonly sourceName?: string | undefined;
  readonly derive?: Pick<EvidenceView, "derive" | "job"> | undefined;
}

/** The record as answered; `agentName` is the name of the agent it is assigned to. */
export function evidenceView(org: string, doc: Doc<typeof Evidence>, viewContext: ViewContext = {}): EvidenceView {
  const { agentName, ids, digest, sourceName, derive } = viewContext;
  return {
    id: doc.id,
    org,
    kind: doc.kind,
    format: doc.format,
    line: lineOf(doc),
    admitted: admittedOf(doc),
    ...(ids === undefined ? {} : { ids: [...ids] }),
    stats: doc.stats,
    refused: doc.refused,
    provenance_kind: doc.provenance,
    provenance_detected: doc.provenance_detected,
    data_access: doc.data_access,
    method: `${doc.method}. ${doc.detected}`,
    tier: doc.tier,
    ...optional({
      surface: doc.surface,
      agent: doc.agent,
      agent_name: agentName,
      agent_version: doc.agent_version,
      linked_by: doc.linked_by,
      pipeline: doc.pipeline,
      source: doc.source,
      source_name: sourceName,
      ...derive,
      document: doc.document,
      warnings: doc.warnings,
      digest,
    }),
    tags: doc.tag === undefined ? [] : [doc.tag],
    origin: doc.origin ?? "push",
    never_pulled: doc.origin !== "pull",
    ...(doc.tables === undefined
      ? {}
      : { columns: Object.fromEntries(doc.tables.map((table) => [table.name, table.columns])) }),
    superseded: doc.superseded_by !== undefined,
  };
}

function optional<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

function admittedOf(doc: Doc<typeof Evidence>): number {
  if (doc.kind === "traces") return doc.stats.traces;
  if (doc.kind === "http_capture") return doc.stats.calls;
  return doc.kind === "tool_listing" ? doc.stats.tools : (doc.tables?.length ?? 0) + (doc.document?.texts ?? 0);
}

function lineOf(doc: Doc<typeof Evidence>): string {
  const { stats } = doc;
  const what =
    doc.kind === "traces"
      ? `${countOf(stats.traces, "trace")} with ${countOf(stats.calls, "call")} of ${countOf(stats.tools, "tool")}`
      : doc.kind === "tool_listing"
        ? countOf(stats.tools, "tool")
        : doc.kind === "http_capture"
          ? countOf(stats.calls, "exchange")
          : [
              ...((doc.tables ?? []).length > 0 ? [countOf(doc.tables?.length ?? 0, "table")] : []),
              ...((doc.document?.texts ?? 0) > 0 ? [countOf(doc.document?.texts ?? 0, "text")] : []),
            ].join(" and ");
  return `${what}, read as ${doc.format}; ${stats.refused} refused.`;
}
