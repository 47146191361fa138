import { z } from "zod";
import { Scope } from "../../chapters/caller.ts";
import { listOrgs, whoami } from "../../chapters/organization/identity.ts";
import { pageInput } from "../../chapters/page.ts";
import { serviceOperation } from "../kernel/operation.ts";

/** Who is calling, and which orgs there are. */
export const identity = [
  serviceOperation({
    name: "whoami",
    title: "Read who is calling",
    description:
      "Tells which credential this connection uses: its kind, name, scope and org. Call it first when a call is refused with 401 or 403.",
    scope: "read",
    route: "GET /v0/whoami",
    input: z.object({}),
    output: z.object({
      kind: z.enum(["operator", "org", "local"]),
      name: z.string(),
      scope: Scope,
      org: z.string().nullable().describe("The org's tag; null for the service-wide credential."),
      global: z.boolean().describe("Whether the credential opens every org."),
    }),
    handle: whoami,
  }),
  serviceOperation({
    name: "orgs_list",
    title: "List orgs",
    description: "Lists the orgs that this credential opens, oldest first, with the tags of their surfaces.",
    scope: "admin",
    route: "GET /v0/orgs",
    input: z.object({ ...pageInput }),
    output: z.object({
      orgs: z.array(z.object({ org: z.string(), surfaces: z.array(z.string()), created_at: z.number() })),
      next: z.string().optional(),
    }),
    handle: listOrgs,
  }),
];
