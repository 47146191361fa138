import { z } from "zod";
import { reach } from "../../../chapters/evidence/fields.ts";
import { Started } from "../../../chapters/job.ts";
import { CoverRequest, startCoverage } from "../../../chapters/sandboxes/environments/cover-evidence.ts";
import { operation } from "../../kernel/operation.ts";

/** Mint worldplans that cover a record. */
export const coverEvidence = [
  operation({
    name: "worldplan_coverage",
    title: "Mint worldplans that cover a record",
    description:
      "Starts minting up to k plans that cover the attributes of one evidence record: its traces are grouped, and each group of five or more becomes a plan as of worldplan_post. The job's result names them.",
    scope: "push",
    effect: "start",
    route: "POST /v0/evidence/{eid}/worldplans/coverage",
    orgResolution: reach,
    input: CoverRequest,
    output: Started.extend({ evidence_id: z.string(), k: z.number().int() }),
    handle: startCoverage,
  }),
];
