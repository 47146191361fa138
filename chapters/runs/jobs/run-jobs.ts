import { z } from "zod";
import { AppError } from "../../errors.ts";
import { type JobCtx, job } from "../../job.ts";
import type { JobRow } from "../../ports/store.ts";
import { RunGroup } from "../../records/runs/runs.ts";
import { moveModes } from "../groups/move-modes.ts";
import { playRun } from "../play/run-trials.ts";

/** Plays the trials of one run. Its id is the run's. */
export const runJob = job({
  kind: "run",
  input: z.object({ run: z.string() }),
  key: ({ run }) => run,
  attempts: 20,
  ends: "stop",
  concurrency: 8,
  run: playRun,
});

/** Starts the runs of a group and waits until all have ended. Its id is the group's; its key is the plan's digest. */
export const runGroupJob = job({
  kind: "run_group",
  input: z.object({
    group: z.string(),
    plan: z.string(),
    /** Micro-dollars, where a model plays. */
    estimate: z.number().int().optional(),
  }),
  key: ({ plan }) => plan,
  attempts: 100,
  ends: "stop",
  concurrency: 64,
  estimate: ({ estimate }) => estimate ?? 0,
  run: leadGroup,
});

const LOOK_MS = 100;

async function leadGroup(ctx: JobCtx, input: { readonly group: string }) {
  const group = await ctx.store.records.get(RunGroup, input.group);
  if (!group) throw new AppError("not_found", "The group's record is gone.");
  for (const { run } of group.runs)
    if (!ctx.signal.aborted && !(await ctx.store.jobs.get(run)))
      await ctx.jobs.start(runJob, { run }, { parent: group.id, id: run });
  for (;;) {
    const rows = await Promise.all(group.runs.map(({ run }) => ctx.store.jobs.get(run)));
    const done = rows.reduce((sum, row) => sum + (row?.done ?? 0), 0);
    const total = group.runs.reduce((sum, { tasks }) => sum + tasks * group.trials, 0);
    ctx.progress(done, total, "trials");
    if (rows.every((row) => row !== undefined && row.ended_at !== null)) {
      await moveModes(ctx, group);
      return { group: group.id, runs: rows.length };
    }
    if (ctx.signal.aborted && (await areDone(ctx, rows))) ctx.signal.throwIfAborted();
    await pause(ctx.signal.aborted ? undefined : ctx.signal);
  }
}

/**
 * Whether a group that was told to end may. Stopped, it ends after its runs, also those that wait and are taken meanwhile:
 * a group that has ended has no run at work. One that goes back to the queue leaves waiting runs there.
 */
async function areDone(ctx: JobCtx, rows: readonly (JobRow | undefined)[]): Promise<boolean> {
  const live = rows.flatMap((row) => (row === undefined || row.ended_at !== null ? [] : [row]));
  const by = (await ctx.store.jobs.get(ctx.job.id))?.stop_by ?? null;
  if (by === null) return live.every(({ status }) => status !== "running");
  // A run whose start was under way when the group was stopped has not been told yet.
  for (const row of live) if (row.stop_by === null) await ctx.jobs.stop(row.id, by, "stopped");
  return live.length === 0;
}

/** Waits a little, less when the signal ends it. */
function pause(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, LOOK_MS);
    signal?.addEventListener("abort", done, { once: true });
  });
}
