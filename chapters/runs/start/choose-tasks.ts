import type { Selection } from "../../../worlds/tasks/generate.ts";
import { selected } from "../../../worlds/tasks/generate.ts";
import { versionBundle } from "../../agents/versions/surface-bundle.ts";
import { callsAny, touchedTools } from "../../agents/writes/touched-tools.ts";
import { loadBundle, loadEnvironment } from "../../blobs.ts";
import type { Ctx } from "../../context.ts";
import { AppError, badField, conflict } from "../../errors.ts";
import { findAgent, findVersion } from "../../find-agent.ts";
import { everyRow } from "../../page.ts";
import type { Doc } from "../../record.ts";
import type { Player } from "../../records/runs/runs.ts";
import { BundleRecord, Environment, Surface } from "../../records/sandboxes/sandboxes.ts";
import { liveEnvironment } from "../../sandboxes/environments/environment-records.ts";
import { reviewEnvironment } from "../../sandboxes/review/review-tasks.ts";
import {
  environmentTasks,
  isLapsedHold,
  REVIEW_AGAIN,
  staleness,
  type TaskDoc,
} from "../../sandboxes/tasks/task-records.ts";
import { failedLast } from "../groups/last-group.ts";
import { counts, named, sample } from "./select-tasks.ts";

type EnvironmentDoc = Doc<typeof Environment>;

/** What says on which tasks a run is. */
export interface TasksInput {
  readonly environment?: string | undefined;
  readonly tasks?: readonly string[] | undefined;
  readonly tasks_by_environment?: Readonly<Record<string, readonly string[]>> | undefined;
  /** A named set, or values that tasks must have, by axis. */
  readonly selection?: string | Selection | undefined;
  readonly include_held?: boolean | undefined;
  /** Certifies tasks that are wanted and have no certificate, first. */
  readonly autofix?: boolean | undefined;
}

/** One environment of a plan. */
export interface Part {
  readonly environment: EnvironmentDoc;
  /** The tools it is played with: those it was drawn from, or a surface agent's version of them. */
  readonly bundle: Doc<typeof BundleRecord>;
  readonly tasks: readonly TaskDoc[];
  /** Some of the environment's certified tasks are left out. */
  readonly partial: boolean;
}

/** Tasks that were certified again before a start, and those of them that passed. */
export interface Fixed {
  readonly reviewed: number;
  readonly certified: number;
}

/** A start answers within seconds, and a review takes up to one a task. */
const MOST_FIXED = 50;

/** The environments and tasks of a run, with what was certified for it. Refuses what leaves nothing to play. */
export async function chooseParts(
  ctx: Ctx,
  input: TasksInput,
  player: Player,
): Promise<{ readonly parts: readonly Part[]; readonly fixed: Fixed }> {
  const environments = await environmentsOf(ctx, input, player.surface);
  const served = await toolsOf(ctx, player);
  const chooser = new Chooser(ctx, input, player);
  const parts: Part[] = [];
  for (const environment of environments) {
    const bundle = await ctx.store.records.get(BundleRecord, environment.bundle);
    if (!bundle)
      throw conflict("The environment's bundle is gone; draw the environment again.", { by: "surface_world_redraw" });
    const tasks = await chooser.of(environment);
    if (tasks.length === 0) continue;
    const partial = await leavesOut(ctx, environment, tasks);
    parts.push({ environment, bundle: await served(bundle), tasks, partial });
  }
  if (parts.length === 0) throw conflict(nothing(input));
  return { parts, fixed: chooser.fixed };
}

async function leavesOut(ctx: Ctx, environment: EnvironmentDoc, tasks: readonly TaskDoc[]): Promise<boolean> {
  const chosen = new Set(tasks.map(({ id }) => id));
  return (await environmentTasks(ctx, environment.id)).some((task) => counts(task, false) && !chosen.has(task.id));
}

function nothing({ selection }: TasksInput): string {
  const chosen = selection !== undefined && selection !== "full";
  return chosen
    ? "No task that counts is in this selection; name another, generate tasks, or set include_held."
    : "No task here counts: generate tasks and have them reviewed, or set include_held.";
}

/** Which tools a player has on an environment's: a surface agent's version has its own. */
async function toolsOf(ctx: Ctx, player: Player): Promise<(drawn: Part["bundle"]) => Promise<Part["bundle"]>> {
  if (player.surface === undefined || player.agent === null) return async (drawn) => drawn;
  const { target } = findVersion(await findAgent(ctx, player.agent), player.version ?? undefined);
  return async (drawn) => (target.kind === "surface" ? versionBundle(ctx, target, drawn) : drawn);
}

/** The environments named, else every live one, of a surface where one is given. */
async function environmentsOf(ctx: Ctx, input: TasksInput, surface: string | undefined): Promise<EnvironmentDoc[]> {
  const byEnvironment = Object.keys(input.tasks_by_environment ?? {});
  if (input.environment !== undefined && byEnvironment.length > 0) {
    throw badField("tasks_by_environment", "name environments here or in environment, not in both");
  }
  const ids = input.environment === undefined ? byEnvironment : [input.environment];
  if (ids.length > 0) return Promise.all(ids.map((id) => liveEnvironment(ctx, id)));
  if (input.tasks !== undefined) throw badField("environment", "name the environment that the tasks are of");
  const retired = new Set<string>();
  for await (const row of everyRow((page) => ctx.store.records.list(Surface, page))) {
    if (row.retired_at !== undefined) retired.add(row.id);
  }
  const live: EnvironmentDoc[] = [];
  for await (const row of everyRow((page) => ctx.store.records.list(Environment, { ...page, order: "oldest" }))) {
    const fits = surface === undefined || row.surface === surface;
    if (fits && row.retired_at === undefined && !retired.has(row.surface)) live.push(row);
  }
  return live;
}

/** Chooses the tasks of one environment after another, by the names or the selection that were given. */
class Chooser {
  readonly #ctx: Ctx;
  readonly #input: TasksInput;
  readonly #player: Player;
  fixed: Fixed = { reviewed: 0, certified: 0 };

  constructor(ctx: Ctx, input: TasksInput, player: Player) {
    this.#ctx = ctx;
    this.#input = input;
    this.#player = player;
  }

  async of(environment: EnvironmentDoc): Promise<readonly TaskDoc[]> {
    const all = await environmentTasks(this.#ctx, environment.id);
    const names = this.#input.tasks_by_environment?.[environment.id] ?? this.#input.tasks;
    if (names !== undefined) return this.#named(environment, all, names);
    const wanted = await this.#wanted(environment);
    const fixed = await this.#certified(environment, all.filter(wanted));
    const eligible = fixed.filter((task) => this.#counts(task));
    const { selection } = this.#input;
    return typeof selection === "string" && /^(?:ci|smoke)-/.test(selection) ? sample(eligible, selection) : eligible;
  }

  async #named(
    environment: EnvironmentDoc,
    all: readonly TaskDoc[],
    names: readonly string[],
  ): Promise<readonly TaskDoc[]> {
    const { found, unknown } = named(all, names);
    if (unknown.length > 0)
      throw new AppError("not_found", "No such task in this environment.", { names: unknown, missing: "task" });
    const fixed = await this.#certified(environment, found);
    const refused = fixed.filter((task) => !this.#counts(task));
    if (refused.length === 0) return fixed;
    throw conflict("Tasks without a certificate do not count; review them, or set include_held for held ones.", {
      names: refused.map((task) => String(task.index)),
    });
  }

  /** Which of an environment's tasks a selection is of, before any sample is drawn. */
  async #wanted(environment: EnvironmentDoc): Promise<(task: TaskDoc) => boolean> {
    const { selection } = this.#input;
    if (typeof selection === "object") return ({ task }) => selected(task, selection);
    if (selection === "failed_last") {
      const failed = await failedLast(this.#ctx, environment.id, this.#player);
      return (task) => failed.has(task.id);
    }
    if (selection !== "touched") return () => true;
    const touched = await this.#touched(environment);
    return ({ task }) => callsAny(task, touched);
  }

  /** The tools that the player's version touches, of those that the environment has. */
  async #touched(environment: EnvironmentDoc): Promise<ReadonlySet<string>> {
    const { agent, version } = this.#player;
    if (agent === null)
      throw badField("selection", "touched is of what an agent's version changes; a harness has none");
    const { bundle } = await loadBundle(this.#ctx, environment.bundle);
    const known = new Set(bundle.tools.map(({ name }) => name));
    const row = findVersion(await findAgent(this.#ctx, agent), version ?? undefined);
    return new Set((await touchedTools(this.#ctx, row, undefined, known)).map(({ tool }) => tool));
  }

  /**
   * The same tasks, those without a certificate that holds reviewed on the world served now where that was asked for.
   * Refuses where a certificate no longer holds and that was not: the run would be on fewer tasks, and not say so.
   */
  async #certified(environment: EnvironmentDoc, tasks: readonly TaskDoc[]): Promise<readonly TaskDoc[]> {
    await this.#held(environment, tasks);
    const stale = tasks.filter((task) => staleness(task) !== undefined);
    if (this.#input.autofix !== true) {
      if (stale.length === 0) return tasks;
      throw conflict(
        `The certificates of ${stale.length} of these tasks no longer hold: another version of the checks gave them, or the tasks were changed. ${REVIEW_AGAIN}; so does autofix here.`,
        { names: stale.map((task) => String(task.index)) },
      );
    }
    const fresh = tasks.filter(({ status }) => status === "draft" || status === "refused");
    const due = [...fresh, ...stale];
    if (due.length === 0) return tasks;
    if (this.fixed.reviewed + due.length > MOST_FIXED)
      throw conflict(
        `More than ${MOST_FIXED} of these tasks have no certificate, too many to review at a start; review their environment first.`,
      );
    const after = await reviewEnvironment(this.#ctx, environment, due, true);
    const certified = after.filter(({ status }) => status === "certified").length;
    this.fixed = { reviewed: this.fixed.reviewed + due.length, certified: this.fixed.certified + certified };
    const known = new Map(after.map((row) => [row.id, row]));
    return tasks.map((row) => known.get(row.id) ?? row);
  }

  /** Refuses held tasks that would be played on a certificate which no longer holds; a review of theirs is a person's to ask for. */
  async #held(environment: EnvironmentDoc, tasks: readonly TaskDoc[]): Promise<void> {
    const held = tasks.filter((task) => this.#counts(task) && task.status === "held");
    if (held.every(({ certificate }) => certificate === undefined)) return;
    const world = await loadEnvironment(this.#ctx, environment);
    const lapsed = held.filter((task) => isLapsedHold(task, world));
    if (lapsed.length === 0) return;
    throw conflict(
      `The certificates of ${lapsed.length} of these held tasks no longer hold: another version of the checks gave them, or the tasks or their world were changed. environment_review_rereview reviews held tasks and lets those go that pass; or leave include_held out.`,
      { names: lapsed.map((task) => String(task.index)) },
    );
  }

  #counts(task: TaskDoc): boolean {
    return counts(task, this.#input.include_held === true);
  }
}
