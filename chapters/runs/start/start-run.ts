import { z } from "zod";
import { digestOf } from "../../../worlds/digest.ts";
import type { Selection } from "../../../worlds/tasks/generate.ts";
import { actor, type Ctx } from "../../context.ts";
import { badField, conflict } from "../../errors.ts";
import { byField, DEFAULT_TIMEOUT_S, orgRef, words } from "../../fields.ts";
import type { Doc } from "../../record.ts";
import { GradingTier, type Player, RunHarness, type RunTask, RunTrigger } from "../../records/runs/runs.ts";
import type { TaskRecord } from "../../records/sandboxes/sandboxes.ts";
import { TaskSelection } from "../../sandboxes/tasks/task-selection.ts";
import type { GroupDoc, RunDoc } from "../groups/group-data.ts";
import { choosePlayer, harnessPlayer } from "../play/choose-player.ts";
import { chooseParts, type Part } from "./choose-tasks.ts";
import { type Launched, launchGroup, startedReply } from "./launch-group.ts";
import { resumeRun } from "./resume-run.ts";
import { SELECTION } from "./select-tasks.ts";
import { type FromInput, startFrom } from "./start-from.ts";

const taskNames = z.array(words(200)).min(1).max(2_000);

/** What a run is started with; with `resume` or `resume_group`, nothing that plans one. */
export const StartInput = z.object({
  ...orgRef,
  agent: words(200).optional().describe("Agent id or name; the org's primary agent when no harness is given either."),
  agent_version: words(100).optional().describe("Version label; the newest that is not retired when absent."),
  harness: RunHarness.optional().describe(
    "Built-in: reference meets every task, null none, react is a model with tools.",
  ),
  environment: words(200).optional().describe("Environment id."),
  worldplan: words(200).optional().describe("A minted world by its plan: its certified tasks."),
  group: words(200).optional().describe("A run group: its tasks, tries and terms once more, by who is named here."),
  tasks: taskNames.optional().describe("Task ids or indexes of that environment."),
  tasks_by_environment: z
    .record(words(200), taskNames)
    .optional()
    .describe("Several environments, each with its task ids or indexes."),
  selection: z
    .union([
      z.string().regex(SELECTION, "use full, failed_last, touched, ci-N, smoke-N, or the group of a held set"),
      TaskSelection,
    ])
    .optional()
    .describe("full, ci-N, smoke-N, failed_last, touched, a held set or {axis: [value]}."),
  trials: z.number().int().min(1).max(50).optional().describe("Tries per task; 1 when absent."),
  timeout_seconds: z.number().positive().max(3_600).optional().describe(`Per trial; ${DEFAULT_TIMEOUT_S} when absent.`),
  include_held: z.boolean().optional().describe("Also tasks that a review holds back."),
  autofix: z
    .boolean()
    .optional()
    .describe("First review wanted tasks without a current certificate (50 at most), by code."),
  force: z.boolean().optional().describe("Start another even while the same plan is at work."),
  control: RunHarness.optional().describe("A harness to run beside on the same tasks, as a group of its own."),
  tier: GradingTier.optional().describe(
    "deterministic (default): by code alone; llm-derived: judged checks by a judge.",
  ),
  model: words(200).optional().describe("The react harness's model, see providers_get; the default one when absent."),
  provider: words(200)
    .optional()
    .describe("A pin of providers_get, or a provider's name: the react harness with its model."),
  trigger: RunTrigger.optional().describe("What starts it, for the record; `person` when absent."),
  resume: words(200).optional().describe("A stopped or failed run or run group to go on with: plays what is missing."),
  resume_group: words(200).optional().describe("The same for a run group."),
  ...byField,
});
export type StartInput = z.output<typeof StartInput>;

/** Fields that plan a run. */
const PLANNED = [
  "agent",
  "agent_version",
  "harness",
  "model",
  "provider",
  "environment",
  "worldplan",
  "group",
  "tasks",
  "tasks_by_environment",
  "selection",
  "trials",
  "timeout_seconds",
  "include_held",
  "autofix",
  "force",
  "control",
  "tier",
  "trigger",
] as const satisfies readonly (keyof StartInput)[];

/**
 * Plans a group over one environment, the ones named, those of another group, of a minted world or of a held set, or every
 * live one, and starts it as a job with a run per environment. The same plan while it runs answers the running group,
 * unless another is forced. A `control` runs beside it as a group of its own.
 */
export async function startRun(ctx: Ctx, input: StartInput) {
  if (input.resume !== undefined || input.resume_group !== undefined) {
    const more = PLANNED.find((field) => input[field] !== undefined);
    if (more) throw badField(more, "belongs to the plan of the run that is continued");
    return resumeRun(ctx, input);
  }
  const plan = await startFrom(ctx, input);
  const player = await choosePlayer(ctx, plan);
  if (input.tier === "llm-derived" && ctx.models.offered.length === 0)
    throw conflict("No model may judge on this workspace; the operator can set SVC_MODELS.", { by: "providers_get" });
  // What would be refused is refused before anything is at work.
  const beside = plan.control === undefined ? undefined : harnessPlayer(ctx, plan.control, undefined);
  const { parts, fixed } = await chooseParts(ctx, plan, player);
  const launched = await launch(ctx, plan, player, parts, undefined);
  const control =
    beside === undefined || launched.handle.deduplicated
      ? undefined
      : await launch(ctx, plan, beside, parts, launched.handle.job);
  return startedReply(ctx, launched, control?.handle, plan.autofix === true ? fixed : undefined);
}

/** What a group is told to be of. */
function selectionName({ selection, group, worldplan, tasks, tasks_by_environment }: StartInput): string {
  if (group !== undefined) return `group ${group}`;
  if (worldplan !== undefined) return `worldplan ${worldplan}`;
  if (selection !== undefined) return typeof selection === "string" ? selection : axesOf(selection);
  return tasks || tasks_by_environment ? "tasks" : "full";
}

/** Tasks chosen by how trials on them ended, as the group keeps it: comparisons say it and show no confidence. */
function chosenByOutcome({ selection, chosen_by_outcome: how }: FromInput): Pick<GroupDoc, "chosen_by_outcome"> {
  const chosen = selection === "failed_last" ? "failed_last" : how;
  return chosen === undefined ? {} : { chosen_by_outcome: chosen };
}

function axesOf(selection: Selection): string {
  return Object.entries(selection)
    .map(([axis, values]) => `${axis}: ${values.join(", ")}`)
    .join("; ");
}

async function launch(
  ctx: Ctx,
  input: StartInput,
  player: Player,
  parts: readonly Part[],
  controlOf: string | undefined,
): Promise<Launched> {
  const id = ctx.id("rg");
  const made = { created_at: ctx.now(), by: actor(ctx, input.by) };
  const trials = input.trials ?? 1;
  const timeout = input.timeout_seconds ?? DEFAULT_TIMEOUT_S;
  const runs = parts.map(
    ({ environment, bundle, tasks, partial }): RunDoc => ({
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
      seed: environment.seed,
      tasks: tasks.map(runTask),
      ...(partial ? { partial } : {}),
    }),
  );
  const group: GroupDoc = {
    id,
    ...made,
    player,
    ...(player.agent === null ? {} : { agent: player.agent }),
    runs: runs.map((run) => ({ run: run.id, environment: run.environment, label: run.label, tasks: run.tasks.length })),
    selection: selectionName(input),
    ...chosenByOutcome(input),
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
    ...(input.force === true ? [id] : []),
  ]);
  return launchGroup(ctx, group, runs, plan);
}

function runTask(row: Doc<typeof TaskRecord>): RunTask {
  return {
    id: row.id,
    index: row.index,
    family: row.task.family,
    request: row.task.request,
    digest: row.digest,
    checks: digestOf(row.task.checks),
  };
}
