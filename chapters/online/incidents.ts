import { auditAct } from "../audit.ts";
import type { Ctx } from "../context.ts";
import type { Doc } from "../record.ts";
import { Incident, OnlineState, type OnlineTerms } from "../records/online/online.ts";
import { weakestTier } from "../tier.ts";
import { linesOf, turnOf, type Window, windowsOf } from "./alert.ts";
import type { StateDoc } from "./state.ts";
import { tellIncident } from "./tell.ts";

type IncidentDoc = Doc<typeof Incident>;

interface Watched {
  readonly id: string;
  readonly label?: string | undefined;
}

/** Opens or closes the incident of a schedule by its windows, and tells of it: once as it opens, once as it closes. */
export async function alertOn(ctx: Ctx, schedule: Watched, terms: OnlineTerms, state: StateDoc) {
  const { window, before } = windowsOf(state.hours, terms, ctx.now());
  const open = state.incident === undefined ? undefined : await ctx.store.records.get(Incident, state.incident);
  const turn = turnOf(terms, window, before, open);
  // What waits for a budget may fail: no traces were judged, but some came.
  if (turn === "closes" && window.judged === 0 && state.stopped !== undefined)
    return { incident: open?.id, status: "open" as const };
  if (open === undefined && turn !== "opens") return undefined;
  const incident = open ?? (await opened(ctx, schedule, terms, state, window, before));
  // What could not be sent as it opened is tried again while it lasts.
  const standing = await sent(ctx, schedule, terms, incident, "opened");
  if (open === undefined || turn !== "closes") return { incident: incident.id, status: "open" as const };
  await closed(ctx, schedule, terms, { state, incident: standing }, window);
  return { incident: incident.id, status: "closed" as const };
}

async function opened(
  ctx: Ctx,
  schedule: Watched,
  terms: OnlineTerms,
  state: StateDoc,
  window: Window,
  before: Window,
): Promise<IncidentDoc> {
  const baseline = terms.change === undefined ? undefined : { bad: before.bad, judged: before.judged };
  const incident: IncidentDoc = {
    id: ctx.id(Incident.prefix),
    created_at: ctx.now(),
    by: `schedule ${schedule.id}`,
    schedule: schedule.id,
    status: "open",
    opened_at: ctx.now(),
    message: linesOf(terms, window, baseline),
    ...(baseline === undefined ? {} : { baseline }),
    sent: [],
    tier: weakestTier(Object.values(state.by_name).map(({ tier }) => tier)) ?? "deterministic",
  };
  // Both or neither: an incident that no state names would be opened, and told, once more.
  await ctx.store.records.apply([
    { op: "insert", kind: Incident, doc: incident },
    { op: "put", kind: OnlineState, doc: { ...state, incident: incident.id } },
  ]);
  await auditAct(ctx, "incident_opened", { incident: incident.id, schedule: schedule.id });
  return incident;
}

async function closed(
  ctx: Ctx,
  schedule: Watched,
  terms: OnlineTerms,
  { state, incident }: { readonly state: StateDoc; readonly incident: IncidentDoc },
  window: Window,
): Promise<void> {
  const over: IncidentDoc = {
    ...incident,
    status: "closed",
    closed_at: ctx.now(),
    closing_message: linesOf(terms, window, incident.baseline),
  };
  const { incident: _over, ...quiet } = state;
  await ctx.store.records.apply([
    { op: "put", kind: Incident, doc: over },
    { op: "put", kind: OnlineState, doc: quiet },
  ]);
  // Who was not told that it opened needs not hear that it closed.
  if (incident.sent.some((one) => one.state !== "failed")) await sent(ctx, schedule, terms, over, "closed");
  await auditAct(ctx, "incident_closed", { incident: incident.id, schedule: schedule.id });
}

async function sent(
  ctx: Ctx,
  { id, label }: Watched,
  { chat }: OnlineTerms,
  incident: IncidentDoc,
  turn: "opened" | "closed",
): Promise<IncidentDoc> {
  const lines = (turn === "opened" ? incident.message : incident.closing_message) ?? [];
  const note = { incident: incident.id, turn, name: label ?? id, lines, by: incident.by };
  const before = turn === "opened" ? incident.sent : incident.closing_sent;
  const results = await tellIncident(ctx, chat, note, before);
  const field = turn === "opened" ? "sent" : "closing_sent";
  return (await ctx.store.records.update(Incident, incident.id, (doc) => ({ ...doc, [field]: results }))) ?? incident;
}
