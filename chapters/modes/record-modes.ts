import { digestOf } from "../../worlds/digest.ts";
import { auditAct } from "../audit.ts";
import type { Ctx } from "../context.ts";
import { AppError } from "../errors.ts";
import type { RecordChange } from "../ports/store.ts";
import { type Doc, idOfValue } from "../record.ts";
import { FeedbackNote } from "../records/evidence/feedback.ts";
import { FailureMode, FailureModeKey, type ModeCite } from "../records/findings/findings.ts";
import type { Visibility } from "./note-audience.ts";

/** A failure mode as stored. */
export type ModeDoc = Doc<typeof FailureMode>;
/** A note as stored. */
export type NoteDoc = Doc<typeof FeedbackNote>;
/** How a mode stands. */
export type ModeStatus = ModeDoc["status"];

/** What is known of a mode when it is recorded; all but the title may come later. */
export interface ModeFields {
  readonly title: string;
  readonly description?: string | undefined;
  readonly example?: string | undefined;
  readonly reported_by?: string | undefined;
  readonly seen_at?: number | undefined;
  readonly status?: ModeStatus | undefined;
  readonly behaviour?: ModeDoc["behaviour"];
  readonly target?: { readonly tool?: string | undefined; readonly column?: string | undefined } | undefined;
  readonly bucket?: string | undefined;
  readonly tasks?: ModeDoc["tasks"] | undefined;
  readonly ticket?: string | undefined;
  readonly cites?: readonly ModeCite[] | undefined;
  /** Ids of traces and sessions that show it, stored here or not. */
  readonly reported?: readonly string[] | undefined;
  readonly tier?: ModeDoc["tier"] | undefined;
}

const FIRST_LINE = 120;

/** The first line of a text, for a title. */
export function titleOf(text: string): string {
  const line = text.trim().split("\n")[0] ?? "";
  return line.length > FIRST_LINE ? `${line.slice(0, FIRST_LINE - 1)}…` : line;
}

/** The fields that are there. */
export function present<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

/** A mode that a note reports, reported unless its fields say otherwise; not stored. */
export function modeFrom(ctx: Ctx, note: NoteDoc, fields: ModeFields): ModeDoc {
  const { title, status = "reported", tier = "human", tasks = [], cites = [], reported = [], target, ...rest } = fields;
  const at = ctx.now();
  return {
    id: ctx.id(FailureMode.prefix),
    created_at: at,
    by: note.by,
    title,
    note: note.id,
    origin: note.origin,
    status,
    visibility: note.visibility,
    tasks: [...tasks],
    cites: [...cites],
    reported: [...reported],
    history: [{ status, at, by: note.by }],
    tier,
    ...(target === undefined ? {} : { target: present(target) }),
    ...present(rest),
  };
}

/** Who reports a mode, in which words. */
export interface ModeWords {
  readonly text: string;
  readonly by: string;
  readonly author?: string | undefined;
  readonly author_member?: string | undefined;
  readonly visibility?: Visibility | undefined;
  readonly origin?: NoteDoc["origin"] | undefined;
  readonly origin_source?: string | undefined;
  /** What else was filed with it, by column. */
  readonly fields?: Readonly<Record<string, string>> | undefined;
}

/** A note that holds the words of a report; not stored. */
export function noteFrom(ctx: Ctx, { text, by, author, author_member, fields, ...rest }: ModeWords): NoteDoc {
  return {
    id: ctx.id(FeedbackNote.prefix),
    created_at: ctx.now(),
    by,
    text,
    author: author ?? by,
    origin: rest.origin ?? "console",
    visibility: rest.visibility ?? "org",
    polarity: "negative",
    ...present({ author_member, origin_source: rest.origin_source }),
    ...(fields === undefined ? {} : { fields: { ...fields } }),
  };
}

/** What stores a mode with the note that reports it, as one step with others. */
export function storing(note: NoteDoc, mode: ModeDoc): RecordChange[] {
  return [
    { op: "insert", kind: FeedbackNote, doc: { ...note, failure_mode: mode.id } },
    { op: "insert", kind: FailureMode, doc: mode },
  ];
}

/** A mode of a note that stands already, and what stores it and says so on the note; a note that changed meanwhile is a conflict. */
export function reportedBy(ctx: Ctx, note: NoteDoc, fields: ModeFields, by: string) {
  const mode = modeFrom(ctx, { ...note, by }, fields);
  const changes: RecordChange[] = [
    { op: "put", kind: FeedbackNote, doc: { ...note, failure_mode: mode.id }, expect: digestOf(note) },
    { op: "insert", kind: FailureMode, doc: mode },
  ];
  return { mode, changes };
}

/**
 * Records a mode with its note, once for each `key`: what was recorded under it before is answered as a duplicate, as it
 * stands now. A `key` names the origin: `["write_path", agent, tool]`.
 */
export async function recordMode(
  ctx: Ctx,
  words: ModeWords,
  fields: ModeFields,
  key: readonly string[],
): Promise<{ readonly mode: ModeDoc; readonly duplicate: boolean }> {
  const known = await modeOfKey(ctx, key);
  if (known) return { mode: known, duplicate: true };
  const note = noteFrom(ctx, words);
  const mode = modeFrom(ctx, note, fields);
  const held = { id: idOfValue(FailureModeKey, ...key), created_at: mode.created_at, by: mode.by, mode: mode.id };
  try {
    await ctx.store.records.apply([...storing(note, mode), { op: "insert", kind: FailureModeKey, doc: held }]);
  } catch (cause) {
    // Another writer was first under the same key.
    const first = cause instanceof AppError && cause.code === "conflict" ? await modeOfKey(ctx, key) : undefined;
    if (first) return { mode: first, duplicate: true };
    throw cause;
  }
  await auditAct(ctx, "failure_mode_reported", { mode: mode.id, note: note.id }, words.by);
  return { mode, duplicate: false };
}

/** The mode that was recorded under a key, as it stands now; undefined where none was. */
export async function modeOfKey(ctx: Ctx, key: readonly string[]): Promise<ModeDoc | undefined> {
  const held = await ctx.store.records.get(FailureModeKey, idOfValue(FailureModeKey, ...key));
  return held && (await ctx.store.records.get(FailureMode, held.mode));
}

/** The mode with another status, which its history keeps; one that has it stays as it is. */
export function withStatus(mode: ModeDoc, status: ModeStatus, at: number, by: string, group?: string): ModeDoc {
  if (mode.status === status) return mode;
  const line = { status, at, by, ...(group === undefined ? {} : { group }) };
  return { ...mode, status, history: [...mode.history, line] };
}
