import { z } from "zod";
import { FailureModeProposal } from "../../../chapters/records/findings/findings.ts";
import { orgRef, recordId } from "../../kernel/fields.ts";

/** A failure mode of a route. */
export const modeRef = { ...orgRef, mid: recordId("failure mode") };

/** A proposed failure mode as it is answered. */
export const Proposal = FailureModeProposal.schema.extend({
  generatable: z.boolean().describe("Whether rules can write tasks for its behaviour."),
});

/** A proposal of a route. */
export const proposalRef = { ...orgRef, pid: recordId("proposal") };
