import { z } from "zod";
import { recordId } from "../../../chapters/fields.ts";
import { BundleRecord } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { bundleAxes, Candidate } from "../../../chapters/sandboxes/surfaces/axes.ts";
import { operation } from "../../kernel/operation.ts";

/** A bundle's axes. */
export const axes = [
  operation({
    name: "bundle_axes",
    title: "Read a bundle's axes",
    description:
      "Answers the parameters that a bundle's evidence varies (at least 20 observations, 2 to 50 values) with their values, why the others are none, and a sample of vectors in which every two values of two axes meet.",
    scope: "read",
    route: "GET /v0/bundles/{bundle_id}/axes",
    orgResolution: { from: "record", kind: BundleRecord, param: "bundle_id" },
    input: z.object({ bundle_id: recordId("bundle") }),
    output: z.object({
      bundle_id: z.string(),
      available: z.boolean(),
      awaiting_customer_data: z.boolean().describe("Whether no call of its tools has been observed."),
      reason: z.string(),
      axes: z.array(Candidate),
      rejected: z.array(
        z.object({
          axis: z.string(),
          n: z.number().int(),
          distinct: z.number().int(),
          reason: z.enum(["too_few_observations", "one_value", "too_many_values"]),
        }),
      ),
      sample_axes: z
        .array(z.string())
        .describe("The axes of the sample: the most seen, 8 at most, the 10 most frequent values of each."),
      sample_vectors: z.array(z.record(z.string(), z.string())),
      tier: z.literal("deterministic"),
    }),
    handle: bundleAxes,
  }),
];
