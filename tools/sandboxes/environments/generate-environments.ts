import { z } from "zod";
import { countOf } from "../../../chapters/count-of.ts";
import { Started } from "../../../chapters/job.ts";
import { GenerateRequest, startGeneration } from "../../../chapters/sandboxes/environments/generate-environments.ts";
import { TaskSelection } from "../../../chapters/sandboxes/tasks/task-selection.ts";
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
    input: GenerateRequest,
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
        : `Drawing ${countOf(count, "environment")} of ${surface} with ${countOf(tasks, "task")} each.`,
    counts: ({ count, tasks }) => [
      { name: "environments asked for", value: count, tier: "human", how: "as the call said" },
      { name: "tasks asked for each", value: tasks, tier: "human", how: "as the call said" },
    ],
    next: ({ job }) => `job_status with job_id ${job} until it lands; its result names the environments.`,
  }),
];
