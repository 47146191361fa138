import { z } from "zod";
import { orgRef } from "../../../chapters/fields.ts";
import { pageInput } from "../../../chapters/page.ts";
import { Environment, Surface } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { ApiDoor, listSurfaces, SupersededSurface } from "../../../chapters/sandboxes/surfaces/list-surfaces.ts";
import { operation } from "../../kernel/operation.ts";

const HostedEnvironment = Environment.schema.pick({
  id: true,
  label: true,
  hypothesis: true,
  tasks: true,
  revision: true,
  created_at: true,
});

/** List surfaces. */
export const listSurfacesOperations = [
  operation({
    name: "surfaces_list",
    title: "List surfaces",
    description:
      "Lists the systems this org serves fakes of, each with the environments it hosts. Call it to find an environment id for a run.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/surfaces",
    input: z.object({
      ...orgRef,
      ...pageInput,
      superseded: z.boolean().optional().describe("Superseded surfaces too."),
    }),
    output: z.object({
      org: z.string(),
      surfaces: z.array(Surface.schema.extend({ environments: z.array(HostedEnvironment) })),
      agent_door: ApiDoor.nullable().describe("The org's open API door; null where it has none."),
      hero: z.array(z.string()).describe("Use cases marked as the ones that matter most."),
      previous: z.array(SupersededSurface).describe("Surfaces that another stands for now."),
      next: z.string().optional(),
    }),
    handle: listSurfaces,
  }),
];
