import { z } from "zod";
import { digestOf } from "../../../worlds/digest.ts";
import { auditAct } from "../../audit.ts";
import { actor, type Ctx } from "../../context.ts";
import { badField, conflict, orNotFound } from "../../errors.ts";
import { byField, count, words } from "../../fields.ts";
import { job } from "../../job.ts";
import {
  type ModeDoc,
  modeFrom,
  noteFrom,
  present,
  reportedBy,
  storing,
  withStatus,
} from "../../modes/record-modes.ts";
import type { RecordChange } from "../../ports/store.ts";
import { FeedbackNote } from "../../records/evidence/feedback.ts";
import { FailureMode, FailureModeProposal } from "../../records/findings/findings.ts";
import { RootCause } from "../../records/runs/runs.ts";
import { Reply } from "../../reply.ts";
import { proposalRef } from "./fields.ts";
import { type Bucket, bucketFor, buckets, namedBucket } from "./find-modes.ts";
import { ModeTaskPlan, writeTasksOf } from "./mode-tasks.ts";
import { GENERATABLE, isOfWrites, modeView } from "./mode-view.ts";
import { findProposal, type ProposalDoc, proposalView } from "./proposals.ts";

/** Writes the tasks of a confirmed mode onto its sandbox. */
export const modeTasksJob = job({
  kind: "failure_mode_tasks",
  input: ModeTaskPlan,
  key: ({ mode }) => mode,
  attempts: 3,
  ends: "cancel",
  concurrency: 1,
  run: async (ctx, plan) => {
    const { tasks, why } = await writeTasksOf(ctx, plan, ctx.job.id);
    await ctx.job.audit("written", { mode: plan.mode, environment: plan.environment, tasks: tasks.length });
    const { mode, environment, count } = plan;
    return { failure_mode: mode, environment, tasks: tasks.map(({ id }) => id), wanted: count, note: why };
  },
});

/** Modes whose tasks only read: they are written while the caller waits. */
const WRITTEN_AT_ONCE: ReadonlySet<RootCause> = new Set(["false_no_data"]);
const DEFAULT_COUNT = 6;

/** What `confirm_failure_mode` takes. */
export const ConfirmInput = z.object({
  ...proposalRef,
  ...byField,
  title: words(200).optional(),
  behaviour: RootCause.optional().describe("What the agent did wrong; as proposed when absent."),
  bucket: words(200).optional().describe("The sandbox (environment id) that its tasks go on."),
  environment: words(200).optional().describe("The same as bucket."),
  count: count.min(5).max(8).optional().describe("How many tasks, 5 to 8; 6 when absent."),
  target_tool: words(200).optional().describe("The tool of the failure; as proposed when absent."),
});
export type ConfirmInput = z.output<typeof ConfirmInput>;

/**
 * A person takes a proposal: its mode is written, confirmed, and tasks that hold agents to it go onto its sandbox, at once
 * where they only read, else as a job. A second confirm answers what the first did, and ends what it left unfinished.
 */
export async function confirmProposal(ctx: Ctx, input: ConfirmInput) {
  const proposal = await findProposal(ctx, input.pid);
  if (proposal.state === "dismissed")
    throw conflict("The proposal is dismissed; report it again.", { by: "investigate_failure" });
  const by = actor(ctx, input.by);
  const stood = proposal.confirmed ? proposal : await confirmed(ctx, proposal, input, by);
  const mode = await modeOf(ctx, stood);
  const done = stood.confirmed;
  if (!done) throw new Error("a confirmed proposal says what its confirm did");
  const already = proposal.confirmed !== undefined;
  // Without a sandbox no task was to be written; else a confirm that was cut short is ended now.
  if (done.environment === null || done.job !== null || done.stored_as.length > 0)
    return answer(ctx, stood, mode, already);
  const plan: ModeTaskPlan = {
    mode: mode.id,
    environment: done.environment,
    behaviour: mode.behaviour ?? "other",
    ...present({ tool: mode.target?.tool }),
    count: input.count ?? DEFAULT_COUNT,
    by,
  };
  const written = WRITTEN_AT_ONCE.has(mode.behaviour ?? "other") ? await writeTasksOf(ctx, plan) : undefined;
  const did = written
    ? { stored_as: written.tasks.map(({ id }) => id) }
    : { job: (await ctx.jobs.start(modeTasksJob, plan)).job };
  const next = await ctx.store.records.update(FailureModeProposal, stood.id, (doc) =>
    doc.confirmed ? { ...doc, confirmed: { ...doc.confirmed, ...did } } : doc,
  );
  const nothing = "stored_as" in did && did.stored_as.length === 0;
  return answer(ctx, next ?? stood, await modeOf(ctx, stood), already && nothing, written?.why ?? undefined);
}

/** Writes the mode and that the proposal is confirmed, as one step. Another confirm that was first is the one that stands. */
async function confirmed(ctx: Ctx, proposal: ProposalDoc, input: ConfirmInput, by: string): Promise<ProposalDoc> {
  const behaviour = input.behaviour ?? proposal.behaviour;
  if (!behaviour) throw badField("behaviour", "the report's words do not say it; name one");
  const tool = input.target_tool ?? proposal.target?.tool;
  const bucket = await chosenBucket(ctx, proposal, input, tool);
  const environment = GENERATABLE.includes(behaviour) ? (bucket?.environment.id ?? null) : null;
  if (tool !== undefined && environment !== null && isOfWrites(behaviour) && bucket?.reads.includes(tool))
    throw badField(
      "target_tool",
      "only reads there, and this behaviour shows in calls that write: name a tool that does",
    );
  const known = await reportedMode(ctx, proposal);
  const fields = {
    title: input.title ?? known?.title ?? proposal.title,
    behaviour,
    ...present({ ticket: proposal.ticket, seen_at: proposal.seen_at, bucket: bucket?.environment.id }),
    ...(tool === undefined ? {} : { target: { ...proposal.target, tool } }),
  };
  const { mode, changes } = known
    ? revised(ctx, known, fields, by)
    : await written(ctx, proposal, { ...fields, status: "confirmed", reported: proposal.named }, by);
  const next: ProposalDoc = {
    ...proposal,
    state: "confirmed",
    behaviour,
    confirmed: { at: ctx.now(), by, mode: mode.id, environment, job: null, stored_as: [] },
  };
  const change = { op: "put" as const, kind: FailureModeProposal, doc: next, expect: digestOf(proposal) };
  try {
    await ctx.store.records.apply([...changes, change]);
  } catch (cause) {
    const now = await findProposal(ctx, proposal.id);
    if (now.confirmed) return now;
    throw cause;
  }
  await auditAct(ctx, "failure_mode_confirmed", { proposal: proposal.id, mode: mode.id }, by);
  return next;
}

async function chosenBucket(
  ctx: Ctx,
  proposal: ProposalDoc,
  input: ConfirmInput,
  tool: string | undefined,
): Promise<Bucket | undefined> {
  const all = await buckets(ctx, Number.POSITIVE_INFINITY);
  const field = input.environment === undefined ? "bucket" : "environment";
  const named = input.environment ?? input.bucket;
  const serves = (bucket: Bucket) => tool === undefined || bucket.tools.includes(tool);
  if (named !== undefined) {
    const bucket = namedBucket(all, named, field);
    if (!serves(bucket)) throw badField(field, "does not serve the tool that the mode is of");
    return bucket;
  }
  const proposed = all.find(({ environment }) => environment.id === proposal.bucket);
  const bucket = proposed && serves(proposed) ? proposed : bucketFor(all, tool);
  if (!bucket && input.target_tool !== undefined) throw badField("target_tool", "no live sandbox serves this tool");
  return bucket;
}

/** The mode that the parked report reports already, where it does. */
async function reportedMode(ctx: Ctx, { report }: ProposalDoc): Promise<ModeDoc | undefined> {
  const note = report === undefined ? undefined : await ctx.store.records.get(FeedbackNote, report);
  return note?.failure_mode === undefined ? undefined : ctx.store.records.get(FailureMode, note.failure_mode);
}

function revised(ctx: Ctx, known: ModeDoc, fields: Partial<ModeDoc>, by: string) {
  const mode = known.status === "reported" ? withStatus(known, "confirmed", ctx.now(), by) : known;
  const doc = { ...mode, ...fields };
  const changes: RecordChange[] = [{ op: "put", kind: FailureMode, doc, expect: digestOf(known) }];
  return { mode: doc, changes };
}

async function written(ctx: Ctx, proposal: ProposalDoc, fields: Parameters<typeof modeFrom>[2], by: string) {
  const parked = proposal.report === undefined ? undefined : await ctx.store.records.get(FeedbackNote, proposal.report);
  if (parked) return reportedBy(ctx, parked, fields, by);
  const { text, author, member, origin, origin_source } = proposal;
  const note = noteFrom(ctx, { text, by, author, author_member: member, origin, origin_source });
  const mode = modeFrom(ctx, note, fields);
  return { mode, changes: storing(note, mode) };
}

async function modeOf(ctx: Ctx, { confirmed: done }: ProposalDoc): Promise<ModeDoc> {
  return orNotFound(done && (await ctx.store.records.get(FailureMode, done.mode)), "failure mode");
}

function answer(ctx: Ctx, proposal: ProposalDoc, mode: ModeDoc, already: boolean, why?: string) {
  const done = proposal.confirmed;
  const environment = done?.environment ?? null;
  const job = done?.job ?? null;
  const body = {
    org: ctx.org.tag,
    already,
    mode: modeView(mode),
    proposal: proposalView(proposal),
    environment,
    job,
    ...(job === null ? {} : { poll: `/v0/jobs/${job}` }),
    stored_as: done?.stored_as ?? [],
    run_link: environment === null ? null : `/v0/orgs/${ctx.org.tag}/runs/start`,
    note: why ?? noteOf(environment, job, done?.stored_as ?? [], mode),
    tier: "human" as const,
  };
  return new Reply(already ? 200 : job === null ? 201 : 202, body);
}

function noteOf(environment: string | null, job: string | null, stored: readonly string[], mode: ModeDoc): string {
  if (!GENERATABLE.includes(mode.behaviour ?? "other"))
    return "Rules write no task for this behaviour; name stored tasks that hold agents to it, or add tasks of your own.";
  if (environment === null) return "No live sandbox serves what the mode is of, so no task could be written.";
  if (job !== null) return "The job writes the tasks; each passes review before it counts.";
  return stored.length === 0
    ? "No task that passes review could be written on this sandbox."
    : "The tasks count in the sandbox's next run.";
}
