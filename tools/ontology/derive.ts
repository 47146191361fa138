import { z } from "zod";
import { orgRef } from "../../chapters/fields.ts";
import { Started } from "../../chapters/job.ts";
import { startDerive } from "../../chapters/ontology/derive.ts";
import { sourceField } from "../../chapters/ontology/fields.ts";
import { Tier } from "../../chapters/tier.ts";
import { operation } from "../kernel/operation.ts";

/** Read dimensions out of a source. */
export const derive = [
  operation({
    name: "dimensions_derive",
    title: "Read dimensions out of a source",
    description:
      "Starts one reading of one evidence record (traces, a document, corpus items) and writes what it shows as proposed values with citations. The job's result tells what was proposed, known already and refused.",
    scope: "push",
    effect: "start",
    route: "POST /v0/orgs/{orgtag}/dimensions/derive",
    input: z.object({
      ...orgRef,
      ...sourceField,
      attributes: z
        .array(z.string().min(1).max(64))
        .min(1)
        .max(50)
        .optional()
        .describe("The axes to read; all when absent."),
      limit: z.number().int().min(1).max(2000).optional().describe("Records read at most; 200 when absent."),
      subsample: z.number().gt(0).max(1).optional().describe("Share of the records that is read, evenly spread."),
      additive: z.boolean().optional().describe("False drops proposals of this source alone that it shows no more."),
      propose: z.boolean().optional().describe("False reads and keeps the reading, and writes no value."),
      curve: z.boolean().optional().describe("Tell how many values each further tenth of the records added."),
    }),
    output: Started.extend({
      org: z.string(),
      model: z.string().nullable().describe("Null: by rule."),
      prompt_version: z.string().nullable(),
      stages: z.array(z.string()),
      tier: Tier,
      note: z.string(),
    }),
    handle: startDerive,
  }),
];
