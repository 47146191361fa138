import { z } from "zod";
import { countOf } from "../../../chapters/count-of.ts";
import { JobStatusSchema } from "../../../chapters/job-view.ts";
import { Player } from "../../../chapters/records/runs/runs.ts";
import { StartInput, startRun } from "../../../chapters/runs/start/start-run.ts";
import { shaped } from "../../kernel/operation.ts";

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
    input: StartInput,
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
      if (answer.deduplicated) return `This run is under way already: ${who} on ${countOf(answer.tasks, "task")}.`;
      if (answer.resumes !== undefined)
        return `Went on with ${who} where it ended: ${countOf(answer.trials, "trial")} in all.`;
      const held = answer.status === "held" ? `, held: ${answer.note ?? "it waits"}` : "";
      return `Started ${who} on ${countOf(answer.tasks, "task")}, ${countOf(answer.trials, "trial")}${held}.`;
    },
    counts: (answer) => [
      { name: "tasks", value: answer.tasks, tier: "deterministic", how: "tasks with a certificate, as selected" },
      { name: "trials", value: answer.trials, tier: "deterministic", how: "tasks times tries" },
    ],
    next: (answer) => `watch_job with job_id ${answer.job} until it has ended, then run_group with gid ${answer.group}`,
    handle: startRun,
  }),
];
