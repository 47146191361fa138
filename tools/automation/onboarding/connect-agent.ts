import { z } from "zod";
import { targetFields, versionLabel } from "../../../chapters/agents/fields.ts";
import { AgentView } from "../../../chapters/agents/views.ts";
import { connectAgent } from "../../../chapters/automation/onboarding/connect-agent.ts";
import { byField, orgRef } from "../../../chapters/fields.ts";
import { operation } from "../../kernel/operation.ts";

/** Connect an agent. */
export const connectAgentOperations = [
  operation({
    name: "agents_post",
    title: "Connect an agent",
    description:
      "Connects an agent to test, with its first version: a command started once per trial, an http endpoint, a repository that is checked out and started, or a surface (a tool server under test, driven by a built-in harness). Next: smoke_agent, start_run.",
    scope: "push",
    effect: "create",
    route: "POST /v0/orgs/{orgtag}/agents",
    input: z.object({
      ...orgRef,
      kind: z.enum(["command", "http", "repository", "surface"]),
      name: z.string().min(1).max(100),
      version: versionLabel.optional().describe("Label of the first version; 1 when absent."),
      ...targetFields,
      model: z.string().min(1).max(200).optional().describe("Which model it uses, for the record."),
      notes: z.string().max(4_000).optional(),
      ...byField,
    }),
    output: z.object({ agent: AgentView, job: z.string().nullable() }),
    handle: connectAgent,
  }),
];
