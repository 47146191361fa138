import { z } from "zod";
import { deriveFeedback } from "../../../chapters/evidence/feedback/feedback-derive.ts";
import { count, orgRef } from "../../../chapters/fields.ts";
import { NoteProposalKind } from "../../../chapters/records/evidence/feedback-derive.ts";
import { Tier } from "../../../chapters/tier.ts";
import { operation } from "../../kernel/operation.ts";

const Proposal = z.object({
  id: z.string(),
  stage: z.string().describe("The stage that it would change."),
  title: z.string(),
  change: z.string(),
  cites: z.array(z.string()).describe("Ids of the notes that speak for it."),
  tier: Tier,
});

/** What people's notes speak for. */
export const feedbackDerive = [
  operation({
    name: "feedback_derive",
    title: "Derive from feedback",
    description:
      "Reads feedback notes that no earlier pass read and writes what they speak for as proposals (dimension, criterion kind, review rule, writer's gate, detector), each citing its notes. Nothing is applied.",
    scope: "push",
    effect: "create",
    statuses: [200],
    route: "POST /v0/orgs/{orgtag}/feedback/derive",
    input: z.object({
      ...orgRef,
      limit: count.min(1).max(100).optional().describe("How many notes at most, oldest first; 100 when absent."),
    }),
    output: z.object({
      org: z.string(),
      read: count,
      by_kind: z.record(NoteProposalKind, z.array(Proposal)),
      proposed: count,
      silent: count.describe("Notes that were read and speak for none of the proposals."),
      cannot: z.string().optional().describe("What the rule reader cannot do; absent where a model read."),
      note: z.string().optional(),
      model: z.string().nullable(),
      prompt_version: z.string().nullable(),
      estimate_usd: z.number().describe("What the reading could have cost at most."),
      usd: z.number(),
      tier: Tier,
    }),
    handle: deriveFeedback,
  }),
];
