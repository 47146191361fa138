import { z } from "zod";
import { startDetect } from "../../chapters/agents/detect.ts";
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
      "Reads a repository agent's repository again at its ref and proposes by rule how it is set up and run (Procfile, package scripts, make target, Python project, a file named as agents are), pins that as a version where none says so, and probes it on the built-in household. Answers a job; its result is the proposal with the probe's job.",
    scope: "push",
    effect: "start",
    hints: { openWorld: true },
    route: "POST /v0/orgs/{orgtag}/agents/{aid}/detect",
    input: z.object({ ...orgRef, aid }),
    output: Started.extend({ agent: z.string() }),
    handle: startDetect,
  }),
];
