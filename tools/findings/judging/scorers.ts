import { z } from "zod";
import { count, orgRef } from "../../../chapters/fields.ts";
import { listScorers, ShownAgreement } from "../../../chapters/findings/judging/scorers.ts";
import { Tier } from "../../../chapters/tier.ts";
import { operation } from "../../kernel/operation.ts";

/** What scores trials. */
export const scorers = [
  operation({
    name: "scorers_list",
    title: "List scorers",
    description:
      "Lists everything that scores a trial: each kind of check and each judged criterion, how it decides (tier), a judge's model and where that choice comes from, how many tasks and runs carry it, and how well it agrees with people's labels.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/scorers",
    input: z.object({ ...orgRef }),
    output: z.object({
      org: z.string(),
      scorers: z.array(
        z.object({
          scorer: z.string(),
          kind: z.enum(["check", "judged"]),
          decides: z.string(),
          model: z.string().nullable(),
          source: z.enum(["code", "scorer", "org", "default"]),
          tier: Tier,
          tasks: count,
          runs: count,
          agreement: ShownAgreement.optional(),
        }),
      ),
      note: z.string(),
      tier: Tier,
    }),
    handle: listScorers,
  }),
];
