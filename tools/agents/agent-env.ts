import { z } from "zod";
import { deleteAgentEnv, listAgentEnv, putAgentEnv } from "../../chapters/agents/agent-env.ts";
import { given } from "../../chapters/agents/fields.ts";
import { byField, orgRef } from "../../chapters/fields.ts";
import { pageInput } from "../../chapters/page.ts";
import { operation } from "../kernel/operation.ts";

const name = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, "use letters, digits and underscores");
const EnvView = z.object({ name: z.string(), by: z.string(), created_at: z.number(), updated_at: z.number() });

/** Values that agents are given at launch: in once, never out. */
export const agentEnv = [
  operation({
    name: "agent_env_list",
    title: "List agent environment values",
    description: "Lists the names of the values that agents are given at launch, who set each and when. Never a value.",
    scope: "admin",
    route: "GET /v0/orgs/{orgtag}/agent-env",
    input: z.object({ ...orgRef, ...pageInput }),
    output: z.object({ env: z.array(EnvView), next: z.string().optional() }),
    handle: listAgentEnv,
  }),
  operation({
    name: "agent_env_put",
    title: "Set an agent environment value",
    description:
      "Sets a secret by name, new or in place of the one before. It is stored sealed and never shown; an agent version names it in token_env.",
    scope: "admin",
    route: "PUT /v0/orgs/{orgtag}/agent-env/{name}",
    input: z.object({ ...orgRef, name, value: given(20_000).min(1), ...byField }),
    output: EnvView,
    handle: putAgentEnv,
  }),
  operation({
    name: "agent_env_delete",
    title: "Remove an agent environment value",
    description: "Removes a value. Agent versions that name it cannot be started until it is set again.",
    scope: "admin",
    route: "DELETE /v0/orgs/{orgtag}/agent-env/{name}",
    input: z.object({ ...orgRef, name }),
    output: z.object({ deleted: z.string() }),
    handle: deleteAgentEnv,
  }),
];
