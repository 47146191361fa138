import { getJson } from "../../blobs.ts";
import type { Ctx } from "../../context.ts";
import { orNotFound } from "../../errors.ts";
import type { Doc } from "../../record.ts";
import { RunAnalysis } from "../../records/runs/analysis.ts";
import { RunRecount, RunRegrade } from "../../records/runs/grading.ts";
import { Run, type TrialRow } from "../../records/runs/runs.ts";
import type { TrialGrade } from "../grading/regrade-trials.ts";
import { type Ends, endsOf } from "./rates.ts";

type RunDoc = Doc<typeof Run>;

/** Every attempt of a run's trials, as stored. */
export async function everyAttempt(ctx: Ctx, run: string): Promise<TrialRow[]> {
  const rows: TrialRow[] = [];
  let cursor: string | undefined;
  do {
    const page = await ctx.store.trials.list(run, { limit: 500, cursor });
    rows.push(...page.items);
    cursor = page.next;
  } while (cursor !== undefined);
  return rows;
}

/** The attempt that counts of each try: the newest. */
export function newestAttempts(rows: readonly TrialRow[]): TrialRow[] {
  const newest = new Map<string, TrialRow>();
  for (const row of rows) {
    const at = tryKey(row.task, row.n);
    const known = newest.get(at);
    if (!known || row.attempt > known.attempt) newest.set(at, row);
  }
  return [...newest.values()];
}

/** The attempt of each try that counts, as these gradings have it: the newest, or the one that they name. */
export function gradedRows(rows: readonly TrialRow[], grades: Readonly<Record<string, TrialGrade>>): TrialRow[] {
  return newestAttempts(rows).map((newest) => {
    const { attempt = newest.attempt, ...grade } = grades[tryKey(newest.task, newest.n)] ?? {};
    const same = (row: TrialRow) => row.task === newest.task && row.n === newest.n && row.attempt === attempt;
    return { ...(attempt === newest.attempt ? newest : (rows.find(same) ?? newest)), ...grade };
  });
}

/** Names one try of a task within its run. */
export function tryKey(task: string, n: number): string {
  return `${task}\n${n}`;
}

/** The counted trials of a run, by the newest regrade, recount and analysis. */
export async function trialsOf(ctx: Ctx, run: string): Promise<TrialRow[]> {
  const doc = await ctx.store.records.get(Run, run);
  return doc ? trialsOfRun(ctx, doc) : newestAttempts(await everyAttempt(ctx, run));
}

/** The same of a run whose record is at hand. */
export async function trialsOfRun(ctx: Ctx, run: RunDoc): Promise<TrialRow[]> {
  const { regrade, recount, analysis } = await gradingOf(ctx, run);
  const left = new Set(recount?.left.map(({ task }) => task));
  const grades = regrade ? ((await getJson(ctx, regrade.grades_blob)) as Record<string, TrialGrade>) : {};
  const rows = gradedRows(await everyAttempt(ctx, run.id), grades);
  const counted = rows.filter((row) => !left.has(row.task));
  // An analysis is of the grading that stood then: one that came later says its own root causes.
  const causes = analysis && analysis.created_at >= (regrade?.created_at ?? 0) ? analysis.causes : {};
  return counted.map((graded) => {
    const cause = causes[tryKey(graded.task, graded.n)];
    return cause !== undefined && graded.end === "failed" ? { ...graded, root_cause: cause } : graded;
  });
}

/** The newest regrade, recount and analysis of a run: no query where it has none. */
export async function gradingOf(ctx: Ctx, { grading }: Pick<RunDoc, "grading">) {
  const get = async <K extends typeof RunRegrade | typeof RunRecount | typeof RunAnalysis>(
    kind: K,
    id: string | undefined,
  ): Promise<Doc<K> | undefined> => (id === undefined ? undefined : ctx.store.records.get(kind, id));
  const [regrade, recount, analysis] = await Promise.all([
    get(RunRegrade, grading?.regrade),
    get(RunRecount, grading?.recount),
    get(RunAnalysis, grading?.analysis),
  ]);
  return { regrade, recount, analysis };
}

/**
 * Writes a grading, count or analysis of a run and makes it the one that is read, in one move. A conflict when another
 * one of the run was written meanwhile; nothing is stored then.
 */
export async function writeGrading(
  ctx: Ctx,
  part: "regrade" | "recount" | "analysis",
  doc: Doc<typeof RunRegrade> | Doc<typeof RunRecount> | Doc<typeof RunAnalysis>,
): Promise<RunDoc> {
  const stored = orNotFound(await ctx.store.records.raw(Run.kind, doc.run), "run");
  const run = Run.schema.parse(JSON.parse(stored.text));
  const graded: RunDoc = { ...run, grading: { ...run.grading, [part]: doc.id } };
  const kind = { regrade: RunRegrade, recount: RunRecount, analysis: RunAnalysis }[part];
  await ctx.store.records.apply([
    { op: "insert", kind, doc },
    { op: "put", kind: Run, doc: graded, expect: stored.digest },
  ]);
  return graded;
}

/** The trials of these runs by end: counted by the store, but for runs that were graded or counted again. */
export async function tallyOf(ctx: Ctx, runs: readonly string[]): Promise<Ends> {
  const docs = new Map((await ctx.store.records.getMany(Run, runs)).map((doc) => [doc.id, doc]));
  const total = { met: 0, failed: 0, infra: 0, invalid: 0 };
  for (const id of runs) {
    const counted = await tallyOfRun(ctx, docs.get(id) ?? { id });
    for (const end of ["met", "failed", "infra", "invalid"] as const) total[end] += counted[end];
  }
  return total;
}

/** The same of one run whose record is at hand. */
export async function tallyOfRun(ctx: Ctx, run: RunDoc | { readonly id: string }): Promise<Ends> {
  if ("grading" in run && (run.grading?.regrade ?? run.grading?.recount) !== undefined)
    return endsOf(await trialsOfRun(ctx, run));
  return { met: 0, failed: 0, infra: 0, invalid: 0, ...(await ctx.store.trials.tally(run.id)) };
}
