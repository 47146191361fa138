import { z } from "zod";
import { auditAct } from "../../audit.ts";
import { actor, type Ctx } from "../../context.ts";
import { badField, conflict, notFound, orNotFound, unprocessable } from "../../errors.ts";
import { orgRef, words } from "../../fields.ts";
import { mayRead } from "../../modes/note-audience.ts";
import { type NoteDoc, present } from "../../modes/record-modes.ts";
import { pageInput, pageOf } from "../../page.ts";
import { type Doc, idOfValue } from "../../record.ts";
import { FeedbackNote } from "../../records/evidence/feedback.ts";
import { FailureModeProposal, ProposalState } from "../../records/findings/findings.ts";
import { Reply } from "../../reply.ts";
import { readReport } from "../reports/read-report.ts";
import { isPraise } from "./behaviours.ts";
import { authorField } from "./failure-modes.ts";
import { bucketFor, buckets } from "./find-modes.ts";
import { GENERATABLE } from "./mode-view.ts";

/** A proposal as stored. */
export type ProposalDoc = Doc<typeof FailureModeProposal>;

/** What `failure_mode_proposals_list` takes. */
export const ListInput = z.object({
  ...orgRef,
  ...pageInput,
  origin: z.enum(["chat", "console"]).optional(),
  state: ProposalState.optional(),
});
export type ListInput = z.output<typeof ListInput>;

/** The proposals, oldest first, each with what its confirm did, and the sandboxes that tasks may go on. */
export async function listProposals(ctx: Ctx, input: ListInput) {
  const where = present({ origin: input.origin, state: input.state });
  const page = await pageOf(
    (next) => ctx.store.records.list(FailureModeProposal, { ...next, order: "oldest", where }),
    input,
    () => true,
  );
  const all = await buckets(ctx);
  return {
    org: ctx.org.tag,
    count: page.items.length,
    proposals: page.items.map(proposalView),
    buckets: all.map(({ environment: { id, label, surface }, tools }) => ({ id, label, surface, tools: [...tools] })),
    tier: "deterministic" as const,
    ...(page.next === undefined ? {} : { next: page.next }),
  };
}

/** A proposal as it is shown. */
export function proposalView(proposal: ProposalDoc) {
  const { behaviour } = proposal;
  return { ...proposal, generatable: behaviour !== undefined && GENERATABLE.includes(behaviour) };
}

/** What a report that only praises is answered. */
const NO_FAILURE =
  "The report tells of no failure: nothing was proposed. Say what the agent did wrong, or keep praise with record_feedback.";

/** What is said of a report whose words no rule knows. */
const UNREAD =
  "Rules know common English words for failures, and none of them is in this report: a confirm needs its behaviour named.";

/** What `failure_mode_proposals_post` takes. */
export const PostInput = z.object({
  ...orgRef,
  report: words(200).optional().describe("The id of a feedback note, as chat reports are parked."),
  text: words(20_000).optional().describe("The report's words; required without `report`."),
  ...authorField,
  ticket: words(500).optional().describe("Its id or address in your tracker."),
  origin_source: words(500).optional().describe("Where it was reported: a channel, a sheet, an address."),
  tools: z.array(words(200)).max(50).optional().describe("Tools that the report is about, the foremost first."),
  seen_at: z.number().min(0).optional().describe("Unix seconds."),
  member: words(100).optional().describe("Id of the member who reported it."),
});
export type PostInput = z.output<typeof PostInput>;

/** Reads a report by rule into one proposed mode; the same report is proposed once. No failure mode is written. */
export async function postProposal(ctx: Ctx, input: PostInput) {
  const parked = input.report === undefined ? undefined : await parkedReport(ctx, input.report);
  if (parked && input.text !== undefined) throw badField("text", "the parked report has its own words");
  const text = parked?.text ?? input.text;
  if (text === undefined) throw badField("text", "give the report's words, or the id of a parked one in report");
  const id = parked
    ? idOfValue(FailureModeProposal, "report", parked.id)
    : idOfValue(FailureModeProposal, "text", text.trim(), input.ticket ?? "");
  const known = await ctx.store.records.get(FailureModeProposal, id);
  if (known) return answered(ctx, known, true);
  const all = await buckets(ctx);
  const read = readReport(text, input.tools ?? [], [...new Set(all.flatMap(({ tools }) => tools))]);
  if (isPraise(text)) throw unprocessable(NO_FAILURE);
  const bucket = bucketFor(all, read.tool);
  const by = actor(ctx, undefined);
  const { ticket, origin_source, seen_at, member } = input;
  const proposal: ProposalDoc = {
    id,
    created_at: ctx.now(),
    by,
    state: "proposed",
    text,
    author: input.author ?? parked?.author ?? by,
    origin: parked?.origin ?? "console",
    title: read.title,
    behaviour_words: [...read.behaviour_words],
    named: [...read.named],
    ...present({ ticket, seen_at, member, behaviour: read.behaviour, report: parked?.id }),
    ...present({ origin_source: origin_source ?? parked?.origin_source, bucket: bucket?.environment.id }),
    ...(read.tool === undefined ? {} : { target: { tool: read.tool } }),
  };
  // Another writer may have been first with the same report.
  if (!(await ctx.store.records.insert(FailureModeProposal, proposal)))
    return answered(ctx, await findProposal(ctx, id), true);
  await auditAct(ctx, "failure_mode_proposed", { proposal: id }, by);
  return answered(ctx, proposal, false);
}

function answered(ctx: Ctx, proposal: ProposalDoc, duplicate: boolean) {
  const unread = proposal.state === "proposed" && proposal.behaviour === undefined;
  const note = unread ? { note: UNREAD } : {};
  const body = {
    org: ctx.org.tag,
    proposal: proposalView(proposal),
    duplicate,
    ...note,
    tier: "deterministic" as const,
  };
  return new Reply(duplicate ? 200 : 201, body);
}

/** The note that a report was parked as: one that a person wrote in the console, or that came from chat. */
export async function parkedReport(ctx: Ctx, id: string): Promise<NoteDoc> {
  const note = await ctx.store.records.get(FeedbackNote, id);
  if (!note || !mayRead(ctx, note) || note.retired_at !== undefined) throw notFound("parked report");
  if (note.visibility === "staff") throw badField("report", "is for staff alone, and a proposal is for the org");
  return note;
}

/** A proposal of this org. Unknown and another org's are the same 404. */
export async function findProposal(ctx: Ctx, id: string): Promise<ProposalDoc> {
  return orNotFound(await ctx.store.records.get(FailureModeProposal, id), "proposal");
}

/** Dismisses a proposal: state and who are all that is written. A dismissed one answers as it stands; a confirmed one is a conflict. */
export async function dismissProposal(ctx: Ctx, input: { readonly pid: string; readonly by?: string | undefined }) {
  const by = actor(ctx, input.by);
  const before = await findProposal(ctx, input.pid);
  const dismissed = { state: "dismissed" as const, dismissed_at: ctx.now(), dismissed_by: by };
  const proposal = await ctx.store.records.update(FailureModeProposal, before.id, (doc) =>
    doc.state === "proposed" ? { ...doc, ...dismissed } : doc,
  );
  if (!proposal) throw notFound("proposal");
  if (proposal.state === "confirmed")
    throw conflict("The proposal is confirmed already; retire its failure mode instead.", {
      by: "failure_modes_patch",
    });
  if (before.state === "proposed") await auditAct(ctx, "failure_mode_dismissed", { proposal: proposal.id }, by);
  return { org: ctx.org.tag, proposal: proposalView(proposal), tier: "deterministic" as const };
}
