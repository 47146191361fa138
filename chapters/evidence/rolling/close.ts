import type { Ctx } from "../../context.ts";
import { AppError } from "../../errors.ts";
import { everyRow } from "../../page.ts";
import type { Doc } from "../../record.ts";
import { Evidence } from "../../records/evidence/evidence.ts";
import { RollingSpans, RollingTrace, type StreamFacts } from "../../records/evidence/rolling.ts";
import type { PrivacyRule } from "../anonymize/index.ts";
import { sourceAccess } from "../intake/source-access.ts";
import { type RollingContent, readSpans } from "./read-spans.ts";
import { countReported, place, type ReadRolling, recordFor } from "./rolling-record.ts";

/** A trace is whole when its root has ended and for so many seconds no span came. */
export const QUIET_SECONDS = 300;
/** One whose root never comes is told when for so many seconds no span came. */
export const ROOTLESS_SECONDS = 3600;
/** Traces that one look closes at most; the next look goes on. */
const AT_ONCE = 200;
/** Traces that are read before they are written as one step: what is held in memory. */
const TOGETHER = 20;
const DAY = 86_400;
/** Days back that are looked through for spans that may go: a service that stood still catches up. */
const DAYS_BACK = 60;

type RollingDoc = Doc<typeof RollingTrace>;

/** Tells the traces that are whole now, and lets go of spans that nothing waits for. Two processes may do it at once. */
export async function closeTraces(ctx: Ctx): Promise<void> {
  const due: RollingDoc[] = [];
  for await (const doc of everyRow((page) =>
    ctx.store.records.list(RollingTrace, { ...page, where: { state: "open" } }),
  )) {
    if (isComplete(doc, ctx.now())) due.push(doc);
    if (due.length >= AT_ONCE) break;
  }
  for (let i = 0; i < due.length; i += TOGETHER) {
    ctx.signal.throwIfAborted();
    await close(
      ctx,
      due.slice(i, i + TOGETHER).map(({ id }) => id),
    );
  }
  await letGo(ctx);
}

function isComplete({ last_at, root_ended }: RollingDoc, now: number): boolean {
  return now - last_at >= (root_ended ? QUIET_SECONDS : ROOTLESS_SECONDS);
}

/** How often a trace is told anew when others wrote at the same time. */
const TRIES = 10;

/** Closes traces, those of one record as one step; where others wrote at the same time, one by one. */
async function close(ctx: Ctx, ids: readonly string[]): Promise<void> {
  const conflicts = await closeTogether(ctx, ids);
  for (const id of conflicts) for (let n = 0; n < TRIES && (await closeTogether(ctx, [id])).length > 0; n++);
}

/** Answers the traces that others wrote to meanwhile: nothing of them is told yet. */
async function closeTogether(ctx: Ctx, ids: readonly string[]): Promise<readonly string[]> {
  const byRecord = new Map<string, ReadRolling[]>();
  for (const id of ids) {
    const read = await readTrace(ctx, id).catch((err: unknown) => {
      // One trace's trouble is no other's; it is tried again at the next look.
      ctx.log.error({ err, trace: id }, "the spans of a trace could not be put together");
      return undefined;
    });
    if (read?.doc.state !== "open" || !isComplete(read.doc, ctx.now())) continue;
    const evidence = read.doc.told?.evidence ?? (await recordFor(ctx, read));
    byRecord.set(evidence, [...(byRecord.get(evidence) ?? []), read]);
  }
  const conflicts: string[] = [];
  for (const [evidence, group] of byRecord) {
    try {
      await tell(ctx, evidence, group);
    } catch (cause) {
      if (!(cause instanceof AppError) || cause.code !== "conflict") throw cause;
      conflicts.push(...group.map(({ doc }) => doc.id));
    }
  }
  return conflicts;
}

async function tell(ctx: Ctx, evidence: string, group: readonly ReadRolling[]): Promise<void> {
  const placed = await place(ctx, evidence, await stillThere(ctx, evidence, group));
  const rows = placed.flatMap(({ told, content: { trace } }) =>
    trace ? [{ id: told.row, evidence, position: told.position, packed: trace.packed }] : [],
  );
  if (rows.length > 0) await ctx.store.traces.append(rows);
  for (const { told, content } of placed)
    if (!content.trace && (told.counted?.traces ?? 0) > 0) await ctx.store.traces.delete(told.row);
  await countReported(ctx, evidence, placed);
}

/** Those that were not erased: one that was told before and is not there any more stays away, and its spans go. */
async function stillThere(ctx: Ctx, evidence: string, group: readonly ReadRolling[]): Promise<ReadRolling[]> {
  const kept: ReadRolling[] = [];
  const record = await ctx.store.records.get(Evidence, evidence);
  for (const read of group) {
    const { told, id } = read.doc;
    const wasTold = told !== undefined && (told.counted?.traces ?? 0) > 0;
    if (!record || (wasTold && !(await ctx.store.traces.get(told.row)))) await forgetOne(ctx, id);
    else kept.push(read);
  }
  return kept;
}

async function readTrace(ctx: Ctx, id: string): Promise<ReadRolling | undefined> {
  const stored = await ctx.store.records.raw(RollingTrace.kind, id);
  if (!stored) return undefined;
  const doc = JSON.parse(stored.text) as RollingDoc;
  return { doc, digest: stored.digest, content: await contentOf(ctx, doc) };
}

/** What the spans of a trace come to, put together off the serving thread. */
async function contentOf(ctx: Ctx, doc: RollingDoc): Promise<RollingContent> {
  const parts: string[] = [];
  let unreadable = 0;
  for (const part of await ctx.store.records.getMany(RollingSpans, doc.parts)) {
    const text = part.sealed ? opened(ctx, part.spans) : part.spans;
    if (text === undefined) unreadable++;
    else parts.push(text);
  }
  const { facts, secrets, root_ended: rootEnded } = doc;
  const privacy = await ruleOf(ctx, facts);
  const spans = { parts, unreadable, rootEnded, allowSecrets: facts.allow_secrets, secrets, privacy };
  return ctx.compute.run(readSpans, spans, ctx.signal);
}

/** What may be kept of values: what the sender said, or what its source says by now where that is less. */
async function ruleOf(ctx: Ctx, { source, access }: StreamFacts): Promise<PrivacyRule | undefined> {
  try {
    return await sourceAccess(ctx, source, access);
  } catch (cause) {
    if (!(cause instanceof AppError)) throw cause;
    return sourceAccess(ctx, source, undefined);
  }
}

function opened(ctx: Ctx, sealed: string): string | undefined {
  try {
    return ctx.sealer.open(sealed);
  } catch {
    return undefined;
  }
}

async function letGo(ctx: Ctx): Promise<void> {
  const today = Math.floor(ctx.now() / DAY);
  const where = { state: ["closed", "erased"], goes_on: Array.from({ length: DAYS_BACK }, (_, i) => today - i) };
  const { items } = await ctx.store.records.list(RollingTrace, { where, limit: AT_ONCE });
  for (const doc of items) {
    await dropSpans(ctx, doc);
    await ctx.store.records.delete(RollingTrace, doc.id);
  }
}

async function dropSpans(ctx: Ctx, doc: RollingDoc): Promise<void> {
  for (const part of doc.parts) await ctx.store.records.delete(RollingSpans, part);
}

/** Forgets the spans of a trace that is deleted: none that comes later brings it back. */
export async function forgetSpans(ctx: Ctx, row: string): Promise<void> {
  const { items } = await ctx.store.records.list(RollingTrace, { where: { row } });
  for (const { id } of items) await forgetOne(ctx, id);
}

async function forgetOne(ctx: Ctx, id: string): Promise<void> {
  let before: RollingDoc | undefined;
  await ctx.store.records.update(RollingTrace, id, (doc) => {
    before = doc;
    return { ...doc, state: "erased" as const, parts: [] };
  });
  if (before) await dropSpans(ctx, before);
}
