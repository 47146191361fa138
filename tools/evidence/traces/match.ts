import { z } from "zod";
import { reach } from "../../../chapters/evidence/fields.ts";
import { MatchInput, matchEvidence, NextValue } from "../../../chapters/evidence/traces/match.ts";
import { FoundTraces } from "../../../chapters/evidence/traces/trace-search.ts";
import { count } from "../../../chapters/fields.ts";
import { FieldSummary } from "../../../chapters/records/evidence/attribute.ts";
import { Tier } from "../../../chapters/tier.ts";
import { operation } from "../../kernel/operation.ts";

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
    orgResolution: reach,
    input: MatchInput,
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
          values: z.array(NextValue),
          values_left_out: count.describe("Rarer values that are not listed."),
        }),
      ),
      found: FoundTraces.optional().describe("The traces that q and filter find, page by page."),
      tier: Tier,
    }),
    handle: matchEvidence,
  }),
];
