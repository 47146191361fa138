import { auditAct } from "../../audit.ts";
import { actor, type Ctx, type ServiceCtx } from "../../context.ts";
import { badField, conflict, notFound, orNotFound } from "../../errors.ts";
import { type JobView, jobView } from "../../job-view.ts";
import type { PageInput } from "../../page.ts";
import type { JobRow, OrgRow } from "../../ports/store.ts";
import { RunGroup } from "../../records/runs/runs.ts";
import { groupState } from "../groups/group-data.ts";
import { tallyOf } from "../trials/trial-rows.ts";

/** Kinds that are stopped; every other kind is cancelled. */
const STOPPED_KINDS = new Set(["run", "run_group"]);

/** The jobs of one org, or of every org when the operator asks for `*`; newest first. */
export async function listJobs(
  ctx: ServiceCtx,
  input: PageInput & { readonly live?: boolean | undefined; readonly org?: string | undefined },
) {
  const own = ctx.caller.org;
  if (own === undefined && input.org === undefined) throw badField("org", "name an org, or * for every org");
  const live = { live: input.live === true };
  if (own === undefined && input.org === "*") {
    const page = await ctx.service.jobsAcrossOrgs({ ...input, ...live });
    const tags = new Map<string, string>();
    for (const row of page.items)
      tags.set(row.org, tags.get(row.org) ?? (await ctx.service.orgById(row.org))?.tag ?? "");
    return listed(
      page.items.map((row) => jobView(row, tags.get(row.org) ?? "")),
      "*",
      page.next,
    );
  }
  const org: OrgRow | undefined = own ? await ctx.service.orgById(own.id) : await ctx.service.orgByTag(input.org ?? "");
  if (!org) throw notFound("org");
  const page = await ctx.service.forOrg(org.id).jobs.list({ ...input, ...live });
  return listed(
    page.items.map((row) => jobView(row, org.tag)),
    org.tag,
    page.next,
  );
}

function listed(jobs: JobView[], workspace: string, next: string | undefined) {
  return { jobs, workspace, ...(next === undefined ? {} : { next }) };
}

/** A job of this org. Unknown and another org's are the same 404. */
export async function findJob(ctx: Ctx, id: string): Promise<JobRow> {
  return orNotFound(await ctx.store.jobs.get(id), "job");
}

/** A job with its trials by end and how many planned trials its end cut off; both absent where it runs none. */
export async function getJob(ctx: Ctx, input: { readonly job_id: string }) {
  const row = await findJob(ctx, input.job_id);
  const counted = await countedTrials(ctx, row);
  const view = { ...(await statusView(ctx, row)), result: row.result };
  if (!counted) return view;
  const { tally, planned } = counted;
  const made = tally.met + tally.failed + tally.infra + tally.invalid;
  return { ...view, tally, ...(row.ended_at === null ? {} : { cut: Math.max(0, planned - made) }) };
}

/** The view of a job; a group's status is computed from its runs. */
export async function statusView(ctx: Ctx, row: JobRow): Promise<JobView> {
  if (row.kind !== "run_group") return jobView(row, ctx.org.tag);
  const group = await ctx.store.records.get(RunGroup, row.id);
  return jobView(row, ctx.org.tag, group ? (await groupState(ctx, group)).status : row.status);
}

/** The runs of a run or run group job, with how many trials were planned; undefined for any other job. */
export async function runsOf(ctx: Ctx, row: JobRow): Promise<readonly { run: string; planned: number }[] | undefined> {
  if (!STOPPED_KINDS.has(row.kind)) return undefined;
  const groupId = row.kind === "run_group" ? row.id : row.parent;
  const group = groupId === null ? undefined : await ctx.store.records.get(RunGroup, groupId);
  if (!group) return [];
  const runs = group.runs.map(({ run, tasks }) => ({ run, planned: tasks * group.trials }));
  return row.kind === "run_group" ? runs : runs.filter(({ run }) => run === row.id);
}

async function countedTrials(ctx: Ctx, row: JobRow) {
  const runs = await runsOf(ctx, row);
  if (!runs) return undefined;
  const tally = await tallyOf(
    ctx,
    runs.map(({ run }) => run),
  );
  return { tally, planned: runs.reduce((sum, { planned }) => sum + planned, 0) };
}

/** Stops a run or a run group with its runs; what is finished stays. Every other job is cancelled: a conflict says so. */
export async function stopJob(ctx: Ctx, input: { readonly job_id: string; readonly by?: string | undefined }) {
  const row = await findJob(ctx, input.job_id);
  if (!STOPPED_KINDS.has(row.kind)) {
    throw conflict("This job is no run: end it with job_cancel (POST /v0/jobs/{job_id}/cancel).");
  }
  const stop = await end(ctx, row, input.by, "stopped");
  return { job: await statusView(ctx, await findJob(ctx, row.id)), stop };
}

/** Cancels a job that is no run; what it stored stays. A run is stopped: a conflict says so. */
export async function cancelJob(ctx: Ctx, input: { readonly job_id: string; readonly by?: string | undefined }) {
  const row = await findJob(ctx, input.job_id);
  if (STOPPED_KINDS.has(row.kind)) {
    throw conflict("This job is a run: end it with job_stop (POST /v0/jobs/{job_id}/stop).");
  }
  const cancel = await end(ctx, row, input.by, "cancelled");
  const note = cancel === "asked" ? "It ends within a second; what it stored stays." : "It had ended already.";
  return { job: await statusView(ctx, await findJob(ctx, row.id)), cancel, note };
}

async function end(ctx: Ctx, row: JobRow, by: string | undefined, how: "stopped" | "cancelled") {
  if (row.ended_at !== null) return "ended already" as const;
  await ctx.jobs.stop(row.id, actor(ctx, by), how);
  await auditAct(ctx, `job_${how}`, { job: row.id, kind: row.kind }, by);
  return "asked" as const;
}
