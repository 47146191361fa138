import { z } from "zod";
import { orgRef } from "../../../chapters/fields.ts";
import { Diagnosis, RunFinding } from "../../../chapters/records/runs/run-bundle.ts";
import { RootCause } from "../../../chapters/records/runs/runs.ts";
import { rid } from "../../../chapters/runs/fields.ts";
import { reanalyzeRun } from "../../../chapters/runs/grading/reanalyze.ts";
import { Tier } from "../../../chapters/tier.ts";
import { operation } from "../../kernel/operation.ts";

const Analysed = z.object({
  findings: z.number().int(),
  failed: z.number().int().describe("Trials that failed."),
  named: z.number().int().describe("Of them those with a root cause that has a name."),
});

/** Read a run's trials again. */
export const reanalyze = [
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
];
