import type { BaseState, Bundle } from "../../../worlds/bundle.ts";
import type { FinishedTrial, Task } from "../../../worlds/tasks/schema.ts";
import { loadEnvironment } from "../../blobs.ts";
import type { Ctx } from "../../context.ts";
import { conflict } from "../../errors.ts";
import type { PlanTask } from "../../records/sandboxes/worldplan.ts";
import { FileAnswer } from "../../reply.ts";
import { type Tier, weakestTier } from "../../tier.ts";
import { type ZipFile, zipped } from "../../zip.ts";
import { findWorldplan, type WorldplanDoc } from "../plans/worldplans.ts";
import {
  AGENT_USER,
  DOCKERFILE,
  HEALTHCHECK,
  instruction,
  MCP_SERVERS,
  README,
  solution,
  TEST,
  WITH_WORLD,
  WORLD_COMMAND,
} from "./bench-files.ts";
import { referenceTrials } from "./bench-trials.ts";

/** Seconds that a verifier may take: grading is milliseconds, starting Node on a busy machine is not. */
const VERIFIER_SECONDS = 60;
const AGENT_SECONDS = 900;

/**
 * A plan as a benchmark dataset: a zip with one directory per certified task, in Harbor's task format. Each brings its
 * world, which an agent calls in its container, and a verifier that plays the agent's calls on the drawn rows again and
 * decides as the service does; both need nothing but Node. Tasks that need a user who answers are left out. `tier` is the weakest that a
 * task may be of, `deterministic` when absent.
 */
export async function exportBench(
  ctx: Ctx,
  input: { readonly wid: string; readonly tier?: Tier | undefined },
): Promise<FileAnswer> {
  const plan = await findWorldplan(ctx, input.wid);
  const tier = input.tier ?? "deterministic";
  const certified = plan.tasks.filter(
    (row) => row.status === "certified" && weakestTier([row.task.tier, tier]) === tier,
  );
  // Nobody answers an agent in its container: what it would have to ask for it cannot know.
  const rows = certified.filter(({ task }) => task.script.questions === undefined);
  if (rows.length === 0)
    throw conflict(
      certified.length === 0
        ? "The plan has no certified task of this tier or a stronger one."
        : "Each of the plan's certified tasks needs a user who answers, and the exported format has none.",
    );
  const { bundle, base } = await loadEnvironment(ctx, plan);
  const tasks = rows.map(({ task }) => task);
  const trials = await ctx.compute.run(referenceTrials, { bundle, base, seed: plan.seed, tasks }, ctx.signal);
  const program = await ctx.benchProgram.text();
  const name = `${plan.id}-bench`;
  const data = { worldplan: plan.id, tasks: rows.length, tier };
  const dataset = files({ plan, rows, trials, bundle, base, program });
  return new FileAnswer(`${name}.zip`, "application/zip", zipped(dataset, ctx.now()), data);
}

interface Dataset {
  readonly plan: WorldplanDoc;
  readonly rows: readonly PlanTask[];
  readonly trials: readonly FinishedTrial[];
  readonly bundle: Bundle;
  readonly base: BaseState;
  readonly program: string;
}

function* files({ plan, rows, trials, bundle, base, program }: Dataset): Generator<ZipFile> {
  yield { name: "README.md", content: README };
  const shown = json(bundle.tools.map(({ http: _http, ...tool }) => tool));
  const world = `${JSON.stringify({ bundle, base, seed: plan.seed })}\n`;
  for (const [i, { index, digest, task }] of rows.entries()) {
    const place = `task-${String(index).padStart(4, "0")}`;
    const contents: Record<string, string> = {
      "task.toml": taskToml(plan, place, digest, task),
      "instruction.md": instruction(task),
      "environment/Dockerfile": DOCKERFILE,
      "environment/tools.json": shown,
      "environment/bin/world": WORLD_COMMAND,
      "environment/bin/with-world": WITH_WORLD,
      "environment/world/program.mjs": program,
      "environment/world/world.json": world,
      "solution/solve.sh": solution(trials[i]!),
      "tests/test.sh": TEST,
      "tests/task.json": json(terms(task)),
      "tests/world.json": world,
      "tests/program.mjs": program,
    };
    for (const [name, content] of Object.entries(contents)) yield { name: `${place}/${name}`, content };
  }
}

/** What grading reads of a task. */
function terms({ request, turns, user, script, alternatives, checks }: Task) {
  return { request, turns, ...(user ? { user } : {}), script, ...(alternatives ? { alternatives } : {}), checks };
}

function taskToml(plan: WorldplanDoc, place: string, digest: string, task: Task): string {
  return `schema_version = "1.3"

[task]
name = ${text(`${plan.id}/${place}`)}
description = ${text(`A ${task.family} task on a drawn world.`)}
keywords = [${[task.family, ...Object.values(task.cell)].map(text).join(", ")}]

[metadata]
worldplan = ${text(plan.id)}
label = ${text(plan.label)}
task_digest = ${text(digest)}
family = ${text(task.family)}
tier = ${text(task.tier)}

[verifier]
timeout_sec = ${VERIFIER_SECONDS}.0
user = "root"

[agent]
timeout_sec = ${AGENT_SECONDS}.0
user = ${text(AGENT_USER)}

[environment]
os = "linux"
build_timeout_sec = 600.0
cpus = 1
memory_mb = 2048
storage_mb = 4096

${MCP_SERVERS}
${HEALTHCHECK}`;
}

/** A string as TOML writes it: JSON's escapes are TOML's too, but for the one character that TOML wants escaped as well. */
function text(value: string): string {
  return JSON.stringify(value).replaceAll("\u007f", "\\u007f");
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 1)}\n`;
}
