import { z } from "zod";
import { reach } from "../../../chapters/evidence/fields.ts";
import { Started } from "../../../chapters/job.ts";
import { Worldplan } from "../../../chapters/records/sandboxes/worldplan.ts";
import { EvidencePlanRequest, startEvidencePlan } from "../../../chapters/sandboxes/plans/plan-from-evidence.ts";
import { operation } from "../../kernel/operation.ts";

/** Mint a worldplan from a selection. */
export const planFromEvidence = [
  operation({
    name: "worldplan_post",
    title: "Mint a worldplan from a selection",
    description:
      "Mints a plan from the traces of one evidence record that a selection leaves (five at least): a world of their surface with reviewed tasks mined from them alone. Its tasks come when the job has landed; read them with worldplan_get.",
    scope: "push",
    effect: "create",
    hints: { idempotent: true },
    route: "POST /v0/evidence/{eid}/worldplan",
    orgResolution: reach,
    input: EvidencePlanRequest,
    output: Worldplan.schema.extend({
      job: z.string(),
      job_status: z.string(),
      deduplicated: Started.shape.deduplicated,
      poll: Started.shape.poll,
    }),
    handle: startEvidencePlan,
  }),
];
