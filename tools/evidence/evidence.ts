import { z } from "zod";
import {
  Assignment,
  assignEvidence,
  EvidenceRequest,
  EvidenceVersion,
  getEvidence,
  listEvidence,
} from "../../chapters/evidence/evidence.ts";
import { reach } from "../../chapters/evidence/fields.ts";
import { ToolUse } from "../../chapters/evidence/traces/tool-use.ts";
import { TraceTree, TraceView } from "../../chapters/evidence/traces/trace-view.ts";
import { EvidenceView } from "../../chapters/evidence/view.ts";
import { orgField } from "../../chapters/fields.ts";
import { pageInput } from "../../chapters/page.ts";
import { Evidence, EvidenceKind, FinalAnswerClass, Provenance } from "../../chapters/records/evidence/evidence.ts";
import { operation } from "../kernel/operation.ts";

/** Evidence: send, list, read, assign, and what its calls look like. */
export const evidence = [
  operation({
    name: "evidence_list",
    title: "List evidence",
    description:
      "Lists stored evidence, newest first, with what each record holds, and counts records by data access. Narrow by kind or surface.",
    scope: "read",
    route: "GET /v0/evidence",
    input: z.object({
      ...orgField,
      kind: EvidenceKind.optional(),
      surface: z.string().max(100).optional(),
      ...pageInput,
    }),
    output: z.object({
      data_access: z.record(z.string(), z.number().int()).describe("How many records there are of each data access."),
      evidence: z.array(EvidenceView),
      next: z.string().optional(),
    }),
    handle: listEvidence,
  }),
  operation({
    name: "evidence_get",
    title: "Read one evidence record",
    description:
      "Reads one evidence record with refusals, digest and versions; with `summary` how often its traces call each tool, with how many errors, and the first requests; with `trace` that trace's turns and calls. evidence_match finds traces.",
    scope: "read",
    route: "GET /v0/evidence/{eid}",
    orgResolution: reach,
    input: EvidenceRequest,
    output: EvidenceView.extend({
      created_at: z.number().optional(),
      by: z.string().optional(),
      digest: z.string().optional(),
      tables: Evidence.schema.shape.tables,
      versions: z.array(EvidenceVersion),
      trace: TraceView.optional(),
      tree: TraceTree.optional(),
      preview: z
        .array(
          z.object({
            id: z.string(),
            session: z.string(),
            request: z.string(),
            calls: z.number().int(),
            final_answer_class: FinalAnswerClass,
          }),
        )
        .optional(),
      tools: z.array(ToolUse).optional().describe("With `summary`: the tools its traces call, the most called first."),
      tools_of: z.number().int().optional().describe("The traces that they were counted in."),
    }),
    handle: getEvidence,
  }),
  operation({
    name: "evidence_assign",
    title: "Assign evidence",
    description:
      "Says which agent and version evidence belongs to, where it comes from, or which newer evidence replaces it. Fields left out stay as they are.",
    scope: "push",
    effect: "update",
    route: "POST /v0/evidence/{eid}/assign",
    orgResolution: reach,
    input: Assignment,
    output: z.object({
      id: z.string(),
      org: z.string(),
      agent: z.string().nullable(),
      agent_version: z.string().nullable(),
      pipeline: z.string().nullable(),
      provenance_kind: Provenance,
      provenance_kind_before: Provenance,
      superseded_by: z.string().nullable(),
      surface: z.string().nullable(),
    }),
    handle: assignEvidence,
  }),
];
