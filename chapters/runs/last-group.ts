import type { Ctx } from "../context.ts";
import type { Doc } from "../record.ts";
import { runStatus } from "./group-status.ts";
import { Run } from "./schema.ts";
import { trialsOf } from "./trial-rows.ts";

type RunDoc = Doc<typeof Run>;

/** The newest landed run of an environment that fits, or undefined. */
export async function lastLandedRun(
  ctx: Ctx,
  environment: string,
  fits: (run: RunDoc) => boolean = () => true,
): Promise<RunDoc | undefined> {
  let cursor: string | undefined;
  do {
    const page = await ctx.store.records.list(Run, { where: { environment }, limit: 100, cursor });
    for (const run of page.items) {
      if (!fits(run)) continue;
      const job = await ctx.store.jobs.get(run.id);
      if (runStatus(run, job, undefined) === "landed") return run;
    }
    cursor = page.next;
  } while (cursor !== undefined);
  return undefined;
}

/** The tasks of which the player's last landed run on this environment failed a trial. Empty when it has none. */
export async function failedLast(
  ctx: Ctx,
  environment: string,
  player: { readonly agent: string | null; readonly harness: string | null },
): Promise<ReadonlySet<string>> {
  const last = await lastLandedRun(
    ctx,
    environment,
    (run) => run.player.agent === player.agent && run.player.harness === player.harness,
  );
  if (!last) return new Set();
  const failed = (await trialsOf(ctx, last.id)).filter((row) => row.end === "failed");
  return new Set(failed.map((row) => row.task));
}
