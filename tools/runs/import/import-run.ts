import { z } from "zod";
import { byField, orgRef } from "../../../chapters/fields.ts";
import { RunBundle } from "../../../chapters/records/runs/run-bundle.ts";
import { GradingTier, ImportFormat, Player, Run } from "../../../chapters/records/runs/runs.ts";
import { EndsView, RatesView } from "../../../chapters/runs/groups/group-view.ts";
import { importRun } from "../../../chapters/runs/import/import-run.ts";
import { Tier } from "../../../chapters/tier.ts";
import { operation } from "../../kernel/operation.ts";

/** Import a finished run. */
export const importRunOperations = [
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
];
