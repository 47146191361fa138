import { z } from "zod";
import { startDetect } from "../../chapters/automation/onboarding/detect.ts";
import { startScan } from "../../chapters/automation/onboarding/scan.ts";
import { ScheduleCadence } from "../../chapters/records/sources/sources.ts";
import { orgRef, recordId } from "../kernel/fields.ts";
import { operation } from "../kernel/operation.ts";
import { Started } from "../kernel/started.ts";

const aid = recordId("agent, or its name");

/** Reading an agent's repository: how it is run, and whether there is something newer. */
export const reading = [
  operation({
    name: "agent_detect",
    title: "Detect how an agent is run",
    description:
      "Reads a repository agent's repository again at its ref, proposes by rule how it is set up and run, pins that as a version where none says so, and probes it. Answers a job; its result is the proposal.",
    scope: "push",
    effect: "start",
    hints: { openWorld: true },
    route: "POST /v0/orgs/{orgtag}/agents/{aid}/detect",
    input: z.object({ ...orgRef, aid }),
    output: Started.extend({ agent: z.string() }),
    handle: startDetect,
  }),
  operation({
    name: "agent_scan",
    title: "Scan for new versions",
    description:
      "Looks in an agent's repository for commits that no version was made from, and makes versions of them (a surface agent: branches and pull requests of its server). With cadence it goes on by the clock; manual ends that.",
    scope: "push",
    effect: "start",
    hints: { openWorld: true },
    route: "POST /v0/orgs/{orgtag}/agents/{aid}/scan",
    input: z.object({
      ...orgRef,
      aid,
      paths: z
        .array(z.string().min(1).max(500))
        .max(100)
        .optional()
        .describe("A commit must touch one of these; the last scan's or the server's when absent."),
      cadence: z.enum(["manual", ...ScheduleCadence.options]).optional(),
    }),
    output: Started.extend({
      agent: z.string(),
      stages: z.array(z.string()),
      paths: z.array(z.string()),
      schedule: z.string().optional().describe("The schedule that goes on with it."),
    }),
    handle: startScan,
  }),
];
