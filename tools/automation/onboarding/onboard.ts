import { z } from "zod";
import { OnboardRequest, startOnboard } from "../../../chapters/automation/onboarding/onboard.ts";
import { Started } from "../../../chapters/job.ts";
import { shaped } from "../../kernel/operation.ts";

/** From a connected version to one that is compared with the last. */
export const onboarding = [
  shaped({
    name: "onboard_agent",
    title: "Onboard an agent version",
    description:
      "Use it to take a new version from connected to compared in one job: probe, smoke test, build where there is no environment, choice of tasks, run of the last version and of this one, comparison. For a surface agent, changed tools can be declared as a version.",
    scope: "push",
    effect: "start",
    hints: { openWorld: true },
    route: "POST /v0/orgs/{orgtag}/agents/{aid}/onboard",
    input: OnboardRequest,
    output: Started.extend({
      agent: z.string(),
      version: z.string(),
      against: z.string().nullable(),
      onboarding: z.string().describe("The record that the job writes; its content is the job's result too."),
      environments: z.array(z.string()),
      stages: z.array(z.string()),
      note: z.string(),
    }),
    verdict: ({ version, against, deduplicated }) => {
      if (deduplicated) return `Version ${version} is being onboarded already.`;
      return against === null
        ? `Onboarding version ${version}; there is none before it to compare with.`
        : `Onboarding version ${version} against ${against}.`;
    },
    counts: ({ environments }) => [
      {
        name: "environments",
        value: environments.length,
        tier: "deterministic",
        how: "live ones whose tasks both versions run",
      },
    ],
    next: ({ job }) => `watch_job with job_id ${job}; its result has the stages, the last one the verdict`,
    handle: startOnboard,
  }),
];
