import { z } from "zod";
import { orgRef, recordId } from "../../chapters/fields.ts";
import { JobStatusSchema, JobView } from "../../chapters/job-view.ts";
import { pageInput } from "../../chapters/page.ts";
import { FinalAnswerClass } from "../../chapters/records/evidence/evidence.ts";
import { Diagnosis, RunBundle, RunFinding } from "../../chapters/records/runs/run-bundle.ts";
import { GradingTier, Player, Run, TrialRow } from "../../chapters/records/runs/runs.ts";
import { ended } from "../../chapters/runs/fields.ts";
import { RatesView } from "../../chapters/runs/groups/group-view.ts";
import { IsolationSummary } from "../../chapters/runs/isolation.ts";
import { getRun, listRuns } from "../../chapters/runs/runs.ts";
import { Ends } from "../../chapters/runs/trials/rates.ts";
import { operation } from "../kernel/operation.ts";

/** A run as lists and answers about runs show it. */
export const RunRow = z.object({
  id: z.string(),
  group: z.string(),
  environment: z.string(),
  label: z.string(),
  bundle: z.string(),
  player: Player,
  tries: z.number().int().describe("Tries per task."),
  timeout_seconds: z.number(),
  tier: GradingTier,
  created_at: z.number(),
  by: z.string(),
  status: JobStatusSchema,
  tasks: z.number().int(),
  by_state: Ends,
  finished_at: z.number().optional(),
  imported: Run.schema.shape.imported.describe("When it was taken in and from what; absent where it was run here."),
});

/** Runs of one environment each, and single trials. */
export const runs = [
  operation({
    name: "runs_list",
    title: "List runs",
    description: "Lists runs, newest first, with their trials by end, and the run jobs that have not ended.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/runs",
    input: z.object({
      ...orgRef,
      ...pageInput,
      group: z.string().min(1).max(200).optional().describe("Only the runs of this group."),
      retired: z.boolean().optional().describe("Also the runs of retired groups."),
    }),
    output: z.object({ jobs: z.array(JobView), runs: z.array(RunRow), next: z.string().optional() }),
    handle: listRuns,
  }),
  operation({
    name: "run_get",
    title: "Read a run",
    description:
      "Reads a run with its terms, rates, every trial with its end, root cause and verdict per check, and what stands out. Transcripts are read one at a time with run_trace.",
    scope: "read",
    route: "GET /v0/runs/{rid}",
    orgResolution: { from: "record", kind: Run, param: "rid" },
    input: z.object({ rid: recordId("run") }),
    output: RunRow.extend({
      org: z.string(),
      terms: Run.schema.shape.terms,
      summary: RatesView,
      attempts: z.number().int().describe("Attempts kept, those tried again included."),
      trials: z.array(
        z.object({
          trial: z.string(),
          task: z.string(),
          n: z.number().int(),
          attempt: z.number().int(),
          ...ended,
          answer_class: FinalAnswerClass,
          checks: TrialRow.shape.checks,
          calls: z.number().int(),
          started_at: z.number(),
          ms: z.number(),
          usd: z.number().optional().describe("What it cost, where that is known."),
          tokens: TrialRow.shape.tokens.describe("What the agent's model calls read and wrote, where that is known."),
          isolation: TrialRow.shape.isolation,
        }),
      ),
      isolation: IsolationSummary.optional().describe("Of trials that were started as a process here."),
      usage: RunBundle.shape.usage,
      findings: z.array(RunFinding),
      diagnosis: Diagnosis.describe("Failed trials by root cause."),
      takeaways: z.array(z.string()),
    }),
    handle: getRun,
  }),
];
