import { z } from "zod";
import { Tier } from "../../tier.ts";
import { RootCause, Run, RunUsage, TrialRow } from "./runs.ts";

/** Something that stands out in a run, with the trials it was seen in. Text of people and models keeps its tier. */
export const RunFinding = z.object({
  text: z.string().min(1).max(2_000),
  tier: Tier,
  /** The root cause that it is about. */
  cause: RootCause.optional(),
  /** Trials as run_get names them. */
  trials: z.array(z.string().max(300)).max(10_000),
});
export type RunFinding = z.infer<typeof RunFinding>;

/** Failed tries by root cause. */
export const Diagnosis = z.partialRecord(RootCause, z.number().int());
export type Diagnosis = z.infer<typeof Diagnosis>;

/** A finished run as another workspace takes it in: how it was run, every try that counts with its verdicts, and their sums. */
export const RunBundle = z.object({
  run_id: z.string().min(1).max(200),
  meta: Run.schema
    .pick({ label: true, environment: true, player: true, timeout_seconds: true, tier: true, terms: true, tasks: true })
    .extend({
      group: z.string().describe("Id of its run group where it was run."),
      /** Tries a task. */
      tries: z.number().int().min(1).describe("Of each task."),
      /** The grading that the verdicts are of; 0 is the one that the run itself made. */
      verdict_version: z.number().int().describe("Which grading; 0 is the run's own."),
      created_at: z.number().describe("Unix seconds."),
    }),
  summary: z.record(z.string(), z.unknown()),
  trials: z.array(TrialRow.omit({ log: true })),
  findings: z.array(RunFinding),
  diagnosis: Diagnosis,
  observations: z.object({ attempts: z.number().int() }),
  usage: RunUsage,
});
export type RunBundle = z.infer<typeof RunBundle>;

/** How a trial is named within its run. */
export function trialName(task: string, n: number): string {
  return `${task}.${n}`;
}

/** Failed tries counted by root cause. */
export function diagnosisOf(rows: readonly Pick<TrialRow, "root_cause">[]): Diagnosis {
  const counts: Diagnosis = {};
  for (const { root_cause } of rows) if (root_cause) counts[root_cause] = (counts[root_cause] ?? 0) + 1;
  return counts;
}

/** What a run used: as its source told it where it was imported, else of its trials, at what those say they cost. */
export function usageOf(
  rows: readonly Pick<TrialRow, "trial" | "ms" | "usd">[],
  imported?: { readonly usage?: RunUsage | undefined },
): RunUsage {
  if (imported?.usage !== undefined) return imported.usage;
  const priced = rows.flatMap(({ usd }) => (usd === undefined ? [] : [usd]));
  return {
    calls: rows.reduce((sum, { trial }) => sum + trial.calls.length, 0),
    agent_ms: rows.reduce((sum, { ms }) => sum + ms, 0),
    ...(priced.length === 0 ? {} : { usd: priced.reduce((sum, usd) => sum + usd, 0) }),
  };
}
