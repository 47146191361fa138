import { z } from "zod";
import { auditAct } from "../../audit.ts";
import { actor, type Ctx } from "../../context.ts";
import { countOf } from "../../count-of.ts";
import { badField, notFound } from "../../errors.ts";
import { audience, byField, count, orgRef, visibility } from "../../fields.ts";
import { type Audience, audienceOf, mayRead, shownTo, visibilityOf } from "../../modes/note-audience.ts";
import { type ModeDoc, modeFrom, type NoteDoc, present, storing, titleOf } from "../../modes/record-modes.ts";
import { readPreferences } from "../../organization/preferences.ts";
import { everyRow, pageInput, pageOf } from "../../page.ts";
import type { RecordChange } from "../../ports/store.ts";
import { type Doc, idOfValue } from "../../record.ts";
import { Evidence } from "../../records/evidence/evidence.ts";
import { ABOUT_KINDS, FeedbackNote, NoteOrigin, NotePolarity } from "../../records/evidence/feedback.ts";
import { FailureMode, FailureModeProposal, type ModeCite } from "../../records/findings/findings.ts";
import { RootCause } from "../../records/runs/runs.ts";

type ProposalDoc = Doc<typeof FailureModeProposal>;

const words = (most: number) => z.string().min(1).max(most).optional();

/** A person's words, with what they are about and the failure mode to make of them. */
export const RecordInput = z.object({
  ...orgRef,
  text: z.string().min(1).max(20_000).describe("The person's words; kept as they are."),
  author: words(200).describe("Who said it, by name; the caller when absent."),
  ...byField,
  author_member: words(100).describe("Id of the member who said it."),
  about: z
    .object({ kind: z.enum(ABOUT_KINDS), id: z.string().min(1).max(200), index: count.min(0).optional() })
    .optional()
    .describe("The record the note is about; `index` is a task's or a line's place in it."),
  polarity: NotePolarity.optional().describe("What it says of the agent."),
  context: words(10_000).describe("What was going on when it was said."),
  seen: z
    .object({ head: z.string().max(500), route: words(500) })
    .optional()
    .describe("The page it was said on: its heading, and its address."),
  origin: NoteOrigin.optional(),
  origin_source: words(500).describe("Which chat, sheet or run it is from."),
  fields: z
    .record(z.string().max(100), z.string().max(5_000))
    .optional()
    .describe("What else its form asked, by name."),
  filed_by: words(200).describe("Who wrote it down for its author."),
  place: words(500).describe("Where it happened, in the author's words."),
  missing: words(5_000).describe("What the author missed."),
  visibility,
  mode: z
    .object({
      id: words(200),
      title: words(200),
      behaviour: RootCause.optional().describe("What the agent did wrong."),
    })
    .optional()
    .describe("Of the failure mode to make; or only `id`, of one that the note reports too."),
  target: z
    .object({ tool: words(200), column: words(200) })
    .optional()
    .describe("What the agent got wrong: a tool, a column."),
  make_mode: z.boolean().optional().describe("Make a failure mode of the note as well."),
});
export type RecordInput = z.output<typeof RecordInput>;

/**
 * Stores a person's words as they are. With `make_mode` the note is a failure mode as well, reported and not yet
 * confirmed. `along` is stored with the note or, as where one of its ids is taken, neither is: a `conflict` then.
 */
export async function recordFeedback(
  ctx: Ctx,
  input: RecordInput,
  along: (note: string) => readonly RecordChange[] = () => [],
) {
  const visibility = visibilityOf(ctx, input.visibility);
  const known = input.mode?.id === undefined ? undefined : await reportedMode(ctx, input, input.mode.id);
  if (input.make_mode !== true && known === undefined && (input.mode !== undefined || input.target !== undefined))
    throw badField("make_mode", "set it to true to make a failure mode of the note");
  const by = actor(ctx, input.by ?? input.author);
  const { about, polarity, context, seen, fields, author_member, origin_source, filed_by, place, missing } = input;
  const words: NoteDoc = {
    id: ctx.id(FeedbackNote.prefix),
    created_at: ctx.now(),
    by,
    text: input.text,
    author: input.author ?? by,
    origin: input.origin ?? "console",
    visibility,
    ...present({ about, polarity, context, seen, author_member, origin_source, filed_by, place, missing }),
    ...(fields === undefined ? {} : { fields: { ...fields } }),
  };
  const made =
    known === undefined && input.make_mode === true ? modeFrom(ctx, words, await fieldsOf(ctx, input)) : undefined;
  const mode = known ?? made;
  const note = mode === undefined ? words : { ...words, failure_mode: mode.id };
  const stored: RecordChange[] = made ? storing(note, made) : [{ op: "insert", kind: FeedbackNote, doc: note }];
  await ctx.store.records.apply([...stored, ...along(note.id)]);
  await auditAct(ctx, made ? "failure_mode_reported" : "feedback_recorded", { note: note.id }, by);
  return {
    org: ctx.org.tag,
    feedback: view(note, mode),
    count: (await standing(ctx, "customer")).length,
    flag: flagOf(note),
    label: mode?.title ?? titleOf(note.text),
    source: note.origin,
    tier: "human" as const,
  };
}

/** Records a note and makes a failure mode of it: two tools share one route, and this one always means `make_mode`. */
export function makeFailureMode(ctx: Ctx, input: RecordInput) {
  return recordFeedback(ctx, { ...input, make_mode: true });
}

/** The mode that a note reports too. Unknown ids, other orgs' and staff's are the same 404. */
async function reportedMode(ctx: Ctx, input: RecordInput, id: string): Promise<ModeDoc> {
  const { title, behaviour } = input.mode ?? {};
  if (title !== undefined || behaviour !== undefined || input.target !== undefined)
    throw badField("mode", "a mode that stands already is changed by failure_modes_patch");
  const mode = await ctx.store.records.get(FailureMode, id);
  if (!mode || !mayRead(ctx, mode)) throw notFound("failure mode");
  return mode;
}

async function fieldsOf(ctx: Ctx, { text, mode, target, about }: RecordInput) {
  const reported = about?.kind === "trace" ? [about.id] : [];
  const cites = about?.kind === "trial" ? await trialCites(ctx, about.id) : [];
  return { title: mode?.title ?? titleOf(text), behaviour: mode?.behaviour, target, reported, cites };
}

/** The stored trial that a note is about, as what shows the mode of it: a person said so. */
async function trialCites(ctx: Ctx, id: string): Promise<ModeCite[]> {
  const [run = "", task = "", tried = ""] = id.split("/");
  const n = Number.parseInt(tried, 10);
  if (Number.isNaN(n) || (await ctx.store.trials.get(run, task, n)).length === 0) return [];
  return [{ trial: { run, task, n }, tier: "human", at: ctx.now() }];
}

/** What may become of a note: it is a mode, it could be one (a negative note about what an agent did), or it is a remark. */
function flagOf({ failure_mode, polarity, about }: NoteDoc): "mode" | "could_be_mode" | "remark" {
  if (failure_mode !== undefined) return "mode";
  const ofWork = about === undefined || ["run", "run_group", "trial", "agent", "trace", "task"].includes(about.kind);
  return polarity === "negative" && ofWork ? "could_be_mode" : "remark";
}

/** What `failure_mode_proposals` takes. */
export const ListInput = z.object({
  ...orgRef,
  ...pageInput,
  kind: z.enum(ABOUT_KINDS).optional().describe("Notes about this kind of record."),
  id: words(200).describe("Notes about the record of this id, whatever its kind."),
  index: count.min(0).optional().describe("The task's or line's place in that record, from 0."),
  audience,
});
export type ListInput = z.output<typeof ListInput>;

/** Notes oldest first, narrowed by what they are about, each with whether a failure mode could be made of it. */
export async function listFeedback(ctx: Ctx, input: ListInput) {
  const audience = audienceOf(ctx, input.audience);
  const page = await pageOf(
    (next) => ctx.store.records.list(FeedbackNote, { ...next, order: "oldest" }),
    input,
    (note) => stands(note, audience) && fits(note, input),
  );
  const { modes, proposals } = await madeOf(ctx, page.items, audience);
  const flags = { mode: 0, could_be_mode: 0, remark: 0 };
  const polarities: Record<string, number> = {};
  for (const note of page.items) {
    flags[flagOf(note)] += 1;
    const polarity = note.polarity ?? "unsaid";
    polarities[polarity] = (polarities[polarity] ?? 0) + 1;
  }
  return {
    org: ctx.org.tag,
    audience,
    about_kinds: [...ABOUT_KINDS],
    count: page.items.length,
    feedback: page.items.map((note) => view(note, modes.get(note.failure_mode ?? ""), proposals.get(note.id))),
    flags,
    polarities,
    source: "feedback notes" as const,
    method: "A note could become a failure mode when it is negative and about what an agent did.",
    tier: "human" as const,
    ...(page.next === undefined ? {} : { next: page.next }),
  };
}

/** The failure modes that notes report, and the proposals that were read from them. */
async function madeOf(ctx: Ctx, notes: readonly NoteDoc[], audience: Audience) {
  const proposalOf = (note: string) => idOfValue(FailureModeProposal, "report", note);
  const [modes, proposals] = await Promise.all([
    ctx.store.records.getMany(
      FailureMode,
      notes.flatMap(({ failure_mode }) => failure_mode ?? []),
    ),
    ctx.store.records.getMany(
      FailureModeProposal,
      notes.map(({ id }) => proposalOf(id)),
    ),
  ]);
  return {
    modes: new Map(modes.filter((mode) => shownTo(mode, audience)).map((mode) => [mode.id, mode])),
    proposals: new Map(proposals.map(({ id, report, state }) => [report ?? "", { id, state }])),
  };
}

function stands(note: NoteDoc, audience: Audience): boolean {
  return note.retired_at === undefined && shownTo(note, audience);
}

function fits({ about }: NoteDoc, { kind, id, index }: ListInput): boolean {
  if (kind !== undefined && about?.kind !== kind) return false;
  if (id !== undefined && about?.id !== id) return false;
  return index === undefined || about?.index === index;
}

async function standing(ctx: Ctx, audience: Audience): Promise<NoteDoc[]> {
  const notes: NoteDoc[] = [];
  for await (const note of everyRow((page) => ctx.store.records.list(FeedbackNote, { ...page, order: "oldest" })))
    if (stands(note, audience)) notes.push(note);
  return notes;
}

/** Takes a note off the lists; its words stay stored. Retiring twice keeps the first mark. */
export async function retireFeedback(ctx: Ctx, input: { readonly fid: string; readonly by?: string | undefined }) {
  const by = actor(ctx, input.by);
  const before = await ctx.store.records.get(FeedbackNote, input.fid);
  if (!before || !mayRead(ctx, before)) throw notFound("feedback note");
  const note = await ctx.store.records.update(FeedbackNote, input.fid, (doc) =>
    doc.retired_at === undefined ? { ...doc, retired_at: ctx.now(), retired_by: by } : doc,
  );
  if (!note) throw notFound("feedback note");
  const already = before.retired_at !== undefined;
  if (!already) await auditAct(ctx, "feedback_retired", { note: note.id }, by);
  return {
    org: ctx.org.tag,
    id: note.id,
    retired: true,
    already,
    retired_at: note.retired_at ?? 0,
    retired_by: note.retired_by ?? by,
  };
}

const DAY = 86_400;

/** How many notes there are, how many a pass has read, and which are older than the org keeps its traces. Counts and dates only. */
export async function feedbackLedger(ctx: Ctx) {
  const notes = await standing(ctx, audienceOf(ctx, "staff"));
  const waiting = notes.filter((note) => note.read_by === undefined);
  const { retention } = await readPreferences(ctx);
  const bound = retention === undefined ? undefined : ctx.now() - retention.days * DAY;
  const past = bound === undefined ? 0 : notes.filter((note) => note.created_at < bound).length;
  const undated = notes.filter((note) => note.origin === "sheet" && !isDated(note));
  let unreachable = 0;
  for (const note of notes) if (await isGone(ctx, note)) unreachable += 1;
  const oldest = waiting[0]?.created_at;
  const first = notes.find((note) => bound === undefined || note.created_at >= bound)?.created_at;
  return {
    org: ctx.org.tag,
    reports: notes.length,
    read: notes.length - waiting.length,
    waiting: waiting.length,
    ...(oldest === undefined ? {} : { oldest_waiting_at: oldest }),
    ...(retention === undefined ? {} : { retention_days: retention.days }),
    past_retention: past,
    ...(retention === undefined || first === undefined ? {} : { leaves_retention_on: first + retention.days * DAY }),
    undated: undated.length,
    undated_bound_past: bound === undefined ? 0 : undated.filter((note) => note.created_at < bound).length,
    ...(retention === undefined || undated.length === 0
      ? {}
      : { undated_leave_by: Math.max(...undated.map((note) => note.created_at)) + retention.days * DAY }),
    unreachable,
    line:
      notes.length === 0
        ? "No note is on record."
        : `${countOf(notes.length, "note")}: ${notes.length - waiting.length} read by a pass, ${waiting.length} waiting.`,
    tier: "deterministic" as const,
  };
}

/** Whether the sheet that a note was filed from says when: what it reports may be older than its filing. */
function isDated({ fields = {} }: NoteDoc): boolean {
  return Object.entries(fields).some(
    ([name, value]) => /date|time|when|_at$/i.test(name) && !Number.isNaN(Date.parse(value)),
  );
}

/** Whether what a note is about was stored once and is no more, so that nobody can look it up. */
async function isGone(ctx: Ctx, { about }: NoteDoc): Promise<boolean> {
  if (about?.kind === "trace") return (await ctx.store.traces.get(about.id)) === undefined;
  if (about?.kind === "evidence") return (await ctx.store.records.get(Evidence, about.id)) === undefined;
  return false;
}

/** A note as it is shown, with the mode it reports as that stands now, and the proposal read from it. Times are unix seconds. */
export function view(note: NoteDoc, reported?: ModeDoc, proposal?: Pick<ProposalDoc, "id" | "state">) {
  const { visibility: _visibility, read_by, failure_mode: _mode, ...rest } = note;
  return {
    ...rest,
    ...(reported === undefined ? {} : { mode: modeView(reported) }),
    ...(proposal === undefined ? {} : { proposal }),
    flag: flagOf(note),
    read: read_by !== undefined,
  };
}

function modeView({ id, title, status, behaviour, target }: ModeDoc) {
  return { id, title, status, ...present({ behaviour, target }) };
}
