import { z } from "zod";
import { AgentView } from "../../../chapters/agents/views.ts";
import { firstAgent } from "../../../chapters/automation/onboarding/first.ts";
import { orgRef } from "../../../chapters/fields.ts";
import { operation } from "../../kernel/operation.ts";

/** An org's first agent. */
export const first = [
  operation({
    name: "agents_first",
    title: "Make the first agent",
    description:
      "Writes the org's first agent if it has none: the tools of its oldest compiled surface, driven by the keyless rule harness, so that runs can be tried. Refused while no surface is compiled.",
    scope: "push",
    effect: "create",
    statuses: [201, 200],
    hints: { idempotent: true },
    route: "POST /v0/orgs/{orgtag}/agents/first",
    input: z.object(orgRef),
    output: z.object({
      org: z.string(),
      created: z.boolean(),
      agent: AgentView,
      agents: z.number().int().describe("How many agents the org has, retired ones included."),
    }),
    handle: firstAgent,
  }),
];
