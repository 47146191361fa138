import { z } from "zod";
import { Diagnosis, RunBundle, RunFinding } from "../../chapters/records/runs/run-bundle.ts";
import { GradingTier, ImportFormat, Player, RootCause, Run } from "../../chapters/records/runs/runs.ts";
import { reanalyzeRun } from "../../chapters/runs/grading/reanalyze.ts";
import { EndsView, RatesView } from "../../chapters/runs/groups/group-view.ts";
import { importRun } from "../../chapters/runs/import/import-run.ts";
import { publishRun } from "../../chapters/runs/import/publish-run.ts";
import { Tier } from "../../chapters/tier.ts";
import { byField, orgRef, recordId } from "../kernel/fields.ts";
import { operation } from "../kernel/operation.ts";

const rid = recordId("run");
const Analysed = z.object({
  findings: z.number().int(),
  failed: z.number().int().describe("Trials that failed."),
  named: z.number().int().describe("Of them those with a root cause that has a name."),
});

/** Finished runs from elsewhere, and what is done with a finished run: reading it again, publishing it. */
export const imports = [
  operation({
    name: "runs_post",
    title: "Import a finished run",
    description:
      "Takes in a finished run from elsewhere: a tau2 results file or an Inspect log in `results`, an Inspect `.eval` in `archive`, or the bundle that run_reexport makes. Its verdicts are kept as they came, and it is compared like any other run.",
    scope: "push",
    effect: "create",
    statuses: [201, 200],
    route: "POST /v0/orgs/{orgtag}/runs",
    input: z.object({
      ...orgRef,
      run_id: RunBundle.shape.run_id.optional().describe("What the source calls the run."),
      meta: RunBundle.shape.meta.optional().describe("How it was run: agent, tasks, terms, limits."),
      summary: RunBundle.shape.summary.optional().describe("Trials by end; refused where the trials say otherwise."),
      trials: RunBundle.shape.trials
        .max(100_000)
        .optional()
        .describe("Each try that counts, with its transcript and verdicts."),
      findings: RunBundle.shape.findings.max(10_000).optional().describe("What stood out, each with its tier."),
      diagnosis: RunBundle.shape.diagnosis.optional(),
      observations: RunBundle.shape.observations.optional(),
      usage: RunBundle.shape.usage.optional(),
      results: z
        .looseObject({})
        .optional()
        .describe("In place of a bundle: a tau2 results file or an Inspect log, as it is."),
      archive: z
        .base64()
        .min(8)
        .optional()
        .describe("In place of results: an Inspect log as its `.eval` archive, in base64."),
      format: ImportFormat.exclude(["bundle"]).optional().describe("The format of results; found out when absent."),
      ...byField,
    }),
    output: z.object({
      org: z.string(),
      id: z.string(),
      run_id: z.string(),
      group: z.string().describe("The run group it is compared by."),
      environment: z.string(),
      created_at: z.number(),
      imported_at: z.number(),
      by_state: EndsView,
      trials: z.number().int(),
      summary: RatesView,
      cost: z.object({
        usd: z.number().optional(),
        trials: z.number().int().describe("Trials whose cost the source tells."),
      }),
      findings: z.number().int(),
      finding_tiers: z.partialRecord(Tier, z.number().int()),
      meta: z.object({
        label: z.string(),
        format: ImportFormat,
        player: Player,
        terms: Run.schema.shape.terms,
        tasks: z.number().int(),
        tries: z.number().int(),
        timeout_seconds: z.number().describe("0 where the source does not tell a limit on time."),
      }),
      tasks_held: z.number().int().describe("Its tasks that a review here holds back."),
      tier: GradingTier,
    }),
    handle: importRun,
  }),
  operation({
    name: "run_reanalyze",
    title: "Read a run's trials again",
    description:
      "Reads a finished run's stored trials again by rule: root causes and what stands out. Use it after the rules changed, or on an imported run; ends and verdicts stay.",
    scope: "push",
    effect: "update",
    hints: { idempotent: false },
    route: "POST /v0/orgs/{orgtag}/runs/{rid}/reanalyze",
    input: z.object({ ...orgRef, rid }),
    output: z.object({
      org: z.string(),
      run: z.string(),
      run_id: z.string(),
      group: z.string(),
      environment: z.string(),
      reanalyzed_at: z.number(),
      before: Analysed,
      after: Analysed,
      moved: z.array(
        z.object({ task: z.string(), n: z.number().int(), from: RootCause.nullable(), to: RootCause.nullable() }),
      ),
      behavioural_findings: z.array(RunFinding),
      analyst_findings_kept: z.number().int(),
      citations: z.number().int().describe("Trials that a finding names."),
      diagnosis: Diagnosis,
      state_on_disk: z
        .object({
          attempts: z.number().int(),
          tries: z.number().int(),
          tasks: z.number().int(),
          tasks_standing: z
            .number()
            .int()
            .describe("Tasks that are still what was run, so that root causes can be read."),
        })
        .describe("What is stored of the run."),
      trials_started: z.number().int(),
      tier: Tier,
    }),
    handle: reanalyzeRun,
  }),
  operation({
    name: "run_publish",
    title: "Publish a run's transcripts",
    description:
      "Sends a finished run's transcripts to the connected tracing tool, a trace a trial with its end as a score. Without a tool it answers `not configured` and names what is missing.",
    scope: "push",
    effect: "update",
    hints: { openWorld: true },
    route: "POST /v0/orgs/{orgtag}/runs/{rid}/publish",
    input: z.object({ ...orgRef, rid }),
    output: z.object({
      org: z.string(),
      run: z.string(),
      status: z.enum(["published", "partial", "failed", "not configured"]),
      note: z.string(),
      missing: z.array(z.string()).describe("Settings that are not there."),
      traces: z.number().int(),
      spans: z.number().int(),
      scores: z.number().int(),
      left: z.number().int().describe("Trials that did not get there."),
      retry_after: z.number().optional(),
      tier: Tier,
    }),
    handle: publishRun,
  }),
];
