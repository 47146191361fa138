import { z } from "zod";
import { Started } from "../../../chapters/job.ts";
import { startReserve } from "../../../chapters/sandboxes/environments/reserve.ts";
import { envRef } from "../../../chapters/sandboxes/fields.ts";
import { operation } from "../../kernel/operation.ts";

/** Copy tasks to another surface. */
export const reserve = [
  operation({
    name: "environment_reserve",
    title: "Copy tasks to another surface",
    description:
      "Starts copying (not reserving) an environment's tasks onto a new environment of another surface, where each is certified or refused with the reason. The source stays as it is.",
    scope: "push",
    effect: "start",
    route: "POST /v0/orgs/{orgtag}/environments/{env_id}/reserve",
    input: z.object({
      ...envRef,
      surface: z.string().min(1).max(200).describe("The surface to copy to, by name or id."),
    }),
    output: Started.extend({
      environment: z.string(),
      source_surface: z.string(),
      surface: z.string(),
      checks: z.number().int(),
      stage: z.string(),
      stages: z.array(z.string()),
      note: z.string(),
    }),
    handle: startReserve,
  }),
];
