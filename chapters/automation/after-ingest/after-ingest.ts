import { z } from "zod";
import { auditAct } from "../../audit.ts";
import { actor, type Ctx } from "../../context.ts";
import { badField, conflict, notFound, orNotFound } from "../../errors.ts";
import { everyRow } from "../../page.ts";
import { IngestProposal, SeenOperation } from "../../records/evidence/after-ingest.ts";
import { Reply } from "../../reply.ts";
import { type AcceptOptions, actOn, TAKES } from "./after-ingest-actions.ts";
import { afterIngestJob, type IngestProposalDoc, isClaimed, isDue, lastPass } from "./after-ingest-pass.ts";

/** So many of those that were accepted last are told. */
const STARTERS = 50;

/** Whether a pass waits or runs, what the last one found, what is open and why, and what was seen first since a visit. */
export async function getAfterIngest(ctx: Ctx, input: { readonly since?: number | undefined }) {
  const { items } = await ctx.store.jobs.list({ kind: afterIngestJob.kind, live: true, limit: 1 });
  const last = await lastPass(ctx);
  const proposals: IngestProposalDoc[] = [];
  const starters: IngestProposalDoc[] = [];
  const none = () => ({ open: 0, accepted: 0, dismissed: 0, superseded: 0 });
  const tally = { redraw: none(), rebuild: none(), value: none(), tasks: none(), reread: none() };
  for await (const row of everyRow((page) => ctx.store.records.list(IngestProposal, page))) {
    tally[row.kind][row.state]++;
    if (row.state === "open") proposals.push(row);
    if (row.state === "accepted" && row.kind === "tasks") starters.push(row);
  }
  return {
    org: ctx.org.tag,
    queued: items.length === 0 ? await isDue(ctx) : items[0]?.status === "queued",
    running: items[0]?.status === "running" ? items[0].id : null,
    last: last === undefined ? null : passView(last),
    proposals: proposals.sort((a, b) => b.created_at - a.created_at || (a.id < b.id ? -1 : 1)).map((p) => view(ctx, p)),
    starters: starters
      .sort((a, b) => (b.closed_at ?? 0) - (a.closed_at ?? 0))
      .slice(0, STARTERS)
      .map(({ id, closed_at, job, touched }) => ({
        proposal: id,
        at: closed_at ?? null,
        job: job ?? null,
        touched: touched ?? [],
      })),
    tally,
    ...(input.since === undefined ? {} : { first_seen: await firstSeen(ctx, input.since) }),
    tier: "deterministic" as const,
  };
}

function passView({ id, job, looked_at, line, counts, usd, tier }: NonNullable<Awaited<ReturnType<typeof lastPass>>>) {
  return { id, job, looked_at, line, counts, usd, tier };
}

/** An operation that came up for the first time. */
export const FirstSeen = z.object({ surface: z.string(), operation: z.string(), evidence: z.string(), at: z.number() });

async function firstSeen(ctx: Ctx, since: number) {
  const seen: z.infer<typeof FirstSeen>[] = [];
  for await (const row of everyRow((page) => ctx.store.records.list(SeenOperation, page)))
    if (row.created_at > since)
      seen.push({ surface: row.surface, operation: row.name, evidence: row.evidence, at: row.created_at });
  return seen.sort((a, b) => a.at - b.at || (a.operation < b.operation ? -1 : 1));
}

function view(ctx: Ctx, { claimed_at: _claim, act, ...row }: IngestProposalDoc) {
  return { ...row, act: { ...act, route: act.route.replace("{orgtag}", ctx.org.tag) } };
}

/** Starts a pass now, or answers the one that runs. */
export async function startAfterIngest(ctx: Ctx, input: { readonly by?: string | undefined }) {
  const by = actor(ctx, input.by);
  const handle = await ctx.jobs.start(afterIngestJob, { by });
  return { ...handle, org: ctx.org.tag, by };
}

async function findProposal(ctx: Ctx, pid: string): Promise<IngestProposalDoc> {
  return orNotFound(await ctx.store.records.get(IngestProposal, pid), "proposal");
}

/**
 * Does what a proposal stands for, as the caller and by its own route's function, and closes it as accepted once that
 * went well; what that route refuses is answered as it is, and the proposal stays open. Closed ones are a conflict.
 */
export async function acceptProposal(ctx: Ctx, input: AcceptOptions & { readonly pid: string }) {
  const { pid, by: said, model, reason, reauthor, regate, reobserve, revert, seed } = input;
  const options: AcceptOptions = { by: said, model, reason, reauthor, regate, reobserve, revert, seed };
  const by = actor(ctx, said);
  const proposal = await findProposal(ctx, pid);
  refuseUntaken(proposal, options);
  await claim(ctx, proposal.id);
  let done: Awaited<ReturnType<typeof actOn>>;
  try {
    done = await actOn(ctx, proposal, options);
  } catch (cause) {
    await ctx.store.records.update(IngestProposal, pid, ({ claimed_at: _claim, ...row }) => row);
    throw cause;
  }
  const closed = await ctx.store.records.update(IngestProposal, pid, ({ claimed_at: _claim, ...row }) => ({
    ...row,
    state: "accepted" as const,
    closed_at: ctx.now(),
    closed_by: by,
    ...(done.job === null ? {} : { job: done.job }),
    touched: [...done.touched],
  }));
  await auditAct(ctx, "ingest_proposal_accepted", { proposal: pid, kind: proposal.kind }, said);
  const shown = view(ctx, closed ?? proposal);
  const body = {
    accepted: true,
    act: shown.act,
    job: done.job,
    proposal: shown,
    revision: done.revision,
    state: shown.state,
    status: done.status,
    touched: [...done.touched],
    touched_n: done.touched.length,
  };
  return new Reply(done.status, body);
}

function refuseUntaken({ act }: IngestProposalDoc, options: AcceptOptions): void {
  const takes: readonly string[] = TAKES[act.operation] ?? [];
  const untaken = Object.entries(options).find(([name, value]) => value !== undefined && !takes.includes(name));
  if (untaken) throw badField(untaken[0], "is not taken by the act of this proposal");
}

function refuseClosed(row: IngestProposalDoc, now: number): void {
  if (row.state !== "open")
    throw conflict("The proposal is closed already, or another measure has replaced it.", { by: "after_ingest_get" });
  if (isClaimed(row, now))
    throw conflict("The proposal is being accepted by another call.", { by: "after_ingest_get" });
}

/** Two who accept at once act once: who is second meets a conflict. */
async function claim(ctx: Ctx, pid: string): Promise<void> {
  const now = ctx.now();
  await ctx.store.records.update(IngestProposal, pid, (row) => {
    refuseClosed(row, now);
    return { ...row, claimed_at: now };
  });
}

/** Closes a proposal without its act; it is offered again only when its measure changes. Dismissing twice keeps the first mark. */
export async function dismissProposal(ctx: Ctx, input: { readonly pid: string }) {
  await findProposal(ctx, input.pid);
  const now = ctx.now();
  let changed = false;
  const closed = await ctx.store.records.update(IngestProposal, input.pid, (row) => {
    changed = row.state === "open";
    if (row.state === "dismissed") return row;
    refuseClosed(row, now);
    return { ...row, state: "dismissed" as const, closed_at: now, closed_by: actor(ctx, undefined) };
  });
  if (!closed) throw notFound("proposal");
  if (changed) await auditAct(ctx, "ingest_proposal_dismissed", { proposal: closed.id, kind: closed.kind });
  return { dismissed: true, proposal: view(ctx, closed) };
}
