import { AppError } from "../../errors.ts";
import type { JobCtx } from "../../job.ts";
import type { JobRow } from "../../ports/store.ts";

const LOOK_MS = 100;

/**
 * Waits until a job that this one started has ended, however long it is held. When this one is ended by a person, the other
 * is too; when the service goes down, it goes on, and is waited for again.
 */
export async function untilEnded(ctx: JobCtx, id: string, how: "stopped" | "cancelled"): Promise<JobRow> {
  for (;;) {
    const row = await ctx.store.jobs.get(id);
    if (!row) throw new AppError("not_found", "The job that was waited for is gone.");
    if (row.ended_at !== null) return row;
    if (ctx.signal.aborted) {
      const own = await ctx.store.jobs.get(ctx.job.id);
      if (own?.stop_by != null) await ctx.jobs.stop(id, own.stop_by, how);
      ctx.signal.throwIfAborted();
    }
    await pause(ctx.signal);
  }
}

/** A look's length, or less when the signal ends it. */
function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, LOOK_MS);
    signal.addEventListener("abort", done, { once: true });
  });
}
