import { z } from "zod";
import {
  ChangeInput,
  changeAgent,
  deleteAgent,
  getAgent,
  listAgents,
  retireAgent,
} from "../../chapters/agents/agents.ts";
import { aid } from "../../chapters/agents/fields.ts";
import { AgentView } from "../../chapters/agents/views.ts";
import { byField, orgRef } from "../../chapters/fields.ts";
import { pageInput } from "../../chapters/page.ts";
import { SurfaceVersion } from "../../chapters/records/agents/agents.ts";
import { connectAgentOperations } from "../automation/onboarding/connect-agent.ts";
import { operation } from "../kernel/operation.ts";

const kept = z.object({ groups: z.number().int().describe("Run groups that stay.") });

/** Connected agents and the built-in harnesses. */
export const agents = [
  operation({
    name: "agents_list",
    title: "List agents",
    description:
      "Lists connected agents, newest first, then the built-in harnesses, each with whether a run can be started with it now. Use it to find the agent or harness to name in start_run.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/agents",
    input: z.object({ ...orgRef, ...pageInput, retired: z.boolean().optional().describe("Also the retired ones.") }),
    output: z.object({
      agents: z.array(AgentView),
      as_of: z.number(),
      behind: z.number(),
      next: z.string().optional(),
    }),
    handle: listAgents,
  }),
  ...connectAgentOperations,
  operation({
    name: "agents_get",
    title: "Read an agent",
    description: "Answers an agent with its versions and the newest run groups it ran.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/agents/{aid}",
    input: z.object({ ...orgRef, aid }),
    output: z.object({
      agent: AgentView,
      groups: z.array(
        z.object({
          group: z.string(),
          created_at: z.number(),
          version: z.string().nullable(),
          trials: z.number().int(),
          environments: z.array(z.string()),
        }),
      ),
      trace_store: z
        .string()
        .nullable()
        .describe("Where its own traces are kept; null when no such place is connected."),
      surface_versions: z
        .array(SurfaceVersion.schema)
        .describe("Of a surface agent: the refs of its server that were taken as versions, newest first."),
    }),
    handle: getAgent,
  }),
  operation({
    name: "agents_patch",
    title: "Change an agent",
    description:
      "Changes an agent's name, model or notes. A new command, URL, ref, environment or adapter, or a version label, pins a new version; versions themselves never change.",
    scope: "push",
    hints: { idempotent: false },
    route: "PATCH /v0/orgs/{orgtag}/agents/{aid}",
    input: ChangeInput,
    output: AgentView,
    handle: changeAgent,
  }),
  operation({
    name: "agents_delete",
    title: "Remove an agent",
    description: "Removes an agent with its sealed values; its run groups stay. To hide it only, use agent_retire.",
    scope: "push",
    route: "DELETE /v0/orgs/{orgtag}/agents/{aid}",
    input: z.object({ ...orgRef, aid }),
    output: z.object({ deleted: z.string(), kept }),
    handle: deleteAgent,
  }),
  operation({
    name: "agent_retire",
    title: "Retire or restore an agent",
    description: "Takes an agent off the lists, or puts it back. A retired agent starts no run; what it ran stays.",
    scope: "push",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/agents/{aid}/retire",
    input: z.object({ ...orgRef, aid, retired: z.boolean().describe("false brings it back."), ...byField }),
    output: z.object({ agent: AgentView, kept }),
    handle: retireAgent,
  }),
];
