import { auditAct } from "../audit.ts";
import { getJson, putJson } from "../blobs.ts";
import type { Ctx } from "../context.ts";
import { conflict } from "../errors.ts";
import { idOfValue } from "../record.ts";
import { RunExport } from "../records/exports/exports.ts";
import { diagnosisOf, RunBundle, usageOf } from "../records/runs/run-bundle.ts";
import type { TrialRow } from "../records/runs/runs.ts";
import { findRun, type RunDoc } from "../runs/groups/group-data.ts";
import { getRun } from "../runs/runs.ts";
import { everyAttempt, gradingOf, newestAttempts, trialsOfRun, tryKey } from "../runs/trials/trial-rows.ts";

/** Runs that may still change. */
const LIVE = new Set(["queued", "held", "running"]);

/**
 * Makes a run's bundle again from its stored tries as they are graded and counted now; nothing is graded or run. A bundle
 * that came out as it was keeps its version. `key_verdicts_gained` counts verdicts that are decided in it and were not in
 * the one before; before the first, in the run's own grading. A run that has not ended is a conflict.
 */
export async function reexportRun(ctx: Ctx, input: { readonly rid: string }) {
  const run = await findRun(ctx, input.rid);
  const whole = await getRun(ctx, input);
  const { trials: _rows, takeaways: _takeaways, findings, diagnosis: _diagnosis, usage: _usage, ...row } = whole;
  if (LIVE.has(row.status)) throw conflict("The run has not ended; export it when it has.", { by: "watch_job" });
  const id = idOfValue(RunExport, run.id);
  const before = await ctx.store.records.get(RunExport, id);
  const bundle = await bundleOf(ctx, run, row.summary, findings);
  const decided = before
    ? decidedIn(RunBundle.pick({ trials: true }).parse(await getJson(ctx, before.blob)).trials)
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

async function bundleOf(ctx: Ctx, run: RunDoc, summary: object, findings: RunBundle["findings"]): Promise<RunBundle> {
  const trials = await trialsOfRun(ctx, run);
  const { regrade } = await gradingOf(ctx, run);
  const { label, environment, player, timeout_seconds, tier, terms, tasks, group, trials: tries, created_at } = run;
  const how = { label, environment, player, timeout_seconds, tier, terms, tasks, group, tries, created_at };
  return {
    run_id: run.id,
    meta: { ...how, verdict_version: regrade?.version ?? 0 },
    summary: { ...summary },
    // What an agent wrote to its standard error is for a person here and leaves with nothing.
    trials: trials.map(({ log: _log, ...trial }) => trial),
    findings,
    diagnosis: diagnosisOf(trials),
    observations: { attempts: run.imported?.attempts ?? (await everyAttempt(ctx, run.id)).length },
    usage: usageOf(trials, run.imported),
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
