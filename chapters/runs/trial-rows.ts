import type { Ctx } from "../context.ts";
import type { Ends } from "./rates.ts";
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

/** The trials of a run that count. */
export async function trialsOf(ctx: Ctx, run: string): Promise<TrialRow[]> {
  return newestAttempts(await everyAttempt(ctx, run));
}

/** The trials of these runs by end, counted by the store: cheap however many there are. */
export async function tallyOf(ctx: Ctx, runs: readonly string[]): Promise<Ends> {
  const total = { met: 0, failed: 0, infra: 0, invalid: 0 };
  for (const run of runs) {
    const counted = await ctx.store.trials.tally(run);
    for (const end of ["met", "failed", "infra", "invalid"] as const) total[end] += counted[end] ?? 0;
  }
  return total;
}
