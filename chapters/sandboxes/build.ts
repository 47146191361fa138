import { BaseState, Bundle } from "../../worlds/bundle.ts";
import type { ObservedTrace } from "../../worlds/observation.ts";
import type { Family, Task } from "../../worlds/tasks/schema.ts";
import type { Ctx } from "../context.ts";
import type { Doc } from "../record.ts";
import { getJson, jsonDigest, loadEnvironment, putJson } from "./blobs.ts";
import { compileSurface, drawState, reviewTasks, writeTasks } from "./compute-tasks.ts";
import { BundleRecord, Environment, Surface, TaskRecord } from "./schema.ts";
import type { SurfaceInputs } from "./surface-evidence.ts";

type BundleDoc = Doc<typeof BundleRecord>;
type EnvironmentDoc = Doc<typeof Environment>;
type TaskDoc = Doc<typeof TaskRecord>;

/** The bundle that these inputs compiled to, or undefined. */
export async function compiledBefore(ctx: Ctx, surface: string, inputs: string): Promise<BundleDoc | undefined> {
  const { items } = await ctx.store.records.list(BundleRecord, { where: { surface, inputs }, limit: 1 });
  return items[0];
}

/** Compiles a surface's inputs and makes the result its served version, as one step. */
export async function compileBundle(
  ctx: Ctx,
  surface: Doc<typeof Surface>,
  inputs: SurfaceInputs,
  seed: string,
): Promise<BundleDoc> {
  const { traces, tools, records } = inputs;
  const { bundle, base, report, fidelity } = await ctx.compute.run(
    compileSurface,
    { name: surface.name, traces, tools, records, seed },
    ctx.signal,
  );
  const [bundleBlob, baseBlob] = [await putJson(ctx, bundle), await putJson(ctx, base)];
  const now = ctx.now();
  const record: BundleDoc = {
    id: ctx.id("bd"),
    created_at: now,
    by: ctx.caller.name,
    surface: surface.id,
    digest: jsonDigest(bundle),
    bundle_blob: bundleBlob,
    base_blob: baseBlob,
    evidence: [...inputs.evidence],
    inputs: inputs.digest,
    tools: bundle.tools.length,
    readonly_tools: bundle.tools.map((tool) => tool.name).filter((name) => bundle.behaviours[name]?.effect === "read"),
    tables: Object.fromEntries(Object.entries(base.tables).map(([table, rows]) => [table, Object.keys(rows).length])),
    exceptions: bundle.exceptions.length,
    gaps: bundle.gaps,
    conflicts: report.conflicts,
    ...(fidelity === undefined ? {} : { fidelity: fidelityOf(fidelity) }),
  };
  await ctx.store.records.insert(BundleRecord, record);
  await ctx.store.records.update(Surface, surface.id, (row) => ({
    ...row,
    bundle: record.id,
    evidence: [...inputs.evidence],
    versions: [...row.versions, { bundle: record.id, digest: record.digest, created_at: now, by: ctx.caller.name }],
  }));
  return record;
}

type Measured = NonNullable<Awaited<ReturnType<typeof compileSurface.run>>["fidelity"]>;

function fidelityOf(report: Measured): NonNullable<BundleDoc["fidelity"]> {
  const { rows: _rows, tools, trajectories, exceptions: _exceptions, gaps: _gaps, tier, ...all } = report;
  return { all, tools, traces: trajectories, tier };
}

/** What an environment is drawn with. */
export interface DrawPlan {
  readonly label: string;
  readonly seed: string;
  readonly augment: boolean;
  readonly selection: Readonly<Record<string, string[]>>;
}

/** Draws an environment of a bundle; the same bundle and plan answer the one drawn before. */
export async function drawEnvironment(ctx: Ctx, bundle: BundleDoc, plan: DrawPlan): Promise<EnvironmentDoc> {
  const hypothesis = plan.augment ? "fitted" : "observed";
  const { items } = await ctx.store.records.list(Environment, { where: { bundle: bundle.id }, limit: 500 });
  const same = items.find((row) => row.seed === plan.seed && row.hypothesis === hypothesis && row.label === plan.label);
  if (same) return same;
  const [compiled, observed] = [
    Bundle.parse(await getJson(ctx, bundle.bundle_blob)),
    BaseState.parse(await getJson(ctx, bundle.base_blob)),
  ];
  const { base } = await ctx.compute.run(
    drawState,
    { bundle: compiled, base: observed, seed: plan.seed, augment: plan.augment },
    ctx.signal,
  );
  const environment: EnvironmentDoc = {
    id: ctx.id("env"),
    created_at: ctx.now(),
    by: ctx.caller.name,
    label: plan.label,
    surface: bundle.surface,
    bundle: bundle.id,
    hypothesis,
    seed: plan.seed,
    base_blob: await putJson(ctx, base),
    rows: rowCounts(base),
    selection: { ...plan.selection },
    tasks: 0,
    revision: 1,
  };
  await ctx.store.records.insert(Environment, environment);
  return environment;
}

function rowCounts(base: BaseState): EnvironmentDoc["rows"] {
  return Object.fromEntries(
    Object.entries(base.tables).map(([table, rows]) => [
      table,
      { rows: Object.keys(rows).length, drawn: base.drawn[table]?.length ?? 0 },
    ]),
  );
}

export interface TaskPlan {
  readonly seed: string;
  readonly count: number;
  readonly families?: readonly Family[] | undefined;
  readonly mined: readonly ObservedTrace[];
}

/** Writes tasks into an environment that has none yet, as drafts; else answers those it has. */
export async function writeEnvironmentTasks(ctx: Ctx, environment: EnvironmentDoc, plan: TaskPlan): Promise<TaskDoc[]> {
  if (environment.tasks > 0) return environmentTasks(ctx, environment.id);
  const { bundle, base } = await loadEnvironment(ctx, environment);
  const { seed, count, families, mined } = plan;
  const tasks = await ctx.compute.run(writeTasks, { bundle, base, seed, count, families, mined }, ctx.signal);
  return addTasks(ctx, environment, tasks);
}

/** Adds tasks to an environment as drafts, after the ones that stand; all or none. */
export async function addTasks(ctx: Ctx, environment: EnvironmentDoc, tasks: readonly Task[]): Promise<TaskDoc[]> {
  const docs = tasks.map((task, i) => taskDoc(ctx, environment.id, environment.tasks + i, task));
  await ctx.store.records.apply([
    {
      op: "put",
      kind: Environment,
      doc: { ...environment, tasks: environment.tasks + docs.length },
      expect: jsonDigest(environment),
    },
    ...docs.map((doc) => ({ op: "insert" as const, kind: TaskRecord, doc })),
  ]);
  return docs;
}

function taskDoc(ctx: Ctx, environment: string, index: number, task: Task): TaskDoc {
  return {
    id: ctx.id("tk"),
    created_at: ctx.now(),
    by: ctx.caller.name,
    environment,
    index,
    digest: jsonDigest(task),
    task,
    status: "draft",
    verdicts: [],
  };
}

/** An environment's tasks by index, retired ones included. */
export async function environmentTasks(ctx: Ctx, environment: string): Promise<TaskDoc[]> {
  const tasks: TaskDoc[] = [];
  let cursor: string | undefined;
  do {
    const page = await ctx.store.records.list(TaskRecord, {
      where: { environment },
      order: "oldest",
      limit: 500,
      cursor,
    });
    tasks.push(...page.items);
    cursor = page.next;
  } while (cursor !== undefined);
  return tasks.sort((a, b) => a.index - b.index);
}

/** How many tasks one compute call reviews: small enough for progress and stopping, large enough to share a prepared world. */
const REVIEW_BATCH = 8;

/**
 * Reviews tasks on their environment and writes each verdict as it lands. A task that passes the first four is
 * certified when `admit` is set, else held; one that fails is refused with the reason.
 */
export async function reviewEnvironment(
  ctx: Ctx,
  environment: EnvironmentDoc,
  tasks: readonly TaskDoc[],
  admit: boolean,
): Promise<TaskDoc[]> {
  const world = await loadEnvironment(ctx, environment);
  const batches = Array.from({ length: Math.ceil(tasks.length / REVIEW_BATCH) }, (_, i) =>
    tasks.slice(i * REVIEW_BATCH, (i + 1) * REVIEW_BATCH),
  );
  let done = 0;
  const reviewed = await Promise.all(
    batches.map(async (batch) => {
      const results = await ctx.compute.run(reviewTasks, { ...world, tasks: batch.map((row) => row.task) }, ctx.signal);
      const docs = await Promise.all(batch.map((row, i) => storeReview(ctx, row, results[i]!, admit)));
      done += batch.length;
      ctx.progress(done, tasks.length, "review");
      return docs;
    }),
  );
  return reviewed.flat();
}

/** What a review of one task answers. */
export type Review = Awaited<ReturnType<typeof reviewTasks.run>>[number];

/** Writes a review onto its task: certified, held or refused. */
export async function storeReview(ctx: Ctx, row: TaskDoc, review: Review, admit: boolean): Promise<TaskDoc> {
  const { verdicts, certificate, mutants, rejected, equals, spared } = review;
  const failed = verdicts.find((verdict) => verdict.name !== "natural" && !verdict.passed);
  const outcome = certificate.passed
    ? admit
      ? { status: "certified" as const }
      : { status: "held" as const, reason: "It passed review and was not admitted." }
    : { status: "refused" as const, reason: failed ? `${failed.name}: ${failed.reason}` : "It has no certificate." };
  const updated = await ctx.store.records.update(TaskRecord, row.id, ({ reason: _reason, ...doc }) => ({
    ...doc,
    ...outcome,
    reviewed_at: ctx.now(),
    verdicts,
    certificate,
    health: { mutants, rejected, equals, spared },
  }));
  if (!updated) throw new Error(`task ${row.id} went away while it was reviewed`);
  return updated;
}
