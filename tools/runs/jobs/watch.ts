import { z } from "zod";
import { countOf } from "../../../chapters/count-of.ts";
import { orgRef } from "../../../chapters/fields.ts";
import { GroupStatusSchema, JobView } from "../../../chapters/job-view.ts";
import { FinalAnswerClass } from "../../../chapters/records/evidence/evidence.ts";
import { EndCause, TrialEnd, TrialRow } from "../../../chapters/records/runs/runs.ts";
import { jobRef, ofJob } from "../../../chapters/runs/jobs/fields.ts";
import { auditJob, jobCalls, liveRuns, watchJob } from "../../../chapters/runs/jobs/watch.ts";
import { Ends } from "../../../chapters/runs/trials/rates.ts";
import { operation, shaped } from "../../kernel/operation.ts";

const CallSeen = z.object({ tool: z.string(), answer_class: z.string() });

const tried = { run: z.string(), task: z.string(), n: z.number().int(), attempt: z.number().int() };

/** Watch a run; live runs; a job's audit trail; a run's calls. */
export const watch = [
  shaped({
    name: "watch_job",
    title: "Watch a run",
    description:
      "Answers a run or run group while it works: trials as they end, those under way with the tools they called so far, n of N, and an estimate to the end.",
    scope: "read",
    route: "GET /v0/jobs/{job_id}/live",
    orgResolution: ofJob,
    input: z.object(jobRef),
    output: JobView.extend({
      now: z.number(),
      n: z.number().int(),
      of: z.number().int(),
      tally: Ends,
      trials: z
        .array(
          z.object({
            ...tried,
            end: TrialEnd,
            cause: EndCause.nullable(),
            started_at: z.number(),
            ended_at: z.number(),
            calls: z.number().int(),
          }),
        )
        .describe("The newest hundred."),
      in_flight: z.array(z.object({ ...tried, started_at: z.number(), calls: z.array(CallSeen) })),
      estimate_seconds: z.number().optional(),
    }),
    verdict: (job) => {
      const left = job.estimate_seconds === undefined ? "" : `, about ${Math.ceil(job.estimate_seconds)} s left`;
      return `${job.n} of ${countOf(job.of, "trial has", "trials have")} ended, ${job.in_flight.length} ${job.in_flight.length === 1 ? "is" : "are"} under way${left}; the job is ${job.status}${job.note ? `: ${job.note}` : "."}`;
    },
    counts: (job) => [
      { name: "trials", value: job.n, of: job.of, tier: "deterministic", how: "stored trials of those planned" },
      {
        name: "met",
        value: job.tally.met,
        of: job.tally.met + job.tally.failed,
        tier: "deterministic",
        how: "checks on stored trials, of valid ones",
      },
    ],
    next: (job) =>
      job.ended_at === null
        ? undefined
        : `run_group with gid ${job.kind === "run_group" ? job.id : (job.parent ?? job.id)}`,
    handle: watchJob,
  }),
  shaped({
    name: "live_runs",
    title: "List live runs",
    description: "Lists every run and run group that works now or ended within the last 15 minutes, newest first.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/runs/live",
    input: z.object({ ...orgRef }),
    output: z.object({ org: z.string(), now: z.number(), runs: z.array(JobView) }),
    verdict: ({ runs }) => {
      const live = runs.filter((run) => run.ended_at === null).length;
      return `${countOf(live, "run or group is", "runs and groups are")} live; ${runs.length - live} ended within the last 15 minutes.`;
    },
    counts: ({ runs }) => [
      {
        name: "live",
        value: runs.filter((run) => run.ended_at === null).length,
        of: runs.length,
        tier: "deterministic",
        how: "jobs that have not ended",
      },
    ],
    handle: liveRuns,
  }),
  operation({
    name: "job_audit",
    title: "Read a job's audit trail",
    description:
      "Answers a job's events, oldest first: begin, each trial's start and end, stops with who asked, restarts, landing. Kinds, ids, counts, times and names only, never a task's text.",
    scope: "read",
    route: "GET /v0/jobs/{job_id}/audit",
    orgResolution: ofJob,
    input: z.object({ ...jobRef, format: z.enum(["json", "text"]).optional() }),
    output: z.object({
      id: z.string(),
      kind: z.string(),
      events: z.array(
        z.object({
          seq: z.number().int(),
          at: z.number(),
          kind: z.string(),
          fields: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
        }),
      ),
    }),
    handle: auditJob,
  }),
  operation({
    name: "job_calls",
    title: "Read a run's calls",
    description:
      "Answers, per try of a run or run group, each call's tool and answer class, the final answer's class and the checks that failed. Never a value, an argument or a task's text.",
    scope: "read",
    route: "GET /v0/jobs/{job_id}/calls",
    orgResolution: ofJob,
    input: z.object(jobRef),
    output: z.object({
      id: z.string(),
      kind: z.string(),
      status: GroupStatusSchema,
      tier: z.literal("deterministic"),
      landed: z.number().int().describe("Tries that have ended."),
      running: z.number().int().describe("Tries under way."),
      tally: z.record(z.string(), Ends),
      tries: z.array(
        z.object({
          ...tried,
          end: TrialEnd,
          calls: z.array(CallSeen),
          answer_class: FinalAnswerClass,
          failed_checks: z.array(z.string()),
          egress: TrialRow.shape.egress.describe("Requests that left beside the world, where they were counted."),
          isolation: TrialRow.shape.isolation,
        }),
      ),
    }),
    handle: jobCalls,
  }),
];
