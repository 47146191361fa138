import { z } from "zod";
import { RekeyInput, rekeyEnvironment, SkippedTask } from "../../../chapters/sandboxes/environments/rekey.ts";
import { StatusCounts } from "../../../chapters/sandboxes/fields.ts";
import { operation } from "../../kernel/operation.ts";

/** Recompute keys. */
export const rekey = [
  operation({
    name: "environment_rekey",
    title: "Recompute keys",
    description:
      "Recomputes what tasks expect from the world served now, each by its own script: for when a re-draw changed the rows that keys were made of. `dry_run` only tells.",
    scope: "push",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/environments/{env_id}/rekey",
    input: RekeyInput,
    output: z.object({
      environment: z.string(),
      dry_run: z.boolean(),
      rekeyed: z.array(z.object({ index: z.number().int(), checks: z.array(z.number().int()) })),
      agrees: z.number().int().describe("Tasks whose keys are what the world has."),
      left: z.array(SkippedTask),
      revision: z.string().nullable(),
      counts: StatusCounts,
      model_calls: z.number().int(),
      tier: z.literal("deterministic"),
    }),
    handle: rekeyEnvironment,
  }),
];
