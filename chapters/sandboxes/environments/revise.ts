import { z } from "zod";
import { digestOf } from "../../../worlds/digest.ts";
import { getJson, loadEnvironment, putJson } from "../../blobs.ts";
import { actor, type Ctx } from "../../context.ts";
import { conflict } from "../../errors.ts";
import type { RecordChange } from "../../ports/store.ts";
import type { Doc } from "../../record.ts";
import {
  type AuditCounts,
  EnvironmentRevision,
  type RevisionKind,
  type RevisionSide,
} from "../../records/sandboxes/revision.ts";
import { Environment, TaskRecord } from "../../records/sandboxes/sandboxes.ts";
import { audited } from "../../retirement.ts";
import { judgeTasks, reviewed } from "../review/review-tasks.ts";
import { environmentTasks, statusCounts, type TaskDoc } from "../tasks/task-records.ts";
import { resetWorlds } from "../worlds/world-records.ts";
import type { EnvironmentDoc } from "./environment-records.ts";

/** A stored revision. */
export type RevisionDoc = Doc<typeof EnvironmentRevision>;

/** What of an environment a draw decides. */
export const Draw = Environment.schema.pick({
  bundle: true,
  hypothesis: true,
  seed: true,
  base_blob: true,
  rows: true,
});
export type Draw = z.infer<typeof Draw>;

/** What a revision keeps of what it replaced. */
export const Kept = z.object({ draw: Draw, tasks: z.array(TaskRecord.schema), added: z.array(z.string()) });

/** A change to an environment, worked out and not yet applied. */
export interface Change {
  readonly act: RevisionKind;
  readonly reason?: string | undefined;
  readonly by?: string | undefined;
  /** The new draw; absent where it stays. */
  readonly draw?: Draw | undefined;
  readonly changed: readonly { readonly before: TaskDoc; readonly after: TaskDoc }[];
  readonly added?: readonly TaskDoc[];
  readonly audit?: { readonly before: AuditCounts; readonly after: AuditCounts };
  readonly jobs?: readonly string[];
  readonly undoes?: string;
}

/** What an environment's draw is now. */
export function drawOf(environment: EnvironmentDoc): Draw {
  const { bundle, hypothesis, seed, base_blob, rows } = environment;
  return { bundle, hypothesis, seed, base_blob, rows };
}

/** Whether two draws serve the same world. */
export function sameWorld(a: Draw, b: Draw): boolean {
  return a.bundle === b.bundle && a.base_blob === b.base_blob;
}

/** A certified task whose certificate is of another world: it does not count until it is reviewed again. */
function lapsed(row: TaskDoc): TaskDoc {
  const draft = { status: "draft" as const, reason: "Its certificate lapsed: the world has changed since." };
  if (row.status === "retired" && row.was?.status === "certified") return { ...row, was: draft };
  return row.status === "certified" ? { ...row, ...draft } : row;
}

/**
 * Applies a change as one step, with the revision that undoes it; worlds that callers minted go to the new draw, as
 * drawn. The environment or a task that changed meanwhile is a conflict, and nothing is written then.
 */
export async function revise(
  ctx: Ctx,
  environment: EnvironmentDoc,
  change: Change,
): Promise<{ revision: RevisionDoc; environment: EnvironmentDoc; worldsReset: number }> {
  const before = drawOf(environment);
  const draw = change.draw ?? before;
  const draws = !sameWorld(before, draw);
  const added = change.added ?? [];
  const tasks = await environmentTasks(ctx, environment.id);
  const becomes = new Map(change.changed.map(({ after }) => [after.id, after]));
  const after = [...tasks.map((row) => becomes.get(row.id) ?? (draws ? lapsed(row) : row)), ...added];
  const moved = tasks.flatMap((row, i) => (after[i] === row ? [] : [{ before: row, after: after[i]! }]));
  const next: EnvironmentDoc = {
    ...environment,
    ...draw,
    tasks: environment.tasks + added.length,
    revision: environment.revision + 1,
  };
  const revision: RevisionDoc = {
    id: ctx.id("rv"),
    created_at: ctx.now(),
    by: actor(ctx, change.by),
    environment: environment.id,
    n: next.revision,
    act: change.act,
    state: "applied",
    ...(change.reason === undefined ? {} : { reason: change.reason }),
    kept: await putJson(ctx, {
      draw: before,
      tasks: moved.map((row) => row.before),
      added: added.map((row) => row.id),
    }),
    draws,
    changed: moved.map((row) => row.before.index),
    added: added.map((row) => row.index),
    before: side(before, tasks),
    after: side(draw, after),
    ...(change.audit === undefined ? {} : { audit: change.audit }),
    worse: worse(statusCounts(tasks), statusCounts(after), change.audit),
    jobs: [...(change.jobs ?? [])],
    ...(change.undoes === undefined ? {} : { undoes: change.undoes }),
  };
  const undone = change.undoes === undefined ? [] : await marked(ctx, change.undoes, revision);
  const expected = new Map(change.changed.map((row) => [row.before.id, row.before]));
  await ctx.store.records.apply([
    { op: "put", kind: Environment, doc: next, expect: digestOf(environment) },
    ...moved.map((row) => ({
      op: "put" as const,
      kind: TaskRecord,
      doc: row.after,
      expect: digestOf(expected.get(row.before.id) ?? row.before),
    })),
    ...added.map((doc) => ({ op: "insert" as const, kind: TaskRecord, doc })),
    { op: "insert", kind: EnvironmentRevision, doc: revision },
    ...undone,
  ]);
  const worldsReset = draws ? await resetWorlds(ctx, next) : 0;
  const said = { environment: environment.id, revision: revision.id, kind: change.act };
  await audited(ctx, { by: change.by }, "environment_revised", said);
  return { revision, environment: next, worldsReset };
}

function side(draw: Draw, tasks: readonly TaskDoc[]): RevisionSide {
  const { bundle, base_blob, seed, hypothesis } = draw;
  return { bundle, base_blob, seed, hypothesis, tasks: statusCounts(tasks) };
}

function worse(
  before: ReturnType<typeof statusCounts>,
  after: ReturnType<typeof statusCounts>,
  audit: Change["audit"],
): Record<string, number> {
  const grown = {
    "certified tasks lost": before.certified - after.certified,
    "tasks refused": after.refused - before.refused,
    "contradicting rows": (audit?.after.contradictions ?? 0) - (audit?.before.contradictions ?? 0),
    "realism flags": (audit?.after.flags ?? 0) - (audit?.before.flags ?? 0),
  };
  return Object.fromEntries(Object.entries(grown).filter(([, n]) => n > 0));
}

async function marked(ctx: Ctx, id: string, by: RevisionDoc): Promise<RecordChange[]> {
  const row = await ctx.store.records.get(EnvironmentRevision, id);
  if (row?.state !== "applied") throw conflict("This revision has been restored already.");
  const doc = { ...row, state: "restored" as const, restored_at: by.created_at, restored_by: by.by };
  return [{ op: "put", kind: EnvironmentRevision, doc, expect: digestOf(row) }];
}

/** The revision that a job made, so that one begun anew does not make it twice. */
export async function revisionOfJob(ctx: Ctx, environment: string, job: string): Promise<RevisionDoc | undefined> {
  const { items } = await ctx.store.records.list(EnvironmentRevision, { where: { environment }, limit: 20 });
  return items.find((row) => row.jobs.includes(job));
}

/** The draw that stood before the newest one, while it is kept. */
export async function drawBefore(ctx: Ctx, environment: EnvironmentDoc): Promise<EnvironmentDoc | undefined> {
  const where = { environment: environment.id, draws: true };
  const { items } = await ctx.store.records.list(EnvironmentRevision, { where, limit: 1 });
  if (!items[0]) return undefined;
  return { ...environment, ...Kept.parse(await getJson(ctx, items[0].kept)).draw };
}

/** Applies what a revision kept as a change of its own. */
export async function putBack(
  ctx: Ctx,
  environment: EnvironmentDoc,
  row: RevisionDoc,
  how: { readonly act: "restore" | "revert"; readonly by?: string | undefined; readonly reason?: string | undefined },
) {
  const kept = Kept.parse(await getJson(ctx, row.kept));
  const now = drawOf(environment);
  const draw = row.draws ? kept.draw : now;
  const stood = new Map(kept.tasks.map((task) => [task.id, task]));
  const gone = new Set(kept.added);
  const tasks = await environmentTasks(ctx, environment.id);
  const back = tasks.map((task) => {
    const was = stood.get(task.id);
    if (was) return { row: was, on: kept.draw };
    return { row: gone.has(task.id) ? takenOff(task) : task, on: now };
  });
  const due = back.flatMap(({ row, on }) => (row.status === "certified" && !sameWorld(on, draw) ? [row] : []));
  const certified = await certifyOn(ctx, { ...environment, ...draw }, due);
  const after = back.map(({ row, on }) => certified.get(row.id) ?? (sameWorld(on, draw) ? row : lapsed(row)));
  return revise(ctx, environment, {
    act: how.act,
    reason: how.reason,
    by: how.by,
    draw,
    changed: tasks.flatMap((before, i) => (after[i] === before ? [] : [{ before, after: after[i]! }])),
    undoes: row.id,
  });
}

function takenOff(task: TaskDoc): TaskDoc {
  if (task.status === "retired") return task;
  const was = { status: task.status, ...(task.reason === undefined ? {} : { reason: task.reason }) };
  return { ...task, status: "retired", reason: "The revision that added it was restored.", was };
}

/** Reviews certified tasks again on the world as it will be, where their certificates name another. */
async function certifyOn(
  ctx: Ctx,
  environment: EnvironmentDoc,
  due: readonly TaskDoc[],
): Promise<Map<string, TaskDoc>> {
  if (due.length === 0) return new Map();
  const reviews = await judgeTasks(ctx, await loadEnvironment(ctx, environment), due);
  return new Map(due.map((row, i) => [row.id, reviewed(row, reviews[i]!, true, ctx.now())]));
}
