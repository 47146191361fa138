import { z } from "zod";
import { auditAct } from "../../audit.ts";
import { actor, type Ctx } from "../../context.ts";
import { badField, notFound, orNotFound } from "../../errors.ts";
import { byField, count, orgRef, recordId } from "../../fields.ts";
import { findAgent } from "../../find-agent.ts";
import { endOnline, freshState, onlineView } from "../../online/state.ts";
import { isOnline, keptTerms } from "../../online/terms.ts";
import type { PageInput } from "../../page.ts";
import { OnlineFailure, OnlineState, OnlineTermsInput } from "../../records/online/online.ts";
import { RunHarness } from "../../records/runs/runs.ts";
import { Anchor, Schedule, ScheduleCadence, ScheduleFiring, ScheduleKind } from "../../records/sources/sources.ts";
import { dueIn, PERIOD, type ScheduleDoc } from "../../sources/schedule-times.ts";
import { isPullable } from "../../sources/source-view.ts";
import { findSource } from "../../sources/sources.ts";
import { Tier } from "../../tier.ts";
import { fireBlocked } from "./schedule-actions.ts";
import { occasionNow, TICK_SECONDS } from "./tick.ts";

const interval = z
  .object({ share: z.number(), low: z.number(), high: z.number() })
  .nullable()
  .describe("The share that failed with its 95 % interval (Wilson); null where nothing was judged.");

/** What judging traces as they come found. A trace is failed where one check or detector says so. */
const OnlineFound = z.object({
  judged: count.describe("Traces that were decided."),
  failed: count,
  undecided: count,
  interval,
  window: z.object({ judged: count, failed: count, interval }).describe("The same of the last window_hours."),
  by: z.array(z.object({ name: z.string(), good: count, bad: count, unclear: count, tier: Tier })),
  failures: z
    .array(OnlineFailure)
    .describe("The newest verdicts that made a trace fail; read one with evidence_get and its trace."),
  spent_usd: z.number(),
  stopped: z.string().nullable().describe("Why the last firing left traces unjudged; null where it did not."),
  incident: z
    .object({
      id: z.string(),
      opened_at: z.number(),
      message: z.array(z.string()),
      sent: z.array(z.object({ channel: z.string(), state: z.string(), reason: z.string().optional() })),
    })
    .nullable()
    .describe("The incident that lasts."),
  tier: Tier,
});

/** A schedule as answered. Times are unix seconds, durations seconds. */
export const ScheduleView = z.object({
  id: z.string(),
  kind: ScheduleKind,
  surface: z.string(),
  cadence: ScheduleCadence,
  anchor: Anchor,
  label: z.string().optional(),
  agent: z.string().optional(),
  harness: RunHarness.optional(),
  source: z.string().optional(),
  terms: z
    .record(z.string(), z.unknown())
    .optional()
    .describe("As they were given; of a chat channel without the confirm."),
  online: OnlineFound.optional().describe("Of kinds evaluate and alert: what it found so far."),
  start_at: z.number(),
  due_in: z
    .number()
    .nullable()
    .describe("Seconds until it fires by the clock; null where something else makes it fire."),
  fire_blocked: z.string().nullable().describe("Why it would not fire now; null where nothing is in the way."),
  fired_at: z.number().optional(),
  last: Schedule.schema.shape.last,
  by: z.string(),
  created_at: z.number(),
  updated_at: z.number(),
});
export type ScheduleView = z.infer<typeof ScheduleView>;

/** The org's schedules, newest first, with what may be said of one. */
export async function listSchedules(ctx: Ctx, input: PageInput & { readonly surface?: string | undefined }) {
  const { surface, limit, cursor } = input;
  const where = surface === undefined ? {} : { surface };
  const page = await ctx.store.records.list(Schedule, { limit, cursor, where });
  return {
    kinds: ScheduleKind.options,
    anchors: Anchor.options,
    cadences: ScheduleCadence.options,
    tick_seconds: TICK_SECONDS,
    schedules: await Promise.all(page.items.map((doc) => view(ctx, doc))),
    ...(page.next === undefined ? {} : { next: page.next }),
  };
}

/** One schedule of this org. Unknown and another org's are the same 404. */
export async function getSchedule(ctx: Ctx, input: { readonly sid: string }): Promise<ScheduleView> {
  return view(ctx, await find(ctx, input.sid));
}

export const surface = z.string().min(1).max(100);
export const label = z.string().min(1).max(200);
export const startAt = z
  .number()
  .min(0)
  .max(1e11)
  .describe("Its first time, unix seconds; one cadence from now when absent.");
export const anchor = Anchor.describe("What fires it: the clock, new evidence, or a new version of agent or surface.");
export const cadence = ScheduleCadence.describe("How often by the clock; with another anchor, how often at most.");

/** What `schedules_post` takes. */
export const NewSchedule = z.object({
  ...orgRef,
  kind: ScheduleKind,
  surface: surface.optional().describe("The surface it is for; the source's, else `main`, when absent."),
  cadence: cadence.optional(),
  anchor: anchor.optional(),
  agent: z.string().min(1).max(200).optional().describe("For `run`: the agent; the primary one when absent."),
  harness: RunHarness.optional().describe("For `run`: a built-in harness in an agent's place."),
  label: label.optional(),
  source: z.string().min(1).max(200).optional().describe("For `sync`: the source; all of the surface when absent."),
  terms: OnlineTermsInput.optional().describe("For `evaluate` and `alert`: what of the traces is judged, and by what."),
  start_at: startAt.optional(),
  ...byField,
});
export type NewSchedule = z.output<typeof NewSchedule>;

/** Makes a schedule. What happened before it was made does not fire it. */
export async function addSchedule(ctx: Ctx, input: NewSchedule): Promise<ScheduleView> {
  const { kind, label } = input;
  const online = isOnline(kind);
  const { cadence = online ? "hourly" : "daily", anchor = online ? "after_ingest" : "clock" } = input;
  if (kind !== "run" && kind !== "scan" && input.agent !== undefined)
    throw badField("agent", "belongs to schedules of kind run and scan");
  if (kind !== "run" && input.harness !== undefined) throw badField("harness", "belongs to schedules of kind run");
  if (input.agent !== undefined && input.harness !== undefined)
    throw badField("harness", "name an agent or a harness, not both");
  if (anchor === "after_ingest" && (kind === "sync" || kind === "scan"))
    throw badField("anchor", "a pull stores evidence itself: it would fire itself for ever");
  if (online && anchor === "on_version") throw badField("anchor", JUDGES_TRACES);
  const agent = input.agent === undefined ? undefined : (await findAgent(ctx, input.agent)).id;
  const source = await sourceFor(ctx, input);
  const now = ctx.now();
  const surface = input.surface ?? source?.surface ?? "main";
  const terms = await keptTerms(ctx, { kind, surface, terms: input.terms });
  const blank: ScheduleDoc = {
    id: ctx.id(Schedule.prefix),
    created_at: now,
    by: actor(ctx, input.by),
    kind,
    surface,
    cadence,
    anchor,
    ...(label === undefined ? {} : { label }),
    ...(agent === undefined ? {} : { agent }),
    ...(input.harness === undefined ? {} : { harness: input.harness }),
    ...(source === undefined ? {} : { source: source.id }),
    ...(terms === undefined ? {} : { terms }),
    start_at: input.start_at ?? firstTime(anchor, cadence, now),
    updated_at: now,
  };
  const doc = await begun(ctx, blank);
  await ctx.store.records.apply([
    { op: "insert", kind: Schedule, doc },
    ...(online ? [{ op: "insert" as const, kind: OnlineState, doc: await freshState(ctx, doc) }] : []),
  ]);
  await auditAct(ctx, "schedule_made", { schedule: doc.id, kind, anchor, cadence }, input.by);
  return view(ctx, doc);
}

export const sid = recordId("schedule");

/** What `schedules_patch` takes. */
export const SchedulePatch = z.object({
  ...orgRef,
  sid,
  anchor: anchor.optional(),
  cadence: cadence.optional(),
  label: label.optional(),
  terms: OnlineTermsInput.optional().describe(
    "For `evaluate` and `alert`: as schedules_post takes them, in place of all.",
  ),
  start_at: startAt.optional(),
});
export type SchedulePatch = z.output<typeof SchedulePatch>;

/**
 * Changes when a schedule fires, its label, or its terms as a whole. With another anchor only what happens from now on fires
 * it; with another filter, share, check or detector the traces that come from now on are counted anew.
 */
export async function changeSchedule(ctx: Ctx, input: SchedulePatch): Promise<ScheduleView> {
  const { sid, anchor, cadence, label, start_at } = input;
  const before = await find(ctx, sid);
  const { kind, surface } = before;
  if (anchor === "after_ingest" && (before.kind === "sync" || before.kind === "scan"))
    throw badField("anchor", "a pull stores evidence itself: it would fire itself for ever");
  if (anchor === "on_version" && isOnline(before.kind)) throw badField("anchor", JUDGES_TRACES);
  const terms = input.terms && (await keptTerms(ctx, { kind, surface, terms: input.terms }));
  const now = ctx.now();
  const newTimes = anchor !== undefined || cadence !== undefined || start_at !== undefined;
  const asBefore = (cadence ?? before.cadence) === before.cadence && (anchor ?? before.anchor) === before.anchor;
  const first = asBefore ? before.start_at : firstTime(anchor ?? before.anchor, cadence ?? before.cadence, now);
  const { fired_for: _was, ...rest } = before;
  const planned: ScheduleDoc = {
    ...rest,
    ...(anchor === undefined ? {} : { anchor }),
    ...(cadence === undefined ? {} : { cadence }),
    start_at: start_at ?? first,
  };
  const { fired_for } = newTimes ? await begun(ctx, planned) : before;
  const after = await ctx.store.records.update(Schedule, sid, ({ fired_for: _old, ...doc }) => ({
    ...doc,
    ...(newTimes ? { anchor: planned.anchor, cadence: planned.cadence, start_at: planned.start_at } : {}),
    ...(fired_for === undefined ? {} : { fired_for }),
    ...(label === undefined ? {} : { label }),
    ...(terms === undefined ? {} : { terms }),
    updated_at: now,
  }));
  if (!after) throw notFound("schedule");
  await auditAct(ctx, "schedule_changed", { schedule: sid, ...(terms === undefined ? {} : { terms: "changed" }) });
  return view(ctx, after);
}

/** Ends a schedule; what it started stays. */
export async function deleteSchedule(ctx: Ctx, input: { readonly sid: string }) {
  const { id } = await find(ctx, input.sid);
  await ctx.store.records.delete(Schedule, id);
  await endOnline(ctx, id);
  await auditAct(ctx, "schedule_deleted", { schedule: id });
  return { deleted: id, runs_kept: await ctx.store.records.count(ScheduleFiring, { schedule: id, status: "fired" }) };
}

const JUDGES_TRACES = "it judges traces as they come: use after_ingest or the clock";

/** The clock begins one cadence from now; events count at once. */
function firstTime(anchor: ScheduleDoc["anchor"], cadence: ScheduleDoc["cadence"], now: number): number {
  return anchor === "clock" ? now + PERIOD[cadence] : now;
}

async function find(ctx: Ctx, sid: string): Promise<ScheduleDoc> {
  return orNotFound(await ctx.store.records.get(Schedule, sid), "schedule");
}

async function sourceFor(ctx: Ctx, { kind, source, surface }: NewSchedule) {
  if (source === undefined) return undefined;
  if (kind !== "sync") throw badField("source", "belongs to schedules of kind sync");
  const doc = await findSource(ctx, source);
  if (!isPullable(doc.kind)) throw badField("source", "sources of its kind are sent, not pulled");
  if (surface !== undefined && surface !== doc.surface) throw badField("surface", "is not the source's");
  return doc;
}

/** The schedule as one that has fired for all that happened so far; the clock begins with its first time. */
async function begun(ctx: Ctx, doc: ScheduleDoc): Promise<ScheduleDoc> {
  if (doc.anchor === "clock") return doc;
  const occasion = await occasionNow(ctx, doc);
  return occasion === undefined ? doc : { ...doc, fired_for: occasion };
}

async function view(ctx: Ctx, { fired_for: _for, ...doc }: ScheduleDoc): Promise<ScheduleView> {
  const due = dueIn({ ...doc, ...(_for === undefined ? {} : { fired_for: _for }) }, ctx.now());
  const online = await onlineView(ctx, doc);
  return {
    ...doc,
    ...(online === undefined ? {} : { online }),
    due_in: due,
    fire_blocked: await fireBlocked(ctx, doc),
  };
}
