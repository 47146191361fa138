import { z } from "zod";
import { byField } from "../../../chapters/fields.ts";
import { JobView } from "../../../chapters/job-view.ts";
import { pageInput } from "../../../chapters/page.ts";
import { jobRef, ofJob } from "../../../chapters/runs/jobs/fields.ts";
import { cancelJob, getJob, listJobs, stopJob } from "../../../chapters/runs/jobs/jobs.ts";
import { Ends } from "../../../chapters/runs/trials/rates.ts";
import { operation, serviceOperation, shaped } from "../../kernel/operation.ts";

const StatusAnswer = JobView.extend({
  result: z
    .unknown()
    .describe("What it made, once it has landed; null before. Of a `call`: its status and body, a refusal too."),
  tally: Ends.optional().describe("Trials by end, of a run or run group."),
  cut: z.number().int().optional().describe("Planned trials that its end cut off."),
});

/** Background work: listed, watched, ended, audited. */
export const jobs = [
  serviceOperation({
    name: "jobs_list",
    title: "List jobs",
    description:
      "Lists the org's background jobs, newest first; only those that have not ended with live. The service-wide caller names an org, or * for every org.",
    scope: "read",
    route: "GET /v0/jobs",
    input: z.object({
      ...pageInput,
      live: z.boolean().optional().describe("Only jobs that have not ended."),
      org: z.string().min(1).max(64).optional().describe("The org's tag; a token's own org whatever it says."),
    }),
    output: z.object({
      jobs: z.array(JobView),
      workspace: z.string().describe("Whose jobs these are: an org's tag, or *."),
      next: z.string().optional(),
    }),
    handle: listJobs,
  }),
  shaped({
    name: "job_status",
    title: "Read how a job stands",
    description:
      "Poll it after any call that answered with a job: status, progress, and why it is held or failed; for runs the trials by end.",
    scope: "read",
    route: "GET /v0/jobs/{job_id}",
    orgResolution: ofJob,
    input: z.object(jobRef),
    output: StatusAnswer,
    verdict: statusLine,
    counts: (job) => [
      ...(job.total === null
        ? []
        : [
            {
              name: "done",
              value: job.done,
              of: job.total,
              tier: "deterministic" as const,
              how: "as the job reported",
            },
          ]),
      ...(job.tally === undefined
        ? []
        : [
            {
              name: "met",
              value: job.tally.met,
              of: job.tally.met + job.tally.failed,
              tier: "deterministic" as const,
              how: "checks on stored trials, of valid ones",
            },
          ]),
    ],
    next: (job) => (job.ended_at !== null && job.kind === "run_group" ? `run_group with gid ${job.id}` : undefined),
    handle: getJob,
  }),
  operation({
    name: "job_stop",
    title: "Stop a run",
    description:
      "Stops a run or a run group with all its runs, within seconds; finished trials stay, and finish_run lands them. Any other job is ended with job_cancel.",
    scope: "push",
    effect: "update",
    route: "POST /v0/jobs/{job_id}/stop",
    orgResolution: ofJob,
    input: z.object({ ...jobRef, ...byField }),
    output: z.object({ job: JobView, stop: z.enum(["asked", "ended already"]) }),
    handle: stopJob,
  }),
  operation({
    name: "job_cancel",
    title: "Cancel a job",
    description:
      "Cancels a job that is no run, such as a pipeline or a review; what it stored stays. Runs are ended with job_stop.",
    scope: "push",
    effect: "update",
    route: "POST /v0/jobs/{job_id}/cancel",
    orgResolution: ofJob,
    input: z.object({ ...jobRef, ...byField }),
    output: z.object({ job: JobView, cancel: z.enum(["asked", "ended already"]), note: z.string() }),
    handle: cancelJob,
  }),
];

/** One line for a job. */
function statusLine(job: z.infer<typeof JobView>): string {
  const far = job.total === null ? "" : `, ${job.done} of ${job.total}${job.message ? ` ${job.message}` : ""}`;
  return `The ${job.kind} job is ${job.status}${far}${job.note ? `: ${job.note}` : "."}`;
}
