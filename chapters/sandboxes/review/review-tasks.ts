import type { BaseState, Bundle } from "../../../worlds/bundle.ts";
import type { OutOfFold } from "../../../worlds/compile/out-of-fold.ts";
import type { Task } from "../../../worlds/tasks/schema.ts";
import { MOST_TURNS } from "../../../worlds/tasks/words/corpus.ts";
import { loadBundle, loadEnvironment } from "../../blobs.ts";
import type { Ctx } from "../../context.ts";
import { conflict } from "../../errors.ts";
import { toObserved } from "../../evidence/traces/observed.ts";
import { Environment, TaskRecord } from "../../records/sandboxes/sandboxes.ts";
import type { EnvironmentDoc } from "../environments/environment-records.ts";
import { reviewTasks } from "../tasks/compute-tasks.ts";
import { environmentTasks, type TaskDoc } from "../tasks/task-records.ts";
import { judgedReview, type Review } from "./judged-review.ts";

/** How many tasks one compute call reviews: small enough for progress and stopping, large enough to share a prepared world. */
const REVIEW_BATCH = 8;

/** How tasks are reviewed. */
interface ReviewOptions {
  /** Whether a judge is asked of their judged checks. */
  readonly ask?: boolean;
  /** What a task becomes, by what it was and what its review alone makes of it. */
  readonly settle?: (before: TaskDoc, after: TaskDoc) => TaskDoc;
}

/** What tasks are reviewed on. */
interface ReviewWorld {
  readonly bundle: Bundle;
  readonly base: BaseState;
  readonly measured?: OutOfFold;
  readonly userTurns?: readonly string[];
}

/**
 * Reviews tasks on their environment and writes each verdict as it lands. A task that passes the first four is
 * certified when `admit` is set and its world answers well enough around it, else held; one that fails is refused with
 * the reason. Judged checks that no judge was asked of hold theirs.
 */
export async function reviewEnvironment(
  ctx: Ctx,
  environment: EnvironmentDoc,
  tasks: readonly TaskDoc[],
  admit: boolean,
  options: ReviewOptions = {},
): Promise<TaskDoc[]> {
  const world = await loadEnvironment(ctx, environment);
  const docs = new Map<string, TaskDoc>();
  const userTurns = tasks.length === 0 ? [] : await userTurnsOf(ctx, environment);
  const { settle = (_before, after) => after } = options;
  const landed = async (row: TaskDoc, review: Review) => {
    docs.set(
      row.id,
      await storeReview(ctx, environment, row, (doc) => settle(doc, reviewed(doc, review, admit, ctx.now()))),
    );
  };
  await judgeTasks(ctx, { ...world, userTurns }, tasks, landed, options);
  return tasks.map((row) => docs.get(row.id)!);
}

/** What users said in the sessions that an environment rests on, each turn once; no more sessions or turns are read than a corpus takes. */
async function userTurnsOf(ctx: Ctx, environment: EnvironmentDoc): Promise<string[]> {
  const { record } = await loadBundle(ctx, environment.bundle);
  const heard = new Set<string>();
  let read = 0;
  for await (const { trace } of ctx.store.traces.stream(record.evidence)) {
    const { request, turns = [] } = toObserved(trace, "");
    for (const turn of [request, ...turns]) if (turn) heard.add(turn);
    if (++read >= MOST_TURNS || heard.size >= MOST_TURNS) break;
  }
  return [...heard];
}

/** Reviews tasks on a world in batches off the serving thread, in order; stores nothing. `landed` gets each result. */
export async function judgeTasks(
  ctx: Ctx,
  world: ReviewWorld,
  tasks: readonly TaskDoc[],
  landed: (row: TaskDoc, review: Review) => Promise<void> = async () => {},
  { ask = false }: ReviewOptions = {},
): Promise<Review[]> {
  const batches = Array.from({ length: Math.ceil(tasks.length / REVIEW_BATCH) }, (_, i) =>
    tasks.slice(i * REVIEW_BATCH, (i + 1) * REVIEW_BATCH),
  );
  const others = await setOf(ctx, tasks);
  let done = 0;
  const judged = await Promise.all(
    batches.map(async (batch) => {
      const byCode = await ctx.compute.run(
        reviewTasks,
        { ...world, others, tasks: batch.map((row) => row.task) },
        ctx.signal,
      );
      const reviews = await Promise.all(
        batch.map(({ task, certificate }, i) =>
          judgedReview(ctx, world, task, byCode[i]!, { before: certificate, ask }),
        ),
      );
      await Promise.all(batch.map((row, i) => landed(row, reviews[i]!)));
      done += batch.length;
      ctx.progress(done, tasks.length, "review");
      return reviews;
    }),
  );
  return judged.flat();
}

/** The tasks beside which some are reviewed: those of their environment that are not retired, and themselves. */
async function setOf(ctx: Ctx, tasks: readonly TaskDoc[]): Promise<Task[]> {
  const [first] = tasks;
  const stored = first ? await environmentTasks(ctx, first.environment) : [];
  const rows = [...stored.filter(({ status }) => status !== "retired"), ...tasks];
  return [...new Map(rows.map(({ id, task }) => [id, task])).values()];
}

/** A task as its review leaves it: certified, held or refused. */
export function reviewed(row: TaskDoc, review: Review, admit: boolean, now: number): TaskDoc {
  const { verdicts, certificate, mutants, rejected, equals, spared } = review;
  const { reason: _reason, held_by: _held, ...doc } = row;
  return {
    ...doc,
    ...outcome(review, admit),
    reviewed_at: now,
    verdicts,
    certificate,
    health: { mutants, rejected, equals, spared },
  };
}

function outcome({ verdicts, certificate, open }: Review, admit: boolean): Pick<TaskDoc, "status" | "reason"> {
  const poor = certificate.neighbourhood?.poor;
  if (certificate.passed && poor !== undefined)
    return { status: "held", reason: `In held-out sessions ${poor}; 90 % are needed.` };
  if (certificate.passed)
    return admit ? { status: "certified" } : { status: "held", reason: "It passed review and was not admitted." };
  if (open !== undefined) return { status: "held", reason: open };
  const failed = verdicts.find((verdict) => verdict.name !== "natural" && !verdict.passed);
  return { status: "refused", reason: failed ? `${failed.name}: ${failed.reason}` : "It has no certificate." };
}

/** Stores a review; a task rewritten meanwhile keeps its state, a world drawn again is a `conflict`. */
async function storeReview(
  ctx: Ctx,
  environment: EnvironmentDoc,
  row: TaskDoc,
  after: (doc: TaskDoc) => TaskDoc,
): Promise<TaskDoc> {
  const now = await ctx.store.records.get(Environment, environment.id);
  if (now?.base_blob !== environment.base_blob || now.bundle !== environment.bundle)
    throw conflict("The environment was drawn again while its tasks were reviewed; review them again.", {
      by: "environment_review_post",
    });
  const updated = await ctx.store.records.update(TaskRecord, row.id, (doc) =>
    doc.digest === row.digest ? after(doc) : doc,
  );
  if (!updated) throw new Error(`task ${row.id} went away while it was reviewed`);
  return updated;
}
