import { digestOf } from "../../../worlds/digest.ts";
import { auditAct } from "../../audit.ts";
import type { Ctx } from "../../context.ts";
import { type ModeDoc, withStatus } from "../../modes/record-modes.ts";
import { everyRow } from "../../page.ts";
import type { Doc } from "../../record.ts";
import { FailureMode, type ModeVersion } from "../../records/findings/findings.ts";
import { Run, type RunGroup, type TrialRow } from "../../records/runs/runs.ts";
import { trialsOf } from "../trials/trial-rows.ts";
import { runStatus } from "./group-status.ts";

type GroupDoc = Doc<typeof RunGroup>;

/** Trials that a mode cites of landed groups at most. */
const CITED = 20;

/**
 * Moves the failure modes whose tasks a landed group tried. A trial that fails in the mode's way reproduces it in that
 * agent version; a later version of the same agent that meets every task of the mode has fixed it. Harnesses and controls
 * move nothing, and neither does a group that is older than what moved the mode last. Safe to repeat. With `again`, when the
 * group's trials were graded, counted or read again: what it alone had moved is moved as they are now, or goes back.
 */
export async function moveModes(ctx: Ctx, group: GroupDoc, again = false): Promise<void> {
  if (group.player.agent === null || group.control_of !== undefined) return;
  let trials: readonly TrialRow[] | undefined;
  const environments = new Set(group.runs.map(({ environment }) => environment));
  for await (const mode of everyRow((page) => ctx.store.records.list(FailureMode, page))) {
    if (mode.status === "retired" || !mode.tasks.some(({ environment }) => environments.has(environment))) continue;
    trials ??= await landedTrials(ctx, group);
    const rows = trials;
    const now = { at: ctx.now(), by: ctx.caller.name };
    const next = (doc: ModeDoc) => (again ? regradedMode(doc, group, rows, now) : moved(doc, group, rows));
    if (next(mode) === mode) continue;
    const after = await ctx.store.records.update(FailureMode, mode.id, next);
    if (after && after.status !== mode.status)
      await auditAct(ctx, "failure_mode_moved", { mode: mode.id, group: group.id, status: after.status });
  }
}

async function landedTrials(ctx: Ctx, group: GroupDoc): Promise<TrialRow[]> {
  const runs = await ctx.store.records.getMany(
    Run,
    group.runs.map(({ run }) => run),
  );
  const job = await ctx.store.jobs.get(group.id);
  const found: TrialRow[] = [];
  for (const run of runs)
    if (runStatus(run, await ctx.store.jobs.get(run.id), job) === "landed")
      found.push(...(await trialsOf(ctx, run.id)));
  return found;
}

/** A mode as a group's trials leave it; the same object where they say nothing new. Pure. */
export function moved(mode: ModeDoc, group: GroupDoc, trials: readonly TrialRow[]): ModeDoc {
  const { agent, name, version } = group.player;
  const last = Math.max(mode.reproduced?.at ?? 0, mode.fixed?.at ?? 0);
  const known = mode.reproduced?.group === group.id || mode.fixed?.group === group.id;
  if (agent === null || mode.status === "retired" || known || group.created_at < last) return mode;
  const own = new Set(mode.tasks.map(({ task }) => task));
  const rows = trials.filter((row) => own.has(row.task) && (row.end === "met" || row.end === "failed"));
  const at: ModeVersion = { agent, name, version, group: group.id, at: group.created_at };
  const from = (next: ModeDoc): ModeDoc => ({ ...next, moved_from: fromOf(mode, group.id, next.history.length) });
  const showing = rows.filter((row) => showsMode(mode, row));
  if (showing.length > 0) {
    const { fixed: _fixed, ...open } = mode;
    const cites = showing.map(({ run, task, n }) => ({
      trial: { run, task, n },
      tier: "deterministic" as const,
      at: group.created_at,
    }));
    const room = Math.max(0, CITED - mode.cites.filter(({ trial }) => trial).length);
    const next = { ...open, reproduced: at, cites: [...mode.cites, ...cites.slice(0, room)] };
    return from(withStatus(next, "reproduced", group.created_at, group.by, group.id));
  }
  const tried = new Set(rows.map(({ task }) => task));
  const met = rows.length > 0 && [...own].every((task) => tried.has(task)) && rows.every(({ end }) => end === "met");
  const another = mode.reproduced?.agent === agent && mode.reproduced.version !== version;
  if (mode.status !== "reproduced" || !met || !another) return mode;
  return from(withStatus({ ...mode, fixed: at }, "fixed", group.created_at, group.by, group.id));
}

function fromOf({ status, reproduced, fixed }: ModeDoc, group: string, lines: number): ModeDoc["moved_from"] {
  return { group, status, lines, ...(reproduced ? { reproduced } : {}), ...(fixed ? { fixed } : {}) };
}

/**
 * A mode as a group's trials leave it that are graded anew. Where that group moved it last, and nobody has since, it is
 * moved from how it stood before; its history keeps both. The same object where nothing comes out otherwise. Pure.
 */
export function regradedMode(
  mode: ModeDoc,
  group: GroupDoc,
  trials: readonly TrialRow[],
  now: { readonly at: number; readonly by: string },
): ModeDoc {
  const { moved_from: from, reproduced: _reproduced, fixed: _fixed, ...rest } = mode;
  if (from?.group !== group.id) return moved(mode, group, trials);
  if (from.lines !== mode.history.length) return mode;
  const { group: _group, lines: _lines, ...state } = from;
  const runs = new Set(group.runs.map(({ run }) => run));
  const cites = mode.cites.filter(({ trial }) => trial === undefined || !runs.has(trial.run));
  const next = moved({ ...rest, ...state, cites }, group, trials);
  const same = (["status", "reproduced", "fixed", "cites"] as const).every(
    (field) => digestOf([next[field] ?? null]) === digestOf([mode[field] ?? null]),
  );
  if (same) return mode;
  // The history is what it took, in order: what it goes back to is one more line of it.
  const { history, moved_from } = withStatus(
    { ...mode, moved_from: next.moved_from },
    next.status,
    now.at,
    now.by,
    group.id,
  );
  return { ...next, history, ...(moved_from ? { moved_from: { ...moved_from, lines: history.length } } : {}) };
}

/** Whether a trial failed in the way of the mode, and not in some other way. */
export function showsMode({ behaviour }: ModeDoc, { end, root_cause, checks }: TrialRow): boolean {
  if (end !== "failed") return false;
  if (behaviour === undefined || root_cause === behaviour) return true;
  // What reading first is held to by: the write may have been right, so its own root cause is another.
  return (
    behaviour === "unverified_write" &&
    checks.some(({ kind, verdict }) => kind === "call_order" && verdict === "not_met")
  );
}
