import { auditAct } from "../../audit.ts";
import type { Ctx } from "../../context.ts";
import { AppError } from "../../errors.ts";
import { ingestDigest } from "../../evidence/traces/new-traces.ts";
import { HOUR, hourOf, hoursOf } from "../../online/alert.ts";
import { stateId } from "../../online/state.ts";
import { everyRow } from "../../page.ts";
import { idOfValue } from "../../record.ts";
import { Agent } from "../../records/agents/agents.ts";
import { Evidence } from "../../records/evidence/evidence.ts";
import { OnlineState } from "../../records/online/online.ts";
import { Schedule, ScheduleFiring, Source } from "../../records/sources/sources.ts";
import { surfaceNamed } from "../../sandboxes/surfaces/surfaces.ts";
import { lastTime, PERIOD, type ScheduleDoc } from "../../sources/schedule-times.ts";
import { nextSync, syncBlocked } from "../../sources/source-view.ts";
import { startSync } from "../../sources/sync.ts";
import { fire, fireBlocked } from "./schedule-actions.ts";

/** How often the service looks for what is due, seconds. */
export const TICK_SECONDS = 30;
/** A firing that was begun so many seconds ago and has no end lost its process: it is made again. */
const LOST_AFTER = 120;

/**
 * Starts what is due in one org now: its schedules, and the sources that are pulled by a cadence of their own. What is in
 * the way of one is in the way of no other; the log names it.
 */
export async function tickOrg(ctx: Ctx): Promise<void> {
  for await (const schedule of everyRow((page) => ctx.store.records.list(Schedule, { ...page, order: "oldest" })))
    await apart(ctx, { schedule: schedule.id }, async () => {
      const occasion = await dueOccasion(ctx, schedule);
      if (occasion !== undefined) await fireOnce(ctx, schedule, occasion);
    });
  const where = { cadence: ["hourly", "daily", "weekly"] };
  for await (const source of everyRow((page) => ctx.store.records.list(Source, { ...page, where })))
    await apart(ctx, { source: source.id }, async () => {
      const due = nextSync(source, ctx.now());
      if (due !== null && due <= ctx.now() && (await syncBlocked(ctx, source)) === null) await startSync(ctx, source);
    });
}

async function apart(ctx: Ctx, what: Readonly<Record<string, string>>, start: () => Promise<void>): Promise<void> {
  try {
    await start();
  } catch (err) {
    ctx.signal.throwIfAborted();
    ctx.log.error({ err, org: ctx.org.id, ...what }, "what is due could not be started");
  }
}

/** What a schedule would fire for, whether or not it did: a time, the newest evidence, the newest version. */
export async function occasionNow(ctx: Ctx, schedule: ScheduleDoc): Promise<string | undefined> {
  if (schedule.anchor === "clock") {
    const time = lastTime(schedule, ctx.now());
    return time === undefined ? undefined : String(time);
  }
  if (schedule.anchor === "after_ingest") {
    const where = { surface: schedule.surface };
    const [newest] = (await ctx.store.records.list(Evidence, { where, limit: 1 })).items;
    // Exporters add to a record that stands: its id alone would be one occasion for a whole day.
    return newest && `${newest.id}/${(await ingestDigest(ctx, schedule.surface))?.slice(0, 12)}`;
  }
  if (schedule.agent === undefined) return (await surfaceNamed(ctx, schedule.surface))?.bundle;
  const agent = await ctx.store.records.get(Agent, schedule.agent);
  return agent?.versions.at(-1)?.version;
}

async function dueOccasion(ctx: Ctx, schedule: ScheduleDoc): Promise<string | undefined> {
  const occasion = await occasionNow(ctx, schedule);
  if (occasion === undefined) return undefined;
  if (schedule.fired_for === occasion || schedule.fired_for?.startsWith(`${occasion}${QUIET}`))
    return (await isQuietIncident(ctx, schedule)) ? `${occasion}${QUIET}${hourOf(ctx.now())}` : undefined;
  const early =
    schedule.anchor !== "clock" &&
    (ctx.now() < schedule.start_at || ctx.now() < (schedule.fired_at ?? 0) + PERIOD[schedule.cadence]);
  return early ? undefined : occasion;
}

/** Follows the newest evidence in the occasion of an alert that fires because none comes any more. */
const QUIET = "/quiet-";

/** Whether an alert that new evidence fires has an incident and was told of nothing new for two of its windows. */
async function isQuietIncident(ctx: Ctx, { id, anchor, terms, fired_at = 0 }: ScheduleDoc): Promise<boolean> {
  if (anchor !== "after_ingest" || terms === undefined) return false;
  if (ctx.now() < fired_at + 2 * hoursOf(terms) * HOUR) return false;
  return (await ctx.store.records.get(OnlineState, stateId(id)))?.incident !== undefined;
}

async function fireOnce(ctx: Ctx, schedule: ScheduleDoc, occasion: string): Promise<void> {
  const id = idOfValue(ScheduleFiring, schedule.id, occasion);
  const begun = {
    id,
    created_at: ctx.now(),
    by: ctx.caller.name,
    schedule: schedule.id,
    fired_for: occasion,
    status: "firing" as const,
    note: "It is being started.",
  };
  let lost: number | undefined;
  if (!(await ctx.store.records.insert(ScheduleFiring, begun))) {
    const known = await ctx.store.records.get(ScheduleFiring, id);
    if (known?.status !== "firing" || known.created_at >= ctx.now() - LOST_AFTER) return;
    lost = known.created_at;
    await ctx.store.records.put(ScheduleFiring, begun);
  }
  const ended = await outcomeOf(ctx, schedule, lost);
  const at = ctx.now();
  await ctx.store.records.put(ScheduleFiring, { ...begun, ...ended });
  await ctx.store.records.update(Schedule, schedule.id, (doc) => ({
    ...doc,
    fired_for: occasion,
    ...(ended.status === "fired" ? { fired_at: at } : {}),
    last: { at, status: ended.status, note: ended.note },
  }));
  await auditAct(ctx, "schedule_fired", { schedule: schedule.id, status: ended.status });
}

async function outcomeOf(ctx: Ctx, schedule: ScheduleDoc, lost: number | undefined) {
  try {
    const blocked = await fireBlocked(ctx, schedule);
    if (blocked !== null) return { status: "blocked" as const, note: blocked };
    const { job, note } = await fire(ctx, schedule, lost);
    return { status: "fired" as const, note, ...(job === undefined ? {} : { job }) };
  } catch (cause) {
    if (!(cause instanceof AppError)) ctx.log.error({ err: cause, schedule: schedule.id }, "a schedule could not fire");
    const note = cause instanceof AppError ? cause.reason : "The service met a fault of its own; its log names it.";
    return { status: "failed" as const, note };
  }
}
