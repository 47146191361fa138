import { z } from "zod";
import { TaskStatus } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { StatusCounts } from "../../../chapters/sandboxes/fields.ts";
import { CorrectInput, correctTask, setTurns, TurnsInput } from "../../../chapters/sandboxes/tasks/corrections.ts";
import { Fact } from "../../../worlds/tasks/schema.ts";
import { operation } from "../../kernel/operation.ts";

/** Correct a task's expected fact; script follow-up turns. */
export const corrections = [
  operation({
    name: "environment_review_correct",
    title: "Correct a task's expected fact",
    description:
      "Records a person's word on what a task's expected fact really is, or how else it may be said, and certifies the task with it. Where the world does not bear it out the task is held.",
    scope: "push",
    effect: "update",
    hints: { idempotent: false },
    route: "POST /v0/orgs/{orgtag}/environments/{env_id}/review/correct",
    input: CorrectInput,
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
    input: TurnsInput,
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
];
