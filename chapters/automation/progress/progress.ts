import type { Task } from "../../../worlds/tasks/schema.ts";
import type { Ctx } from "../../context.ts";
import { everyRow } from "../../page.ts";
import type { Doc } from "../../record.ts";
import { Agent } from "../../records/agents/agents.ts";
import { Run, type TrialRow } from "../../records/runs/runs.ts";
import { Environment } from "../../records/sandboxes/sandboxes.ts";
import { runStatus } from "../../runs/groups/group-status.ts";
import { isComplete } from "../../runs/groups/last-group.ts";
import { trialsOf } from "../../runs/trials/trial-rows.ts";
import { findSurface } from "../../sandboxes/surfaces/surfaces.ts";
import { environmentTasks } from "../../sandboxes/tasks/task-records.ts";
import { modeProgress, modesOn, type TriedVersion, versionLabel } from "./progress-modes.ts";

type RunDoc = Doc<typeof Run>;

/** How a version stands on a path: `not_decided` where trials ended without a verdict, `untested` where there were none. */
export type PathState = "met" | "not_met" | "not_decided" | "untested";

/** A version with its newest landed run on each environment; `trials` are those that count of them. */
interface VersionRuns extends TriedVersion {
  readonly created_at: number;
  readonly runs: RunDoc[];
}

/**
 * Every agent version with a landed run on a surface, oldest first, against its golden paths: the use cases of its
 * certified tasks, apart where the right act is to refuse or to ask. A path is met when every decided trial of it
 * was, in the version's newest landed run on each environment. Failure modes are those on record, and the root causes
 * that none of them names, each with the version where it stopped.
 */
export async function surfaceProgress(ctx: Ctx, input: { readonly surface: string }) {
  const surface = await findSurface(ctx, input.surface);
  const { paths, pathOf, environments } = await goldenPaths(ctx, surface.id);
  const versions = await versionsOf(ctx, environments);
  const records = await modesOn(
    ctx,
    environments,
    versions.flatMap(({ runs }) => runs.map(({ id }) => id)),
  );
  const states = versions.map((version) => statesOf(version, paths, pathOf));
  return {
    surface: surface.name,
    environments: environments.length,
    versions: versions.map(({ agent, name, version, created_at, runs, trials }, i) => ({
      agent,
      name,
      version,
      created_at,
      runs: runs.map((run) => run.id),
      trials: trials.length,
      paths: states[i]!,
      changed: i === 0 ? { gained: [], lost: [] } : changes(states[i - 1]!, states[i]!),
      tier: "deterministic" as const,
    })),
    paths: paths.map(({ path, tasks }) => {
      const first = states.findIndex((row) => row[path] === "met");
      return { path, tasks, first_met: first < 0 ? null : versionLabel(versions[first]!) };
    }),
    failure_modes: modeProgress(versions, records),
    tier: "deterministic" as const,
  };
}

/**
 * The golden path of a task: its use case. What is to be refused, or asked back about, is a path of its own: who never
 * acts does right there, and has met nothing of the use case.
 */
function pathOfTask({ cell, family, script, checks }: Task): string {
  const path = cell.use_case ?? family;
  if (script.class === "refused") return `${path} (to be refused)`;
  return checks.some(({ kind }) => kind === "asks") ? `${path} (to be asked about)` : path;
}

async function goldenPaths(ctx: Ctx, surface: string) {
  const environments = [];
  const pathOf = new Map<string, string>();
  const certified = new Map<string, number>();
  for await (const environment of everyRow((page) =>
    ctx.store.records.list(Environment, { ...page, where: { surface } }),
  )) {
    environments.push(environment.id);
    for (const row of await environmentTasks(ctx, environment.id)) {
      const path = pathOfTask(row.task);
      pathOf.set(row.id, path);
      if (row.status === "certified" && environment.retired_at === undefined)
        certified.set(path, (certified.get(path) ?? 0) + 1);
    }
  }
  const paths = [...certified].map(([path, tasks]) => ({ path, tasks })).sort((a, b) => (a.path < b.path ? -1 : 1));
  return { paths, pathOf, environments };
}

async function versionsOf(ctx: Ctx, environments: readonly string[]): Promise<VersionRuns[]> {
  const landed: RunDoc[] = [];
  for (const environment of environments)
    for await (const run of everyRow((page) => ctx.store.records.list(Run, { ...page, where: { environment } }))) {
      if (run.player.agent === null || run.player.version === null) continue;
      const [job, group] = await Promise.all([ctx.store.jobs.get(run.id), ctx.store.jobs.get(run.group)]);
      if (runStatus(run, job, group) === "landed") landed.push(run);
    }
  const byVersion = Map.groupBy(landed, (run) => `${run.player.agent}\n${run.player.version}`);
  const ids = [...new Set(landed.flatMap((run) => run.player.agent ?? []))];
  const agents = new Map((await ctx.store.records.getMany(Agent, ids)).map((agent) => [agent.id, agent]));
  const found: VersionRuns[] = [];
  for (const runs of byVersion.values()) {
    const { agent, version, name } = runs[0]!.player;
    if (agent === null || version === null) continue;
    const known = agents.get(agent)?.versions.find((row) => row.version === version);
    // Lists are newest first: the first whole one of an environment is what the version does there now.
    const newest = [...Map.groupBy(runs, (run) => run.environment).values()].map((of) => of.find(isComplete) ?? of[0]!);
    const trials = (await Promise.all(newest.map((run) => trialsOf(ctx, run.id)))).flat();
    const created_at = known?.created_at ?? Math.min(...runs.map((run) => run.created_at));
    found.push({ agent, name, version, created_at, runs: newest, trials });
  }
  return found.sort((a, b) => a.created_at - b.created_at);
}

function statesOf(
  { trials }: VersionRuns,
  paths: readonly { readonly path: string }[],
  pathOf: ReadonlyMap<string, string>,
): Record<string, PathState> {
  const byPath = Map.groupBy(trials, (row) => pathOf.get(row.task) ?? "");
  return Object.fromEntries(paths.map(({ path }) => [path, stateOf(byPath.get(path) ?? [])]));
}

function stateOf(trials: readonly TrialRow[]): PathState {
  if (trials.length === 0) return "untested";
  const decided = trials.filter((row) => row.end === "met" || row.end === "failed");
  if (decided.length === 0) return "not_decided";
  return decided.every((row) => row.end === "met") ? "met" : "not_met";
}

function changes(before: Readonly<Record<string, PathState>>, now: Readonly<Record<string, PathState>>) {
  const moved = (from: boolean) =>
    Object.keys(now).filter(
      (path) => (before[path] === "met") === from && (now[path] === "met") === !from && tested(path),
    );
  const tested = (path: string) => before[path] !== "untested" && now[path] !== "untested";
  return { gained: moved(false), lost: moved(true) };
}
