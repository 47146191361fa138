import { z } from "zod";
import { digestOf } from "../../../worlds/digest.ts";
import { actor, type Ctx } from "../../context.ts";
import { conflict } from "../../errors.ts";
import { byField } from "../../fields.ts";
import { job } from "../../job.ts";
import { everyRow } from "../../page.ts";
import { EnvironmentRevision } from "../../records/sandboxes/revision.ts";
import { FileAnswer } from "../../reply.ts";
import { audited } from "../../retirement.ts";
import { keptHold } from "../authoring/author-environment.ts";
import { CANDIDATES, refuseModel } from "../authoring/author-tasks.ts";
import { findEnvironment, liveEnvironment } from "../environments/environment-records.ts";
import { revise } from "../environments/revise.ts";
import { graderFields, taskRef } from "../fields.ts";
import { asksOf, REVIEW_CHECKS, suiteOf, verdictCounts } from "../tasks/suite.ts";
import {
  environmentTasks,
  findTask,
  isHeldAsPoor,
  staleness,
  statusCounts,
  verifierHealth,
} from "../tasks/task-records.ts";
import { reviewMarkdown } from "./review-markdown.ts";
import { reviewEnvironment } from "./review-tasks.ts";

/** Five verdicts per task and the counts, as last reviewed. */
export async function getReview(
  ctx: Ctx,
  input: { readonly env_id: string; readonly format?: "json" | "md" | undefined },
) {
  const environment = await findEnvironment(ctx, input.env_id);
  const tasks = await environmentTasks(ctx, environment.id);
  const health = verifierHealth(tasks);
  const review = {
    org: ctx.org.tag,
    environment: environment.id,
    surface: environment.surface,
    counts: statusCounts(tasks),
    tier: "deterministic" as const,
    tasks: tasks.map(({ index, status, reason, verdicts, reviewed_at, task }) => ({
      index,
      family: task.family,
      request: task.request,
      status,
      ...(reason === undefined ? {} : { reason }),
      ...(reviewed_at === undefined ? {} : { reviewed_at }),
      verdicts,
    })),
    asks: asksOf(tasks),
    checks: REVIEW_CHECKS.map((row) => ({ ...row })),
    max_rounds: CANDIDATES,
    replaced_tasks: await replacedTasks(ctx, environment.id),
    suite: suiteOf(tasks),
    verdicts: verdictCounts(tasks),
    ...(health === undefined ? {} : { verifier_health: health }),
  };
  if (input.format !== "md") return review;
  return new FileAnswer(
    `review-${environment.id}.md`,
    "text/markdown",
    reviewMarkdown(environment.label, review),
    review,
  );
}

/** A task that was written again, with the revision that keeps what it replaced. */
export const ReplacedTask = z.object({ index: z.number().int(), revision: z.string() });
type ReplacedTask = z.infer<typeof ReplacedTask>;

/** Tasks that were written again in place of refused ones, with the revision that keeps what they replaced. */
async function replacedTasks(ctx: Ctx, environment: string): Promise<ReplacedTask[]> {
  const replaced: ReplacedTask[] = [];
  const where = { environment };
  for await (const row of everyRow((page) => ctx.store.records.list(EnvironmentRevision, { ...page, where })))
    if (row.act === "regenerate" && row.state === "applied")
      replaced.push(...row.changed.map((index) => ({ index, revision: row.id })));
  return replaced;
}

const ReviewInput = z.object({ environment: z.string(), by: z.string(), force: z.boolean() });

/** Reviews an environment's tasks on the served world; `force` includes those a person holds, which stay held. Not retired ones. */
export const reviewJob = job({
  kind: "review",
  input: ReviewInput,
  key: (input) => `review:${input.environment}`,
  attempts: 3,
  ends: "cancel",
  concurrency: 1,
  run: async (ctx, input) => {
    const environment = await findEnvironment(ctx, input.environment);
    const tasks = await environmentTasks(ctx, environment.id);
    const due = tasks.filter(
      (row) =>
        row.status !== "retired" &&
        (input.force || (row.status !== "held" && (row.reviewed_at === undefined || staleness(row) !== undefined))),
    );
    await reviewEnvironment(ctx, environment, due, true, { settle: keptHold });
    const after = await environmentTasks(ctx, environment.id);
    return { environment: environment.id, reviewed: due.length, counts: statusCounts(after) };
  },
});

/** Starts a review of every task that has none, or whose certificate no longer holds; of all of them with `force`. No model is called. */
export async function startReview(
  ctx: Ctx,
  input: { readonly env_id: string; readonly force?: boolean | undefined; readonly model?: string | undefined },
) {
  const environment = await liveEnvironment(ctx, input.env_id);
  refuseModel(input.model);
  const force = input.force ?? false;
  const handle = await ctx.jobs.start(reviewJob, { environment: environment.id, by: actor(ctx, undefined), force });
  return {
    ...handle,
    environment: environment.id,
    surface: environment.surface,
    tasks: environment.tasks,
    force,
    asks: asksOf(await environmentTasks(ctx, environment.id)),
    checks: REVIEW_CHECKS.map((row) => ({ ...row })),
    stages: ["review"],
    note: force
      ? "Every task is reviewed but retired ones; what a person holds stays held."
      : "Tasks that have no review, or one that no longer holds, are reviewed.",
    tier: "deterministic" as const,
  };
}

/** Certifies the tasks again on the served world, without a model. Changes are listed per task, counts are the environment's. */
export async function regate(ctx: Ctx, input: { readonly env_id: string }) {
  const environment = await liveEnvironment(ctx, input.env_id);
  const before = (await environmentTasks(ctx, environment.id)).filter(
    (row) => row.status === "certified" || row.status === "refused" || isHeldAsPoor(row),
  );
  const after = await reviewEnvironment(ctx, environment, before, true);
  const moved = after.flatMap((row, i) => {
    const was = before[i]!.status;
    return was === row.status
      ? []
      : [{ index: row.index, was, is: row.status, ...(row.reason === undefined ? {} : { reason: row.reason }) }];
  });
  return {
    environment: environment.id,
    regated: after.length,
    counts: statusCounts(await environmentTasks(ctx, environment.id)),
    moved,
    model_calls: 0,
    tier: "deterministic" as const,
  };
}

/** What `environment_review_hold` takes. */
export const HoldInput = z.object({
  ...taskRef,
  reason: z.string().min(1).max(2000),
  ...graderFields,
  ...byField,
});
export type HoldInput = z.output<typeof HoldInput>;

/** A person, or a model that judged it, holds one task: it is kept and does not count. */
export async function holdTask(ctx: Ctx, input: HoldInput) {
  const { env_id, index, reason } = input;
  const by = input.grader ?? input.by;
  const environment = await findEnvironment(ctx, env_id);
  const row = await findTask(ctx, env_id, index);
  if (row.status === "retired")
    throw conflict("The task is retired; restore it first.", { by: "environment_tasks_restore" });
  const after = { ...row, status: "held" as const, reason, held_by: actor(ctx, by) };
  // The same hold once more changes nothing, and is no revision.
  if (digestOf(after) !== digestOf(row)) {
    await revise(ctx, environment, { act: "held", by, reason, changed: [{ before: row, after }] });
    await audited(ctx, { by }, "task_held", { environment: env_id, index });
  }
  return {
    environment: env_id,
    hold: { index, reason },
    counts: statusCounts(await environmentTasks(ctx, env_id)),
    tier: input.grader_kind === "model" ? ("llm-derived" as const) : ("human" as const),
  };
}
