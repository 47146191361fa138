import { z } from "zod";
import { pageInput } from "../../../chapters/page.ts";
import { Environment, Surface } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { listSurfaces } from "../../../chapters/sandboxes/surfaces/list-surfaces.ts";
import { postSurface } from "../../../chapters/sandboxes/surfaces/listed-surfaces.ts";
import { REPRESENTATION_PARTS, surfaceRepresentation } from "../../../chapters/sandboxes/surfaces/representation.ts";
import { restoreSurface, retireSurface } from "../../../chapters/sandboxes/surfaces/surfaces.ts";
import { byField, orgField, orgRef } from "../../kernel/fields.ts";
import { operation } from "../../kernel/operation.ts";
import { surfaceRef, whyField } from "../fields.ts";

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
      agent_door: z
        .object({ tid: z.string(), sandbox: z.string() })
        .nullable()
        .describe("The org's open API door; null where it has none."),
      hero: z.array(z.string()).describe("Use cases marked as the ones that matter most."),
      previous: z
        .array(z.object({ id: z.string(), name: z.string(), superseded_by: z.string() }))
        .describe("Surfaces that another stands for now."),
      next: z.string().optional(),
    }),
    handle: listSurfaces,
  }),
  operation({
    name: "surfaces_post",
    title: "Make a surface",
    description:
      "Makes a surface of a tools listing, given here or asked of a tool server's address, and compiles it. Until traces are sent its worlds answer only what the listing settles, and no write succeeds.",
    scope: "push",
    effect: "create",
    hints: { openWorld: true },
    route: "POST /v0/surfaces",
    input: z.object({
      ...orgField,
      name: z.string().min(1).max(100).describe("The surface's name; no other of the org's may have it."),
      tools: z
        .array(z.record(z.string(), z.unknown()))
        .min(1)
        .max(2000)
        .optional()
        .describe("Tool definitions, as tools/list answers them."),
      url: z
        .url({ protocol: /^https?$/ })
        .max(2000)
        .optional()
        .describe("A tool server's address, to be asked for its tools."),
      headers: z
        .record(z.string().regex(/^[A-Za-z0-9-]{1,100}$/), z.string().max(8000))
        .optional()
        .describe("Sent to that server, and not kept."),
      ...byField,
    }),
    output: z.object({
      surface: Surface.schema,
      bundle: z.string(),
      evidence: z.string(),
      tools: z.number().int(),
      gaps: z.number().int().describe("Tools that its worlds cannot answer yet."),
      observed: z.boolean(),
      note: z.string(),
    }),
    handle: postSurface,
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
      ontology_version: z
        .number()
        .int()
        .nullable()
        .describe("The newest ontology revision of this version; null where none has been compiled."),
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
