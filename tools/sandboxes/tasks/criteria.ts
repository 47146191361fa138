import { z } from "zod";
import { orgRef, words } from "../../../chapters/fields.ts";
import { modelField } from "../../../chapters/sandboxes/fields.ts";
import { environmentsForCriteria } from "../../../chapters/sandboxes/tasks/criteria.ts";
import { Check, Family } from "../../../worlds/tasks/schema.ts";
import { REGISTERS } from "../../../worlds/tasks/words/revoice.ts";
import { operation } from "../../kernel/operation.ts";

const KINDS = Check.options.map((option) => option.shape.kind.value);
const Criterion = z.enum(KINDS as [(typeof KINDS)[number], ...(typeof KINDS)[number][]]);

/** Environments for success criteria. */
export const criteria = [
  operation({
    name: "environments_for_criteria",
    title: "Environments for criteria",
    description:
      "Starts an environment for each success criterion (a kind of check) that has fewer than 5 certified tasks; what cannot be written is refused with the reason. `dry_run` tells the plan and starts nothing.",
    scope: "push",
    effect: "start",
    statuses: [200],
    route: "POST /v0/orgs/{orgtag}/environments/for-criteria",
    input: z.object({
      ...orgRef,
      criteria: z.array(Criterion).min(1).max(20),
      surface: words(200).optional().describe("The surface's name or id; `main` or the only compiled one when absent."),
      tasks: z
        .number()
        .int()
        .min(1)
        .max(500)
        .optional()
        .describe("Tasks for each; as many as are missing, twice, when absent."),
      max_new: z.number().int().min(1).max(20).optional().describe("How many environments at most; 10 when absent."),
      voice: z.enum(REGISTERS).optional().describe("The register of every request; every one in turn when absent."),
      dry_run: z.boolean().optional(),
      ...modelField,
    }),
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
      refused: z.array(z.object({ criterion: Criterion, reason: z.string() })),
      note: z.string(),
    }),
    handle: environmentsForCriteria,
  }),
];
