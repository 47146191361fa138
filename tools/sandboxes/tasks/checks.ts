import { z } from "zod";
import { TaskStatus } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { taskRef } from "../../../chapters/sandboxes/fields.ts";
import { rehearseCheck, taskChecks } from "../../../chapters/sandboxes/tasks/checks.ts";
import { Tier } from "../../../chapters/tier.ts";
import { Check, ReviewVerdict } from "../../../worlds/tasks/schema.ts";
import { operation } from "../../kernel/operation.ts";

/** A task's checks; rehearse a check. */
export const checks = [
  operation({
    name: "environment_task_checks",
    title: "Explain a task's checks",
    description: "Answers one task's checks whole, what each decides, and the task's review verdicts.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/environments/{env_id}/tasks/{index}/checks",
    input: z.object(taskRef),
    output: z.object({
      environment: z.string(),
      index: z.number().int(),
      status: TaskStatus,
      checks: z.array(z.object({ n: z.number().int(), check: Check, decides: z.string() })),
      verdicts: z.array(ReviewVerdict),
    }),
    handle: taskChecks,
  }),
  operation({
    name: "environment_check_rehearse",
    title: "Rehearse a check",
    description:
      "Runs one check against the right answer and the wrong ones on forks of the world, and tells what it decides of each. Nothing is stored.",
    scope: "push",
    effect: "read",
    route: "POST /v0/orgs/{orgtag}/environments/{env_id}/tasks/{index}/checks/{n}/rehearse",
    input: z.object({ ...taskRef, n: z.number().int().min(0).describe("Which check, from 0.") }),
    output: z.object({
      environment: z.string(),
      index: z.number().int(),
      n: z.number().int(),
      check: z.string(),
      decides: z.string(),
      rows: z.array(
        z.object({
          name: z.string(),
          right: z.boolean(),
          verdict: z.enum(["met", "not_met", "not_decided"]),
          reason: z.string(),
        }),
      ),
      tier: Tier.extract(["deterministic", "llm-derived"]),
    }),
    handle: rehearseCheck,
  }),
];
