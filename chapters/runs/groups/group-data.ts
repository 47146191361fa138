import type { Ctx } from "../../context.ts";
import { orNotFound } from "../../errors.ts";
import type { JobStatus } from "../../job.ts";
import type { JobRow } from "../../ports/store.ts";
import type { Doc } from "../../record.ts";
import { Run, RunGroup, type TrialRow } from "../../records/runs/runs.ts";
import { trialsOfRun } from "../trials/trial-rows.ts";
import { type GroupStatus, groupStatus, runStatus } from "./group-status.ts";

/** A run as stored. */
export type RunDoc = Doc<typeof Run>;
/** A group as stored. */
export type GroupDoc = Doc<typeof RunGroup>;

/** A run with its status and its job, where it has one. */
export interface RunState {
  readonly run: RunDoc;
  readonly status: JobStatus;
  readonly job: JobRow | undefined;
}

/** A group with its runs as they stand. */
export interface GroupState {
  readonly group: GroupDoc;
  readonly status: GroupStatus;
  readonly job: JobRow | undefined;
  readonly runs: readonly RunState[];
}

/** A group with the trials that count. */
export interface GroupData extends GroupState {
  readonly runs: readonly (RunState & { readonly trials: readonly RewardedTrial[] })[];
}

/** A trial, with the reward of 0 to 1 that its source gave, where it is compared by that. */
export type RewardedTrial = TrialRow & { readonly reward?: number };

/** A group of this org. Unknown and another org's are the same 404. */
export async function findGroup(ctx: Ctx, id: string): Promise<GroupDoc> {
  return orNotFound(await ctx.store.records.get(RunGroup, id), "run group");
}

/** A run of this org. Unknown and another org's are the same 404. */
export async function findRun(ctx: Ctx, id: string): Promise<RunDoc> {
  return orNotFound(await ctx.store.records.get(Run, id), "run");
}

/** How a group and its runs stand now. */
export async function groupState(ctx: Ctx, group: GroupDoc): Promise<GroupState> {
  const job = await ctx.store.jobs.get(group.id);
  const ids = group.runs.map(({ run }) => run);
  const docs = new Map((await ctx.store.records.getMany(Run, ids)).map((run) => [run.id, run]));
  const runs: RunState[] = [];
  for (const id of ids) {
    const run = docs.get(id);
    if (!run) continue;
    const own = await ctx.store.jobs.get(id);
    runs.push({ run, job: own, status: runStatus(run, own, job) });
  }
  const begun = runs.filter((state) => state.job !== undefined || state.run.finished_at !== undefined);
  // Until it has started all its runs a group is what its own job is.
  const whole = begun.length === runs.length && runs.length > 0;
  const status =
    whole || (job !== undefined && job.ended_at !== null && begun.length > 0)
      ? groupStatus(
          job?.status,
          runs.map((state) => state.status),
        )
      : groupStatus(job?.status, []);
  return { group, job, status, runs };
}

/** A group with everything it counts. */
export async function groupData(ctx: Ctx, id: string): Promise<GroupData> {
  const state = await groupState(ctx, await findGroup(ctx, id));
  const runs = await Promise.all(state.runs.map(async (own) => ({ ...own, trials: await trialsOfRun(ctx, own.run) })));
  return { ...state, runs };
}
