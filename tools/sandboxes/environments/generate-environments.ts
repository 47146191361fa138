import { z } from "zod";
import { byField, orgRef } from "../../../chapters/fields.ts";
import { Started } from "../../../chapters/job.ts";
import { Environment } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { startGeneration } from "../../../chapters/sandboxes/environments/generate-environments.ts";
import { modelField } from "../../../chapters/sandboxes/fields.ts";
import { Situation, TaskSelection } from "../../../chapters/sandboxes/tasks/task-selection.ts";
import { ReviewName } from "../../../worlds/tasks/schema.ts";
import { REGISTERS } from "../../../worlds/tasks/words/revoice.ts";
import { shaped } from "../../kernel/operation.ts";

/** Generate an environment. */
export const generateEnvironments = [
  shaped({
    name: "generate_environments",
    title: "Generate an environment",
    description:
      "Draws a new environment of a compiled surface (pipeline_post) and writes reviewed tasks for it, as a job: for tasks about something, narrow it by families or dimension values. Tasks that do not pass review are refused with reasons.",
    scope: "push",
    effect: "start",
    route: "POST /v0/orgs/{orgtag}/environments/generate",
    input: z.object({
      ...orgRef,
      surface: z.string().min(1).max(200).optional().describe("The surface's name or id; `main` when absent."),
      count: z.number().int().min(1).max(20).optional().describe("How many environments; 1 when absent."),
      tasks: z.number().int().min(1).max(500).optional().describe("Tasks to write per environment; 30 when absent."),
      selection: TaskSelection.optional().describe(
        'Values by axis, see dimensions_get: {operation: ["refund"]}; all when absent.',
      ),
      situations: z
        .array(Situation)
        .min(1)
        .max(50)
        .optional()
        .describe("Cells, as many tasks for each: {use_case, persona, …}, a value an axis."),
      criteria: z
        .array(z.string().max(200))
        .max(100)
        .optional()
        .describe("Kinds of checks that half of the tasks carry, as many for each."),
      criteria_only: z.boolean().optional().describe("Whether every task must carry one of the criteria."),
      exemplars: z
        .array(z.string().max(200))
        .max(100)
        .optional()
        .describe("Ids of traces: tasks are mined from these alone and use no other tools."),
      history: z
        .boolean()
        .optional()
        .describe("Whether half of the tasks come from recorded sessions (true) or none (false)."),
      web: z.boolean().optional().describe("Refused when true: no web page is read; send pages as documents."),
      kind_floor: z
        .number()
        .int()
        .min(0)
        .max(500)
        .optional()
        .describe("Tasks of each family that are written before the rest, where rows allow it."),
      voice: z.enum(REGISTERS).optional().describe("The register of every request; every one in turn when absent."),
      seed: z.string().max(100).optional().describe("The same seed draws and writes the same."),
      label: z.string().min(1).max(200).optional(),
      augment: z.boolean().optional().describe("Whether rows may be drawn beside the observed ones."),
      representation: Environment.schema.shape.hypothesis
        .optional()
        .describe("The hypothesis to draw from; by `augment` when absent."),
      surface_version: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe("A compiled version of the surface; the served one when absent."),
      bundle: z.string().min(1).max(200).optional().describe("The same by the bundle's id alone."),
      ...modelField,
      ...byField,
    }),
    output: Started.extend({
      surface: z.string(),
      surface_version: z.string(),
      count: z.number().int(),
      tasks: z.number().int(),
      selection: TaskSelection,
      voice: z.enum(REGISTERS).nullable(),
      checks: z.array(ReviewName).describe("What every task must pass."),
      stage: z.string(),
      stages: z.array(z.string()),
      note: z.string(),
    }),
    handle: startGeneration,
    verdict: ({ count, tasks, surface, deduplicated }) =>
      deduplicated
        ? `The same generation runs already on ${surface}.`
        : `Drawing ${count} environment${count === 1 ? "" : "s"} of ${surface} with ${tasks} tasks each.`,
    counts: ({ count, tasks }) => [
      { name: "environments asked for", value: count, tier: "human", how: "as the call said" },
      { name: "tasks asked for each", value: tasks, tier: "human", how: "as the call said" },
    ],
    next: ({ job }) => `job_status with job_id ${job} until it lands; its result names the environments.`,
  }),
];
