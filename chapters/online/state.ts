import { digestOf } from "../../worlds/digest.ts";
import type { Ctx } from "../context.ts";
import { landedRecords, SLACK } from "../evidence/traces/unread-traces.ts";
import { everyRow } from "../page.ts";
import { type Doc, idOfValue } from "../record.ts";
import { DEFAULT_SURFACE, type Evidence } from "../records/evidence/evidence.ts";
import { Incident, OnlineState, type OnlineTerms } from "../records/online/online.ts";
import { weakestTier } from "../tier.ts";
import { shareOf, windowsOf } from "./alert.ts";

/** A state as stored. */
export type StateDoc = Doc<typeof OnlineState>;

/** The id of a schedule's one state. */
export function stateId(schedule: string): string {
  return idOfValue(OnlineState, schedule);
}

/** The digest of which traces are judged by some terms, and by what. */
export function judgedBy({ filter, share, checks, detectors, reader }: OnlineTerms): string {
  return digestOf({ filter, share, checks, detectors, reader });
}

/** A state under some terms: with others than it counted by it counts anew. What it has read and spent stays, and its incident. */
export function underTerms({ judged_by, ...state }: StateDoc, terms: OnlineTerms): StateDoc {
  const now = judgedBy(terms);
  const same = judged_by === undefined || judged_by === now;
  return { ...state, ...(same ? {} : NOTHING_JUDGED), judged_by: now };
}

const NOTHING_JUDGED = { hours: [], judged: 0, bad: 0, undecided: 0, by_name: {}, failures: [] };

/** The state of a schedule that has judged nothing: what landed before it was made is not judged. */
export async function freshState(
  ctx: Ctx,
  schedule: { readonly id: string; readonly surface: string },
): Promise<StateDoc> {
  const now = ctx.now();
  const since = now - SLACK;
  const read: StateDoc["read"] = {};
  for (const record of await landed(ctx, schedule.surface, since)) {
    const end = record.rolling?.next ?? record.stats.traces;
    if (end > 0) read[record.id] = [[0, end - 1]];
  }
  return {
    id: stateId(schedule.id),
    created_at: now,
    by: ctx.caller.name,
    schedule: schedule.id,
    since,
    read,
    ...NOTHING_JUDGED,
    spent_usd: 0,
    updated_at: now,
  };
}

/** Records of traces of a surface that landed since then, and those that exporters may still add to. */
export function landed(ctx: Ctx, surface: string, since: number): Promise<Doc<typeof Evidence>[]> {
  return landedRecords(ctx, since, (record) => (record.surface ?? DEFAULT_SURFACE) === surface);
}

/** What a schedule has found so far, for people. */
export async function onlineView(
  ctx: Ctx,
  schedule: { readonly id: string; readonly terms?: OnlineTerms | undefined },
) {
  const known = await ctx.store.records.get(OnlineState, stateId(schedule.id));
  if (!known || schedule.terms === undefined) return undefined;
  const state = underTerms(known, schedule.terms);
  const { window } = windowsOf(state.hours, schedule.terms, ctx.now());
  const incident = state.incident === undefined ? undefined : await ctx.store.records.get(Incident, state.incident);
  const names = Object.entries(state.by_name);
  return {
    judged: state.judged,
    failed: state.bad,
    undecided: state.undecided,
    interval: shareOf(state),
    window: { judged: window.judged, failed: window.bad, interval: shareOf(window) },
    by: names.map(([name, { good, bad, unclear, tier }]) => ({ name, good, bad, unclear, tier })),
    failures: state.failures,
    spent_usd: state.spent_usd,
    stopped: state.stopped ?? null,
    incident: incident
      ? { id: incident.id, opened_at: incident.opened_at, message: incident.message, sent: incident.sent }
      : null,
    tier: weakestTier(names.map(([, { tier }]) => tier)) ?? ("deterministic" as const),
  };
}

/** Forgets what a schedule judged by; its labels and incidents stay, and none of them lasts any more. */
export async function endOnline(ctx: Ctx, schedule: string): Promise<void> {
  await ctx.store.records.delete(OnlineState, stateId(schedule));
  const where = { schedule, status: "open" };
  const over = { status: "closed" as const, closed_at: ctx.now() };
  for await (const { id } of everyRow((page) => ctx.store.records.list(Incident, { ...page, where })))
    await ctx.store.records.update(Incident, id, (doc) => ({ ...doc, ...over }));
}
