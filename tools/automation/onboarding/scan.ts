import { z } from "zod";
import { aid } from "../../../chapters/agents/fields.ts";
import { startScan } from "../../../chapters/automation/onboarding/scan.ts";
import { orgRef } from "../../../chapters/fields.ts";
import { Started } from "../../../chapters/job.ts";
import { ScheduleCadence } from "../../../chapters/records/sources/sources.ts";
import { operation } from "../../kernel/operation.ts";

/** Scan for new versions. */
export const scan = [
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
