import { z } from "zod";
import { eid, reach } from "../../../chapters/evidence/fields.ts";
import { matchEvidence } from "../../../chapters/evidence/traces/match.ts";
import { FoundTraces } from "../../../chapters/evidence/traces/trace-search.ts";
import { words } from "../../../chapters/fields.ts";
import { pageInput } from "../../../chapters/page.ts";
import { AttributeField, AttributeSelection, FieldSummary } from "../../../chapters/records/evidence/attribute.ts";
import { TraceFilter } from "../../../chapters/records/evidence/trace-filter.ts";
import { Tier } from "../../../chapters/tier.ts";
import { operation } from "../../kernel/operation.ts";

const count = z.number().int();

/** Count what a selection matches. */
export const match = [
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
