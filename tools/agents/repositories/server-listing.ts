import { z } from "zod";
import { serverTools } from "../../../chapters/agents/repositories/server-listing.ts";
import { orgRef, recordId } from "../../../chapters/fields.ts";
import { CommitListing } from "../../../chapters/records/agents/version.ts";
import { operation } from "../../kernel/operation.ts";

const aid = recordId("surface agent, or its name");

/** Read a server's tools at a commit. */
export const serverListing = [
  operation({
    name: "agent_server_tools",
    title: "Read a server's tools at a commit",
    description:
      "Answers the tool listing of a surface agent's server at a commit, with how it was read; main addresses main's commit. A commit whose tools were not read is not found: take its ref with agent_server_refs.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/agents/{aid}/server-tools/{sha}",
    input: z.object({
      ...orgRef,
      aid,
      sha: z.string().min(1).max(100).describe("A full commit, or main."),
    }),
    output: CommitListing.omit({ blob: true }).extend({
      tools: z.array(
        z.object({
          name: z.string(),
          description: z.string().optional(),
          input_schema: z.record(z.string(), z.unknown()),
          data_source: z.string().optional(),
        }),
      ),
    }),
    handle: serverTools,
  }),
];
