import { z } from "zod";
import { GradingTier, ImportFormat, Player, Run } from "../../../chapters/records/runs/runs.ts";
import { RatesView } from "../../../chapters/runs/groups/group-view.ts";
import { ImportInput, importRun } from "../../../chapters/runs/import/import-run.ts";
import { Ends } from "../../../chapters/runs/trials/rates.ts";
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
    input: ImportInput,
    output: z.object({
      org: z.string(),
      id: z.string(),
      run_id: z.string(),
      group: z.string().describe("The run group it is compared by."),
      environment: z.string(),
      created_at: z.number(),
      imported_at: z.number(),
      by_state: Ends,
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
