import { z } from "zod";
import { countOf } from "../../../chapters/count-of.ts";
import { confirmProposal } from "../../../chapters/findings/modes/confirm-mode.ts";
import { dismissProposal, listProposals, postProposal } from "../../../chapters/findings/modes/proposals.ts";
import { pageInput } from "../../../chapters/page.ts";
import { FailureModeProposal, ProposalState } from "../../../chapters/records/findings/findings.ts";
import { RootCause } from "../../../chapters/records/runs/runs.ts";
import { Tier } from "../../../chapters/tier.ts";
import { byField, orgRef, recordId, words } from "../../kernel/fields.ts";
import { operation, shaped } from "../../kernel/operation.ts";
import { authorField, Mode } from "./failure-modes.ts";

const count = z.number().int();
const Proposal = FailureModeProposal.schema.extend({
  generatable: z.boolean().describe("Whether rules can write tasks for its behaviour."),
});
const proposalRef = { ...orgRef, pid: recordId("proposal") };

/** Reports read into failure modes that could be. */
export const proposals = [
  operation({
    name: "failure_mode_proposals_list",
    title: "List proposed failure modes",
    description:
      "Lists reports that were read into one proposed failure mode each, oldest first, with what each confirm did, and the sandboxes (`buckets`) that tasks may go on.",
    scope: "read",
    effect: "read",
    route: "GET /v0/orgs/{orgtag}/failure-modes/proposals",
    input: z.object({
      ...orgRef,
      ...pageInput,
      origin: z.enum(["chat", "console"]).optional(),
      state: ProposalState.optional(),
    }),
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
    input: z.object({
      ...orgRef,
      report: words(200).optional().describe("The id of a feedback note, as chat reports are parked."),
      text: words(20_000).optional(),
      ...authorField,
      ticket: words(500).optional(),
      origin_source: words(500).optional(),
      tools: z.array(words(200)).max(50).optional().describe("Tools that the report is about, the foremost first."),
      seen_at: z.number().min(0).optional().describe("Unix seconds."),
      member: words(100).optional(),
    }),
    output: z.object({
      org: z.string(),
      proposal: Proposal,
      duplicate: z.boolean(),
      note: z.string().optional().describe("What the rules could not tell of the report."),
      tier: Tier,
    }),
    handle: postProposal,
  }),
  shaped({
    name: "confirm_failure_mode",
    title: "Confirm a failure mode",
    description:
      "Takes a proposal as a failure mode and writes reviewed tasks that hold agents to it. Say the behaviour where the report did not.",
    scope: "push",
    effect: "start",
    statuses: [202, 201, 200],
    hints: { idempotent: true },
    route: "POST /v0/orgs/{orgtag}/failure-modes/proposals/{pid}/confirm",
    input: z.object({
      ...proposalRef,
      ...byField,
      title: words(200).optional(),
      behaviour: RootCause.optional(),
      bucket: words(200).optional().describe("The sandbox (environment id) that its tasks go on."),
      environment: words(200).optional().describe("The same as bucket."),
      count: count.min(5).max(8).optional().describe("How many tasks, 5 to 8; 6 when absent."),
      target_tool: words(200).optional(),
    }),
    output: z.object({
      org: z.string(),
      already: z.boolean(),
      mode: Mode,
      proposal: Proposal,
      environment: z.string().nullable(),
      job: z.string().nullable(),
      poll: z.string().optional(),
      stored_as: z.array(z.string()).describe("The task records that were stored at once."),
      run_link: z.string().nullable().describe("The route that runs an agent on the sandbox."),
      note: z.string(),
      tier: Tier,
    }),
    verdict: ({ already, mode, job, stored_as: stored }) =>
      already
        ? `Confirmed before: ${mode.line}`
        : job !== null
          ? "Confirmed; a job writes its tasks."
          : `Confirmed, with ${countOf(stored.length, "task")}.`,
    counts: ({ mode, tier }) => [
      {
        name: "tasks",
        value: mode.tasks.length,
        tier: "deterministic",
        how: "stored tasks that hold agents to the mode",
      },
      { name: "modes", value: 1, tier, how: "confirmed by a person" },
    ],
    next: ({ environment, job, stored_as: stored, poll }) =>
      job !== null
        ? `job_status at ${poll ?? job}, until its tasks are written; then start_run on the sandbox`
        : environment !== null && stored.length > 0
          ? "start_run on the sandbox, to see which versions show the failure"
          : undefined,
    handle: confirmProposal,
  }),
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
