import { z } from "zod";
import { pageInput } from "../../chapters/page.ts";
import { REPRESENTATION_PARTS, surfaceRepresentation } from "../../chapters/sandboxes/representation.ts";
import { Environment, Surface } from "../../chapters/sandboxes/schema.ts";
import { listSurfaces, restoreSurface, retireSurface } from "../../chapters/sandboxes/surfaces.ts";
import { byField, orgRef } from "../kernel/fields.ts";
import { operation } from "../kernel/operation.ts";
import { surfaceRef, whyField } from "./fields.ts";

const HostedEnvironment = Environment.schema.pick({
  id: true,
  label: true,
  hypothesis: true,
  tasks: true,
  revision: true,
  created_at: true,
});

/** Served systems. */
export const surfaces = [
  operation({
    name: "surfaces_list",
    title: "List surfaces",
    description:
      "Lists the systems this org serves fakes of, each with the environments it hosts. Call it to find an environment id for a run.",
    scope: "read",
    effect: "read",
    route: "GET /v0/orgs/{orgtag}/surfaces",
    input: z.object({
      ...orgRef,
      ...pageInput,
      superseded: z.boolean().optional().describe("Superseded surfaces too."),
    }),
    output: z.object({
      org: z.string(),
      surfaces: z.array(Surface.schema.extend({ environments: z.array(HostedEnvironment) })),
      next: z.string().optional(),
    }),
    handle: listSurfaces,
  }),
  operation({
    name: "surface_representation",
    title: "What a surface is compiled to",
    description:
      "Answers the compiled form of a surface: how many tools, tables, behaviours, recorded exceptions and gaps it has. Name a part to read its rows by pages, such as each tool's behaviour as one line and as JSON.",
    scope: "read",
    effect: "read",
    route: "GET /v0/orgs/{orgtag}/surfaces/{surface}/representation",
    input: z.object({
      ...surfaceRef,
      part: z.enum(REPRESENTATION_PARTS).optional(),
      version: z.string().max(200).optional().describe("A bundle id; the one served now when absent."),
      count: z.boolean().optional().describe("Only the counts, whatever part is named."),
      limit: pageInput.limit,
      offset: z.number().int().min(0).optional(),
    }),
    output: z.object({
      surface: z.string(),
      version: z.string(),
      digest: z.string(),
      ontology_version: z.null(),
      counts: z.record(z.string(), z.number().int()),
      tier: z.literal("deterministic"),
      part: z.enum(REPRESENTATION_PARTS).optional(),
      offset: z.number().int().optional(),
      total: z.number().int().optional(),
      rows: z.array(z.unknown()).optional(),
    }),
    handle: surfaceRepresentation,
  }),
  operation({
    name: "surface_retire",
    title: "Retire a surface",
    description:
      "Takes a surface and its environments off the org's lists. Its runs stay; surface_restore puts it back.",
    scope: "push",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/surfaces/{surface}/retire",
    input: z.object({ ...surfaceRef, ...byField, ...whyField }),
    output: z.object({ retired: Surface.schema }),
    handle: retireSurface,
  }),
  operation({
    name: "surface_restore",
    title: "Restore a surface",
    description: "Puts a retired surface back on the org's lists.",
    scope: "push",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/surfaces/{surface}/restore",
    input: z.object({ ...surfaceRef, ...byField, ...whyField }),
    output: z.object({ restored: Surface.schema }),
    handle: restoreSurface,
  }),
];
