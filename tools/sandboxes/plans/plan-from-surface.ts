import { z } from "zod";
import { Started } from "../../../chapters/job.ts";
import { PlanRequest, startPlan } from "../../../chapters/sandboxes/plans/plan-from-surface.ts";
import { operation } from "../../kernel/operation.ts";

/** Generate a worldplan. */
export const planFromSurface = [
  operation({
    name: "worldplans_from_surface",
    title: "Generate a worldplan",
    description:
      "Draws a world of a served surface and starts writing reviewed tasks for it, kept as a plan that a person can edit, own and export. The same request answers the same plan.",
    scope: "push",
    effect: "start",
    route: "POST /v0/orgs/{orgtag}/worldplans/from-surface",
    input: PlanRequest,
    output: Started.extend({
      bundle: z.string(),
      count: z.number().int(),
      environment: z.string(),
      suite: z.string().describe("The id of the plan."),
      stages: z.array(z.string()),
      note: z.string(),
    }),
    handle: startPlan,
  }),
];
