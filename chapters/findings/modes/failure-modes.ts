import { z } from "zod";
import { auditAct } from "../../audit.ts";
import { actor, type Ctx } from "../../context.ts";
import { badField, badRequest, type FieldError } from "../../errors.ts";
import { audience, byField, orgRef, recordId, visibility, words } from "../../fields.ts";
import { audienceOf, shownTo, visibilityOf } from "../../modes/note-audience.ts";
import {
  type ModeDoc,
  type ModeFields,
  modeFrom,
  noteFrom,
  present,
  storing,
  withStatus,
} from "../../modes/record-modes.ts";
import { pageInput, pageOf } from "../../page.ts";
import { ModeStatus, NoteOrigin } from "../../records/evidence/feedback.ts";
import { FailureMode } from "../../records/findings/findings.ts";
import { RootCause } from "../../records/runs/runs.ts";
import { TaskRecord } from "../../records/sandboxes/sandboxes.ts";
import { Reply } from "../../reply.ts";
import { weakestTier } from "../../tier.ts";
import { buckets, findMode, namedBucket } from "./find-modes.ts";
import { GENERATABLE, isGeneratable, modeView } from "./mode-view.ts";

/** What `failure_modes` takes. */
export const ListInput = z.object({ ...orgRef, ...pageInput, audience });
export type ListInput = z.output<typeof ListInput>;

/** The org's failure modes, oldest first, with the words that each field may hold. */
export async function listModes(ctx: Ctx, input: ListInput) {
  const audience = audienceOf(ctx, input.audience);
  const page = await pageOf(
    (next) => ctx.store.records.list(FailureMode, { ...next, order: "oldest" }),
    input,
    (mode) => shownTo(mode, audience),
  );
  return {
    org: ctx.org.tag,
    audience,
    behaviours: RootCause.options,
    generatable: [...GENERATABLE],
    origins: NoteOrigin.options,
    statuses: ModeStatus.options,
    count: page.items.length,
    to_classify: page.items.filter(({ behaviour }) => behaviour === undefined).map(({ id }) => id),
    failure_modes: page.items.map(modeView),
    tier: weakestTier(page.items.map(({ tier }) => tier)) ?? ("human" as const),
    ...(page.next === undefined ? {} : { next: page.next }),
  };
}

/** One mode as a person gives it. */
export interface GivenMode {
  readonly title: string;
  readonly description?: string | undefined;
  readonly example?: string | undefined;
  readonly reported_by?: string | undefined;
  readonly seen_at?: number | undefined;
  readonly status?: z.infer<typeof ModeStatus> | undefined;
  readonly origin?: z.infer<typeof NoteOrigin> | undefined;
  readonly behaviour?: RootCause | undefined;
  readonly target?: ModeFields["target"];
  /** Ids of stored tasks that hold agents to it. */
  readonly tasks?: readonly string[] | undefined;
  readonly ticket?: string | undefined;
  readonly trace?: string | undefined;
}

type OneMode = { readonly [K in keyof GivenMode]?: GivenMode[K] | undefined };

/** What a failure is about. */
export const target = z
  .object({ tool: words(200).optional(), column: words(200).optional() })
  .describe("The tool that it is of, and the column of the answer.");
/** Who says so, where that is no member's caller name. */
export const authorField = { author: words(200).optional().describe("The person whose words these are.") };
const given = {
  title: words(200),
  description: words(20_000).optional(),
  example: words(20_000).optional().describe("A case of it, in words."),
  reported_by: words(200).optional().describe("Who reported it, by name."),
  seen_at: z.number().min(0).optional().describe("Unix seconds."),
  status: ModeStatus.optional(),
  origin: NoteOrigin.optional(),
  behaviour: RootCause.optional().describe("What the agent did wrong."),
  target: target.optional(),
  tasks: z.array(words(200)).max(200).optional().describe("Ids of stored tasks that hold agents to it."),
  ticket: words(500).optional().describe("Its id or address in your tracker."),
  trace: words(500).optional().describe("A trace that shows it: its id, or its session's."),
};

/** What `failure_modes_post` takes. */
export const PostInput = z.object({
  ...orgRef,
  ...given,
  title: given.title.optional(),
  modes: z.array(z.object(given).strict()).min(1).max(500).optional().describe("Or many at once."),
  ...authorField,
  ...byField,
  author_member: words(100).optional().describe("Id of the member whose words these are."),
  visibility,
});
export type PostInput = z.output<typeof PostInput>;

/** Records failure modes, each with its words as a note. One wrong row is named, and then nothing is stored. */
export async function postModes(ctx: Ctx, input: PostInput) {
  const { modes, author, by: said, author_member, visibility: asked, ...one } = input;
  const visibility = visibilityOf(ctx, asked);
  const rows = modes ?? [titled(one)];
  const { orgtag: _org, ...single } = present(one) as OneMode & { readonly orgtag?: string };
  if (modes !== undefined && Object.keys(single).length > 0)
    throw badField("modes", "give one mode, or a list of them, not both");
  const checked = await Promise.all(rows.map((row, i) => checkedRow(ctx, row, modes ? `modes.${i}` : "")));
  const wrong = checked.flatMap(({ wrong: fields }) => fields);
  if (wrong.length > 0) throw badRequest("Some modes cannot be recorded; nothing was stored.", { fields: wrong });
  const by = actor(ctx, said ?? author);
  const made = rows.map((row, i) => {
    const words = { text: wordsOf(row), by, author, author_member, visibility, origin: row.origin };
    const note = noteFrom(ctx, words);
    const { origin: _origin, tasks: _tasks, trace, ...fields } = row;
    return { note, mode: modeFrom(ctx, note, { ...fields, ...checked[i]!.found, reported: trace ? [trace] : [] }) };
  });
  await ctx.store.records.apply(made.flatMap(({ note, mode }) => storing(note, mode)));
  await auditAct(ctx, "failure_modes_recorded", { modes: made.length }, by);
  const body = {
    org: ctx.org.tag,
    stored: made.length,
    failure_modes: made.map(({ mode }) => modeView(mode)),
    notes: made.map(({ note }) => note.id),
    tier: "human" as const,
  };
  return new Reply(201, body);
}

function titled(one: OneMode): GivenMode {
  const { title } = one;
  if (title === undefined) throw badField("title", "say what the mode is called, or give a list in modes");
  return { ...one, title };
}

/** The words of a row, as they were given. */
function wordsOf({ title, description, example }: GivenMode): string {
  return [title, description, example].filter((part) => part !== undefined).join("\n\n");
}

/** What a row refers to, looked up: its tasks, and its trace where the org holds it. */
async function checkedRow(ctx: Ctx, row: GivenMode, path: string) {
  const at = (field: string) => (path === "" ? field : `${path}.${field}`);
  const wrong: FieldError[] = [];
  const ids = [...new Set(row.tasks ?? [])];
  const docs = await ctx.store.records.getMany(TaskRecord, ids);
  if (docs.length < ids.length) wrong.push({ path: at("tasks"), message: "names a task that the org does not have" });
  if (row.title.trim() === "") wrong.push({ path: at("title"), message: "says nothing" });
  const trace = row.trace === undefined ? undefined : await ctx.store.traces.get(row.trace);
  const cite = trace && { trace: trace.id, session: trace.trace.session, tier: "human" as const, at: ctx.now() };
  return {
    wrong,
    found: {
      tasks: docs.map(({ id, environment }) => ({ environment, task: id })),
      cites: cite ? [cite] : [],
    },
  };
}

/** What `failure_modes_patch` takes. */
export const PatchInput = z.object({
  ...orgRef,
  mid: recordId("failure mode"),
  behaviour: RootCause.optional().describe("What the agent did wrong."),
  bucket: words(200).optional().describe("The id of a live environment."),
  target: target.optional(),
  status: ModeStatus.optional(),
  ...byField,
  ...authorField,
});
export type PatchInput = z.output<typeof PatchInput>;

/** Changes what is known of a mode; the note's words stay. Answers the fields that differ from before. */
export async function patchMode(ctx: Ctx, input: PatchInput) {
  const before = await findMode(ctx, input.mid);
  const by = actor(ctx, input.by ?? input.author);
  await refuseUnknown(ctx, before, input);
  const change = { ...present({ behaviour: input.behaviour, bucket: input.bucket }), ...targetOf(input) };
  const next = (doc: ModeDoc): ModeDoc => {
    const changed = { ...doc, ...change };
    return input.status === undefined ? changed : withStatus(changed, input.status, ctx.now(), by);
  };
  const fields = (["behaviour", "bucket", "target", "status"] as const).filter(
    (field) => JSON.stringify(next(before)[field]) !== JSON.stringify(before[field]),
  );
  const mode =
    fields.length === 0 ? before : ((await ctx.store.records.update(FailureMode, before.id, next)) ?? before);
  if (fields.length > 0) await auditAct(ctx, "failure_mode_changed", { mode: mode.id, fields: fields.join(",") }, by);
  return {
    org: ctx.org.tag,
    failure_mode: modeView(mode),
    changed: fields,
    generatable: isGeneratable(mode),
    tier: mode.tier,
  };
}

function targetOf({ target }: PatchInput): Pick<ModeDoc, "target"> | Record<string, never> {
  return target === undefined ? {} : { target: present(target) };
}

async function refuseUnknown(ctx: Ctx, mode: ModeDoc, { bucket, target }: PatchInput): Promise<void> {
  const tool = target?.tool;
  if (bucket === undefined && tool === undefined) return;
  const all = await buckets(ctx, Number.POSITIVE_INFINITY);
  const chosen = bucket === undefined ? undefined : namedBucket(all, bucket, "bucket");
  if (tool === undefined) return;
  const own = chosen ?? all.find(({ environment }) => environment.id === mode.bucket);
  const served = own ? own.tools : all.flatMap(({ tools }) => tools);
  if (!served.includes(tool)) throw badField("target.tool", "no sandbox that the mode may go on serves this tool");
}
