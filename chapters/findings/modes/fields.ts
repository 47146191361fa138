import { z } from "zod";
import { orgRef, recordId } from "../../fields.ts";
import { FailureModeProposal } from "../../records/findings/findings.ts";

/** A failure mode of a route. */
export const modeRef = { ...orgRef, mid: recordId("failure mode") };

/** A proposed failure mode as it is answered. */
export const Proposal = FailureModeProposal.schema.extend({
  generatable: z.boolean().describe("Whether rules can write tasks for its behaviour."),
});

/** A proposal of a route. */
export const proposalRef = { ...orgRef, pid: recordId("proposal") };
