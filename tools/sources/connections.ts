import { z } from "zod";
import { orgField } from "../../chapters/fields.ts";
import { pageInput } from "../../chapters/page.ts";
import { listConnections } from "../../chapters/sources/connections.ts";
import { operation } from "../kernel/operation.ts";

/** Where an org's agents connect to its worlds. */
export const connections = [
  operation({
    name: "connections",
    title: "List connections",
    description:
      "Lists the worlds that were minted for agents to connect to (not sources, not connectors), newest first, with MCP URLs and whether each runs. Tokens are never shown; world_tokens_post mints another.",
    scope: "read",
    route: "GET /v0/connections",
    input: z.object({ ...orgField, ...pageInput }),
    output: z.object({
      connections: z.array(
        z.object({
          world: z.string(),
          label: z.string().optional(),
          bundle_id: z.string(),
          environment: z.string(),
          urls: z.array(z.string()),
          live: z.boolean().describe("Whether the world still runs; an ended one takes no calls."),
          by: z.string(),
          created_at: z.number(),
        }),
      ),
      next: z.string().optional(),
    }),
    handle: listConnections,
  }),
];
