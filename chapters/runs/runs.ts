import type { Ctx } from "../context.ts";
import { AppError, notFound } from "../errors.ts";
import type { PageInput } from "../page.ts";
import { findRun, type RunDoc } from "./group-data.ts";
import { runStatus } from "./group-status.ts";
import { jobView } from "./job-view.ts";
import { lastLandedRun } from "./last-group.ts";
import { endsOf, ratesOf } from "./rates.ts";
import { Run, type TrialRow } from "./schema.ts";
import { everyAttempt, tallyOf, trialsOf } from "./trial-rows.ts";

/** The org's runs, newest first, with the run jobs that have not ended. */
export async function listRuns(ctx: Ctx, input: PageInput & { readonly group?: string | undefined }) {
  const where = input.group === undefined ? {} : { where: { group: input.group } };
  const page = await ctx.store.records.list(Run, { ...input, ...where });
  const live = await ctx.store.jobs.list({ kind: "run", live: true, limit: 500 });
  const runs = await Promise.all(page.items.map((run) => runRow(ctx, run)));
  const jobs = live.items.filter((row) => input.group === undefined || row.parent === input.group);
  return {
    jobs: jobs.map((row) => jobView(row, ctx.org.tag)),
    runs,
    ...(page.next === undefined ? {} : { next: page.next }),
  };
}

async function runRow(ctx: Ctx, run: RunDoc) {
  const [job, group, counted] = await Promise.all([
    ctx.store.jobs.get(run.id),
    ctx.store.jobs.get(run.group),
    tallyOf(ctx, [run.id]),
  ]);
  const { id, group: groupId, environment, label, bundle, player, trials, timeout_seconds, tier, created_at, by } = run;
  return {
    id,
    group: groupId,
    environment,
    label,
    bundle,
    player,
    tries: trials,
    timeout_seconds,
    tier,
    created_at,
    by,
    status: runStatus(run, job, group),
    tasks: run.tasks.length,
    by_state: {
      met: counted.met,
      failed: counted.failed,
      infra: counted.infra,
      invalid: counted.invalid,
    },
    ...(run.finished_at === undefined ? {} : { finished_at: run.finished_at }),
  };
}

/** A run whole: its terms, its rates, every trial without its transcript, and what stands out, by rule. */
export async function getRun(ctx: Ctx, input: { readonly rid: string }) {
  const run = await findRun(ctx, input.rid);
  const attempts = await everyAttempt(ctx, run.id);
  const rows = await trialsOf(ctx, run.id);
  const summary = ratesOf(rows, run.trials);
  return {
    ...(await runRow(ctx, run)),
    org: ctx.org.tag,
    terms: run.terms,
    summary,
    attempts: attempts.length,
    trials: rows.map(trialRow),
    takeaways: takeaways(rows, summary),
  };
}

function trialRow({ task, n, attempt, end, cause, root_cause, answer_class, checks, trial, started_at, ms }: TrialRow) {
  return {
    trial: trialName(task, n),
    task,
    n,
    attempt,
    end,
    cause,
    root_cause,
    answer_class,
    checks,
    calls: trial.calls.length,
    started_at,
    ms,
  };
}

/** How a trial is named within its run. */
function trialName(task: string, n: number): string {
  return `${task}.${n}`;
}

/** Sentences by rule, each with its counts; none where nothing stands out. */
function takeaways(rows: readonly TrialRow[], summary: ReturnType<typeof ratesOf>): string[] {
  const said: string[] = [];
  if (summary.valid > 0 && summary.failed === 0) said.push(`All ${summary.valid} valid trials met their task.`);
  if (summary.valid > 0 && summary.met === 0) said.push(`None of ${summary.valid} valid trials met its task.`);
  const causes = Map.groupBy(
    rows.filter((row) => row.root_cause !== null),
    (row) => row.root_cause,
  );
  const [first] = [...causes].sort(([, x], [, y]) => y.length - x.length);
  if (first) said.push(`Most failures: ${first[0]} (${first[1].length} of ${summary.failed}).`);
  if (summary.infra > 0) said.push(`${summary.infra} trials ended for reasons outside the agent and are not counted.`);
  if (summary.invalid > 0)
    said.push(`${summary.invalid} trials could not be judged: the world or the task was at fault.`);
  return said;
}

/** One trial as a tree: the trial, its calls with arguments and answers, what it said, and what each check decided. */
export async function traceRun(ctx: Ctx, input: { readonly rid: string; readonly trial?: string | undefined }) {
  const run = await findRun(ctx, input.rid);
  const rows = await trialsOf(ctx, run.id);
  const trials = rows.map(({ task, n, end }) => ({ trial: trialName(task, n), end }));
  const row = input.trial === undefined ? rows[0] : rows.find(({ task, n }) => trialName(task, n) === input.trial);
  if (input.trial !== undefined && !row) throw notFound("trial");
  return { run: run.id, tree: row ? treeOf(run, row) : null, trials };
}

function treeOf(run: RunDoc, row: TrialRow) {
  const task = run.tasks.find(({ id }) => id === row.task);
  return {
    name: trialName(row.task, row.n),
    kind: "trial" as const,
    end: row.end,
    cause: row.cause,
    root_cause: row.root_cause,
    request: task?.request ?? "",
    started_at: row.started_at,
    ms: row.ms,
    log: row.log,
    calls: row.trial.calls.map((call, index) => ({ name: call.tool, kind: "call" as const, n: index + 1, ...call })),
    answers: row.trial.answers,
    diff: row.trial.diff,
    checks: row.checks,
  };
}

/** The last landed run on an environment as met of total. */
export async function lastRun(ctx: Ctx, input: { readonly env: string }) {
  const run = await lastLandedRun(ctx, input.env);
  if (!run) throw new AppError("not_found", "No run has landed on this environment.");
  const rows = await trialsOf(ctx, run.id);
  const { met } = endsOf(rows);
  return {
    environment: run.environment,
    group: run.group,
    run: run.id,
    player: run.player,
    created_at: run.created_at,
    met,
    total: rows.length,
    rates: ratesOf(rows, run.trials),
    tier: run.tier,
  };
}
