import { z } from "zod";
import { nameServerRepo } from "../../../chapters/agents/repositories/server-repo.ts";
import { AgentView } from "../../../chapters/agents/views.ts";
import { byField, orgRef, recordId } from "../../../chapters/fields.ts";
import { operation } from "../../kernel/operation.ts";

const aid = recordId("surface agent, or its name");

const path = z
  .string()
  .min(1)
  .max(500)
  .regex(/^(?!\/)(?!.*(?:^|\/)\.\.(?:\/|$))/, "write a path inside the repository");

const line = z.string().min(1).max(10_000);

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
    input: z.object({
      ...orgRef,
      aid,
      url: z.string().min(1).max(4_000).describe("The repository's address, or owner/name at the code host."),
      ref: z.string().min(1).max(250).optional().describe("The base branch; main when absent."),
      paths: z
        .array(path)
        .max(100)
        .optional()
        .describe("Where tools are defined: a scan takes only commits that touch one of these."),
      listing: path.optional().describe("A file of the repository that lists the tools."),
      run: line.optional().describe("What serves the tools over standard input and output."),
      setup: line.optional().describe("What sets a checkout up before, with the network."),
      upstream_env: z
        .string()
        .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/)
        .optional()
        .describe("The environment variable that tells the server where its upstream is."),
      ...byField,
    }),
    output: z.object({ agent: AgentView }),
    handle: nameServerRepo,
  }),
];
