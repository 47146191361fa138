import type { Ctx } from "../context.ts";
import { jobView } from "../job-view.ts";
import { type Page, type PageInput, pageOf } from "../page.ts";
import type { JobRow } from "../ports/store.ts";
import { diagnosisOf, trialName, usageOf } from "../records/runs/run-bundle.ts";
import { Run, RunGroup, type TrialRow } from "../records/runs/runs.ts";
import { findingsOf } from "./grading/reanalyze.ts";
import { findRun, type RunDoc } from "./groups/group-data.ts";
import { runStatus } from "./groups/group-status.ts";
import { takeaways } from "./groups/takeaways.ts";
import { isolationOf } from "./isolation.ts";
import { ratesOf } from "./trials/rates.ts";
import { everyAttempt, tallyOfRun, trialsOfRun } from "./trials/trial-rows.ts";

/** The org's runs, newest first, with unfinished run jobs. Retired groups' runs only on request or when their group is named. */
export async function listRuns(
  ctx: Ctx,
  input: PageInput & { readonly group?: string | undefined; readonly retired?: boolean | undefined },
) {
  const where = input.group === undefined ? {} : { where: { group: input.group } };
  const all = input.retired === true || input.group !== undefined;
  const page = await pageOf(
    async (next) => withRetired(ctx, await ctx.store.records.list(Run, { ...next, ...where })),
    input,
    ({ retired }) => all || !retired,
  );
  const live = await ctx.store.jobs.list({ kind: "run", live: true, limit: 500 });
  const groups = new Map<string, Promise<JobRow | undefined>>();
  for (const { run } of page.items) if (!groups.has(run.group)) groups.set(run.group, ctx.store.jobs.get(run.group));
  const runs = await Promise.all(page.items.map(async ({ run }) => runRow(ctx, run, await groups.get(run.group))));
  const jobs = live.items.filter((row) => input.group === undefined || row.parent === input.group);
  return {
    jobs: jobs.map((row) => jobView(row, ctx.org.tag)),
    runs,
    ...(page.next === undefined ? {} : { next: page.next }),
  };
}

/** A page of runs, each with whether its group is retired. */
async function withRetired(ctx: Ctx, { items, ...page }: Page<RunDoc>) {
  const groups = await ctx.store.records.getMany(RunGroup, [...new Set(items.map(({ group }) => group))]);
  const retired = new Set(groups.flatMap(({ id, retired_at }) => (retired_at === undefined ? [] : [id])));
  return { ...page, items: items.map((run) => ({ run, retired: retired.has(run.group) })) };
}

async function runRow(ctx: Ctx, run: RunDoc, group: JobRow | undefined) {
  const [job, counted] = await Promise.all([ctx.store.jobs.get(run.id), tallyOfRun(ctx, run)]);
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
    by_state: counted,
    ...(run.imported === undefined ? {} : { imported: run.imported }),
    ...(run.finished_at === undefined ? {} : { finished_at: run.finished_at }),
  };
}

/** A run whole: its terms, its rates, every trial without its transcript, and what stands out, by rule. */
export async function getRun(ctx: Ctx, input: { readonly rid: string }) {
  const run = await findRun(ctx, input.rid);
  const attempts = await everyAttempt(ctx, run.id);
  const rows = await trialsOfRun(ctx, run);
  const summary = ratesOf(rows, run.trials);
  const isolation = isolationOf(rows);
  return {
    ...(await runRow(ctx, run, await ctx.store.jobs.get(run.group))),
    org: ctx.org.tag,
    terms: run.terms,
    ...(isolation === undefined ? {} : { isolation }),
    summary,
    attempts: run.imported?.attempts ?? attempts.length,
    usage: usageOf(rows, run.imported),
    trials: rows.map(trialRow),
    findings: await findingsOf(ctx, run, rows),
    diagnosis: diagnosisOf(rows),
    takeaways: takeaways(rows, summary),
  };
}

function trialRow({
  task,
  n,
  attempt,
  end,
  cause,
  root_cause,
  answer_class,
  checks,
  trial,
  started_at,
  ms,
  usd,
  tokens,
  isolation,
}: TrialRow) {
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
    ...(usd === undefined ? {} : { usd }),
    ...(tokens === undefined ? {} : { tokens }),
    ...(isolation === undefined ? {} : { isolation }),
  };
}
