import { z } from "zod";
import { countOf } from "../../../chapters/count-of.ts";
import { ConfirmInput, confirmProposal } from "../../../chapters/findings/modes/confirm-mode.ts";
import { Proposal } from "../../../chapters/findings/modes/fields.ts";
import { Tier } from "../../../chapters/tier.ts";
import { shaped } from "../../kernel/operation.ts";
import { Mode } from "./failure-modes.ts";

/** Confirm a failure mode. */
export const confirmMode = [
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
    input: ConfirmInput,
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
];
