import { z } from "zod";
import { byField } from "../../../chapters/fields.ts";
import { Surface } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { surfaceRef, whyField } from "../../../chapters/sandboxes/fields.ts";
import { restoreSurface, retireSurface } from "../../../chapters/sandboxes/surfaces/surfaces.ts";
import { operation } from "../../kernel/operation.ts";

/** Served systems. */
export const surfaces = [
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
