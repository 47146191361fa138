import { z } from "zod";
import { Started } from "../../chapters/job.ts";
import { StartDeriveInput, startDerive } from "../../chapters/ontology/derive.ts";
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
    input: StartDeriveInput,
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
