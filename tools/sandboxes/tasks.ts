import { z } from "zod";
import { getReview, regate, startReview } from "../../chapters/sandboxes/review.ts";
import { TaskStatus } from "../../chapters/sandboxes/schema.ts";
import {
  holdTask,
  listEnvironmentTasks,
  postTasks,
  rehearseCheck,
  restoreTasks,
  retireTasks,
  taskChecks,
} from "../../chapters/sandboxes/tasks.ts";
import { Tier } from "../../chapters/tier.ts";
import { Check, Family, ReviewVerdict, Task } from "../../worlds/tasks/schema.ts";
import { byField } from "../kernel/fields.ts";
import { operation, shaped } from "../kernel/operation.ts";
import { Started } from "../kernel/started.ts";
import { envRef, Health, StatusCounts, taskRef } from "./fields.ts";

const TaskView = z.object({
  id: z.string(),
  index: z.number().int(),
  digest: z.string(),
  status: TaskStatus,
  reason: z.string().optional(),
  family: Family,
  cell: z.record(z.string(), z.string()),
  voice: z.object({ persona: z.string(), register: z.string() }),
  request: z.string(),
  turns: z.array(z.string()),
  tier: Tier,
  tools: z.array(z.string()).describe("The tools its reference script calls."),
  checks: z.array(z.object({ kind: z.string(), decides: z.string() })),
});
const indexes = { indexes: z.array(z.number().int().min(0)).min(1).max(500).describe("Which tasks, by index.") };
const reviewed = "checks run on wrong and equal trials of every task, on forks of the world";

/** Tasks of an environment, their checks and their review. */
export const tasks = [
  shaped({
    name: "environment_tasks",
    title: "List an environment's tasks",
    description:
      "Lists the tasks of an environment: each request, the checks that grade it and what they decide, and whether it passed review and counts. Only certified tasks run unless asked.",
    scope: "read",
    effect: "read",
    route: "GET /v0/orgs/{orgtag}/environments/{env_id}/tasks",
    input: z.object({ ...envRef, retired: z.boolean().optional().describe("Retired tasks too.") }),
    output: z.object({
      org: z.string(),
      environment: z.string(),
      surface: z.string(),
      selection: z.record(z.string(), z.array(z.string())),
      world_snapshot: z.string(),
      review_counts: StatusCounts,
      coverage: z.record(z.string(), z.number().int()).describe("Certified tasks per family."),
      tasks: z.array(TaskView),
      verifier_health: Health.optional(),
    }),
    handle: listEnvironmentTasks,
    verdict: ({ review_counts: counts, coverage }) =>
      `${counts.certified} certified tasks in ${Object.keys(coverage).length} families; ${counts.refused} refused, ${counts.held} held, ${counts.draft} not reviewed.`,
    counts: ({ review_counts: counts, verifier_health: health }) => [
      { name: "certified", value: counts.certified, of: total(counts), tier: "deterministic", how: reviewed },
      { name: "refused", value: counts.refused, of: total(counts), tier: "deterministic", how: reviewed },
      ...(health === undefined
        ? []
        : [
            {
              name: "wrong trials rejected",
              value: health.rejected,
              of: health.mutants,
              tier: health.tier,
              how: reviewed,
            },
          ]),
    ],
    next: ({ environment }) => `start_run with environment ${environment} runs an agent on the certified tasks.`,
  }),
  operation({
    name: "environment_task_checks",
    title: "A task's checks",
    description: "Answers one task's checks whole, what each decides, and the task's review verdicts.",
    scope: "read",
    effect: "read",
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
      tier: z.literal("deterministic"),
    }),
    handle: rehearseCheck,
  }),
  operation({
    name: "environment_tasks_post",
    title: "Add tasks",
    description:
      "Adds tasks of yours through the same review as written ones. If one does not pass, it is named with the verdict it failed and nothing is stored.",
    scope: "push",
    effect: "create",
    route: "POST /v0/orgs/{orgtag}/environments/{env_id}/tasks",
    input: z.object({ ...envRef, tasks: z.array(Task).min(1).max(100), ...byField }),
    output: z.object({ environment: z.string(), tasks: z.array(TaskView), counts: StatusCounts }),
    handle: postTasks,
  }),
  operation({
    name: "environment_tasks_retire",
    title: "Retire tasks",
    description: "Takes tasks off an environment: they are kept, listed on request, and never run.",
    scope: "admin",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/environments/{env_id}/tasks/retire",
    input: z.object({ ...envRef, ...indexes, reason: z.string().min(1).max(2000).optional(), ...byField }),
    output: z.object({ environment: z.string(), retired: z.array(z.number().int()) }),
    handle: retireTasks,
  }),
  operation({
    name: "environment_tasks_restore",
    title: "Restore tasks",
    description: "Puts retired tasks back to what their review says.",
    scope: "admin",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/environments/{env_id}/tasks/restore",
    input: z.object({ ...envRef, ...indexes, ...byField }),
    output: z.object({
      environment: z.string(),
      restored: z.array(z.object({ index: z.number().int(), status: TaskStatus })),
    }),
    handle: restoreTasks,
  }),
  shaped({
    name: "environment_review",
    title: "An environment's review",
    description:
      "Answers five review verdicts per task (solvable, discriminating, determined, grounded, natural) with evidence, survivors and counts. Read it to know why a task was refused.",
    scope: "read",
    effect: "read",
    route: "GET /v0/orgs/{orgtag}/environments/{env_id}/review",
    input: z.object(envRef),
    output: z.object({
      org: z.string(),
      environment: z.string(),
      surface: z.string(),
      counts: StatusCounts,
      tier: z.literal("deterministic"),
      tasks: z.array(
        z.object({
          index: z.number().int(),
          family: Family,
          request: z.string(),
          status: TaskStatus,
          reason: z.string().optional(),
          reviewed_at: z.number().optional(),
          verdicts: z.array(ReviewVerdict),
        }),
      ),
      verifier_health: Health.optional(),
    }),
    handle: getReview,
    verdict: ({ counts, verifier_health: health }) =>
      `${counts.certified} of ${total(counts)} tasks certified${health === undefined ? "" : `; ${health.rejected} of ${health.mutants} wrong trials rejected, ${health.spared} of ${health.equals} equal ones spared`}.`,
    counts: ({ counts, verifier_health: health, tier }) => [
      { name: "certified", value: counts.certified, of: total(counts), tier, how: reviewed },
      { name: "refused", value: counts.refused, of: total(counts), tier, how: reviewed },
      { name: "held", value: counts.held, of: total(counts), tier: "human", how: "held by a person, or not admitted" },
      ...(health === undefined
        ? []
        : [
            { name: "wrong trials rejected", value: health.rejected, of: health.mutants, tier, how: reviewed },
            { name: "equal trials spared", value: health.spared, of: health.equals, tier, how: reviewed },
          ]),
    ],
  }),
  operation({
    name: "environment_review_post",
    title: "Review an environment",
    description:
      "Starts a review of the tasks that have none, as a background job; of all with `force`. No model is called.",
    scope: "push",
    effect: "start",
    route: "POST /v0/orgs/{orgtag}/environments/{env_id}/review",
    input: z.object({ ...envRef, force: z.boolean().optional() }),
    output: Started.extend({
      environment: z.string(),
      surface: z.string(),
      tasks: z.number().int(),
      force: z.boolean(),
      tier: z.literal("deterministic"),
    }),
    handle: startReview,
  }),
  operation({
    name: "environment_review_hold",
    title: "Hold a task",
    description: "Holds one task by a person's word: it is kept and does not count until it is reviewed again.",
    scope: "push",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/environments/{env_id}/review/hold",
    input: z.object({ ...envRef, index: z.number().int().min(0), reason: z.string().min(1).max(2000), ...byField }),
    output: z.object({
      environment: z.string(),
      hold: z.object({ index: z.number().int(), reason: z.string() }),
      counts: StatusCounts,
      tier: z.literal("human"),
    }),
    handle: holdTask,
  }),
  operation({
    name: "environment_regate",
    title: "Certify tasks again",
    description:
      "Reviews the standing tasks again on the world served now and tells which changed sides. No model is called.",
    scope: "push",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/environments/{env_id}/regate",
    input: z.object(envRef),
    output: z.object({
      environment: z.string(),
      regated: z.number().int(),
      counts: StatusCounts,
      moved: z.array(
        z.object({ index: z.number().int(), was: TaskStatus, is: TaskStatus, reason: z.string().optional() }),
      ),
      model_calls: z.number().int(),
      tier: z.literal("deterministic"),
    }),
    handle: regate,
  }),
];

function total(counts: Readonly<Record<string, number>>): number {
  return Object.entries(counts).reduce((sum, [status, n]) => (status === "retired" ? sum : sum + n), 0);
}
