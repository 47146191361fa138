import { z } from "zod";
import {
  CriteriaRequest,
  environmentsForCriteria,
  RefusedCriterion,
} from "../../../chapters/sandboxes/tasks/criteria.ts";
import { Criterion } from "../../../chapters/sandboxes/tasks/criterion-families.ts";
import { Family } from "../../../worlds/tasks/schema.ts";
import { operation } from "../../kernel/operation.ts";

/** Environments for success criteria. */
export const criteria = [
  operation({
    name: "environments_for_criteria",
    title: "Find environments for criteria",
    description:
      "Starts an environment for each success criterion (a kind of check) that has fewer than 5 certified tasks; what cannot be written is refused with the reason. `dry_run` tells the plan and starts nothing.",
    scope: "push",
    effect: "start",
    statuses: [200],
    route: "POST /v0/orgs/{orgtag}/environments/for-criteria",
    input: CriteriaRequest,
    output: z.object({
      dry_run: z.boolean(),
      surface: z.string(),
      jobs: z.array(
        z.object({
          criterion: Criterion,
          certified: z.number().int().describe("Certified tasks that it has already."),
          families: z.array(Family),
          tasks: z.number().int(),
          job: z.string().nullable(),
          poll: z.string().nullable(),
        }),
      ),
      refused: z.array(RefusedCriterion),
      note: z.string(),
    }),
    handle: environmentsForCriteria,
  }),
];
