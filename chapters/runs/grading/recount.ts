import { auditAct } from "../../audit.ts";
import type { Ctx } from "../../context.ts";
import { everyRow } from "../../page.ts";
import type { Doc } from "../../record.ts";
import { RunRecount } from "../../records/runs/grading.ts";
import type { TrialRow } from "../../records/runs/runs.ts";
import { TaskRecord } from "../../records/sandboxes/sandboxes.ts";
import { findGroup, groupState, type RunDoc } from "../groups/group-data.ts";
import { moveModes } from "../groups/move-modes.ts";
import { counts } from "../start/select-tasks.ts";
import { endsOf } from "../trials/rates.ts";
import { trialsOfRun, writeGrading } from "../trials/trial-rows.ts";

type RecountDoc = Doc<typeof RunRecount>;

/**
 * Counts a group's landed trials against the review and the keys as they stand now: verdicts stay, trials of tasks that no
 * longer count leave the rates, and those of tasks that count again come back. Failure modes move with them.
 */
export async function recountGroup(ctx: Ctx, input: { readonly gid: string }) {
  const { group, runs } = await groupState(ctx, await findGroup(ctx, input.gid));
  const landed = runs.filter(({ status, run }) => status === "landed" && run.imported === undefined);
  const skipped = runs
    .filter((state) => !landed.includes(state))
    .map(({ run, status }) => ({
      run: run.id,
      reason: run.imported ? "The run was imported: its tasks are reviewed elsewhere." : `The run is ${status}.`,
    }));
  const docs: RecountDoc[] = [];
  for (const { run } of landed) docs.push(await recountRun(ctx, group.id, run));
  await moveModes(ctx, group, true);
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
  const before = await trialsOfRun(ctx, run);
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
  const gone = new Set(left.map(({ task }) => task));
  const { recount: _before, ...grading } = run.grading ?? {};
  const after = (await trialsOfRun(ctx, { ...run, grading })).filter((row) => !gone.has(row.task));
  const doc = {
    id: ctx.id(RunRecount.prefix),
    created_at: ctx.now(),
    by: ctx.caller.name,
    group,
    run: run.id,
    before: counted(before),
    after: counted(after),
    left,
  };
  await writeGrading(ctx, "recount", doc);
  return doc;
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
