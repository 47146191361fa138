import { digestOf } from "../../../worlds/digest.ts";
import { actor, type Ctx } from "../../context.ts";
import { badField, conflict } from "../../errors.ts";
import type { JobRow } from "../../ports/store.ts";
import { Run, RunGroup } from "../../records/runs/runs.ts";
import { findGroup, type GroupDoc, groupState, type RunDoc } from "../groups/group-data.ts";
import { choosePlayer } from "../play/choose-player.ts";
import { everyAttempt } from "../trials/trial-rows.ts";
import { launchGroup, startedReply } from "./launch-group.ts";

const LIVE = new Set(["queued", "held", "running"]);
/** Trials on their way to the store at once. */
const AT_ONCE = 100;

/** Which ended run or group to go on with. */
export interface ResumeInput {
  /** A run or a run group. */
  readonly resume?: string | undefined;
  readonly resume_group?: string | undefined;
  readonly by?: string | undefined;
}

/**
 * Goes on with what a stopped or failed run or group left: a new group of the same plan, tasks and terms that has every
 * attempt of the old one and plays only the tries that are missing. The old group stays as it ended. Going on twice at
 * once answers the group at work; a group that was gone on with is gone on with by its newest.
 */
export async function resumeRun(ctx: Ctx, input: ResumeInput) {
  if (input.resume !== undefined && input.resume_group !== undefined)
    throw badField("resume_group", "name a run or group here or in resume, not in both");
  const id = input.resume ?? input.resume_group ?? "";
  const single = input.resume === undefined ? undefined : await ctx.store.records.get(Run, input.resume);
  const old = await findGroup(ctx, single?.group ?? id);
  const { runs, status } = await groupState(ctx, old);
  if (LIVE.has(status)) throw conflict("It is still under way; stop it first with job_stop.");
  const chosen = runs.filter(({ run }) => single === undefined || run.id === single.id);
  if (chosen.some(({ run }) => run.imported !== undefined))
    throw conflict("It was imported: its world is not here to play on.");
  if (chosen.every((one) => one.status === "landed"))
    throw conflict("It has landed: there is nothing left to play.", { by: "start_run" });
  const newer = old.resumed_by === undefined ? undefined : await ctx.store.jobs.get(old.resumed_by);
  if (newer) return atWork(ctx, newer);
  const { agent, version, harness } = old.player;
  await choosePlayer(ctx, {
    ...(harness === null ? { agent: agent ?? "", agent_version: version ?? undefined } : { harness }),
    ...(harness === "react" ? { model: version ?? undefined } : {}),
  });
  const docs = chosen.map(({ run }) => run);
  const { group, runs: next } = plannedAgain(ctx, old, docs, actor(ctx, input.by));
  for (const [i, run] of docs.entries()) await copyTrials(ctx, run, next[i]?.id ?? "");
  const launched = await launchGroup(ctx, group, next, digestOf(["resume", old.id, docs.map((run) => run.id)]));
  await ctx.store.records.update(RunGroup, old.id, (doc): GroupDoc => ({ ...doc, resumed_by: launched.handle.job }));
  const { job, deduplicated } = launched.handle;
  if (!deduplicated) {
    const by = actor(ctx, input.by);
    await ctx.store.jobs.event(old.id, ctx.now(), "resumed", { by, group: job });
    await ctx.store.jobs.event(job, ctx.now(), "resumes", { by, group: old.id });
  }
  return startedReply(ctx, launched, undefined);
}

/** A group whose going on is at work is answered by that; one whose going on has ended is not gone on with itself. */
async function atWork(ctx: Ctx, { id, status, ended_at }: JobRow) {
  if (ended_at !== null)
    throw conflict("It was continued already; continue the group in details instead.", {
      names: [id],
    });
  const group = await findGroup(ctx, id);
  const runs = (await groupState(ctx, group)).runs.map(({ run }) => run);
  const handle = { job: id, status, deduplicated: true, poll: `/v0/jobs/${id}` };
  return startedReply(ctx, { group, runs, handle }, undefined);
}

function plannedAgain(ctx: Ctx, old: GroupDoc, docs: readonly RunDoc[], by: string) {
  const id = ctx.id(RunGroup.prefix);
  const made = { created_at: ctx.now(), by };
  const runs = docs.map((run): RunDoc => {
    const { finished_at: _at, finished_by: _by, grading: _grading, ...plan } = run;
    return { ...plan, ...made, id: ctx.id(Run.prefix), group: id };
  });
  const { retired_at: _retired, resumed_by: _resumed, ...plan } = old;
  const parts = runs.map((run) => ({
    run: run.id,
    environment: run.environment,
    label: run.label,
    tasks: run.tasks.length,
  }));
  const group: GroupDoc = { ...plan, ...made, id, runs: parts, resumes: old.id };
  return { group, runs };
}

async function copyTrials(ctx: Ctx, from: RunDoc, to: string): Promise<void> {
  const rows = await everyAttempt(ctx, from.id);
  for (let i = 0; i < rows.length; i += AT_ONCE)
    await Promise.all(rows.slice(i, i + AT_ONCE).map((row) => ctx.store.trials.insert({ ...row, run: to })));
}
