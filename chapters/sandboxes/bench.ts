import type { BaseState, ToolDefinition } from "../../worlds/bundle.ts";
import type { FinishedTrial, Task } from "../../worlds/tasks/schema.ts";
import type { Ctx } from "../context.ts";
import { AppError } from "../errors.ts";
import { type ZipFile, zipped } from "../exports/zip.ts";
import { FileAnswer } from "../reply.ts";
import { type Tier, weakestTier } from "../tier.ts";
import { referenceTrials } from "./bench-trials.ts";
import { loadEnvironment } from "./blobs.ts";
import type { PlanTask } from "./worldplan-schema.ts";
import { findWorldplan, type WorldplanDoc } from "./worldplans.ts";

/** Seconds that a verifier may take: grading is milliseconds, starting Node on a busy machine is not. */
const VERIFIER_SECONDS = 60;
const AGENT_SECONDS = 900;

/**
 * A plan as a benchmark dataset: a zip with one directory per certified task, in Harbor's task format. Each brings a
 * verifier that needs nothing but Node and decides a captured trial as the service does. `tier` is the weakest that a
 * task may be of, `deterministic` when absent.
 */
export async function exportBench(
  ctx: Ctx,
  input: { readonly wid: string; readonly tier?: Tier | undefined },
): Promise<FileAnswer> {
  const plan = await findWorldplan(ctx, input.wid);
  const tier = input.tier ?? "deterministic";
  const rows = plan.tasks.filter((row) => row.status === "certified" && weakestTier([row.task.tier, tier]) === tier);
  if (rows.length === 0)
    throw new AppError("conflict", "The plan has no certified task of this tier or a stronger one.");
  const { bundle, base } = await loadEnvironment(ctx, plan);
  const tasks = rows.map(({ task }) => task);
  const trials = await ctx.compute.run(referenceTrials, { bundle, base, seed: plan.seed, tasks }, ctx.signal);
  const grader = await ctx.verifier.files();
  const name = `${plan.id}-bench`;
  const data = { worldplan: plan.id, tasks: rows.length, tier };
  const dataset = files(plan, rows, trials, base, bundle.tools, grader);
  return new FileAnswer(`${name}.zip`, "application/zip", zipped(dataset, ctx.now()), data);
}

type Grader = Awaited<ReturnType<Ctx["verifier"]["files"]>>;

function* files(
  plan: WorldplanDoc,
  rows: readonly PlanTask[],
  trials: readonly FinishedTrial[],
  base: BaseState,
  tools: readonly ToolDefinition[],
  grader: Grader,
): Generator<ZipFile> {
  yield { name: "README.md", content: README };
  const shown = json(tools.map(({ http: _http, ...tool }) => tool));
  for (const [i, { index, digest, task }] of rows.entries()) {
    const place = `task-${String(index).padStart(4, "0")}`;
    yield { name: `${place}/task.toml`, content: taskToml(plan, place, digest, task) };
    yield { name: `${place}/instruction.md`, content: instruction(task) };
    yield { name: `${place}/environment/Dockerfile`, content: DOCKERFILE };
    yield { name: `${place}/environment/tools.json`, content: shown };
    yield { name: `${place}/solution/solve.sh`, content: SOLVE };
    yield { name: `${place}/solution/trial.json`, content: json(trials[i]) };
    yield { name: `${place}/tests/test.sh`, content: `${SHELL}exec node /tests/grader/${grader.entry} /tests /logs\n` };
    yield { name: `${place}/tests/task.json`, content: json(terms(task)) };
    yield { name: `${place}/tests/base.json`, content: json(baseFor(task, base)) };
    for (const file of grader.files) yield { name: `${place}/tests/grader/${file.name}`, content: file.content };
  }
}

/** What grading reads of a task. */
function terms({ request, script, checks }: Task) {
  return { request, script, checks };
}

/** Of the drawn rows only the tables that the checks compare an answer with. */
function baseFor(task: Task, base: BaseState): BaseState {
  const tables = new Set(
    task.checks.flatMap((check) => (check.kind === "answer_excludes" && check.others ? [check.others.table] : [])),
  );
  return { tables: Object.fromEntries(Object.entries(base.tables).filter(([name]) => tables.has(name))), drawn: {} };
}

function taskToml(plan: WorldplanDoc, place: string, digest: string, task: Task): string {
  return `schema_version = "1.1"

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

[agent]
timeout_sec = ${AGENT_SECONDS}.0

[environment]
build_timeout_sec = 600.0
cpus = 1
memory_mb = 2048
storage_mb = 4096
`;
}

/** A string as TOML writes it: JSON's escapes are TOML's too, but for the one character that TOML wants escaped as well. */
function text(value: string): string {
  return JSON.stringify(value).replaceAll("\u007f", "\\u007f");
}

function instruction(task: Task): string {
  const turns = task.turns.map((turn, i) => `\n\n## Turn ${i + 2}\n\n${turn}`).join("");
  return `${task.request}${turns}\n`;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 1)}\n`;
}

const SHELL = "#!/bin/sh\nset -eu\n";
const DOCKERFILE = `FROM node:24-slim
WORKDIR /app
COPY tools.json /app/tools.json
`;
const SOLVE = `${SHELL}mkdir -p /logs/artifacts
cp /solution/trial.json /logs/artifacts/trial.json
`;
const README = `# Tasks on a drawn world

One directory per task: \`instruction.md\` is what the agent is asked, \`environment/tools.json\` the tools it has, and
\`tests/\` decides what it did.

The verifier reads the agent's captured trial at \`/logs/artifacts/trial.json\`:

    {"calls": [{"tool", "args", "answer", "answer_class", "is_error", "changed"}],
     "answers": [{"text", "class"?}],
     "diff": [{"table", "key", "before"?, "after"?}]}

\`calls\` are those it made, in order; \`answers\` what it said, one per turn; \`diff\` how the world's rows differ from the
drawn ones at the end. It is the form in which trials are stored and exported by the service that drew the world.

\`tests/test.sh\` writes the reward to \`/logs/verifier/reward.txt\` (1 where every check is met, else 0) and each check's
verdict to \`/logs/verifier/verdict.json\`. A trial that cannot be decided (a missing or malformed file, a gap of the world
in a tool that the task needs, a check that could not decide) gets no reward: the verifier ends with status 3 and says why.
It needs Node 22 or newer and nothing else. \`solution/\` plays the reference: its captured trial.
`;
