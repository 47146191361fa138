import { z } from "zod";
import { nameServerRepo, ServerRepoInput } from "../../../chapters/agents/repositories/server-repo.ts";
import { AgentView } from "../../../chapters/agents/views.ts";
import { operation } from "../../kernel/operation.ts";

/** Name a tool server's repository. */
export const serverRepo = [
  operation({
    name: "agent_server_repo",
    title: "Name a tool server's repository",
    description:
      "Names the repository of a surface agent's tool server, so that branches and pull requests become versions (agent_server_refs). Nothing is built or run.",
    scope: "push",
    effect: "update",
    hints: { openWorld: true },
    route: "POST /v0/orgs/{orgtag}/agents/{aid}/server-repo",
    input: ServerRepoInput,
    output: z.object({ agent: AgentView }),
    handle: nameServerRepo,
  }),
];
