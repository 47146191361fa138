import { z } from "zod";
import { byField, count } from "../../../chapters/fields.ts";
import { Proposal, proposalRef } from "../../../chapters/findings/modes/fields.ts";
import {
  dismissProposal,
  ListInput,
  listProposals,
  PostInput,
  postProposal,
} from "../../../chapters/findings/modes/proposals.ts";
import { Tier } from "../../../chapters/tier.ts";
import { operation } from "../../kernel/operation.ts";
import { confirmMode } from "./confirm-mode.ts";

/** Reports read into failure modes that could be. */
export const proposals = [
  operation({
    name: "failure_mode_proposals_list",
    title: "List proposed failure modes",
    description:
      "Lists reports that were read into one proposed failure mode each, oldest first, with what each confirm did, and the sandboxes (`buckets`) that tasks may go on.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/failure-modes/proposals",
    input: ListInput,
    output: z.object({
      org: z.string(),
      count,
      proposals: z.array(Proposal),
      buckets: z.array(
        z.object({ id: z.string(), label: z.string(), surface: z.string(), tools: z.array(z.string()) }),
      ),
      tier: Tier,
      next: z.string().optional(),
    }),
    handle: listProposals,
  }),
  operation({
    name: "failure_mode_proposals_post",
    title: "Propose a failure mode",
    description:
      "Use it for a report that a person shall confirm first: reads it by rule into one proposed failure mode (behaviour, tool, traces, sandbox). confirm_failure_mode makes the mode and its tasks.",
    scope: "push",
    effect: "create",
    statuses: [201, 200],
    route: "POST /v0/orgs/{orgtag}/failure-modes/proposals",
    input: PostInput,
    output: z.object({
      org: z.string(),
      proposal: Proposal,
      duplicate: z.boolean(),
      note: z.string().optional().describe("What the rules could not tell of the report."),
      tier: Tier,
    }),
    handle: postProposal,
  }),
  ...confirmMode,
  operation({
    name: "failure_mode_proposals_dismiss",
    title: "Dismiss a proposed failure mode",
    description:
      "Dismisses a proposal; only its state and who did it are written. A dismissed one answers as it stands; a confirmed one is a conflict.",
    scope: "push",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/failure-modes/proposals/{pid}/dismiss",
    input: z.object({ ...proposalRef, ...byField }),
    output: z.object({ org: z.string(), proposal: Proposal, tier: Tier }),
    handle: dismissProposal,
  }),
];
