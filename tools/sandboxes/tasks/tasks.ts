import { z } from "zod";
import { countOf, named } from "../../../chapters/count-of.ts";
import { byField } from "../../../chapters/fields.ts";
import { BundleRecord, TaskStatus } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { envRef, Health, REVIEWED, StatusCounts, total } from "../../../chapters/sandboxes/fields.ts";
import {
  indexes,
  ListInput,
  listEnvironmentTasks,
  restoreTasks,
  retireTasks,
  TasksInput,
} from "../../../chapters/sandboxes/tasks/tasks.ts";
import { ReviewName } from "../../../worlds/tasks/schema.ts";
import { operation, shaped } from "../../kernel/operation.ts";
import { checks } from "./checks.ts";
import { added } from "./post-tasks.ts";
import { TaskView } from "./task-view.ts";

/** Tasks of an environment and their checks. */
export const tasks = [
  shaped({
    name: "environment_tasks",
    title: "List an environment's tasks",
    description:
      "Lists the tasks of an environment: each request, the checks that grade it, and whether it passed review and counts. Only certified tasks run unless asked.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/environments/{env_id}/tasks",
    input: ListInput,
    output: z.object({
      org: z.string(),
      audience: z.enum(["customer", "staff"]),
      environment: z.string(),
      surface: z.string(),
      serves: z.string().describe("The bundle that its worlds serve."),
      evidence_id: z.string().nullable().describe("The first evidence that it was compiled from."),
      selection: z.record(z.string(), z.array(z.string())),
      state: z.enum(["live", "retired"]),
      tasks_state: z.enum(["none", "drafts", "reviewed"]),
      check: z
        .object({
          engine: z.number().int().describe("The version of what proves."),
          proves: z.array(z.object({ name: ReviewName, proves: z.string() })),
          certified: z.number().int(),
          distinct: z.number().int(),
          poor: z.number().int().describe("Held, since the world is too poor for them."),
        })
        .describe("What makes a task count, and how many do."),
      caveat: z.string().nullable(),
      world_snapshot: z.string(),
      world_missing: BundleRecord.schema.shape.gaps,
      tool_gate: z
        .array(z.object({ tool: z.string(), tasks: z.array(z.number().int()) }))
        .describe("Tools that tasks call and the world does not serve."),
      suite: z.string().describe("Names the set of tasks that count now."),
      chosen: z.array(z.number().int()).describe("The tasks that count, by index."),
      refused_tasks: z.array(z.object({ index: z.number().int(), reason: z.string() })),
      review_counts: StatusCounts,
      distinct: z
        .number()
        .int()
        .describe("Tasks that count, those that differ in words alone counted once: by script and checks."),
      left_out: z
        .array(z.object({ tool: z.string(), calls: z.number().int(), why: z.string().optional() }))
        .describe("Tools that the evidence called and no task that counts needs, most called first, and why."),
      review_checks: z.array(z.object({ name: ReviewName, passed: z.number().int(), failed: z.number().int() })),
      max_rounds: z.number().int().describe("How many candidates are tried for a task that is written again."),
      generations: z.number().int().describe("How often tasks of it were written."),
      coverage_at_generation: z
        .record(z.string(), z.number().int())
        .describe("All tasks per family, as they were written."),
      dimensions: z
        .record(z.string(), z.record(z.string(), z.number().int()))
        .describe("Certified tasks per value of each axis."),
      rooted: z.number().int().describe("Tasks whose every fact a review found in the world."),
      links: z.object({ review: z.string(), revisions: z.string(), fidelity: z.string() }),
      coverage: z.record(z.string(), z.number().int()).describe("Certified tasks per family."),
      tasks: z.array(TaskView),
      verifier_health: Health.optional(),
    }),
    handle: listEnvironmentTasks,
    verdict: ({ review_counts: counts, coverage, tasks, distinct, left_out }) => {
      const stale = tasks.filter((row) => row.stale !== undefined).length;
      const lapsed = stale === 0 ? "" : `, ${stale} of a certificate that no longer holds`;
      const missing = left_out.length === 0 ? "" : ` No task needs ${named(left_out.map(({ tool }) => tool))}.`;
      return `${countOf(counts.certified - stale, "certified task")}, ${distinct} distinct, in ${countOf(Object.keys(coverage).length, "family", "families")}; ${counts.refused} refused, ${counts.held} held, ${counts.draft} not reviewed${lapsed}.${missing}`;
    },
    counts: ({ review_counts: counts, verifier_health: health }) => [
      { name: "certified", value: counts.certified, of: total(counts), tier: "deterministic", how: REVIEWED },
      { name: "refused", value: counts.refused, of: total(counts), tier: "deterministic", how: REVIEWED },
      ...(health === undefined
        ? []
        : [
            {
              name: "wrong trials rejected",
              value: health.rejected,
              of: health.mutants,
              tier: health.tier,
              how: REVIEWED,
            },
          ]),
    ],
    next: ({ environment }) => `start_run with environment ${environment} runs an agent on the certified tasks.`,
  }),
  ...checks,
  ...added,
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
    description: "Puts retired tasks back to what they were before they were retired.",
    scope: "admin",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/environments/{env_id}/tasks/restore",
    input: TasksInput,
    output: z.object({
      environment: z.string(),
      restored: z.array(z.object({ index: z.number().int(), status: TaskStatus })),
    }),
    handle: restoreTasks,
  }),
];
