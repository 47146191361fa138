import type { Ctx } from "../context.ts";
import { getJson } from "../sandboxes/blobs.ts";
import { RunRecount, RunRegrade } from "./grading-schema.ts";
import { type Ends, endsOf } from "./rates.ts";
import type { TrialGrade } from "./regrade-trials.ts";
import type { TrialRow } from "./schema.ts";

/** Every attempt of a run's trials, as stored. */
export async function everyAttempt(ctx: Ctx, run: string): Promise<TrialRow[]> {
  const rows: TrialRow[] = [];
  let cursor: string | undefined;
  do {
    const page = await ctx.store.trials.list(run, { limit: 500, cursor });
    rows.push(...page.items);
    cursor = page.next;
  } while (cursor !== undefined);
  return rows;
}

/** The attempt that counts of each try: the newest. */
export function newestAttempts(rows: readonly TrialRow[]): TrialRow[] {
  const newest = new Map<string, TrialRow>();
  for (const row of rows) {
    const at = tryKey(row.task, row.n);
    const known = newest.get(at);
    if (!known || row.attempt > known.attempt) newest.set(at, row);
  }
  return [...newest.values()];
}

/** Names one try of a task within its run. */
export function tryKey(task: string, n: number): string {
  return `${task}\n${n}`;
}

/** The trials of a run that count, as they are graded and counted now: by its newest regrade and recount, where it has one. */
export async function trialsOf(ctx: Ctx, run: string): Promise<TrialRow[]> {
  const rows = newestAttempts(await everyAttempt(ctx, run));
  const { regrade, recount } = await gradingOf(ctx, run);
  const left = new Set(recount?.left.map(({ task }) => task));
  const counted = rows.filter((row) => !left.has(row.task));
  if (!regrade) return counted;
  const grades = (await getJson(ctx, regrade.grades_blob)) as Record<string, TrialGrade>;
  return counted.map((row) => ({ ...row, ...grades[tryKey(row.task, row.n)] }));
}

/** The newest regrade and the newest recount of a run. */
export async function gradingOf(ctx: Ctx, run: string) {
  const newest = { where: { run }, limit: 1 };
  const [regrades, recounts] = await Promise.all([
    ctx.store.records.list(RunRegrade, newest),
    ctx.store.records.list(RunRecount, newest),
  ]);
  return { regrade: regrades.items[0], recount: recounts.items[0] };
}

/** The trials of these runs by end: counted by the store, but for runs that were graded or counted again. */
export async function tallyOf(ctx: Ctx, runs: readonly string[]): Promise<Ends> {
  const total = { met: 0, failed: 0, infra: 0, invalid: 0 };
  for (const run of runs) {
    const { regrade, recount } = await gradingOf(ctx, run);
    const counted: Partial<Ends> =
      regrade || recount ? endsOf(await trialsOf(ctx, run)) : await ctx.store.trials.tally(run);
    for (const end of ["met", "failed", "infra", "invalid"] as const) total[end] += counted[end] ?? 0;
  }
  return total;
}
