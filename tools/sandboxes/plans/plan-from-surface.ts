import { z } from "zod";
import { orgRef } from "../../../chapters/fields.ts";
import { Started } from "../../../chapters/job.ts";
import { modelField } from "../../../chapters/sandboxes/fields.ts";
import { startPlan } from "../../../chapters/sandboxes/plans/plan-from-surface.ts";
import { TaskSelection } from "../../../chapters/sandboxes/tasks/task-selection.ts";
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
    input: z.object({
      ...orgRef,
      bundle: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe("The bundle to draw from; the one that `main` serves when absent."),
      count: z.number().int().min(1).max(500).optional().describe("How many tasks; 30 when absent."),
      dimensions: TaskSelection.optional().describe(
        'Values by axis, see dimensions_get: {operation: ["refund"]}; all when absent.',
      ),
      label: z.string().min(1).max(200).optional(),
      ...modelField,
    }),
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
