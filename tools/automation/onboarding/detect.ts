import { z } from "zod";
import { aid } from "../../../chapters/agents/fields.ts";
import { startDetect } from "../../../chapters/automation/onboarding/detect.ts";
import { orgRef } from "../../../chapters/fields.ts";
import { Started } from "../../../chapters/job.ts";
import { operation } from "../../kernel/operation.ts";

/** Detect how an agent is run. */
export const detect = [
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
];
