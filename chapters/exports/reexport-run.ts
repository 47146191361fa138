import { z } from "zod";
import { auditAct } from "../audit.ts";
import type { Ctx } from "../context.ts";
import { AppError } from "../errors.ts";
import { idOfValue } from "../record.ts";
import { findRun, type RunDoc } from "../runs/group-data.ts";
import { getRun } from "../runs/runs.ts";
import { Run, TrialRow } from "../runs/schema.ts";
import { everyAttempt, gradingOf, newestAttempts, trialsOf, tryKey } from "../runs/trial-rows.ts";
import { getJson, putJson } from "../sandboxes/blobs.ts";
import { RunExport } from "./schema.ts";

/** A finished run whole, as another workspace takes it in: how it was run, every try that counts with its verdicts, and what they add up to. */
export const RunBundle = z.object({
  run_id: z.string(),
  meta: Run.schema
    .pick({ label: true, environment: true, player: true, timeout_seconds: true, tier: true, terms: true, tasks: true })
    .extend({
      group: z.string(),
      /** Tries a task. */
      tries: z.number().int(),
      /** The grading that the verdicts are of; 0 is the one that the run itself made. */
      verdict_version: z.number().int(),
      created_at: z.number(),
    }),
  summary: z.record(z.string(), z.unknown()),
  trials: z.array(TrialRow.omit({ log: true })),
  /** What stands out, by rule. */
  findings: z.array(z.string()),
  /** Failed tries by root cause. */
  diagnosis: z.record(z.string(), z.number().int()),
  observations: z.object({ attempts: z.number().int() }),
  usage: z.object({ calls: z.number().int(), agent_ms: z.number() }),
});
type RunBundle = z.infer<typeof RunBundle>;

/** Runs that may still change. */
const LIVE = new Set(["queued", "held", "running"]);

/**
 * Makes a run's bundle again from its stored tries as they are graded and counted now; nothing is graded or run. A bundle
 * that came out as it was keeps its version. `key_verdicts_gained` counts verdicts that are decided in it and were not in
 * the one before; before the first, in the run's own grading. A run that has not ended is a conflict.
 */
export async function reexportRun(ctx: Ctx, input: { readonly rid: string }) {
  const run = await findRun(ctx, input.rid);
  const { trials: _rows, takeaways, ...row } = await getRun(ctx, input);
  if (LIVE.has(row.status)) throw new AppError("conflict", "The run has not ended; export it when it has.");
  const id = idOfValue(RunExport, run.id);
  const before = await ctx.store.records.get(RunExport, id);
  const bundle = await bundleOf(ctx, run, row.summary, takeaways);
  const decided = before
    ? decidedIn(RunBundle.parse(await getJson(ctx, before.blob)).trials)
    : decidedIn(newestAttempts(await everyAttempt(ctx, run.id)));
  const gained = [...decidedIn(bundle.trials)].filter((verdict) => !decided.has(verdict)).length;
  const blob = await putJson(ctx, bundle);
  const version = before === undefined ? 1 : before.version + (before.blob === blob ? 0 : 1);
  const at = ctx.now();
  const made = { created_at: before?.created_at ?? at, by: ctx.caller.name, run: run.id };
  await ctx.store.records.put(RunExport, { ...made, id, version, blob, reexported_at: at });
  await auditAct(ctx, "run_reexported", { run: run.id, version });
  return {
    ...row,
    bundle_version: version,
    bundle_digest: blob,
    key_verdicts_gained: gained,
    reexported_at: at,
    verdict_version: bundle.meta.verdict_version,
  };
}

async function bundleOf(ctx: Ctx, run: RunDoc, summary: object, findings: string[]): Promise<RunBundle> {
  const trials = await trialsOf(ctx, run.id);
  const { regrade } = await gradingOf(ctx, run.id);
  const { label, environment, player, timeout_seconds, tier, terms, tasks, group, trials: tries, created_at } = run;
  const diagnosis: Record<string, number> = {};
  for (const { root_cause } of trials) if (root_cause) diagnosis[root_cause] = (diagnosis[root_cause] ?? 0) + 1;
  const how = { label, environment, player, timeout_seconds, tier, terms, tasks, group, tries, created_at };
  return {
    run_id: run.id,
    meta: { ...how, verdict_version: regrade?.version ?? 0 },
    summary: { ...summary },
    // What an agent wrote to its standard error is for a person here and leaves with nothing.
    trials: trials.map(({ log: _log, ...trial }) => trial),
    findings,
    diagnosis,
    observations: { attempts: (await everyAttempt(ctx, run.id)).length },
    usage: {
      calls: trials.reduce((sum, { trial }) => sum + trial.calls.length, 0),
      agent_ms: trials.reduce((sum, { ms }) => sum + ms, 0),
    },
  };
}

/** Each decided verdict by try and place among the task's checks. */
function decidedIn(trials: readonly Pick<TrialRow, "task" | "n" | "checks">[]): Set<string> {
  return new Set(
    trials.flatMap(({ task, n, checks }) =>
      checks.flatMap(({ verdict }, i) => (verdict === "not_decided" ? [] : [`${tryKey(task, n)}\n${i}`])),
    ),
  );
}
