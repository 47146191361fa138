import { z } from "zod";
import { assignEvidence, getEvidence, listEvidence } from "../../chapters/evidence/evidence.ts";
import { postEvidence, postFields } from "../../chapters/evidence/intake/post-evidence.ts";
import { evidenceToolspec } from "../../chapters/evidence/toolspec.ts";
import { TraceTree, TraceView } from "../../chapters/evidence/traces/trace-view.ts";
import { EvidenceView } from "../../chapters/evidence/view.ts";
import { pageInput } from "../../chapters/page.ts";
import { Evidence, EvidenceKind, FinalAnswerClass, Provenance } from "../../chapters/records/evidence/evidence.ts";
import { Tier } from "../../chapters/tier.ts";
import { byField, orgField, recordId } from "../kernel/fields.ts";
import { operation } from "../kernel/operation.ts";

const reach = { from: "record", kind: Evidence, param: "eid" } as const;
const eid = recordId("evidence");

const Param = z.object({
  path: z.string(),
  types: z.array(z.string()),
  share: z.number().describe("Share of calls that carry it, 0..1."),
  n: z.number().int(),
  distinct: z.number().int(),
  values: z.array(z.string()).optional().describe("All values, where they are a closed set."),
  range: z.array(z.number()).optional(),
  format: z.string().optional(),
  from: z
    .array(z.object({ field: z.string(), n: z.number().int() }))
    .describe("Result fields of earlier calls that held its values."),
});

/** Evidence: send, list, read, assign, and what its calls look like. */
export const evidence = [
  operation({
    name: "evidence_post",
    title: "Send evidence",
    description:
      "Stores what is known of how an agent is used: traces of its sessions (most known formats, found out by itself), tool listings, OpenAPI documents, HTTP archives, documents, database exports, as text or JSON in content. Answers what was taken, refused (with line and reason) and lost; next: pipeline_post.",
    scope: "push",
    effect: "create",
    hints: { idempotent: true },
    route: "POST /v0/evidence",
    body: "stream",
    statuses: [201, 200, 400, 413, 429, 503],
    input: z.object({ ...orgField, ...postFields }),
    output: EvidenceView,
    handle: postEvidence,
  }),
  operation({
    name: "evidence_list",
    title: "List evidence",
    description:
      "Lists stored evidence, newest first, with what each record holds, and counts records by data access. Narrow by kind or surface.",
    scope: "read",
    effect: "read",
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
      "Reads one evidence record with refusals, digest and versions; with `summary` the first requests; with `trace` that trace's turns and calls. evidence_match finds traces.",
    scope: "read",
    effect: "read",
    route: "GET /v0/evidence/{eid}",
    reach,
    input: z.object({
      eid,
      summary: z.boolean().optional().describe("A preview in place of the record."),
      trace: z.string().min(1).max(200).optional().describe("The id of one of its traces, to read that."),
      view: z.enum(["flat", "tree"]).optional().describe("How the trace is shown; flat when absent."),
    }),
    output: EvidenceView.extend({
      created_at: z.number().optional(),
      by: z.string().optional(),
      digest: z.string().optional(),
      tables: Evidence.schema.shape.tables,
      versions: z.array(
        z.object({
          id: z.string(),
          created_at: z.number(),
          traces: z.number().int(),
          current: z.boolean(),
          revision_of: z
            .string()
            .optional()
            .describe("Of a revision kept when the traces of this record were converted again: the record."),
        }),
      ),
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
    reach,
    input: z.object({
      eid,
      agent: z.string().min(1).max(100).optional().describe("The id of the agent."),
      agent_version: z.string().min(1).max(100).optional(),
      pipeline: z.string().min(1).max(100).optional(),
      provenance: Provenance.optional(),
      superseded_by: z.string().min(1).max(100).optional().describe("The id of the evidence that replaces it."),
      ...byField,
    }),
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
  operation({
    name: "evidence_toolspec",
    title: "Parameter values of one source",
    description:
      "Reads how the calls of one evidence record use each tool and parameter: types, share, distinct values, closed set, range, format, and which earlier results its values came from.",
    scope: "read",
    effect: "read",
    route: "GET /v0/evidence/{eid}/toolspec",
    reach,
    input: z.object({ eid }),
    output: z.object({
      id: z.string(),
      org: z.string(),
      traces: z.number().int(),
      read: z.number().int().describe("Traces that were read: all, or five hundred evenly spread."),
      tier: Tier,
      tools: z.array(
        z.object({ tool: z.string(), calls: z.number().int(), errors: z.number().int(), params: z.array(Param) }),
      ),
    }),
    handle: evidenceToolspec,
  }),
];
