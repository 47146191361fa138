import type { Ctx } from "../../context.ts";
import { AppError } from "../../errors.ts";
import { everyRow } from "../../page.ts";
import type { Doc } from "../../record.ts";
import { Run } from "../../records/runs/runs.ts";
import { endsOf, ratesOf } from "../trials/rates.ts";
import { trialsOf } from "../trials/trial-rows.ts";
import { runStatus } from "./group-status.ts";

type RunDoc = Doc<typeof Run>;

/** Whether a run was of all tasks that counted and was played to its end: only such a one says how its player does. */
export function isComplete(run: Pick<RunDoc, "partial" | "finished_at" | "imported">): boolean {
  return run.partial !== true && (run.finished_at === undefined || run.imported !== undefined);
}

/** The newest landed run of an environment, or undefined: a whole one, and one on some of the tasks only where there is no other. */
export async function lastLandedRun(ctx: Ctx, environment: string): Promise<RunDoc | undefined> {
  let some: RunDoc | undefined;
  for await (const run of landedRuns(ctx, environment)) {
    if (isComplete(run)) return run;
    some ??= run;
  }
  return some;
}

/** The landed runs of an environment, newest first. */
async function* landedRuns(ctx: Ctx, environment: string): AsyncGenerator<RunDoc> {
  for await (const run of everyRow((page) => ctx.store.records.list(Run, { ...page, where: { environment } }))) {
    const job = await ctx.store.jobs.get(run.id);
    if (runStatus(run, job, undefined) === "landed") yield run;
  }
}

/**
 * The tasks of this environment of which the player failed a trial when it last played them: in its newest whole run, or
 * in one on some of them since. Empty when it has none.
 */
export async function failedLast(
  ctx: Ctx,
  environment: string,
  player: { readonly agent: string | null; readonly harness: string | null },
): Promise<ReadonlySet<string>> {
  const failed = new Set<string>();
  const seen = new Set<string>();
  for await (const run of landedRuns(ctx, environment)) {
    if (run.player.agent !== player.agent || run.player.harness !== player.harness) continue;
    const tasks = Map.groupBy(await trialsOf(ctx, run.id), (row) => row.task);
    for (const [task, rows] of tasks) {
      if (!seen.has(task) && rows.some((row) => row.end === "failed")) failed.add(task);
      seen.add(task);
    }
    if (isComplete(run)) break;
  }
  return failed;
}

/** The last landed run on an environment as met of total. */
export async function lastRun(ctx: Ctx, input: { readonly env: string }) {
  const run = await lastLandedRun(ctx, input.env);
  if (!run)
    throw new AppError(
      "not_found",
      "No run has landed on this environment. run_groups_list tells what ran, start_run starts one.",
    );
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
