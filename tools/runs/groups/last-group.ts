import { z } from "zod";
import { orgRef, recordId } from "../../../chapters/fields.ts";
import { GradingTier, Player } from "../../../chapters/records/runs/runs.ts";
import { RatesView } from "../../../chapters/runs/groups/group-view.ts";
import { lastRun } from "../../../chapters/runs/groups/last-group.ts";
import { operation } from "../../kernel/operation.ts";

/** Last run on an environment. */
export const lastGroup = [
  operation({
    name: "last_run",
    title: "Read the last run on an environment",
    description: "Answers the last landed run on an environment as met of total trials, with who ran it.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/runs/last/{env}",
    input: z.object({ ...orgRef, env: recordId("environment") }),
    output: z.object({
      environment: z.string(),
      group: z.string(),
      run: z.string(),
      player: Player,
      created_at: z.number(),
      met: z.number().int(),
      total: z.number().int(),
      rates: RatesView,
      tier: GradingTier,
    }),
    handle: lastRun,
  }),
];
