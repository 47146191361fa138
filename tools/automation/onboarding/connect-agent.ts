import { z } from "zod";
import { AgentView } from "../../../chapters/agents/views.ts";
import { ConnectInput, connectAgent } from "../../../chapters/automation/onboarding/connect-agent.ts";
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
    input: ConnectInput,
    output: z.object({ agent: AgentView, job: z.string().nullable() }),
    handle: connectAgent,
  }),
];
