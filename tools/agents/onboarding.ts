import { z } from "zod";
import { startOnboard } from "../../chapters/automation/onboarding/onboard.ts";
import { VersionOrigin } from "../../chapters/records/agents/agents.ts";
import { Declarations } from "../../worlds/declare.ts";
import { byField, orgRef, recordId } from "../kernel/fields.ts";
import { shaped } from "../kernel/operation.ts";
import { Started } from "../kernel/started.ts";
import { versionLabel } from "./fields.ts";

/** From a connected version to one that is compared with the last. */
export const onboarding = [
  shaped({
    name: "onboard_agent",
    title: "Onboard an agent version",
    description:
      "One job from a connected version to its run beside the last one's on shared tasks: probe, smoke test, build of the surface where it has no environment, choice of tasks, run of the last version, run of this one, comparison. A stage whose inputs are unchanged is not made again, and a restart goes on where it was. For a surface agent (a tool server) the tools that you add, remove, give another function or describe anew become a version of their own, checked whole before anything is stored. Answers a job to poll; its result has each stage with what it came to.",
    scope: "push",
    effect: "start",
    hints: { openWorld: true },
    route: "POST /v0/orgs/{orgtag}/agents/{aid}/onboard",
    input: z.object({
      ...orgRef,
      aid: recordId("agent, or its name"),
      version: versionLabel
        .optional()
        .describe("The version to onboard, by default the newest; with declared tools the label of the new one."),
      against: versionLabel
        .optional()
        .describe(
          "The version to compare with: by default main, or the one that landed a run last, or the one before.",
        ),
      surface: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe("Whose tasks are run; by default those that the last version ran, else every live environment's."),
      tasks: z
        .number()
        .int()
        .min(1)
        .max(2_000)
        .optional()
        .describe("Tasks per environment, over all families in turn; every certified one when absent."),
      environments: z
        .array(z.string().min(1).max(200))
        .min(1)
        .max(50)
        .optional()
        .describe("Whose tasks are run, by id."),
      allow_cannot: z
        .boolean()
        .optional()
        .describe("Also tasks that no one can meet with the version's tools; they are left out when absent."),
      ...Declarations.shape,
      origin: VersionOrigin.optional().describe("Where the declared tools come from."),
      ...byField,
    }),
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
