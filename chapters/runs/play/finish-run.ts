import { z } from "zod";
import { actor, type Ctx } from "../../context.ts";
import { conflict } from "../../errors.ts";
import { findAgent } from "../../find-agent.ts";
import { type JobCtx, job } from "../../job.ts";
import { Run, type TrialRow } from "../../records/runs/runs.ts";
import { findGroup, findRun, type GroupDoc, groupState, type RunDoc } from "../groups/group-data.ts";
import { moveModes } from "../groups/move-modes.ts";
import { findJob } from "../jobs/jobs.ts";
import { trialsOf } from "../trials/trial-rows.ts";

const STAGES = ["trials counted", "run landed"] as const;

/** Lands what stopped runs had finished. Runs that still work, or have no finished trial, are left alone. */
export const finishJob = job({
  kind: "run_finish",
  input: z.object({ group: z.string(), runs: z.array(z.string()), by: z.string() }),
  key: ({ group }) => group,
  attempts: 3,
  ends: "cancel",
  concurrency: 4,
  run: land,
});

/** Starts landing a stopped run, or every stopped run of a group, with the trials they finished. */
export async function finishRun(
  ctx: Ctx,
  input: { readonly job: string; readonly agent?: string | undefined; readonly by?: string | undefined },
) {
  const row = await findJob(ctx, input.job);
  if (row.kind !== "run" && row.kind !== "run_group") {
    throw conflict("Only runs and run groups are finished; this job is neither.");
  }
  const group = await findGroup(ctx, row.kind === "run" ? (await findRun(ctx, row.id)).group : row.id);
  await checkAgent(ctx, group, input.agent);
  const { runs } = await groupState(ctx, group);
  const chosen = runs.filter(({ run }) => row.kind === "run_group" || run.id === row.id);
  if (chosen.some(({ status }) => status === "running" || status === "queued")) {
    throw conflict("It still runs; stop it first with job_stop.");
  }
  const open = chosen.filter(({ run, status }) => status !== "landed" && run.finished_at === undefined);
  if (open.length === 0) throw conflict("It has landed already: there is nothing to finish.", { by: "run_group" });
  const counted = await Promise.all(open.map(async ({ run }) => ({ run, trials: await trialsOf(ctx, run.id) })));
  const landing = counted.filter(({ trials }) => trials.length > 0);
  if (landing.length === 0)
    throw conflict("It finished no trial before it ended: there is nothing to land.", { by: "start_run" });
  const ids = landing.map(({ run }) => run.id);
  const handle = await ctx.jobs.start(finishJob, { group: group.id, runs: ids, by: actor(ctx, input.by) });
  const trials = landing.reduce((sum, { trials: rows }) => sum + rows.length, 0);
  const planned = landing.reduce((sum, { run }) => sum + run.tasks.length * run.trials, 0);
  return {
    group: group.id,
    job: handle.job,
    poll: handle.poll,
    run: ids[0] ?? "",
    landing: ids,
    landed: trials,
    note: `${trials} of ${planned} planned trials were finished; rates are over those.`,
    stages: [...STAGES],
  };
}

async function checkAgent(ctx: Ctx, group: GroupDoc, agent: string | undefined): Promise<void> {
  if (agent === undefined) return;
  if ((await findAgent(ctx, agent)).id !== group.agent) {
    throw conflict("Another agent ran this; leave agent out or name the one that did.", { by: "run_group" });
  }
}

async function land(
  ctx: JobCtx,
  input: { readonly group: string; readonly runs: readonly string[]; readonly by: string },
) {
  const trials: TrialRow[] = [];
  const told = (job: string, count: number) =>
    ctx.store.jobs.event(job, ctx.now(), "finished", { by: input.by, job: ctx.job.id, trials: count });
  for (const [index, id] of input.runs.entries()) {
    ctx.signal.throwIfAborted();
    const own = await trialsOf(ctx, id);
    trials.push(...own);
    let first = false;
    await ctx.store.records.update(Run, id, (run): RunDoc => {
      first = run.finished_at === undefined;
      return first ? { ...run, finished_at: ctx.now(), finished_by: input.by } : run;
    });
    // An attempt of this job before may have landed it, and told so.
    if (first) await told(id, own.length);
    ctx.progress(index + 1, input.runs.length, "runs landed");
  }
  await told(input.group, trials.length);
  await moveModes(ctx, await findGroup(ctx, input.group));
  return { group: input.group, runs: input.runs, trials: trials.length };
}
