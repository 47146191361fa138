import { BaseState } from "../../../worlds/bundle.ts";
import type { Task } from "../../../worlds/tasks/schema.ts";
import { auditAct } from "../../audit.ts";
import { getJson, loadBundle, putJson } from "../../blobs.ts";
import type { Ctx } from "../../context.ts";
import { AppError, conflict, notFound } from "../../errors.ts";
import { everyRow } from "../../page.ts";
import type { Doc } from "../../record.ts";
import { RunRegrade } from "../../records/runs/grading.ts";
import type { TrialRow } from "../../records/runs/runs.ts";
import { Environment, TaskRecord } from "../../records/sandboxes/sandboxes.ts";
import { findGroup, groupState, type RunDoc } from "../groups/group-data.ts";
import { moveModes } from "../groups/move-modes.ts";
import { everyAttempt, gradedRows, gradingOf, tryKey, writeGrading } from "../trials/trial-rows.ts";
import { type GradedTry, gradeOf, regradeTrials, type TrialGrade } from "./regrade-trials.ts";

type RegradeDoc = Doc<typeof RunRegrade>;

/**
 * Grades every stored try of a group's landed runs again with the checks it was run with, as a new version beside the ones
 * before. No agent and no judge is asked. A task that changed since keeps its grade and is named. Failure modes that the
 * group had moved move with its grades.
 */
export async function regradeGroup(ctx: Ctx, input: { readonly gid: string }) {
  const { group, runs } = await groupState(ctx, await findGroup(ctx, input.gid));
  const ended = runs.filter(({ status }) => status !== "running" && status !== "queued" && status !== "held");
  if (ended.length < runs.length || runs.length === 0)
    throw conflict("The group is still running; grade it again when it has ended.", { by: "run_group" });
  if (runs.some(({ run }) => run.imported !== undefined))
    throw conflict("The group was imported: its world and its checks are not here to grade it again.", {
      by: "start_run",
    });
  const written: RegradeDoc[] = [];
  for (const { run } of ended) written.push(await regradeRun(ctx, group.id, run));
  await moveModes(ctx, group, true);
  await auditAct(ctx, "group_regraded", { group: group.id, runs: written.length });
  return {
    org: ctx.org.tag,
    group: group.id,
    graded_at: ctx.now(),
    ...told(written),
    tier: group.tier,
    model_calls: 0,
    cost_usd: 0,
    trials_started: 0,
  };
}

async function regradeRun(ctx: Ctx, group: string, run: RunDoc): Promise<RegradeDoc> {
  const attempts = await everyAttempt(ctx, run.id);
  const { regrade: before } = await gradingOf(ctx, run);
  const was = before ? ((await getJson(ctx, before.grades_blob)) as Record<string, TrialGrade>) : {};
  const rows = gradedRows(attempts, was);
  const tries = triesOfRows(attempts, rows);
  const { tasks, skipped } = await standingTasks(ctx, run);
  const { bundle } = await loadBundle(ctx, run.bundle);
  const base = BaseState.parse(await getJson(ctx, run.terms.base));
  const seed = run.seed ?? (await ctx.store.records.get(Environment, run.environment))?.seed;
  const grades = await ctx.compute.run(
    regradeTrials,
    { bundle, base, seed, tasks, tries, connected: isConnected(run) },
    ctx.signal,
  );
  const version = (before?.version ?? 0) + 1;
  const doc: RegradeDoc = {
    id: regradeId(run.id, version),
    created_at: ctx.now(),
    by: ctx.caller.name,
    group,
    run: run.id,
    version,
    grades_blob: await putJson(
      ctx,
      Object.fromEntries(rows.map((row, i) => [tryKey(row.task, row.n), grades[i] ?? gradeOf(row)])),
    ),
    moved: rows.flatMap((row, i) => changedChecks(row, grades[i])),
    ends: rows.flatMap(({ task, n, end }, i) => {
      const to = grades[i]?.end ?? end;
      return to === end ? [] : [{ task, n, from: end, to }];
    }),
    skipped,
  };
  await writeGrading(ctx, "regrade", doc).catch((error: unknown) => {
    const taken = error instanceof AppError && error.code === "conflict";
    if (!taken) throw error;
    throw conflict("Somebody else graded this run at the same time; look at that version first.", {
      by: "run_group_regrades",
    });
  });
  return doc;
}

function triesOfRows(attempts: readonly TrialRow[], rows: readonly TrialRow[]): GradedTry[] {
  const of = Map.groupBy(attempts, ({ task, n }) => tryKey(task, n));
  return rows.map((counted) => {
    const own = of.get(tryKey(counted.task, counted.n)) ?? [];
    return { counted, attempts: own.toSorted((a, b) => a.attempt - b.attempt) };
  });
}

/** Whether a connected agent played, and no built-in harness. */
function isConnected({ player }: RunDoc): boolean {
  return player.agent !== null && player.surface === undefined;
}

/** Of two gradings at once one is a version. Ids of one run sort by version. */
function regradeId(run: string, version: number): string {
  return `${RunRegrade.prefix}_${run}_${String(version).padStart(6, "0")}`;
}

/** The tasks of a run that are what they were, by record id; the others are left with the reason. */
export async function standingTasks(ctx: Ctx, run: RunDoc) {
  const docs = await ctx.store.records.getMany(
    TaskRecord,
    run.tasks.map((task) => task.id),
  );
  const known = new Map(docs.map((doc) => [doc.id, doc]));
  const tasks: Record<string, Task> = {};
  const skipped: { task: string; reason: string }[] = [];
  for (const { id, digest } of run.tasks) {
    const doc = known.get(id);
    if (doc?.digest === digest) tasks[id] = doc.task;
    else skipped.push({ task: id, reason: doc ? "The task changed since; run it again." : "The task is gone." });
  }
  return { tasks, skipped };
}

function changedChecks({ task, n, checks }: TrialRow, grade: TrialGrade | undefined) {
  return (grade?.checks ?? []).flatMap(({ kind, verdict }, check) => {
    const from = checks[check]?.verdict ?? "absent";
    return from === verdict ? [] : [{ task, n, check, kind, from, to: verdict }];
  });
}

/** Every version of a group's gradings after the first, oldest first; `version` also answers each try's checks at that one. */
export async function listRegrades(ctx: Ctx, input: { readonly gid: string; readonly version?: number | undefined }) {
  const group = await findGroup(ctx, input.gid);
  const docs: RegradeDoc[] = [];
  for await (const doc of everyRow((page) =>
    ctx.store.records.list(RunRegrade, { ...page, where: { group: group.id }, order: "oldest" }),
  ))
    docs.push(doc);
  const newest = Math.max(0, ...docs.map(({ version }) => version));
  if (input.version !== undefined && input.version > newest) throw notFound("grading of this group");
  const at = docs.filter(({ version }) => version === (input.version ?? newest));
  const tries =
    input.version === undefined
      ? undefined
      : await Promise.all(at.map(async ({ run, grades_blob }) => ({ run, tries: await triesOf(ctx, grades_blob) })));
  return {
    org: ctx.org.tag,
    group: group.id,
    ...told(at),
    versions: newest,
    tier: group.tier,
    ...(tries === undefined ? {} : { tries }),
  };
}

async function triesOf(ctx: Ctx, blob: string) {
  const grades = (await getJson(ctx, blob)) as Record<string, TrialGrade>;
  return Object.entries(grades).map(([key, { end, checks }]) => {
    const [task = "", n] = key.split("\n");
    return { task, n: Number(n), end, checks };
  });
}

function told(docs: readonly RegradeDoc[]) {
  return {
    runs: docs.map(({ run, version, created_at, by }) => ({ run, version, graded_at: created_at, by })),
    changed: docs.flatMap(({ run, ends }) => ends.map((end) => ({ run, ...end }))),
    moved: docs.flatMap(({ run, moved }) => moved.map((check) => ({ run, ...check }))),
    skipped: docs.flatMap(({ run, skipped }) => skipped.map((row) => ({ run, ...row }))),
    versions: Math.max(0, ...docs.map(({ version }) => version)),
  };
}
