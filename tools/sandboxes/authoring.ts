import { z } from "zod";
import { TaskStatus } from "../../chapters/records/sandboxes/sandboxes.ts";
import { startRegenerate, startRevoice } from "../../chapters/sandboxes/authoring/author-environment.ts";
import { LEFT_REASONS, rekeyEnvironment } from "../../chapters/sandboxes/environments/rekey.ts";
import { startReserve } from "../../chapters/sandboxes/environments/reserve.ts";
import { startRereview } from "../../chapters/sandboxes/review/rereview.ts";
import { correctTask, setTurns } from "../../chapters/sandboxes/tasks/corrections.ts";
import { Fact } from "../../worlds/tasks/schema.ts";
import { REGISTERS } from "../../worlds/tasks/words/revoice.ts";
import { byField } from "../kernel/fields.ts";
import { operation } from "../kernel/operation.ts";
import { Started } from "../kernel/started.ts";
import {
  envRef,
  graderFields,
  modelField,
  StatusCounts,
  seedField,
  someTasks,
  taskRef,
  WorkOnTasks,
  whyField,
} from "./fields.ts";

/** What people and rules change in an environment's tasks: each change is a revision that can be undone. */
export const authoring = [
  operation({
    name: "environment_review_rereview",
    title: "Review held tasks again",
    description:
      "Starts a review of the held tasks named, or of all that are held, on the world served now. What passes is certified again; what does not is refused with the reason.",
    scope: "push",
    effect: "start",
    route: "POST /v0/orgs/{orgtag}/environments/{env_id}/review/rereview",
    input: z.object({ ...envRef, ...someTasks("every held one"), ...modelField, ...byField }),
    output: Started.extend({
      environment: z.string(),
      surface: z.string(),
      rereviewed: z.array(z.number().int()).describe("The held tasks that are reviewed, by index."),
      stages: z.array(z.string()),
      note: z.string(),
    }),
    handle: startRereview,
  }),
  operation({
    name: "environment_review_correct",
    title: "Correct a task's expected fact",
    description:
      "Records a person's word on what a task's expected fact really is, or how else it may be said, and certifies the task with it. Where the world does not bear it out the task is held.",
    scope: "push",
    effect: "update",
    hints: { idempotent: false },
    route: "POST /v0/orgs/{orgtag}/environments/{env_id}/review/correct",
    input: z.object({
      ...envRef,
      index: z.number().int().min(0).describe("The task's index in its environment, from 0."),
      fact: z
        .number()
        .int()
        .min(0)
        .optional()
        .describe("Which of its expected facts, from 0; needed where there are several."),
      fact_text: z
        .string()
        .min(1)
        .max(2000)
        .optional()
        .describe("The fact's value as it stands now, instead of its number."),
      literal: z
        .union([z.string().min(1).max(2000), z.number(), z.boolean()])
        .optional()
        .describe("What the fact really is; as it stands when absent."),
      aliases: z.array(z.string().min(1).max(2000)).max(50).optional().describe("Other ways to say it."),
      note: z.string().max(2000).optional(),
      ...graderFields,
    }),
    output: z.object({
      environment: z.string(),
      index: z.number().int(),
      fact_index: z.number().int(),
      fact: Fact,
      status: TaskStatus,
      reason: z.string().optional(),
      revision: z.string(),
      counts: StatusCounts,
      model_calls: z.number().int(),
      tier: z.enum(["human", "llm-derived"]),
    }),
    handle: correctTask,
  }),
  operation({
    name: "environment_task_turns",
    title: "Script follow-up turns",
    description:
      "Sets the user's follow-up turns of a task, played in order whatever the agent answers; an empty list takes them away. Turns with which the task does not pass review are refused.",
    scope: "push",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/environments/{env_id}/tasks/{index}/turns",
    input: z.object({
      ...taskRef,
      turns: z.array(z.string().min(1).max(10_000)).max(50),
      note: z.string().max(2000).optional(),
      ...byField,
    }),
    output: z.object({
      environment: z.string(),
      index: z.number().int(),
      turns: z.array(z.string()),
      turns_kind: z.literal("scripted").describe("Nothing reacts to what the agent answers."),
      turns_tier: z.literal("human"),
      by: z.string(),
      revision: z.string().nullable().describe("Null where these were its turns already."),
    }),
    handle: setTurns,
  }),
  operation({
    name: "environment_review_regenerate",
    title: "Write refused tasks again",
    description:
      "Starts writing other tasks by rule in the place of refused ones, of the same family, that pass review. A person's own tasks are replaced only where named; a revision keeps what was.",
    scope: "push",
    effect: "start",
    route: "POST /v0/orgs/{orgtag}/environments/{env_id}/review/regenerate",
    input: z.object({
      ...envRef,
      ...someTasks("every refused one"),
      ...seedField,
      ...modelField,
      ...whyField,
      ...byField,
    }),
    output: WorkOnTasks,
    handle: startRegenerate,
  }),
  operation({
    name: "environment_revoice",
    title: "Voice requests anew",
    description:
      "Starts saying tasks' requests in another register or persona, scripts and checks untouched. Requests in a user's own words stay; one revision keeps the words before.",
    scope: "push",
    effect: "start",
    route: "POST /v0/orgs/{orgtag}/environments/{env_id}/revoice",
    input: z.object({
      ...envRef,
      ...someTasks("every one"),
      register: z.enum(REGISTERS).optional().describe("Another than each has now, in turn, when absent."),
      persona: z.string().min(1).max(200).optional().describe("The one each has now when absent."),
      ...seedField,
      ...modelField,
      ...whyField,
      ...byField,
    }),
    output: WorkOnTasks,
    handle: startRevoice,
  }),
  operation({
    name: "environment_rekey",
    title: "Recompute keys",
    description:
      "Recomputes what tasks expect from the world served now, each by its own script: for when a re-draw changed the rows that keys were made of. `dry_run` only tells.",
    scope: "push",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/environments/{env_id}/rekey",
    input: z.object({ ...envRef, ...someTasks("every one"), dry_run: z.boolean().optional(), ...whyField, ...byField }),
    output: z.object({
      environment: z.string(),
      dry_run: z.boolean(),
      rekeyed: z.array(z.object({ index: z.number().int(), checks: z.array(z.number().int()) })),
      agrees: z.number().int().describe("Tasks whose keys are what the world has."),
      left: z.array(z.object({ index: z.number().int(), reason: z.enum(LEFT_REASONS) })),
      revision: z.string().nullable(),
      counts: StatusCounts,
      model_calls: z.number().int(),
      tier: z.literal("deterministic"),
    }),
    handle: rekeyEnvironment,
  }),
  operation({
    name: "environment_reserve",
    title: "Copy tasks to another surface",
    description:
      "Starts copying (not reserving) an environment's tasks onto a new environment of another surface, where each is certified or refused with the reason. The source stays as it is.",
    scope: "push",
    effect: "start",
    route: "POST /v0/orgs/{orgtag}/environments/{env_id}/reserve",
    input: z.object({
      ...envRef,
      surface: z.string().min(1).max(200).describe("The surface to copy to, by name or id."),
    }),
    output: Started.extend({
      environment: z.string(),
      source_surface: z.string(),
      surface: z.string(),
      checks: z.number().int(),
      stage: z.string(),
      stages: z.array(z.string()),
      note: z.string(),
    }),
    handle: startReserve,
  }),
];
