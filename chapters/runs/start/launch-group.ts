import type { Ctx } from "../../context.ts";
import { findAgent, findVersion } from "../../find-agent.ts";
import type { JobHandle } from "../../job.ts";
import { offeredModel } from "../../models/spend.ts";
import { type Player, Run, RunGroup } from "../../records/runs/runs.ts";
import { Reply } from "../../reply.ts";
import { worldplanOf } from "../../sandboxes/plans/worldplans.ts";
import type { GroupDoc, RunDoc } from "../groups/group-data.ts";
import { runGroupJob } from "../jobs/run-jobs.ts";
import { reactEstimate } from "../play/react.ts";
import type { Fixed } from "./choose-tasks.ts";

/** A group whose job was started, or found at work under the same plan. */
export interface Launched {
  readonly group: GroupDoc;
  readonly runs: readonly RunDoc[];
  readonly handle: JobHandle;
}

/** Stores a planned group and starts its job. `plan` names what would be done: while it is, the job at work is answered. */
export async function launchGroup(ctx: Ctx, group: GroupDoc, runs: readonly RunDoc[], plan: string): Promise<Launched> {
  const records = [
    { op: "insert" as const, kind: RunGroup, doc: group },
    ...runs.map((doc) => ({ op: "insert" as const, kind: Run, doc })),
  ];
  const estimate = await estimateOf(ctx, group.player, runs);
  const input = { group: group.id, plan, ...estimate };
  const handle = await ctx.jobs.start(runGroupJob, input, { id: group.id, records });
  return { group, runs, handle };
}

/** What a start answers: 202 with the job to poll, 200 when the same was at work already. */
export async function startedReply(
  ctx: Ctx,
  { group, runs, handle }: Launched,
  control: JobHandle | undefined,
  fixed?: Fixed,
) {
  const row = handle.status === "held" ? await ctx.store.jobs.get(handle.job) : undefined;
  const [only, ...others] = runs;
  const single = others.length === 0 ? only : undefined;
  const tasks = runs.reduce((sum, run) => sum + run.tasks.length, 0);
  return new Reply(handle.deduplicated ? 200 : 202, {
    org: ctx.org.tag,
    job: handle.job,
    group: handle.job,
    poll: handle.poll,
    status: handle.status,
    deduplicated: handle.deduplicated,
    ...(row?.note ? { note: row.note } : {}),
    player: group.player,
    environment: single?.environment ?? null,
    environments: runs.map((run) => run.environment),
    worldplan: single ? await worldplanOf(ctx, single.environment) : null,
    tasks,
    trials: tasks * group.trials,
    ...(group.resumes === undefined ? {} : { resumes: group.resumes }),
    ...(fixed === undefined ? {} : { fixed }),
    ...(control === undefined ? {} : { control: { job: control.job, poll: control.poll } }),
  });
}

/** What the group may cost at most for all that is known, where a model plays. */
async function estimateOf(ctx: Ctx, player: Player, runs: readonly RunDoc[]): Promise<{ estimate?: number }> {
  const model = await modelOf(ctx, player);
  if (model === undefined) return {};
  const trials = runs.reduce((sum, run) => sum + run.tasks.length * run.trials, 0);
  return { estimate: reactEstimate(offeredModel(ctx, model).price, trials) };
}

/** The model that plays, where one does: as the react harness, or as what drives a surface agent's version. */
async function modelOf(ctx: Ctx, { agent, version, harness, surface }: Player): Promise<string | undefined> {
  if (harness === "react") return version ?? undefined;
  if (surface === undefined || agent === null) return undefined;
  const { target } = findVersion(await findAgent(ctx, agent), version ?? undefined);
  return target.kind === "surface" ? target.model : undefined;
}
