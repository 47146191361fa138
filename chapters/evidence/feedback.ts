import type { z } from "zod";
import { auditAct } from "../audit.ts";
import { actor, type Ctx } from "../context.ts";
import { badField, notFound } from "../errors.ts";
import { readPreferences } from "../organization/preferences.ts";
import { everyRow, type PageInput, pageOf } from "../page.ts";
import type { Doc } from "../record.ts";
import { ABOUT_KINDS, FeedbackNote, type ModeStatus, type NoteOrigin } from "./feedback-schema.ts";

type NoteDoc = Doc<typeof FeedbackNote>;
type Audience = "customer" | "staff";

interface RecordInput {
  readonly text: string;
  readonly author?: string | undefined;
  readonly by?: string | undefined;
  readonly author_member?: string | undefined;
  readonly about?: NoteDoc["about"];
  readonly polarity?: NoteDoc["polarity"];
  readonly context?: string | undefined;
  readonly seen?: NoteDoc["seen"];
  readonly origin?: z.infer<typeof NoteOrigin> | undefined;
  readonly origin_source?: string | undefined;
  readonly fields?: Readonly<Record<string, string>> | undefined;
  readonly filed_by?: string | undefined;
  readonly place?: string | undefined;
  readonly missing?: string | undefined;
  readonly visibility?: "org" | "staff" | undefined;
  readonly make_mode?: boolean | undefined;
  /** Of the mode to make; its words stay the note's. */
  readonly mode?:
    | { readonly title?: string | undefined; readonly behaviour?: NonNullable<NoteDoc["mode"]>["behaviour"] }
    | undefined;
  readonly target?: NonNullable<NoteDoc["mode"]>["target"];
}

/** Longest title made of a note's first line, characters. */
const TITLE = 120;

/** Stores a person's words as they are. With `make_mode` the note is a failure mode as well, reported and not yet confirmed. */
export async function recordFeedback(ctx: Ctx, input: RecordInput) {
  if (input.visibility === "staff" && ctx.caller.kind === "org")
    throw badField("visibility", "only the service's own operators write notes for staff");
  if (input.make_mode !== true && (input.mode !== undefined || input.target !== undefined))
    throw badField("make_mode", "set it to true to make a failure mode of the note");
  const by = actor(ctx, input.by ?? input.author);
  const { about, polarity, context, seen, fields, author_member, origin_source, filed_by, place, missing } = input;
  const note: NoteDoc = {
    id: ctx.id(FeedbackNote.prefix),
    created_at: ctx.now(),
    by,
    text: input.text,
    author: input.author ?? by,
    origin: input.origin ?? "console",
    visibility: input.visibility ?? "org",
    ...present({ about, polarity, context, seen, author_member, origin_source, filed_by, place, missing }),
    ...(fields === undefined ? {} : { fields: { ...fields } }),
    ...(input.make_mode === true ? { mode: modeOf(input) } : {}),
  };
  await ctx.store.records.insert(FeedbackNote, note);
  await auditAct(ctx, note.mode ? "failure_mode_reported" : "feedback_recorded", { note: note.id }, by);
  return {
    org: ctx.org.tag,
    feedback: view(note),
    count: (await standing(ctx, "customer")).length,
    flag: flagOf(note),
    label: note.mode?.title ?? titleOf(note.text),
    source: note.origin,
    tier: "human" as const,
  };
}

/** Records a note and makes a failure mode of it: two tools share one route, and this one always means `make_mode`. */
export function makeFailureMode(ctx: Ctx, input: RecordInput) {
  return recordFeedback(ctx, { ...input, make_mode: true });
}

function present<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

function modeOf({ text, mode, target }: RecordInput): NonNullable<NoteDoc["mode"]> {
  const reported: z.infer<typeof ModeStatus> = "reported";
  return { title: mode?.title ?? titleOf(text), status: reported, ...present({ behaviour: mode?.behaviour, target }) };
}

function titleOf(text: string): string {
  const line = text.trim().split("\n")[0] ?? "";
  return line.length > TITLE ? `${line.slice(0, TITLE - 1)}…` : line;
}

/** What may become of a note: it is a mode, it could be one (a negative note about what an agent did), or it is a remark. */
function flagOf({ mode, polarity, about }: NoteDoc): "mode" | "could_be_mode" | "remark" {
  if (mode) return "mode";
  const ofWork = about === undefined || ["run", "run_group", "trial", "agent", "trace", "task"].includes(about.kind);
  return polarity === "negative" && ofWork ? "could_be_mode" : "remark";
}

interface ListInput extends PageInput {
  readonly kind?: (typeof ABOUT_KINDS)[number] | undefined;
  readonly id?: string | undefined;
  readonly index?: number | undefined;
  readonly audience?: Audience | undefined;
}

/** Notes oldest first, narrowed by what they are about, each with whether a failure mode could be made of it. */
export async function listFeedback(ctx: Ctx, input: ListInput) {
  const audience = audienceOf(ctx, input.audience);
  const page = await pageOf(
    (next) => ctx.store.records.list(FeedbackNote, { ...next, order: "oldest" }),
    input,
    (note) => shownTo(note, audience) && fits(note, input),
  );
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
    feedback: page.items.map(view),
    flags,
    polarities,
    source: "feedback notes" as const,
    method: "A note could become a failure mode when it is negative and about what an agent did.",
    tier: "human" as const,
    ...(page.next === undefined ? {} : { next: page.next }),
  };
}

function audienceOf(ctx: Ctx, asked: Audience | undefined): Audience {
  return asked === "staff" && ctx.caller.kind !== "org" ? "staff" : "customer";
}

function shownTo(note: NoteDoc, audience: Audience): boolean {
  return note.retired_at === undefined && (audience === "staff" || note.visibility === "org");
}

function fits({ about }: NoteDoc, { kind, id, index }: ListInput): boolean {
  if (kind !== undefined && about?.kind !== kind) return false;
  if (id !== undefined && about?.id !== id) return false;
  return index === undefined || about?.index === index;
}

async function standing(ctx: Ctx, audience: Audience): Promise<NoteDoc[]> {
  const notes: NoteDoc[] = [];
  for await (const note of everyRow((page) => ctx.store.records.list(FeedbackNote, { ...page, order: "oldest" })))
    if (shownTo(note, audience)) notes.push(note);
  return notes;
}

/** Takes a note off the lists; its words stay stored. Retiring twice keeps the first mark. */
export async function retireFeedback(ctx: Ctx, input: { readonly fid: string; readonly by?: string | undefined }) {
  const by = actor(ctx, input.by);
  const before = await ctx.store.records.get(FeedbackNote, input.fid);
  if (!before || (before.visibility === "staff" && ctx.caller.kind === "org")) throw notFound("feedback note");
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
  const oldest = waiting[0]?.created_at;
  return {
    org: ctx.org.tag,
    reports: notes.length,
    read: notes.length - waiting.length,
    waiting: waiting.length,
    ...(oldest === undefined ? {} : { oldest_waiting_at: oldest }),
    ...(retention === undefined ? {} : { retention_days: retention.days }),
    past_retention: past,
    line:
      notes.length === 0
        ? "No note is on record."
        : `${notes.length} notes: ${notes.length - waiting.length} read by a pass, ${waiting.length} waiting.`,
    tier: "deterministic" as const,
  };
}

/** A note as it is shown. Times are unix seconds. */
export function view(note: NoteDoc) {
  const { visibility: _visibility, read_by, ...rest } = note;
  return { ...rest, flag: flagOf(note), read: read_by !== undefined };
}
