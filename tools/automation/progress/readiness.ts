import { z } from "zod";
import { getReadiness } from "../../../chapters/automation/progress/readiness.ts";
import { orgRef } from "../../../chapters/fields.ts";
import { operation } from "../../kernel/operation.ts";

/** Which criteria are ready. */
export const readiness = [
  operation({
    name: "org_readiness_get",
    title: "Read which criteria are ready",
    description:
      "Tells for each criterion whether it is ready to be told: certified tasks, the share of wrong trials its tasks' checks reject, valid trials of one agent or of all; else what is missing and how much.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/criteria/readiness",
    input: z.object({ ...orgRef, agent: z.string().min(1).max(200).optional().describe("By name or id.") }),
    output: z.object({
      org: z.string(),
      agent: z.string().nullable(),
      needed: z.object({ tasks: z.number(), health: z.number(), trials: z.number() }),
      ready: z.number().int(),
      criteria: z.array(
        z.object({
          criterion: z.string(),
          tasks: z.number().int(),
          health: z.number().optional().describe("Wrong trials rejected, 0 to 1; absent where none were made."),
          trials: z.number().int(),
          ready: z.boolean(),
          missing: z.array(
            z.object({ what: z.enum(["tasks", "health", "trials"]), have: z.number().optional(), need: z.number() }),
          ),
        }),
      ),
      tier: z.literal("deterministic"),
    }),
    handle: getReadiness,
  }),
];
