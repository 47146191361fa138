import type { Made } from "../compile/fit.ts";
import type { Session } from "../compile/observations.ts";
import { replayAll } from "../compile/verify.ts";
import { storedHistory } from "../history/model.ts";
import { kindIn } from "../history/names.ts";
import type { HistoryModel, TrustModel } from "../history/schema.ts";
import type { Answer, Hit, Table } from "../history/table.ts";
import { contextCells, Trust } from "./trust.ts";

/**
 * What a world has to remember: everything heard that is trusted, but of exact histories only what the rest of the
 * world answers otherwise. `reproduced` counts, by tool, the calls that it then answers as they were observed.
 */
export function remember(
  made: Made,
  table: Table,
  trust: TrustModel,
  sessions: readonly Session[],
  writers: ReadonlySet<string>,
): { readonly history: HistoryModel; readonly reproduced: ReadonlyMap<string, number> } {
  const trusted = new Trust(trust);
  const reached = ({ context, answer, support }: Hit) => {
    const { tool, ok } = table.answers[answer] as Answer;
    const cells = contextCells(context, tool, ok, support);
    return [true, false].some((known) => trusted.reaches(known, trusted.confidence(known, cells)));
  };
  const tasks = sessions.map(({ group }) => group);
  const wider = storedHistory(table, tasks, (_, hit) => hit.context !== "exact" && reached(hit));
  const needed = new Set<string>();
  const reproduced = new Map<string, number>();
  const world = { ...made, bundle: { ...made.bundle, history: wider, trust } };
  const rows = replayAll(world, sessions, writers, { kind: kindIn(table.rules.volatile) });
  const calls = table.asked.flat();
  for (const [i, { call, identical }] of rows.entries()) {
    const asked = calls[i];
    const key = asked?.call === call ? asked.keys.get("exact") : undefined;
    const hit = key === undefined ? undefined : table.hit(key);
    const right = hit?.answer === asked?.answer;
    if (key !== undefined && !identical) needed.add(key);
    if (identical || right) reproduced.set(call.tool, (reproduced.get(call.tool) ?? 0) + 1);
  }
  const history = storedHistory(table, tasks, (key, hit) => (hit.context === "exact" ? needed.has(key) : reached(hit)));
  return { history, reproduced };
}
