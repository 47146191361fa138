import { digestOf } from "../../worlds/digest.ts";
import { versionBundle } from "../agents/surface-bundle.ts";
import { findAgent, findVersion } from "../agents/targets.ts";
import { actor, type Ctx } from "../context.ts";
import { AppError, badField } from "../errors.ts";
import { everyRow } from "../page.ts";
import type { Doc } from "../record.ts";
import { liveEnvironment } from "../sandboxes/environment-records.ts";
import { BundleRecord, Environment, Surface, type TaskRecord } from "../sandboxes/schema.ts";
import { environmentTasks } from "../sandboxes/task-records.ts";
import { choosePlayer, harnessPlayer, type PlayerInput } from "./choose-player.ts";
import { failedLast } from "./last-group.ts";
import { type Launched, launchGroup, startedReply } from "./launch-group.ts";
import { type ResumeInput, resumeRun } from "./resume-run.ts";
import type { GradingTier, Player, Run, RunGroup, RunHarness, RunTask } from "./schema.ts";
import { counts, named, sample } from "./select-tasks.ts";

type EnvironmentDoc = Doc<typeof Environment>;
type TaskDoc = Doc<typeof TaskRecord>;
type RunDoc = Doc<typeof Run>;
type GroupDoc = Doc<typeof RunGroup>;

/** What a run is started with; with `resume` or `resume_group`, nothing that plans one. */
export interface StartInput extends PlayerInput, ResumeInput {
  readonly environment?: string | undefined;
  readonly tasks?: readonly string[] | undefined;
  readonly tasks_by_environment?: Readonly<Record<string, readonly string[]>> | undefined;
  readonly selection?: string | undefined;
  readonly trials?: number | undefined;
  readonly timeout_seconds?: number | undefined;
  readonly include_held?: boolean | undefined;
  readonly control?: RunHarness | undefined;
  readonly tier?: GradingTier | undefined;
  readonly trigger?: GroupDoc["trigger"] | undefined;
}

const DEFAULT_TIMEOUT_S = 120;
/** Fields that plan a run. */
const PLANNED = [
  "agent",
  "agent_version",
  "harness",
  "model",
  "environment",
  "tasks",
  "tasks_by_environment",
  "selection",
  "trials",
  "timeout_seconds",
  "include_held",
  "control",
  "tier",
  "trigger",
] as const;

/** One environment of a plan. */
interface Part {
  readonly environment: EnvironmentDoc;
  /** The tools it is played with: those it was drawn from, or a surface agent's version of them. */
  readonly bundle: Doc<typeof BundleRecord>;
  readonly tasks: readonly TaskDoc[];
}

/**
 * Plans a group over one environment, the ones named, or every live one, and starts it as a job with a run per
 * environment. The same plan while it runs answers the running group. A `control` runs beside it as a group of its own.
 */
export async function startRun(ctx: Ctx, input: StartInput) {
  if (input.resume !== undefined || input.resume_group !== undefined) {
    const more = PLANNED.find((field) => input[field] !== undefined);
    if (more) throw badField(more, "what is gone on with is planned already");
    return resumeRun(ctx, input);
  }
  const player = await choosePlayer(ctx, input);
  if (input.tier === "llm-derived" && ctx.models.offered.length === 0)
    throw new AppError("conflict", "No model may judge on this workspace; the operator can set SVC_MODELS.");
  const selection = input.selection ?? (input.tasks || input.tasks_by_environment ? "tasks" : "full");
  const parts = await partsOf(ctx, input, player, selection);
  const launched = await launch(ctx, input, player, selection, parts, undefined);
  const control =
    input.control === undefined || launched.handle.deduplicated
      ? undefined
      : await launch(ctx, input, harnessPlayer(ctx, input.control, undefined), selection, parts, launched.handle.job);
  return startedReply(ctx, launched, control?.handle);
}

async function partsOf(ctx: Ctx, input: StartInput, player: Player, selection: string): Promise<Part[]> {
  const environments = await environmentsOf(ctx, input, player.surface);
  const served = await toolsOf(ctx, player);
  const parts = await Promise.all(
    environments.map(async (environment): Promise<Part> => {
      const bundle = await ctx.store.records.get(BundleRecord, environment.bundle);
      if (!bundle) throw new AppError("conflict", "The environment's bundle is gone; draw the environment again.");
      const names = input.tasks_by_environment?.[environment.id] ?? input.tasks;
      return {
        environment,
        bundle: await served(bundle),
        tasks: await tasksOf(ctx, environment, input, player, selection, names),
      };
    }),
  );
  const filled = parts.filter((part) => part.tasks.length > 0);
  if (filled.length === 0) {
    throw new AppError("conflict", "No task here counts: generate tasks and have them reviewed, or set include_held.");
  }
  return filled;
}

/** Which tools a player has on an environment's: a surface agent's version has its own. */
async function toolsOf(ctx: Ctx, player: Player): Promise<(drawn: Part["bundle"]) => Promise<Part["bundle"]>> {
  if (player.surface === undefined || player.agent === null) return async (drawn) => drawn;
  const { target } = findVersion(await findAgent(ctx, player.agent), player.version ?? undefined);
  return async (drawn) => (target.kind === "surface" ? versionBundle(ctx, target, drawn) : drawn);
}

/** The environments named, else every live one, of a surface where one is given. */
async function environmentsOf(ctx: Ctx, input: StartInput, surface: string | undefined): Promise<EnvironmentDoc[]> {
  const byEnvironment = Object.keys(input.tasks_by_environment ?? {});
  if (input.environment !== undefined && byEnvironment.length > 0) {
    throw badField("tasks_by_environment", "name environments here or in environment, not in both");
  }
  const ids = input.environment === undefined ? byEnvironment : [input.environment];
  if (ids.length > 0) return Promise.all(ids.map((id) => liveEnvironment(ctx, id)));
  if (input.tasks !== undefined) throw badField("environment", "name the environment that the tasks are of");
  const retired = new Set<string>();
  for await (const surface of everyRow((page) => ctx.store.records.list(Surface, page))) {
    if (surface.retired_at !== undefined) retired.add(surface.id);
  }
  const live: EnvironmentDoc[] = [];
  for await (const row of everyRow((page) => ctx.store.records.list(Environment, { ...page, order: "oldest" }))) {
    const fits = surface === undefined || row.surface === surface;
    if (fits && row.retired_at === undefined && !retired.has(row.surface)) live.push(row);
  }
  return live;
}

async function tasksOf(
  ctx: Ctx,
  environment: EnvironmentDoc,
  input: StartInput,
  player: Player,
  selection: string,
  names: readonly string[] | undefined,
): Promise<readonly TaskDoc[]> {
  const all = await environmentTasks(ctx, environment.id);
  const held = input.include_held === true;
  if (names !== undefined) {
    const { found, unknown } = named(all, names);
    if (unknown.length > 0) throw new AppError("not_found", "No such task in this environment.", { names: unknown });
    const refused = found.filter((task) => !counts(task, held));
    if (refused.length === 0) return found;
    throw new AppError(
      "conflict",
      "Tasks without a certificate do not count; review them, or set include_held for held ones.",
      {
        names: refused.map((task) => String(task.index)),
      },
    );
  }
  const eligible = all.filter((task) => counts(task, held));
  if (selection === "full" || selection === "tasks") return eligible;
  if (selection !== "failed_last") return sample(eligible, selection);
  const failed = await failedLast(ctx, environment.id, player);
  return eligible.filter((task) => failed.has(task.id));
}

async function launch(
  ctx: Ctx,
  input: StartInput,
  player: Player,
  selection: string,
  parts: readonly Part[],
  controlOf: string | undefined,
): Promise<Launched> {
  const id = ctx.id("rg");
  const made = { created_at: ctx.now(), by: actor(ctx, input.by) };
  const trials = input.trials ?? 1;
  const timeout = input.timeout_seconds ?? DEFAULT_TIMEOUT_S;
  const runs = parts.map(
    ({ environment, bundle, tasks }): RunDoc => ({
      id: ctx.id("run"),
      ...made,
      group: id,
      environment: environment.id,
      label: environment.label,
      surface: environment.surface,
      bundle: bundle.id,
      player,
      trials,
      timeout_seconds: timeout,
      tier: input.tier ?? "deterministic",
      terms: { base: environment.base_blob, tools: bundle.digest },
      tasks: tasks.map(runTask),
    }),
  );
  const group: GroupDoc = {
    id,
    ...made,
    player,
    ...(player.agent === null ? {} : { agent: player.agent }),
    runs: runs.map((run) => ({ run: run.id, environment: run.environment, label: run.label, tasks: run.tasks.length })),
    selection,
    trials,
    timeout_seconds: timeout,
    trigger: input.trigger ?? "person",
    tier: input.tier ?? "deterministic",
    ...(controlOf === undefined ? {} : { control_of: controlOf }),
  };
  const plan = digestOf([
    player,
    trials,
    timeout,
    group.tier,
    runs.map((run) => [run.environment, run.terms, run.tasks]),
  ]);
  return launchGroup(ctx, group, runs, plan);
}

function runTask(row: TaskDoc): RunTask {
  return {
    id: row.id,
    index: row.index,
    family: row.task.family,
    request: row.task.request,
    digest: row.digest,
    checks: digestOf(row.task.checks),
  };
}
