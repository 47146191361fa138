import { z } from "zod";
import { getJson } from "../../blobs.ts";
import type { Ctx } from "../../context.ts";
import { conflict, notFound } from "../../errors.ts";
import { byField, recordId } from "../../fields.ts";
import type { PageInput } from "../../page.ts";
import { EnvironmentRevision } from "../../records/sandboxes/revision.ts";
import { envRef, whyField } from "../fields.ts";
import { findEnvironment, liveEnvironment } from "./environment-records.ts";
import { refuseWhileLive } from "./live-work.ts";
import { Kept, putBack, type RevisionDoc } from "./revise.ts";

/** Most revisions that a listing shows at once. */
const REVISIONS_LISTED = 100;

/** An environment's revisions, newest first; an environment never changed has none. */
export async function listRevisions(ctx: Ctx, input: { readonly env_id: string } & PageInput) {
  const environment = await findEnvironment(ctx, input.env_id);
  const where = { environment: environment.id };
  const page = await ctx.store.records.list(EnvironmentRevision, {
    where,
    limit: Math.min(input.limit ?? REVISIONS_LISTED, REVISIONS_LISTED),
    cursor: input.cursor,
  });
  return {
    environment: environment.id,
    n: await ctx.store.records.count(EnvironmentRevision, where),
    revisions: page.items.map((row) => headOf(ctx, row)),
    tier: "deterministic" as const,
    ...(page.next === undefined ? {} : { next: page.next }),
  };
}

/** A revision as lists show it, with the route that undoes it while it stands. */
export function headOf(ctx: Ctx, row: RevisionDoc) {
  const {
    kept: _kept,
    before: _before,
    after: _after,
    audit: _audit,
    jobs: _jobs,
    worse: gotWorse,
    act,
    ...head
  } = row;
  return {
    ...head,
    kind: act,
    held: Object.keys(gotWorse).length === 0,
    undo:
      row.state === "applied"
        ? `/v0/orgs/${ctx.org.tag}/environments/${row.environment}/revisions/${row.id}/restore`
        : null,
  };
}

async function findRevision(ctx: Ctx, environment: string, id: string): Promise<RevisionDoc> {
  await findEnvironment(ctx, environment);
  const row = await ctx.store.records.get(EnvironmentRevision, id);
  if (row?.environment !== environment) throw notFound("revision");
  return row;
}

/** One revision whole: both sides in counts, what came out worse, what it kept, and the jobs it ran with their cost. */
export async function getRevision(ctx: Ctx, input: { readonly env_id: string; readonly rev: string }) {
  const row = await findRevision(ctx, input.env_id, input.rev);
  const kept = Kept.parse(await getJson(ctx, row.kept));
  const { before, after, audit, worse: gotWorse } = row;
  return {
    ...headOf(ctx, row),
    before,
    after,
    ...(audit === undefined ? {} : { audit }),
    worse: gotWorse,
    kept: { draw: row.draws, tasks: kept.tasks.map((task) => task.index) },
    jobs: await Promise.all(row.jobs.map((job) => jobCost(ctx, job))),
    tier: "deterministic" as const,
  };
}

async function jobCost(ctx: Ctx, id: string) {
  const job = await ctx.store.jobs.get(id);
  if (!job) return { job: id };
  let spent = 0;
  let cursor: string | undefined;
  do {
    const page = await ctx.store.ledger.list(job.created_at, { limit: 500, cursor });
    for (const row of page.items) if (row.job === id) spent += row.micro_usd;
    cursor = page.next;
  } while (cursor !== undefined);
  return { job: id, kind: job.kind, status: job.status, usd: spent / 1_000_000 };
}

export const revRef = { ...envRef, rev: recordId("revision") };

/** What `environment_revision_restore` takes. */
export const RestoreRevisionInput = z.object({ ...revRef, ...byField, ...whyField });

/**
 * Puts back what a revision replaced: its draw where that changed, and its tasks with their checks; tasks that it
 * added are retired. What stood until now is kept as a revision of its own. On another world than the tasks were kept
 * on, they are certified anew.
 */
export async function restoreRevision(ctx: Ctx, input: z.output<typeof RestoreRevisionInput>) {
  const row = await findRevision(ctx, input.env_id, input.rev);
  const environment = await liveEnvironment(ctx, row.environment);
  if (row.state === "restored") throw conflict("This revision has been restored already.");
  await refuseWhileLive(ctx, environment);
  const { revision } = await putBack(ctx, environment, row, { ...input, act: "restore" });
  return { error: null, revision: headOf(ctx, revision) };
}
