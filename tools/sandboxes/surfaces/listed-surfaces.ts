import { z } from "zod";
import { Surface } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { PostInput, postSurface } from "../../../chapters/sandboxes/surfaces/listed-surfaces.ts";
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
    input: PostInput,
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
