import { z } from "zod";
import { fileAttributes, readAttributes } from "../../../chapters/evidence/attributes/attributes.ts";
import { matchEvidence } from "../../../chapters/evidence/traces/match.ts";
import { FoundTraces } from "../../../chapters/evidence/traces/trace-search.ts";
import { pageInput } from "../../../chapters/page.ts";
import {
  AttributeField,
  AttributeSelection,
  AttributeValue,
  FieldSummary,
  TraceAttributes,
} from "../../../chapters/records/evidence/attribute.ts";
import { Evidence } from "../../../chapters/records/evidence/evidence.ts";
import { TraceFilter } from "../../../chapters/records/evidence/trace-filter.ts";
import { Tier } from "../../../chapters/tier.ts";
import { recordId, words } from "../../kernel/fields.ts";
import { operation } from "../../kernel/operation.ts";

const reach = { from: "record", kind: Evidence, param: "eid" } as const;
const eid = recordId("evidence");
const count = z.number().int();

/** What was read of each trace, and selecting traces by it. */
export const attributes = [
  operation({
    name: "evidence_attributes_post",
    title: "File attributes of traces",
    description:
      "Files what was read of one evidence record's traces: per trace, fields with a short value, where it was read, and how (extractor_model or method; else a person's word). All or nothing.",
    scope: "push",
    effect: "create",
    hints: { idempotent: true },
    route: "POST /v0/evidence/{eid}/attributes",
    reach,
    input: z.object({
      eid,
      attributes: z
        .array(
          z.strictObject({
            trace: z.string().min(1).max(200).describe("The id of the trace."),
            values: z
              .record(
                AttributeField,
                z.strictObject({
                  value: AttributeValue,
                  cite: z.string().min(1).max(200).optional().describe("Where in the trace, such as `turns.0`."),
                  tier: Tier.optional(),
                }),
              )
              .describe("By field."),
          }),
        )
        .min(1)
        .max(1000),
      extractor_model: z.string().min(1).max(200).optional(),
      method: z.string().min(1).max(200).optional().describe("How code read them."),
    }),
    output: z.object({
      _v: count.describe("The version of the form they are kept in."),
      id: z.string(),
      attributes: z.array(FieldSummary).describe("The record's fields, as they are filled now."),
      extracted: z.object({
        traces: count,
        values: count,
        extractor_model: z.string().nullable(),
        method: z.string().nullable(),
        tier: Tier,
      }),
    }),
    handle: fileAttributes,
  }),
  operation({
    name: "evidence_attributes_get",
    title: "Read attributes of traces",
    description:
      "Reads the stored attributes of one evidence record trace by trace, in order: each value with where it was read, by what and how; and how far each field is filled.",
    scope: "read",
    effect: "read",
    route: "GET /v0/evidence/{eid}/attributes",
    reach,
    input: z.object({ eid, ...pageInput }),
    output: z.object({
      id: z.string(),
      org: z.string(),
      _v: count,
      fields: z.array(FieldSummary),
      attributes: z.array(TraceAttributes),
      next: z.string().optional(),
    }),
    handle: readAttributes,
  }),
  operation({
    name: "evidence_match",
    title: "Count what a selection matches",
    description:
      "Counts the traces of one evidence record that a selection of attributes leaves, and how many each next value would leave: use it before worldplan_post. With `q` (words that all stand in a trace) or `filter` it lists the traces found.",
    scope: "push",
    effect: "read",
    route: "POST /v0/evidence/{eid}/match",
    reach,
    input: z.object({
      eid,
      selection: AttributeSelection.optional().describe("Values by field; everything when absent."),
      fields: z
        .array(AttributeField)
        .min(1)
        .max(50)
        .optional()
        .describe("Fields to count next values of; all when absent."),
      q: words(500).optional().describe("Words to look for, all of them; `refund*` stands for all that begin so."),
      filter: TraceFilter.optional().describe("Which traces to list; with q both must hold, and the selection."),
      ...pageInput,
    }),
    output: z.object({
      id: z.string(),
      corpus_n: count,
      matched_n: count,
      min_traces: count,
      enough: z.boolean(),
      counted_selection: z.record(z.string(), z.array(z.string())),
      unfilterable: z.array(FieldSummary),
      per_field: z.array(
        FieldSummary.extend({
          values: z.array(
            z.object({
              value: z.string(),
              n: count.describe("Traces that match once it is selected too."),
              chosen: z.boolean(),
              tier: Tier,
            }),
          ),
          values_left_out: count.describe("Rarer values that are not listed."),
        }),
      ),
      found: FoundTraces.optional().describe("The traces that q and filter find, page by page."),
      tier: Tier,
    }),
    handle: matchEvidence,
  }),
];
