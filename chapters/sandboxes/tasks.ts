import { grade } from "../../worlds/tasks/grade.ts";
import { rehearsals } from "../../worlds/tasks/rehearse.ts";
import type { Check, Task } from "../../worlds/tasks/schema.ts";
import type { Ctx } from "../context.ts";
import { AppError, notFound } from "../errors.ts";
import type { Doc } from "../record.ts";
import { jsonDigest, loadEnvironment } from "./blobs.ts";
import { addTasks, environmentTasks, type Review, storeReview } from "./build.ts";
import { reviewTasks } from "./compute-tasks.ts";
import { findEnvironment, statusCounts, verifierHealth } from "./environments.ts";
import { TaskRecord } from "./schema.ts";

type TaskDoc = Doc<typeof TaskRecord>;

/** What a check decides, in words a person can act on. */
export function describeCheck(check: Check): string {
  const calls = (list: readonly { tool: string }[]) => list.map((call) => call.tool).join(", ");
  switch (check.kind) {
    case "answer_includes":
      return `The answer says ${check.facts.map((fact) => String(fact.value)).join(", ")}.`;
    case "answer_excludes":
      return `The answer does not say ${check.facts.map((fact) => String(fact.value)).join(", ")}.`;
    case "answer_class":
      return `The agent's answer is of class ${check.class}.`;
    case "asks":
      return `The agent asks the user about ${check.about.join(", ")}.`;
    case "calls_required":
      return `The agent calls ${calls(check.calls)}.`;
    case "calls_forbidden":
      return `The agent does not call ${calls(check.calls)}.`;
    case "call_order":
      return `The agent calls ${calls(check.calls)} in this order.`;
    case "state":
      return `The world ends with the ${check.changes.length} changes allowed and no other.`;
    case "no_state_change":
      return "The world ends as it was drawn.";
    case "max_calls":
      return `The agent makes at most ${check.n} calls.`;
    case "judged":
      return "A judge decides; without one it stays undecided.";
  }
}

/** An environment's task by its index; unknown indexes and environments are the same 404 as another org's. */
export async function findTask(ctx: Ctx, environment: string, index: number): Promise<TaskDoc> {
  await findEnvironment(ctx, environment);
  const { items } = await ctx.store.records.list(TaskRecord, { where: { environment, index }, limit: 1 });
  if (!items[0]) throw notFound("task");
  return items[0];
}

/** Every task with its checks, what it decides and whether it counts. */
export async function listEnvironmentTasks(
  ctx: Ctx,
  input: { readonly env_id: string; readonly retired?: boolean | undefined },
) {
  const environment = await findEnvironment(ctx, input.env_id);
  const all = await environmentTasks(ctx, environment.id);
  const tasks = all.filter((row) => input.retired === true || row.status !== "retired");
  const families: Record<string, number> = {};
  for (const row of tasks)
    if (row.status === "certified") families[row.task.family] = (families[row.task.family] ?? 0) + 1;
  const health = verifierHealth(all);
  return {
    org: ctx.org.tag,
    environment: environment.id,
    surface: environment.surface,
    selection: environment.selection,
    world_snapshot: environment.base_blob,
    review_counts: statusCounts(all),
    coverage: families,
    tasks: tasks.map(taskView),
    ...(health === undefined ? {} : { verifier_health: health }),
  };
}

function taskView(row: TaskDoc) {
  const { family, cell, voice, request, turns, tier, checks, script } = row.task;
  return {
    id: row.id,
    index: row.index,
    digest: row.digest,
    status: row.status,
    ...(row.reason === undefined ? {} : { reason: row.reason }),
    family,
    cell,
    voice,
    request,
    turns,
    tier,
    tools: [...new Set(script.calls.map((call) => call.tool))],
    checks: checks.map((check) => ({ kind: check.kind, decides: describeCheck(check) })),
  };
}

/** A task's checks whole, each with what it decides on the right answer. */
export async function taskChecks(ctx: Ctx, input: { readonly env_id: string; readonly index: number }) {
  const row = await findTask(ctx, input.env_id, input.index);
  const checks = row.task.checks.map((check, n) => ({ n, check, decides: describeCheck(check) }));
  return { environment: row.environment, index: row.index, status: row.status, checks, verdicts: row.verdicts };
}

/** Runs one check against the right answer and the wrong ones, on forks of the drawn world. */
export async function rehearseCheck(
  ctx: Ctx,
  input: { readonly env_id: string; readonly index: number; readonly n: number },
) {
  const row = await findTask(ctx, input.env_id, input.index);
  const check = row.task.checks[input.n];
  if (!check) throw notFound("check");
  const world = await loadEnvironment(ctx, await findEnvironment(ctx, input.env_id));
  const alone: Task = { ...row.task, checks: [check] };
  const rows = rehearsals(row.task, world).map(({ name, right, trial }) => {
    const verdict = grade(alone, trial, world).verdicts[0]!;
    return { name, right, verdict: verdict.verdict, reason: verdict.reason };
  });
  return {
    environment: row.environment,
    index: row.index,
    n: input.n,
    check: check.kind,
    decides: describeCheck(check),
    rows,
    tier: "deterministic" as const,
  };
}

/** Adds tasks through the same gate as written ones. A task that fails is named with the verdict it failed, and nothing is stored. */
export async function postTasks(ctx: Ctx, input: { readonly env_id: string; readonly tasks: readonly Task[] }) {
  const environment = await findEnvironment(ctx, input.env_id);
  const known = new Set((await environmentTasks(ctx, environment.id)).map((row) => row.digest));
  const twice = input.tasks.findIndex((task) => known.has(jsonDigest(task)));
  if (twice >= 0) throw new AppError("conflict", `Task ${twice} of the list stands in this environment already.`);
  const world = await loadEnvironment(ctx, environment);
  const reviews = await ctx.compute.run(reviewTasks, { ...world, tasks: input.tasks }, ctx.signal);
  const failed = reviews.flatMap((review, i) =>
    review.certificate.passed ? [] : [{ path: `tasks.${i}`, message: `does not pass: ${failedNames(review)}` }],
  );
  if (failed.length > 0)
    throw new AppError("unprocessable", "Some tasks do not pass review; nothing was stored.", { fields: failed });
  const docs = await addTasks(ctx, environment, input.tasks);
  const stored = await Promise.all(docs.map((doc, i) => storeReview(ctx, doc, reviews[i]!, true)));
  return { environment: environment.id, tasks: stored.map(taskView), counts: statusCounts(stored) };
}

function failedNames(review: Review): string {
  return review.certificate.verdicts
    .filter((verdict) => !verdict.passed)
    .map((verdict) => verdict.name)
    .join(", ");
}

async function changeTasks(
  ctx: Ctx,
  env: string,
  indexes: readonly number[],
  change: (row: TaskDoc) => TaskDoc,
): Promise<TaskDoc[]> {
  const rows = await Promise.all(indexes.map((index) => findTask(ctx, env, index)));
  return Promise.all(rows.map(async (row) => (await ctx.store.records.update(TaskRecord, row.id, change)) ?? row));
}

/** Takes tasks off: they are listed on request and never run. */
export async function retireTasks(
  ctx: Ctx,
  input: { readonly env_id: string; readonly indexes: readonly number[]; readonly reason?: string | undefined },
) {
  const reason = input.reason ?? "Retired by a person.";
  const rows = await changeTasks(ctx, input.env_id, input.indexes, (row) => ({
    ...row,
    status: "retired" as const,
    reason,
  }));
  return { environment: input.env_id, retired: rows.map((row) => row.index) };
}

/** Puts retired tasks back to what their review says; one that was never reviewed becomes a draft. Others stay as they are. */
export async function restoreTasks(ctx: Ctx, input: { readonly env_id: string; readonly indexes: readonly number[] }) {
  const rows = await changeTasks(ctx, input.env_id, input.indexes, (row) => {
    if (row.status !== "retired") return row;
    const { reason: _reason, ...rest } = row;
    return { ...rest, status: statusByReview(row) };
  });
  return { environment: input.env_id, restored: rows.map(({ index, status }) => ({ index, status })) };
}

function statusByReview(row: TaskDoc): TaskDoc["status"] {
  if (row.certificate === undefined) return "draft";
  return row.certificate.passed ? "certified" : "refused";
}

/** A person holds one task: it is kept and does not count. */
export async function holdTask(
  ctx: Ctx,
  input: { readonly env_id: string; readonly index: number; readonly reason: string },
) {
  const row = await findTask(ctx, input.env_id, input.index);
  if (row.status === "retired") throw new AppError("conflict", "The task is retired.");
  const held = await ctx.store.records.update(TaskRecord, row.id, (doc) => ({
    ...doc,
    status: "held" as const,
    reason: input.reason,
  }));
  const all = await environmentTasks(ctx, input.env_id);
  return {
    environment: input.env_id,
    hold: { index: row.index, reason: held?.reason ?? input.reason },
    counts: statusCounts(all),
    tier: "human" as const,
  };
}
