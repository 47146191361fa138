import { z } from "zod";
import { sha256 } from "../../worlds/digest.ts";
import type { Ctx } from "../context.ts";
import { AppError } from "../errors.ts";
import { traceMeets } from "../evidence/traces/filter-traces.ts";
import { caughtUp, unreadPositions, withRead } from "../evidence/traces/unread-traces.ts";
import { type JobCtx, job } from "../job.ts";
import type { StoredTrace } from "../ports/store.ts";
import { type Doc, idOfValue } from "../record.ts";
import { OnlineState, type OnlineTerms } from "../records/online/online.ts";
import { Schedule, SourceLabel } from "../records/sources/sources.ts";
import { weakestTier } from "../tier.ts";
import { hourOf, keptHours } from "./alert.ts";
import { alertOn } from "./incidents.ts";
import { asksModel, type Judge, judgeTrace, mostUsd, type Verdict } from "./judge-trace.ts";
import { freshState, landed, type StateDoc, stateId, underTerms } from "./state.ts";
import { judgesOf } from "./terms.ts";

type ScheduleDoc = Doc<typeof Schedule>;
type LabelDoc = Doc<typeof SourceLabel>;

const EvaluateInput = z.object({ schedule: z.string() });

/** Judges the traces that came since the last time, and opens or closes the incident. Safe to repeat: no trace is judged twice. */
export const evaluateOnlineJob = job({
  kind: "evaluate_online",
  input: EvaluateInput,
  key: ({ schedule }) => schedule,
  attempts: 3,
  ends: "cancel",
  concurrency: 1,
  run: evaluateOnline,
});

/** Traces that one write is of; where each is paid for, one. */
const BATCH = 50;
/** Newest failures that are named. */
const FAILURES = 20;
/** The longest text that a label keeps. */
const NOTE = 2000;

async function evaluateOnline(ctx: JobCtx, { schedule: id }: z.infer<typeof EvaluateInput>) {
  const schedule = await ctx.store.records.get(Schedule, id);
  if (schedule?.terms === undefined) return { schedule: id, judged: 0, note: "The schedule is gone." };
  const { terms, surface } = schedule;
  const judges = await judgesOf(ctx, terms, surface);
  const begun = ctx.now();
  let state = underTerms(await stateOf(ctx, schedule), terms);
  const before = { judged: state.judged, bad: state.bad, undecided: state.undecided, usd: state.spent_usd };
  const size = judges.some(asksModel) ? 1 : BATCH;
  const records = await landed(ctx, surface, state.since);
  let stopped: string | undefined;
  for (const record of records) {
    const meets = await traceMeets(ctx, record, terms.filter ?? {});
    for await (const positions of unreadPositions(ctx, record.id, state.read[record.id] ?? [], size)) {
      ctx.signal.throwIfAborted();
      const rows = await ctx.store.traces.at(record.id, positions);
      const left = remainingUsd(terms, state.spent_usd - before.usd);
      const judged = await judgedRows(ctx, terms, judges, rows.filter(chosen(terms, meets)), left);
      stopped = judged.stopped;
      if (stopped !== undefined) {
        state = { ...state, spent_usd: state.spent_usd + judged.unused };
        break;
      }
      state = await kept(ctx, { schedule: id, terms }, withRead(state, record.id, positions), judged);
      ctx.progress(state.judged - before.judged, undefined, "traces judged");
    }
    if (stopped !== undefined) break;
  }
  if (stopped === undefined) state = caughtUp(state, records, begun);
  state = await written(ctx, state, stopped);
  const incident = schedule.kind === "alert" ? await alertOn(ctx, schedule, terms, state) : undefined;
  const found = { judged: state.judged - before.judged, failed: state.bad - before.bad };
  await ctx.job.audit("judged_online", { schedule: id, ...found });
  return {
    schedule: id,
    ...found,
    undecided: state.undecided - before.undecided,
    usd: state.spent_usd - before.usd,
    stopped: stopped ?? null,
    incident: incident ?? null,
    tier: weakestTier(Object.values(state.by_name).map(({ tier }) => tier)) ?? ("deterministic" as const),
  };
}

async function stateOf(ctx: Ctx, schedule: ScheduleDoc): Promise<StateDoc> {
  const known = await ctx.store.records.get(OnlineState, stateId(schedule.id));
  if (known) return known;
  // A copy of an org takes schedules and leaves behind what they did: it begins with what comes from now on.
  const fresh = await freshState(ctx, schedule);
  await ctx.store.records.insert(OnlineState, fresh);
  return fresh;
}

/** Whether a trace is one to judge: by the filter, and by a hash of its id, so that the same trace is always chosen or never. */
function chosen({ share = 1 }: OnlineTerms, meets: (trace: StoredTrace["trace"]) => boolean) {
  return ({ id, trace }: StoredTrace) => isSampled(id, share) && meets(trace);
}

const DIGITS = 12;

/** Whether a trace is in a sample of this share, 0 to 1. A trace in a sample is in every larger one. */
export function isSampled(trace: string, share: number): boolean {
  return Number.parseInt(sha256(trace).slice(0, DIGITS), 16) / 16 ** DIGITS < share;
}

function remainingUsd({ usd_cap }: OnlineTerms, spent: number): number {
  return usd_cap === undefined ? Number.POSITIVE_INFINITY : usd_cap - spent;
}

interface Judged {
  readonly rows: readonly { readonly row: StoredTrace; readonly verdicts: readonly Verdict[] }[];
  /** Why the rest was not judged. */
  readonly stopped?: string;
  /** What was spent on a trace that could not be judged whole, US dollars. */
  readonly unused: number;
}

async function judgedRows(
  ctx: Ctx,
  terms: OnlineTerms,
  judges: readonly Judge[],
  rows: readonly StoredTrace[],
  left: number,
): Promise<Judged> {
  const done: { row: StoredTrace; verdicts: Verdict[] }[] = [];
  for (const row of rows) {
    const verdicts: Verdict[] = [];
    const spent = () => verdicts.reduce((sum, { usd }) => sum + usd, 0);
    try {
      if (judges.reduce((sum, judge) => sum + mostUsd(ctx, judge, row.trace), 0) > left) return capped(terms);
      for (const judge of judges) verdicts.push(await judgeTrace(ctx, judge, row.trace));
    } catch (error) {
      if (!(error instanceof AppError) || (error.code !== "unavailable" && error.code !== "conflict")) throw error;
      // The day's budget is spent, or the model's provider does not answer.
      return { rows: done, stopped: `${error.reason} ${REST}`, unused: spent() };
    }
    done.push({ row, verdicts });
  }
  return { rows: done, unused: 0 };
}

const REST = "The traces that were not judged wait for the next time.";

function capped({ usd_cap = 0 }: OnlineTerms): Judged {
  const stopped = `The next trace may cost more than is left of the $${usd_cap} that one firing may spend. ${REST} A larger usd_cap or a smaller share judges more of them.`;
  return { rows: [], stopped, unused: 0 };
}

async function kept(
  ctx: Ctx,
  { schedule, terms }: { readonly schedule: string; readonly terms: OnlineTerms },
  state: StateDoc,
  { rows }: Judged,
): Promise<StateDoc> {
  const next = counted(state, rows, terms, ctx.now());
  const labels = rows.flatMap(({ row, verdicts }) => verdicts.map((verdict) => labelOf(ctx, schedule, row, verdict)));
  await ctx.store.records.apply([
    ...labels.map((doc) => ({ op: "put" as const, kind: SourceLabel, doc })),
    { op: "put", kind: OnlineState, doc: next },
  ]);
  return next;
}

/** A trace fails where one of its verdicts is bad; it is decided where one is bad or all are good. */
function counted(state: StateDoc, rows: Judged["rows"], terms: OnlineTerms, now: number): StateDoc {
  const hours = keptHours(state.hours, terms, now);
  const at = hourOf(now);
  const hour = hours.find((each) => each.at === at) ?? { at, judged: 0, bad: 0, by: {} };
  const next = { ...state, by_name: { ...state.by_name } };
  const by: Record<string, number> = { ...hour.by };
  let { judged, bad } = hour;
  for (const { row, verdicts } of rows) {
    const failed = verdicts.some(({ polarity }) => polarity === "bad");
    const decided = failed || verdicts.every(({ polarity }) => polarity === "good");
    if (decided) {
      judged += 1;
      next.judged += 1;
    } else next.undecided += 1;
    if (failed) {
      bad += 1;
      next.bad += 1;
    }
    for (const { name, polarity, tier, usd } of verdicts) {
      const known = next.by_name[name] ?? { good: 0, bad: 0, unclear: 0, tier };
      next.by_name[name] = { ...known, [polarity]: known[polarity] + 1, tier: weakestTier([known.tier, tier]) ?? tier };
      if (polarity === "bad") {
        by[name] = (by[name] ?? 0) + 1;
        next.failures = [{ trace: row.id, name, at: now, tier }, ...next.failures.slice(0, FAILURES - 1)];
      }
      next.spent_usd += usd;
    }
  }
  const others = hours.filter((each) => each.at !== at);
  return { ...next, hours: judged === 0 ? others : [...others, { at, judged, bad, by }], updated_at: now };
}

function labelOf(ctx: Ctx, schedule: string, { id, trace }: StoredTrace, verdict: Verdict): LabelDoc {
  return {
    id: idOfValue(SourceLabel, schedule, verdict.name, id),
    created_at: ctx.now(),
    by: `schedule ${schedule}`,
    source: schedule,
    name: verdict.name,
    session: trace.session,
    trace: id,
    polarity: verdict.polarity,
    note: verdict.note.slice(0, NOTE),
    failure_mode: false,
    tier: verdict.tier,
  };
}

async function written(
  ctx: Ctx,
  { stopped: _was, ...state }: StateDoc,
  stopped: string | undefined,
): Promise<StateDoc> {
  const next = { ...state, ...(stopped === undefined ? {} : { stopped }), updated_at: ctx.now() };
  await ctx.store.records.put(OnlineState, next);
  return next;
}

/** Why a schedule could not judge now, in words; null when it could. */
export async function onlineBlocked(ctx: Ctx, { terms, surface }: ScheduleDoc): Promise<string | null> {
  if (terms === undefined) return "It names nothing to judge by.";
  try {
    const judges = await judgesOf(ctx, terms, surface);
    return judges.some((judge) => asksModel(judge)) && ctx.models.offered.length === 0
      ? "It asks a model, and this workspace has none; the operator can set SVC_MODELS."
      : null;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.details.fields?.[0]?.message ?? error.reason;
  }
}
