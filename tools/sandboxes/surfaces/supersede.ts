import { z } from "zod";
import { orgRef } from "../../../chapters/fields.ts";
import { Surface } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { surfaceRef } from "../../../chapters/sandboxes/fields.ts";
import {
  listRetired,
  SupersedeInput,
  supersedeSurface,
  unsupersedeSurface,
} from "../../../chapters/sandboxes/surfaces/supersede.ts";
import { operation } from "../../kernel/operation.ts";

const Retired = {
  id: z.string(),
  name: z.string(),
  retired_at: z.number(),
  retired_by: z.string().optional(),
  retired_reason: z.string().optional(),
};

/** Supersede a surface; list a superseded surface again; what the org retired. */
export const supersede = [
  operation({
    name: "surface_supersede",
    title: "Supersede a surface",
    description:
      "Marks a surface as superseded, by another where one is named: lists leave it out unless asked, and nothing of it goes. surface_unsupersede lists it again.",
    scope: "push",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/surfaces/{surface}/supersede",
    input: SupersedeInput,
    output: z.object({ superseded: Surface.schema }),
    handle: supersedeSurface,
  }),
  operation({
    name: "surface_unsupersede",
    title: "List a superseded surface again",
    description: "Takes the mark off a superseded surface, so that lists show it by default again.",
    scope: "push",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/surfaces/{surface}/unsupersede",
    input: z.object(surfaceRef),
    output: z.object({ restored: Surface.schema }),
    handle: unsupersedeSurface,
  }),
  operation({
    name: "org_retired",
    title: "List what the org retired",
    description:
      "Lists the surfaces and environments that were taken off the org's pages, with who did it, when and why. surface_restore and environment_restore put them back.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/retired",
    input: z.object(orgRef),
    output: z.object({
      org: z.string(),
      surfaces: z.array(z.object({ kind: z.literal("surface"), ...Retired, versions: z.number().int() })),
      environments: z.array(
        z.object({ kind: z.literal("environment"), ...Retired, surface: z.string(), tasks: z.number().int() }),
      ),
    }),
    handle: listRetired,
  }),
];
