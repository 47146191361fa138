import { z } from "zod";
import { RebuildInput, rebuildSurface } from "../../../chapters/sandboxes/surfaces/rebuild.ts";
import { operation } from "../../kernel/operation.ts";

const Measured = z.object({
  exceptions: z.number().int(),
  gaps: z.number().int(),
  calls: z.number().int().optional(),
  identical_volatile: z.number().int().optional(),
  wrong_success: z.number().int().optional(),
});

/** Rebuild a surface. */
export const rebuild = [
  operation({
    name: "surface_rebuild",
    title: "Rebuild a surface",
    description:
      "Compiles a surface's served version again from the same evidence under today's compiler, and serves the result unless it answers held-out calls worse. Environments change with environment_world_refresh; `check` only tells.",
    scope: "push",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/surfaces/{surface}/rebuild",
    deferrable: true,
    input: RebuildInput,
    output: z.object({
      surface: z.string(),
      code: z.enum(["unchanged", "rebuilt", "would_change", "refused"]),
      error: z.string().nullable(),
      version: z.object({ was: z.string(), is: z.string() }),
      digest: z.object({ was: z.string(), is: z.string() }),
      measured: z.object({ was: Measured, is: Measured }),
      tier: z.literal("deterministic"),
    }),
    handle: rebuildSurface,
  }),
];
