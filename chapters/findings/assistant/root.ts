import { z } from "zod";
import { auditAct } from "../../audit.ts";
import type { Ctx } from "../../context.ts";
import { conflict, notFound } from "../../errors.ts";
import { withoutSecrets } from "../../evidence/intake/secrets.ts";
import { orgField, recordId } from "../../fields.ts";
import { everyRow, type PageInput } from "../../page.ts";
import type { Doc } from "../../record.ts";
import { RootThread, RootTurn } from "../../records/findings/root.ts";
import { cut } from "../pages/words.ts";
import { answerByModel } from "./root-model.ts";
import { answerByRule } from "./root-router.ts";

type ThreadDoc = Doc<typeof RootThread>;
type TurnDoc = Doc<typeof RootTurn>;

/** Questions that a thread holds. */
const MOST_TURNS = 200;
const TITLE = 80;

/** What `root_post` takes. */
export const AskInput = z.object({
  ...orgField,
  text: z.string().trim().min(1).max(4000).describe("The question."),
  thread: recordId("thread to go on with").optional(),
  reader: z.enum(["rule", "model"]).optional().describe("Who answers; a model where one is configured, when absent."),
  model: z.string().min(1).max(200).optional().describe("A model as offered."),
});
export type AskInput = z.output<typeof AskInput>;

/**
 * Answers a question from the org's own records, in a thread of the caller's: by a model where one is configured or
 * asked for, else by rule, which says what it cannot tell. Nothing is kept of a question that could not be answered.
 */
export async function askRoot(ctx: Ctx, input: AskInput) {
  const { text } = await withoutSecrets(input.text);
  const known = input.thread === undefined ? undefined : await ownThread(ctx, input.thread);
  if (known && known.turns >= MOST_TURNS)
    throw conflict(`This thread holds ${MOST_TURNS} questions, as many as one may; begin another.`);
  const wantsModel =
    input.reader === "model" ||
    (input.reader === undefined && (input.model !== undefined || ctx.models.offered.length > 0));
  const { model, usd, ...answered } = wantsModel
    ? await answerByModel(ctx, text, known ? await turnsOf(ctx, known.id) : [], input.model)
    : { ...(await answerByRule(ctx.tools, text, ctx.signal)), model: null, usd: 0 };
  const now = ctx.now();
  const base = { created_at: now, by: ctx.caller.name };
  const thread: ThreadDoc = known ?? {
    ...base,
    id: ctx.id(RootThread.prefix),
    owner: ownerOf(ctx),
    title: cut(text.replace(/\s+/g, " ").trim(), TITLE),
    updated_at: now,
    turns: 1,
  };
  const turn: TurnDoc = {
    ...base,
    id: ctx.id(RootTurn.prefix),
    thread: thread.id,
    text,
    answer: answered.answer,
    cites: [...answered.cites],
    calls: [...answered.calls],
    tier: answered.tier,
    model,
    usd,
  };
  if (known) {
    const kept = await ctx.store.records.update(RootThread, known.id, (doc) => ({
      ...doc,
      updated_at: now,
      turns: doc.turns + 1,
    }));
    if (!kept) throw notFound("thread");
    await ctx.store.records.insert(RootTurn, turn);
  } else
    await ctx.store.records.apply([
      { op: "insert", kind: RootThread, doc: thread },
      { op: "insert", kind: RootTurn, doc: turn },
    ]);
  const { answer, cites, calls, tier } = turn;
  return { org: ctx.org.tag, thread: thread.id, answer, cites, calls, tier, model, usd };
}

/** The caller's own threads, newest first, and what answers here. */
export async function listThreads(ctx: Ctx, input: PageInput) {
  const page = await ctx.store.records.list(RootThread, { ...input, where: { owner: ownerOf(ctx) } });
  return {
    org: ctx.org.tag,
    threads: page.items.map(viewOf),
    reader: ctx.models.offered.length > 0 ? ("model" as const) : ("rule" as const),
    ...(page.next === undefined ? {} : { next: page.next }),
  };
}

/** One of the caller's threads, its questions oldest first. Anybody else's is the unknown one's 404. */
export async function getThread(ctx: Ctx, input: { readonly tid: string } & PageInput) {
  const { tid, limit, cursor } = input;
  const thread = await ownThread(ctx, tid);
  const page = await ctx.store.records.list(RootTurn, { limit, cursor, order: "oldest", where: { thread: tid } });
  return {
    ...viewOf(thread),
    messages: page.items.map(({ id, created_at: at, text, answer, cites, calls, tier, model, usd }) => ({
      id,
      at,
      text,
      answer,
      cites,
      calls,
      tier,
      model,
      usd,
    })),
    ...(page.next === undefined ? {} : { next: page.next }),
  };
}

/** Gives one of the caller's threads another title. */
export async function renameThread(ctx: Ctx, input: { readonly tid: string; readonly title: string }) {
  await ownThread(ctx, input.tid);
  const { text: title } = await withoutSecrets(input.title);
  const renamed = await ctx.store.records.update(RootThread, input.tid, (doc) => ({ ...doc, title }));
  if (!renamed) throw notFound("thread");
  return viewOf(renamed);
}

/** Deletes one of the caller's threads with all that was asked and answered in it. */
export async function deleteThread(ctx: Ctx, input: { readonly tid: string }) {
  const { id } = await ownThread(ctx, input.tid);
  const turns = await turnsOf(ctx, id);
  await ctx.store.records.apply([
    { op: "delete", kind: RootThread, id },
    ...turns.map((turn) => ({ op: "delete" as const, kind: RootTurn, id: turn.id })),
  ]);
  await auditAct(ctx, "root_thread_deleted", { thread: id, turns: turns.length });
  return { deleted: id, messages: turns.length };
}

async function ownThread(ctx: Ctx, id: string): Promise<ThreadDoc> {
  const thread = await ctx.store.records.get(RootThread, id);
  if (thread?.owner !== ownerOf(ctx)) throw notFound("thread");
  return thread;
}

async function turnsOf(ctx: Ctx, thread: string): Promise<TurnDoc[]> {
  const turns: TurnDoc[] = [];
  const list = (page: PageInput) => ctx.store.records.list(RootTurn, { ...page, order: "oldest", where: { thread } });
  for await (const turn of everyRow(list)) turns.push(turn);
  return turns;
}

/** Who a thread is of: the member who is signed in, in whatever session; else the token that was shown, else the kind of caller. */
function ownerOf({ caller }: Ctx): string {
  return caller.member ?? caller.token ?? caller.kind;
}

function viewOf({ id, title, created_at, updated_at, turns }: ThreadDoc) {
  return { thread: id, title, created_at, updated_at, turns };
}
