import { z } from "zod";
import {
  acceptProposal,
  dismissProposal,
  FirstSeen,
  getAfterIngest,
  startAfterIngest,
} from "../../../chapters/automation/after-ingest/after-ingest.ts";
import { AcceptOptions } from "../../../chapters/automation/after-ingest/after-ingest-actions.ts";
import { byField, count, orgRef, recordId } from "../../../chapters/fields.ts";
import { Started } from "../../../chapters/job.ts";
import {
  IngestPass,
  IngestProposal,
  IngestProposalKind,
  IngestProposalState,
} from "../../../chapters/records/evidence/after-ingest.ts";
import { Tier } from "../../../chapters/tier.ts";
import { operation } from "../../kernel/operation.ts";

const Proposal = IngestProposal.schema.omit({ claimed_at: true });
const pid = recordId("proposal");

/** What a pass over new evidence offers, and what becomes of it. */
export const afterIngest = [
  operation({
    name: "after_ingest_get",
    title: "See what new evidence calls for",
    description:
      "Answers whether new evidence waits for a pass, what the last pass found, and its open proposals, each with its measure and the call that accepting makes. With `since`, also the operations first seen after it.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/after-ingest",
    input: z.object({
      ...orgRef,
      since: z.coerce.number().min(0).optional().describe("Unix seconds, for example a member's last visit."),
    }),
    output: z.object({
      org: z.string(),
      queued: z.boolean().describe("Whether evidence came in that no pass has looked at."),
      running: z.string().nullable().describe("The job of the pass that runs now."),
      last: IngestPass.schema
        .pick({ id: true, job: true, looked_at: true, line: true, counts: true, usd: true, tier: true })
        .nullable(),
      proposals: z.array(Proposal),
      starters: z
        .array(
          z.object({
            proposal: z.string(),
            at: z.number().nullable().describe("When it was accepted, unix seconds."),
            job: z.string().nullable().describe("The job that writes them."),
            touched: z.array(z.string()).describe("Ids of what was made at once."),
          }),
        )
        .optional()
        .describe("Tasks that accepted proposals had written, the newest acceptance first."),
      tally: z.record(IngestProposalKind, z.record(IngestProposalState, count)),
      first_seen: z.array(FirstSeen).optional(),
      tier: Tier,
    }),
    handle: getAfterIngest,
  }),
  operation({
    name: "after_ingest_post",
    title: "Look through new evidence now",
    description:
      "Starts a pass that compares what came in with what is compiled and offers what would help; the service does the same by itself once what came in has rested for two minutes. Answers a job, the running one when there is one.",
    scope: "push",
    effect: "start",
    route: "POST /v0/orgs/{orgtag}/after-ingest",
    input: z.object({ ...orgRef, ...byField }),
    output: Started.extend({ org: z.string(), by: z.string() }),
    handle: startAfterIngest,
  }),
  operation({
    name: "after_ingest_accept",
    title: "Accept a proposal",
    description:
      "Makes the call that a proposal stands for, as the caller, and closes it once that call was accepted. The other fields are options of a re-draw.",
    scope: "push",
    effect: "start",
    statuses: [202, 200],
    route: "POST /v0/orgs/{orgtag}/after-ingest/proposals/{pid}/accept",
    input: z.object({ ...orgRef, pid, ...AcceptOptions.shape }),
    output: z.object({
      accepted: z.boolean(),
      act: Proposal.shape.act,
      job: z.string().nullable(),
      proposal: Proposal,
      revision: z.string().nullable().describe("The newest revision that the act made."),
      state: IngestProposalState,
      status: count.describe("The status that the act's own route answers."),
      touched: z.array(z.string()),
      touched_n: count,
    }),
    handle: acceptProposal,
  }),
  operation({
    name: "after_ingest_dismiss",
    title: "Dismiss a proposal",
    description:
      "Closes a proposal without its act. It is offered again only when what was measured changes; one that was accepted or superseded is a conflict.",
    scope: "push",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/after-ingest/proposals/{pid}/dismiss",
    input: z.object({ ...orgRef, pid }),
    output: z.object({ dismissed: z.boolean(), proposal: Proposal }),
    handle: dismissProposal,
  }),
];
