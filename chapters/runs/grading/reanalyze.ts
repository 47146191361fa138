import { rootCause } from "../../../worlds/tasks/grading/root-cause.ts";
import { auditAct } from "../../audit.ts";
import type { Ctx } from "../../context.ts";
import { conflict } from "../../errors.ts";
import { RunAnalysis } from "../../records/runs/analysis.ts";
import { diagnosisOf, type RunFinding } from "../../records/runs/run-bundle.ts";
import { RootCause, type TrialRow } from "../../records/runs/runs.ts";
import { findGroup, findRun, type RunDoc } from "../groups/group-data.ts";
import { runStatus } from "../groups/group-status.ts";
import { moveModes } from "../groups/move-modes.ts";
import { everyAttempt, gradingOf, trialsOfRun, tryKey, writeGrading } from "../trials/trial-rows.ts";
import { findingsByRule } from "./findings-by-rule.ts";
import { standingTasks } from "./regrade.ts";

/** Causes of an end that say the root cause by themselves; only what the checks failed is read again. */
const READ_AGAIN = "checks";

/**
 * Reads a finished run's stored tries again by rule: the root cause of each failure and what stands out, as a new
 * analysis that is read from now on. Ends and verdicts stay, and so does what people and models found; failure
 * modes move with root causes. No trial is started.
 */
export async function reanalyzeRun(ctx: Ctx, input: { readonly rid: string }) {
  const run = await findRun(ctx, input.rid);
  const [job, group] = await Promise.all([ctx.store.jobs.get(run.id), ctx.store.jobs.get(run.group)]);
  if (["queued", "held", "running"].includes(runStatus(run, job, group)))
    throw conflict("The run has not ended; read it again when it has.", { by: "watch_job" });
  const rows = await trialsOfRun(ctx, run);
  const { analysis: last } = await gradingOf(ctx, run);
  const kept = (last?.findings ?? []).filter(({ tier }) => tier !== "deterministic");
  const before = last?.findings ?? findingsByRule(rows);
  const { tasks } = await standingTasks(ctx, run);
  const causes: Record<string, RootCause> = {};
  const read = rows.map((row): TrialRow => {
    const task = tasks[row.task];
    if (row.end !== "failed" || row.cause !== READ_AGAIN || row.root_cause === "format" || !task) return row;
    const root_cause = RootCause.catch("other").parse(rootCause(task, row.trial, row.checks));
    causes[tryKey(row.task, row.n)] = root_cause;
    return { ...row, root_cause };
  });
  const behavioural = findingsByRule(read);
  const findings = [...kept, ...behavioural];
  const diagnosis = diagnosisOf(read);
  const at = ctx.now();
  const doc = { id: ctx.id(RunAnalysis.prefix), created_at: at, by: ctx.caller.name, group: run.group, run: run.id };
  await writeGrading(ctx, "analysis", { ...doc, findings, diagnosis, causes });
  await moveModes(ctx, await findGroup(ctx, run.group), true);
  await auditAct(ctx, "run_reanalyzed", { run: run.id, findings: findings.length });
  const attempts = await everyAttempt(ctx, run.id);
  return {
    org: ctx.org.tag,
    run: run.id,
    run_id: run.imported?.run_id ?? run.id,
    group: run.group,
    environment: run.environment,
    reanalyzed_at: at,
    before: counted(before, rows),
    after: counted(findings, read),
    moved: changedCauses(rows, read),
    behavioural_findings: behavioural,
    analyst_findings_kept: kept.length,
    citations: new Set(findings.flatMap(({ trials }) => trials)).size,
    diagnosis,
    state_on_disk: {
      attempts: attempts.length,
      tries: rows.length,
      tasks: run.tasks.length,
      tasks_standing: Object.keys(tasks).length,
    },
    trials_started: 0,
    tier: kept.some(({ tier }) => tier === "llm-derived") ? ("llm-derived" as const) : ("deterministic" as const),
  };
}

function counted(findings: readonly RunFinding[], rows: readonly TrialRow[]) {
  const failed = rows.filter(({ end }) => end === "failed");
  return {
    findings: findings.length,
    failed: failed.length,
    named: failed.filter(({ root_cause }) => root_cause !== null && root_cause !== "other").length,
  };
}

function changedCauses(before: readonly TrialRow[], after: readonly TrialRow[]) {
  return before.flatMap(({ task, n, root_cause }, i) => {
    const to = after[i]?.root_cause ?? null;
    return to === root_cause ? [] : [{ task, n, from: root_cause, to }];
  });
}

/** What was found in a run: by its newest analysis, else by rule from its trials as they stand. */
export async function findingsOf(ctx: Ctx, run: RunDoc, rows: readonly TrialRow[]): Promise<RunFinding[]> {
  const { regrade, analysis } = await gradingOf(ctx, run);
  if (!analysis) return findingsByRule(rows);
  if (analysis.created_at >= (regrade?.created_at ?? 0)) return analysis.findings;
  return [...analysis.findings.filter(({ tier }) => tier !== "deterministic"), ...findingsByRule(rows)];
}
