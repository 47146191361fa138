import { z } from "zod";
import { orgRef } from "../../chapters/fields.ts";
import { getConfidence, PutInput, putConfidence } from "../../chapters/organization/confidence.ts";
import { operation } from "../kernel/operation.ts";

const Confidence = z.object({
  low: z.number().int(),
  high: z.number().int(),
  source: z.enum(["org", "default"]),
  by: z.string().optional(),
  at: z.number().optional(),
  bands: z.array(z.object({ from: z.number(), to: z.number(), words: z.string() })),
  formula: z.string(),
});

/** The bands that put a comparison's confidence into words. */
export const confidence = [
  operation({
    name: "confidence_get",
    title: "Read confidence bands",
    description: "Answers the thresholds that put a comparison's confidence into words, who set them, and the formula.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/confidence",
    input: z.object(orgRef),
    output: z.object({ org: z.string(), confidence: Confidence }),
    handle: getConfidence,
  }),
  operation({
    name: "confidence_put",
    title: "Set confidence bands",
    description:
      "Sets both thresholds, whole numbers from 0 to 100 with low below high; null both to return to the default of 20 and 90.",
    scope: "admin",
    route: "PUT /v0/orgs/{orgtag}/confidence",
    input: PutInput,
    output: z.object({ org: z.string(), confidence: Confidence, cleared: z.boolean() }),
    handle: putConfidence,
  }),
];
