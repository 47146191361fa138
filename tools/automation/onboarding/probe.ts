import { z } from "zod";
import { versionLabel } from "../../../chapters/agents/fields.ts";
import { startProbe, startSmoke } from "../../../chapters/automation/onboarding/probe.ts";
import { orgRef, recordId } from "../../../chapters/fields.ts";
import { Started } from "../../../chapters/job.ts";
import { operation, shaped } from "../../kernel/operation.ts";

const tried = {
  ...orgRef,
  aid: recordId("agent, or its name"),
  version: versionLabel.optional().describe("Which version; the newest that is not retired when absent."),
};

/** What a start of trying an agent answers. */
const Trying = Started.extend({
  agent: z.string(),
  version: z.string(),
  probe: z.string().describe("The record that the job writes; its content is the job's result too."),
  stages: z.array(z.string()),
  note: z.string(),
});

/** Looking at a connected version before it is measured, on the built-in household. */
export const trying = [
  operation({
    name: "agent_probe",
    title: "Probe an agent",
    description:
      "Call it after connecting an agent: asks a version one question of the built-in household and stores the form of what came back (answered, reached the tools, ended in time). Needs no evidence; answers a job.",
    scope: "push",
    effect: "start",
    hints: { openWorld: true },
    route: "POST /v0/orgs/{orgtag}/agents/{aid}/probe",
    input: z.object(tried),
    output: Trying,
    handle: startProbe,
  }),
  shaped({
    name: "smoke_agent",
    title: "Smoke-test an agent",
    description:
      "Call it before the first run: plays one graded trial of a connected version on the built-in household, counted in no rate. Answers a job; its result says how the trial ended and what each check decided.",
    scope: "push",
    effect: "start",
    hints: { openWorld: true },
    route: "POST /v0/orgs/{orgtag}/agents/{aid}/smoke",
    input: z.object(tried),
    output: Trying.extend({ accepted_ms: z.number().describe("How long accepting it took, milliseconds.") }),
    verdict: ({ version, deduplicated }) =>
      deduplicated
        ? `A smoke test of version ${version} is under way already.`
        : `Started one trial of version ${version} on the built-in household.`,
    counts: ({ accepted_ms }) => [
      { name: "trials", value: 1, tier: "deterministic", how: "one task of the household, tried once" },
      { name: "accepted_ms", value: accepted_ms, tier: "deterministic", how: "measured in this call" },
    ],
    next: ({ job }) => `job_status with job_id ${job}: its result says how the trial ended`,
    handle: startSmoke,
  }),
];
