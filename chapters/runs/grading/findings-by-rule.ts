import { canonicalJson } from "../../../worlds/digest.ts";
import { countOf } from "../../count-of.ts";
import { type RunFinding, trialName } from "../../records/runs/run-bundle.ts";
import type { RootCause, TrialRow } from "../../records/runs/runs.ts";

/** The same call so often in one trial is a loop worth telling. */
const REPEATS = 3;
/** A tool's errors are told from this many trials on. */
const ERRING_TRIALS = 2;

/**
 * What stands out in the valid trials of a run, by code alone: each root cause with the trials that failed by it, tools
 * whose calls err, calls made over and over, and answers given without a single call where others called. No text of a trial is told.
 */
export function findingsByRule(rows: readonly TrialRow[]): RunFinding[] {
  const valid = rows.filter(({ end }) => end === "met" || end === "failed");
  return [...byCause(valid), ...erringTools(valid), ...repeated(valid), ...withoutCalls(valid)];
}

function finding(text: string, rows: readonly TrialRow[], cause?: RootCause): RunFinding {
  const trials = rows.map(({ task, n }) => trialName(task, n));
  return { text, tier: "deterministic", ...(cause === undefined ? {} : { cause }), trials };
}

function byCause(rows: readonly TrialRow[]): RunFinding[] {
  const failed = rows.filter(({ end, root_cause }) => end === "failed" && root_cause !== null);
  return [...Map.groupBy(failed, ({ root_cause }) => root_cause as RootCause)]
    .sort(([x, a], [y, b]) => b.length - a.length || (x < y ? -1 : 1))
    .map(([cause, of]) => finding(`${of.length} of ${rows.length} valid trials failed by ${cause}.`, of, cause));
}

function erringTools(rows: readonly TrialRow[]): RunFinding[] {
  const erring = new Map<string, TrialRow[]>();
  for (const row of rows) {
    const tools = new Set(row.trial.calls.filter(({ is_error }) => is_error).map(({ tool }) => tool));
    for (const tool of tools) erring.set(tool, [...(erring.get(tool) ?? []), row]);
  }
  return [...erring]
    .filter(([, of]) => of.length >= ERRING_TRIALS)
    .sort(([x, a], [y, b]) => b.length - a.length || (x < y ? -1 : 1))
    .map(([tool, of]) =>
      finding(`Calls of ${toolName(tool)} answered with an error in ${countOf(of.length, "trial")}.`, of),
    );
}

/** A tool's name is other people's text: one that is no plain name is not repeated. */
export function toolName(tool: string): string {
  return /^[\w.:/-]{1,80}$/.test(tool) ? tool : "a tool";
}

function repeated(rows: readonly TrialRow[]): RunFinding[] {
  const looping = rows.filter(({ trial }) => {
    const seen = new Map<string, number>();
    for (const { tool, args, changed } of trial.calls) {
      if (changed) seen.clear();
      const key = `${tool}\n${canonicalJson(args)}`;
      seen.set(key, (seen.get(key) ?? 0) + 1);
      if ((seen.get(key) ?? 0) >= REPEATS) return true;
    }
    return false;
  });
  if (looping.length === 0) return [];
  return [
    finding(
      `${countOf(looping.length, "trial")} made the same call ${REPEATS} times or more with nothing changed.`,
      looping,
    ),
  ];
}

function withoutCalls(rows: readonly TrialRow[]): RunFinding[] {
  const silent = rows.filter(({ trial }) => trial.calls.length === 0 && trial.answers.some(({ text }) => text !== ""));
  if (silent.length === 0 || silent.length === rows.length) return [];
  return [finding(`Answered without any call: ${countOf(silent.length, "trial")}.`, silent)];
}
