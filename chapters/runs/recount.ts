import { auditAct } from "../audit.ts";
import type { Ctx } from "../context.ts";
import { everyRow } from "../page.ts";
import type { Doc } from "../record.ts";
import { TaskRecord } from "../sandboxes/schema.ts";
import { RunRecount } from "./grading-schema.ts";
import { findGroup, groupState, type RunDoc } from "./group-data.ts";
import { endsOf } from "./rates.ts";
import type { TrialRow } from "./schema.ts";
import { counts } from "./select-tasks.ts";
import { trialsOf } from "./trial-rows.ts";

type RecountDoc = Doc<typeof RunRecount>;

/**
 * Counts a group's landed trials against the review and the keys as they stand now: verdicts stay, trials of tasks that no
 * longer count leave the rates, and those of tasks that count again come back.
 */
export async function recountGroup(ctx: Ctx, input: { readonly gid: string }) {
  const { group, runs } = await groupState(ctx, await findGroup(ctx, input.gid));
  const landed = runs.filter(({ status }) => status === "landed");
  const skipped = runs
    .filter(({ status }) => status !== "landed")
    .map(({ run, status }) => ({ run: run.id, reason: `The run is ${status}.` }));
  const docs: RecountDoc[] = [];
  for (const { run } of landed) docs.push(await recountRun(ctx, group.id, run));
  await auditAct(ctx, "group_recounted", { group: group.id, runs: docs.length });
  const left = docs.reduce((sum, doc) => sum + doc.left.length, 0);
  return {
    org: ctx.org.tag,
    group: group.id,
    counted_at: ctx.now(),
    counts: docs.map(view),
    skipped,
    words:
      left === 0
        ? "Every task of these runs counts."
        : `Trials of ${left} ${left === 1 ? "task" : "tasks"} no longer count; their verdicts stay stored.`,
    model_calls: 0,
    tier: group.tier,
  };
}

async function recountRun(ctx: Ctx, group: string, run: RunDoc): Promise<RecountDoc> {
  const before = await trialsOf(ctx, run.id);
  const docs = await ctx.store.records.getMany(
    TaskRecord,
    run.tasks.map((task) => task.id),
  );
  const known = new Map(docs.map((doc) => [doc.id, doc]));
  const left = run.tasks.flatMap(({ id, digest }) => {
    const doc = known.get(id);
    if (!doc) return [{ task: id, reason: "The task is gone." }];
    if (doc.digest !== digest) return [{ task: id, reason: "The task or its key changed since." }];
    return counts(doc, false) ? [] : [{ task: id, reason: `The task is ${doc.status}.` }];
  });
  const base = { created_at: ctx.now(), by: ctx.caller.name, group, run: run.id };
  const doc = { ...base, id: ctx.id(RunRecount.prefix), before: counted(before), after: counted([]), left };
  await ctx.store.records.insert(RunRecount, doc);
  // Read through the count itself, so that what is told is what is read from now on.
  const after = { ...doc, after: counted(await trialsOf(ctx, run.id)) };
  await ctx.store.records.put(RunRecount, after);
  return after;
}

function counted(rows: readonly TrialRow[]) {
  const { met, failed } = endsOf(rows);
  return { met, valid: met + failed, trials: rows.length };
}

/** Every count of a group after the first, oldest first; the newest is the one that is read. */
export async function listRecounts(ctx: Ctx, input: { readonly gid: string }) {
  const group = await findGroup(ctx, input.gid);
  const runs: ReturnType<typeof view>[] = [];
  for await (const doc of everyRow((page) =>
    ctx.store.records.list(RunRecount, { ...page, where: { group: group.id }, order: "oldest" }),
  ))
    runs.push(view(doc));
  return { org: ctx.org.tag, group: group.id, runs, tier: group.tier };
}

function view({ run, created_at, by, before, after, left }: RecountDoc) {
  return { run, counted_at: created_at, by, before, after, left };
}
