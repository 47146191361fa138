import type { Ctx } from "../../context.ts";
import { badField, conflict } from "../../errors.ts";
import { type GradingTier, Run } from "../../records/runs/runs.ts";
import { Environment } from "../../records/sandboxes/sandboxes.ts";
import { liveEnvironment } from "../../sandboxes/environments/environment-records.ts";
import { findWorldplan } from "../../sandboxes/plans/worldplans.ts";
import { environmentTasks, standing, type TaskDoc } from "../../sandboxes/tasks/task-records.ts";
import { findGroup, type GroupDoc } from "../groups/group-data.ts";
import type { PlayerInput } from "../play/choose-player.ts";
import type { TasksInput } from "./choose-tasks.ts";
import { heldSetOf } from "./held-set.ts";

/** What a plan may be taken from, in place of environments and tasks. */
export interface FromInput extends TasksInput, PlayerInput {
  /** A run group: its tasks, tries, limit and grading once more. */
  readonly group?: string | undefined;
  /** A minted world: its certified tasks. */
  readonly worldplan?: string | undefined;
  readonly trials?: number | undefined;
  readonly timeout_seconds?: number | undefined;
  readonly tier?: GradingTier | undefined;
  /** Set by what the plan is taken from, where its tasks were chosen by how trials had ended; never by a caller. */
  readonly chosen_by_outcome?: string | undefined;
}

/**
 * The plan of a start with its tasks named: those of a run group, of a minted world or of a held set, where it is taken
 * from one; else as it was given. A group's player plays again where nobody else is named.
 */
export async function startFrom<T extends FromInput>(ctx: Ctx, input: T): Promise<T> {
  const { group, worldplan, selection } = input;
  if (group !== undefined) return fromGroup(ctx, input, group);
  if (worldplan !== undefined) return fromWorldplan(ctx, input, worldplan);
  if (selection !== undefined) alone(input, "selection", ["tasks", "tasks_by_environment"]);
  return typeof selection === "string" && selection.startsWith("rg_") ? fromHeldSet(ctx, input, selection) : input;
}

function alone(input: FromInput, from: string, others: readonly (keyof FromInput)[]): void {
  const other = others.find((field) => input[field] !== undefined);
  if (other !== undefined) throw badField(other, `${from} says which tasks; leave one of the two out`);
}

async function fromGroup<T extends FromInput>(ctx: Ctx, input: T, id: string): Promise<T> {
  alone(input, "group", ["worldplan", "environment", "tasks", "tasks_by_environment", "selection"]);
  const group = await findGroup(ctx, id);
  const runs = await ctx.store.records.getMany(
    Run,
    group.runs.map(({ run }) => run),
  );
  if (runs.some((run) => run.imported !== undefined))
    throw conflict("The group was imported: its world is not here to play on.", { by: "start_run" });
  const { agent, harness, version } = group.player;
  const nobody = [input.agent, input.harness, input.provider].every((named) => named === undefined);
  const player = !nobody
    ? {}
    : harness === null
      ? { agent: agent ?? "" }
      : { harness, ...(harness === "react" && input.model === undefined ? { model: version ?? undefined } : {}) };
  return {
    ...input,
    ...player,
    trials: input.trials ?? group.trials,
    timeout_seconds: input.timeout_seconds ?? group.timeout_seconds,
    tier: input.tier ?? group.tier,
    chosen_by_outcome: group.chosen_by_outcome,
    tasks_by_environment: Object.fromEntries(
      runs.map(({ environment, tasks }) => [environment, tasks.map((task) => task.id)]),
    ),
  };
}

/** The tasks of a run group that count as they stand now, and how many of its tasks do not, or are gone with their environment. */
export async function standingTasks(ctx: Ctx, group: GroupDoc): Promise<{ tasks: TaskDoc[]; others: number }> {
  const runs = await ctx.store.records.getMany(
    Run,
    group.runs.map(({ run }) => run),
  );
  const live = await ctx.store.records.getMany(
    Environment,
    runs.map(({ environment }) => environment),
  );
  const there = new Set(live.filter((row) => row.retired_at === undefined).map(({ id }) => id));
  const tasks: TaskDoc[] = [];
  for (const { environment, tasks: own } of runs.filter((run) => there.has(run.environment))) {
    const ids = new Set(own.map(({ id }) => id));
    tasks.push(...(await environmentTasks(ctx, environment)).filter((task) => ids.has(task.id) && standing(task)));
  }
  return { tasks, others: runs.reduce((sum, run) => sum + run.tasks.length, 0) - tasks.length };
}

async function fromHeldSet<T extends FromInput>(ctx: Ctx, input: T, id: string): Promise<T> {
  alone(input, "selection", ["environment"]);
  const set = await heldSetOf(ctx, id);
  const byEnvironment = Map.groupBy(set.tasks, ({ environment }) => environment);
  return {
    ...input,
    trials: input.trials ?? set.trials,
    timeout_seconds: input.timeout_seconds ?? set.timeout_seconds,
    ...(set.picked === "met" || set.picked === "failed"
      ? { chosen_by_outcome: `the held set of ${id}, ${set.picked} there` }
      : {}),
    tasks_by_environment: Object.fromEntries(
      [...byEnvironment].map(([environment, tasks]) => [environment, tasks.map(({ task }) => task)]),
    ),
  };
}

/** A plan is run on its own environment while that still is the plan's world and has the plan's tasks as they are. */
async function fromWorldplan<T extends FromInput>(ctx: Ctx, input: T, id: string): Promise<T> {
  alone(input, "worldplan", ["tasks", "tasks_by_environment", "selection"]);
  const plan = await findWorldplan(ctx, id);
  if (input.environment !== undefined && input.environment !== plan.environment)
    throw badField("environment", "is another than the worldplan's");
  const environment = await liveEnvironment(ctx, plan.environment);
  const same = (["bundle", "base_blob", "seed"] as const).every((field) => environment[field] === plan[field]);
  if (!same)
    throw conflict("The plan's environment was drawn again since, so it is no longer the plan's world.", {
      by: "worldplans_list",
    });
  const standing = new Map((await environmentTasks(ctx, environment.id)).map((row) => [row.digest, row.id]));
  const wanted = plan.tasks.filter(({ status }) => status === "certified");
  if (wanted.length === 0) throw conflict("The plan has no certified task.", { by: "worldplans_list" });
  const missing = wanted.filter(({ digest }) => !standing.has(digest));
  if (missing.length > 0)
    throw conflict("Tasks of the plan were rewritten and are not on its environment; post them there.", {
      names: missing.map(({ index }) => String(index)),
    });
  const tasks = wanted.map(({ digest }) => standing.get(digest) ?? "");
  return { ...input, environment: environment.id, tasks };
}
