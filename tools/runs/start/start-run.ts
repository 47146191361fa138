import { z } from "zod";
import { byField, DEFAULT_TIMEOUT_S, orgRef } from "../../../chapters/fields.ts";
import { JobStatusSchema } from "../../../chapters/job-view.ts";
import { GradingTier, Player, RunHarness, RunTrigger } from "../../../chapters/records/runs/runs.ts";
import { SELECTION } from "../../../chapters/runs/start/select-tasks.ts";
import { startRun } from "../../../chapters/runs/start/start-run.ts";
import { TaskSelection } from "../../../chapters/sandboxes/tasks/task-selection.ts";
import { shaped } from "../../kernel/operation.ts";

const taskNames = z.array(z.string().min(1).max(200)).min(1).max(2_000);

/** Start a run. */
export const startRunOperations = [
  shaped({
    name: "start_run",
    title: "Start a run",
    description:
      "Runs an agent version, or a built-in harness, on certified tasks, each trial in a fresh copy of its world, graded; answers a job: then watch_job, run_group. Use `group` to run what another group ran, `selection` for some tasks, `resume` to go on with a stopped run.",
    scope: "push",
    effect: "start",
    hints: { openWorld: true },
    statuses: [202, 200],
    route: "POST /v0/orgs/{orgtag}/runs/start",
    input: z.object({
      ...orgRef,
      agent: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe("Agent id or name; the org's primary agent when no harness is given either."),
      agent_version: z
        .string()
        .min(1)
        .max(100)
        .optional()
        .describe("Version label; the newest that is not retired when absent."),
      harness: RunHarness.optional().describe(
        "Built-in: reference meets every task, null none, react is a model with tools.",
      ),
      environment: z.string().min(1).max(200).optional().describe("Environment id."),
      worldplan: z.string().min(1).max(200).optional().describe("A minted world by its plan: its certified tasks."),
      group: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe("A run group: its tasks, tries and terms once more, by who is named here."),
      tasks: taskNames.optional().describe("Task ids or indexes of that environment."),
      tasks_by_environment: z
        .record(z.string().min(1).max(200), taskNames)
        .optional()
        .describe("Several environments, each with its task ids or indexes."),
      selection: z
        .union([
          z.string().regex(SELECTION, "use full, failed_last, touched, ci-N, smoke-N, or the group of a held set"),
          TaskSelection,
        ])
        .optional()
        .describe("full, ci-N, smoke-N, failed_last, touched, a held set or {axis: [value]}."),
      trials: z.number().int().min(1).max(50).optional().describe("Tries per task; 1 when absent."),
      timeout_seconds: z
        .number()
        .positive()
        .max(3_600)
        .optional()
        .describe(`Per trial; ${DEFAULT_TIMEOUT_S} when absent.`),
      include_held: z.boolean().optional().describe("Also tasks that a review holds back."),
      autofix: z
        .boolean()
        .optional()
        .describe("First review wanted tasks without a current certificate (50 at most), by code."),
      force: z.boolean().optional().describe("Start another even while the same plan is at work."),
      control: RunHarness.optional().describe("A harness to run beside on the same tasks, as a group of its own."),
      tier: GradingTier.optional().describe(
        "deterministic (default): by code alone; llm-derived: judged checks by a judge.",
      ),
      model: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe("The react harness's model, see providers_get; the default one when absent."),
      provider: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe("A pin of providers_get, or a provider's name: the react harness with its model."),
      trigger: RunTrigger.optional(),
      resume: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe("A stopped or failed run or run group to go on with: plays what is missing."),
      resume_group: z.string().min(1).max(200).optional().describe("The same for a run group."),
      ...byField,
    }),
    output: z.object({
      org: z.string(),
      job: z.string(),
      group: z.string(),
      poll: z.string(),
      status: JobStatusSchema,
      deduplicated: z.boolean(),
      note: z.string().optional(),
      player: Player,
      environment: z.string().nullable(),
      environments: z.array(z.string()),
      worldplan: z.string().nullable(),
      tasks: z.number().int(),
      trials: z.number().int(),
      resumes: z.string().optional().describe("The group it goes on with."),
      fixed: z
        .object({ reviewed: z.number().int(), certified: z.number().int() })
        .optional()
        .describe("With autofix: tasks reviewed before the start, and those of them that now have a certificate."),
      control: z.object({ job: z.string(), poll: z.string() }).optional(),
    }),
    verdict: (answer) => {
      const who =
        answer.player.version === null ? answer.player.name : `${answer.player.name} ${answer.player.version}`;
      if (answer.deduplicated) return `This run is under way already: ${who} on ${answer.tasks} tasks.`;
      if (answer.resumes !== undefined) return `Went on with ${who} where it ended: ${answer.trials} trials in all.`;
      const held = answer.status === "held" ? `, held: ${answer.note ?? "it waits"}` : "";
      return `Started ${who} on ${answer.tasks} tasks, ${answer.trials} trials${held}.`;
    },
    counts: (answer) => [
      { name: "tasks", value: answer.tasks, tier: "deterministic", how: "tasks with a certificate, as selected" },
      { name: "trials", value: answer.trials, tier: "deterministic", how: "tasks times tries" },
    ],
    next: (answer) => `watch_job with job_id ${answer.job} until it has ended, then run_group with gid ${answer.group}`,
    handle: startRun,
  }),
];
