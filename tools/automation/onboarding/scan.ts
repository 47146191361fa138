import { z } from "zod";
import { StartInput, startScan } from "../../../chapters/automation/onboarding/scan.ts";
import { Started } from "../../../chapters/job.ts";
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
    input: StartInput,
    output: Started.extend({
      agent: z.string(),
      stages: z.array(z.string()),
      paths: z.array(z.string()),
      schedule: z.string().optional().describe("The schedule that goes on with it."),
    }),
    handle: startScan,
  }),
];
