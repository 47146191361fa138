import { z } from "zod";
import { eid, reach } from "../../chapters/evidence/fields.ts";
import { evidenceToolspec } from "../../chapters/evidence/toolspec.ts";
import { Tier } from "../../chapters/tier.ts";
import { operation } from "../kernel/operation.ts";

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

/** Parameter values of one source. */
export const toolspec = [
  operation({
    name: "evidence_toolspec",
    title: "Read parameter values of one source",
    description:
      "Reads how the calls of one evidence record use each tool and parameter: types, share, distinct values, closed set, range, format, and which earlier results its values came from.",
    scope: "read",
    route: "GET /v0/evidence/{eid}/toolspec",
    orgResolution: reach,
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
