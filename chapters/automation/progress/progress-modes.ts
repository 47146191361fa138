import type { Ctx } from "../../context.ts";
import { audienceOf, shownTo } from "../../modes/note-audience.ts";
import type { ModeDoc } from "../../modes/record-modes.ts";
import { everyRow } from "../../page.ts";
import { FailureMode } from "../../records/findings/findings.ts";
import type { RootCause, TrialRow } from "../../records/runs/runs.ts";
import { showsMode } from "../../runs/groups/move-modes.ts";

/** An agent version and the trials by which it is judged. */
export interface TriedVersion {
  readonly agent: string;
  readonly name: string;
  readonly version: string;
  readonly trials: readonly TrialRow[];
}

/** The failure modes on record that are of a surface: their tasks, sandbox or cited trials are. Oldest first. */
export async function modesOn(ctx: Ctx, environments: readonly string[], runs: readonly string[]): Promise<ModeDoc[]> {
  const [here, ran, audience] = [new Set(environments), new Set(runs), audienceOf(ctx, undefined)];
  const found: ModeDoc[] = [];
  for await (const mode of everyRow((page) => ctx.store.records.list(FailureMode, { ...page, order: "oldest" }))) {
    const own =
      mode.tasks.some(({ environment }) => here.has(environment)) ||
      (mode.bucket !== undefined && here.has(mode.bucket)) ||
      mode.cites.some(({ trial }) => trial !== undefined && ran.has(trial.run));
    if (own && mode.status !== "retired" && shownTo(mode, audience)) found.push(mode);
  }
  return found;
}

/**
 * Where each failure mode showed and where it stopped, versions oldest first. A mode on record is told by the trials of
 * its own tasks, and where it has none by its behaviour; root causes that no record names stand beside.
 */
export function modeProgress(versions: readonly TriedVersion[], records: readonly ModeDoc[]) {
  const named = new Set(records.map(({ behaviour }) => behaviour));
  const causes = [...new Set(versions.flatMap(({ trials }) => trials.flatMap(({ root_cause: cause }) => cause ?? [])))];
  return [
    ...records.map((mode) => {
      const own = new Set(mode.tasks.map(({ task }) => task));
      const tried = (row: TrialRow) => own.size === 0 || own.has(row.task);
      return {
        mode: mode.id,
        title: mode.title,
        behaviour: mode.behaviour ?? null,
        status: mode.status,
        told_by: own.size === 0 ? ("root_cause" as const) : ("tasks" as const),
        ...stretch(versions, tried, (row) => (own.size === 0 ? isCause(row, mode.behaviour) : showsMode(mode, row))),
      };
    }),
    ...causes
      .filter((behaviour) => !named.has(behaviour))
      .sort()
      .map((behaviour) => ({
        mode: null,
        title: null,
        behaviour,
        status: null,
        told_by: "root_cause" as const,
        ...stretch(
          versions,
          () => true,
          (row) => isCause(row, behaviour),
        ),
      })),
  ];
}

function isCause({ root_cause }: TrialRow, behaviour: RootCause | undefined): boolean {
  return behaviour !== undefined && root_cause === behaviour;
}

/** The versions that showed it, and the first after the last of them that was tried on it and did not. */
function stretch(
  versions: readonly TriedVersion[],
  tried: (row: TrialRow) => boolean,
  shows: (row: TrialRow) => boolean,
) {
  const seen = versions.map(({ trials }) => trials.filter((row) => tried(row) && shows(row)).length);
  const last = seen.findLastIndex((n) => n > 0);
  const decided = ({ trials }: TriedVersion) =>
    trials.some((row) => tried(row) && (row.end === "met" || row.end === "failed"));
  const stopped = last < 0 ? undefined : versions.slice(last + 1).find(decided);
  return {
    reproduced_in: versions.flatMap((version, i) =>
      seen[i]! > 0 ? [{ ...versionLabel(version), trials: seen[i]! }] : [],
    ),
    stopped_at: stopped ? versionLabel(stopped) : null,
  };
}

/** A version as answers name it. */
export function versionLabel({ agent, name, version }: TriedVersion) {
  return { agent, name, version };
}
