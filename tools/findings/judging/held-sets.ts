import { z } from "zod";
import { count } from "../../../chapters/fields.ts";
import { SetView } from "../../../chapters/findings/judging/fields.ts";
import { PickoutInput, pickOut } from "../../../chapters/findings/judging/held-sets.ts";
import { HeldTask } from "../../../chapters/records/findings/findings.ts";
import { Tier } from "../../../chapters/tier.ts";
import { operation } from "../../kernel/operation.ts";

/** Tasks of a run group that are frozen as a regression set. */
export const heldSets = [
  operation({
    name: "held_set_pickout",
    title: "Pick out a held set",
    description:
      "Freezes tasks of an ended run group as a regression set with their terms: all, those named in `tasks`, or those with a trial of an `outcome`. Answers what start_run takes to run the set again.",
    scope: "push",
    effect: "create",
    statuses: [201, 200],
    route: "POST /v0/orgs/{orgtag}/held-sets/{gid}/pickout",
    input: PickoutInput,
    output: z.object({
      org: z.string(),
      set: SetView,
      tasks: z.array(HeldTask),
      run: z
        .object({
          tasks_by_environment: z.record(z.string(), z.array(z.string())),
          trials: count,
          timeout_seconds: z.number(),
        })
        .describe("Fields of start_run that run the set again."),
      already: z.boolean(),
      tier: Tier,
    }),
    handle: pickOut,
  }),
];
