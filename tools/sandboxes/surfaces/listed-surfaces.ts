import { z } from "zod";
import { byField, orgField } from "../../../chapters/fields.ts";
import { Surface } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { postSurface } from "../../../chapters/sandboxes/surfaces/listed-surfaces.ts";
import { operation } from "../../kernel/operation.ts";

/** Make a surface. */
export const listedSurfaces = [
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
];
