import type { Ctx } from "../../context.ts";
import { shownTo } from "../../modes/note-audience.ts";
import type { ModeDoc } from "../../modes/record-modes.ts";
import { everyRow } from "../../page.ts";
import type { StoredTrace } from "../../ports/store.ts";
import { Evidence } from "../../records/evidence/evidence.ts";
import { FeedbackNote } from "../../records/evidence/feedback.ts";
import { SourceLabel } from "../../records/sources/sources.ts";

/** A session that somebody reported against a mode, and where they did. */
export interface ReportedSession {
  readonly session: string;
  readonly from: "mode" | "note" | "label";
}

/** Columns of a feedback sheet that hold a session's or a trace's id. */
const ID_COLUMN = /^(?:session|trace)(?:[ _-]?id)?$/i;

/** Every session reported against a mode, once: with the mode, by its notes, and by labels sent as it. */
export async function reportedSessions(ctx: Ctx, mode: ModeDoc): Promise<ReportedSession[]> {
  const found = new Map<string, ReportedSession>();
  const add = (session: string | undefined, from: ReportedSession["from"]) => {
    if (session !== undefined && session !== "" && !found.has(session)) found.set(session, { session, from });
  };
  for (const id of mode.reported) add(id, "mode");
  for (const { trace } of mode.cites) add(trace, "mode");
  const where = { failure_mode: mode.id };
  for await (const note of everyRow((page) => ctx.store.records.list(FeedbackNote, { ...page, where }))) {
    if (note.retired_at !== undefined || !shownTo(note, mode.visibility === "staff" ? "staff" : "customer")) continue;
    if (note.about?.kind === "trace") add(note.about.id, "note");
    for (const [column, value] of Object.entries(note.fields ?? {})) if (ID_COLUMN.test(column)) add(value, "note");
  }
  const labels = { failure_mode: true };
  for await (const label of everyRow((page) => ctx.store.records.list(SourceLabel, { ...page, where: labels })))
    if (label.name === mode.title || label.name === mode.behaviour) add(label.trace ?? label.session, "label");
  return [...found.values()];
}

/**
 * Of sessions that were reported, each once: one that was named by its own id and by its trace's is the same, and so is a
 * trace that was named in two ways. The first report of it stands.
 */
export function eachOnce(
  reported: readonly ReportedSession[],
  traces: ReadonlyMap<string, StoredTrace>,
): ReportedSession[] {
  const sessions = new Set(reported.flatMap(({ session }) => (traces.get(session)?.id === session ? [] : [session])));
  const seen = new Set<string>();
  return reported.filter(({ session }) => {
    const row = traces.get(session);
    const same =
      row !== undefined && sessions.has(row.trace.session) ? `session ${row.trace.session}` : (row?.id ?? session);
    return seen.has(same) ? false : seen.add(same);
  });
}

/** Stored traces by the requested id (of the trace or its session), the newest evidence first; unknown ids are left out. */
export async function storedTraces(ctx: Ctx, ids: readonly string[]): Promise<Map<string, StoredTrace>> {
  const found = new Map<string, StoredTrace>();
  const sessions = new Set<string>();
  for (const id of ids) {
    const row = await ctx.store.traces.get(id);
    if (row) found.set(id, row);
    else sessions.add(id);
  }
  if (sessions.size === 0) return found;
  for await (const record of everyRow((page) =>
    ctx.store.records.list(Evidence, { ...page, where: { kind: "traces" } }),
  )) {
    if (record.superseded_by !== undefined) continue;
    for await (const head of everyRow((page) => ctx.store.traces.heads(record.id, page))) {
      if (!sessions.has(head.session)) continue;
      sessions.delete(head.session);
      const row = await ctx.store.traces.get(head.id);
      if (row) found.set(head.session, row);
    }
    if (sessions.size === 0) break;
  }
  return found;
}
