import { z } from "zod";
import { digestOf } from "../../../worlds/digest.ts";
import { auditAct } from "../../audit.ts";
import { actor, type Ctx } from "../../context.ts";
import { badField } from "../../errors.ts";
import { byField, orgRef } from "../../fields.ts";
import { idOfValue } from "../../record.ts";
import { Agent } from "../../records/agents/agents.ts";
import { RunAnalysis } from "../../records/runs/analysis.ts";
import { RunImport } from "../../records/runs/import.ts";
import { diagnosisOf, RunBundle, type RunFinding, usageOf } from "../../records/runs/run-bundle.ts";
import { ImportFormat, RootCause, Run, RunGroup, type TrialRow } from "../../records/runs/runs.ts";
import { TaskRecord } from "../../records/sandboxes/sandboxes.ts";
import { Reply } from "../../reply.ts";
import { findingsByRule } from "../grading/findings-by-rule.ts";
import { findingsOf } from "../grading/reanalyze.ts";
import { findRun, type GroupDoc, type RunDoc } from "../groups/group-data.ts";
import { endsOf, ratesOf } from "../trials/rates.ts";
import { trialsOfRun, tryKey } from "../trials/trial-rows.ts";
import { archivedResults } from "./archived-results.ts";
import { foreignFormat, readForeign } from "./foreign-results.ts";

/** Trials on their way to the store at once. */
const AT_ONCE = 100;

/** A bundle as its fields, or another tool's results. */
export const ImportInput = z.object({
  ...orgRef,
  run_id: RunBundle.shape.run_id.optional().describe("What the source calls the run."),
  meta: RunBundle.shape.meta.optional().describe("How it was run, as run_reexport makes it."),
  summary: RunBundle.shape.summary.optional().describe("Trials by end; refused where the trials say otherwise."),
  trials: RunBundle.shape.trials
    .max(100_000)
    .optional()
    .describe("Each try that counts, with its transcript and verdicts."),
  findings: RunBundle.shape.findings.max(10_000).optional().describe("What stood out, each with its tier."),
  diagnosis: RunBundle.shape.diagnosis.optional().describe("Failed tries by root cause."),
  observations: RunBundle.shape.observations.optional().describe("Attempts kept, those tried again included."),
  usage: RunBundle.shape.usage.optional().describe("Sums over all attempts; US dollars."),
  results: z
    .looseObject({})
    .optional()
    .describe("In place of a bundle: a tau2 results file or an Inspect log, as it is."),
  archive: z
    .base64()
    .min(8)
    .optional()
    .describe("In place of results: an Inspect log as its `.eval` archive, in base64."),
  format: ImportFormat.exclude(["bundle"]).optional().describe("The format of results; found out when absent."),
  ...byField,
});
export type ImportInput = z.output<typeof ImportInput>;

/**
 * Takes in a finished run whole: a bundle of this service, or a tau2 results file or an Inspect log, archived or not, with the verdicts it
 * came with. It stands as a landed run of a group of its source's, is read and compared like any other, and is never
 * played, graded or counted again here. The same once more answers the run that stands (200). All of it is stored, or nothing.
 */
export async function importRun(ctx: Ctx, input: ImportInput) {
  const { bundle, format } = await bundleOf(input);
  if (format === "bundle") checkVerdicts(bundle.trials);
  check(bundle);
  const once = idOfValue(RunImport, "bundle", digestOf(bundle));
  const stands = await ctx.store.records.get(RunImport, once);
  if (stands?.run !== undefined) return new Reply(200, await answer(ctx, await findRun(ctx, stands.run)));
  const run = await runOf(ctx, bundle, format, input.by);
  const rows = bundle.trials.map((row): TrialRow => ({ ...row, run: run.id, log: "" }));
  for (let i = 0; i < rows.length; i += AT_ONCE)
    await Promise.all(rows.slice(i, i + AT_ONCE).map((row) => ctx.store.trials.insert(row)));
  const stored = await store(ctx, run, bundle, rows, once);
  await auditAct(ctx, "run_imported", { run: run.id, format, trials: rows.length }, input.by);
  return new Reply(201, await answer(ctx, stored));
}

async function bundleOf(input: ImportInput): Promise<{ bundle: RunBundle; format: ImportFormat }> {
  const { results: file, archive, format: named, by: _by, ...given } = input;
  if (file !== undefined && archive !== undefined)
    throw badField("archive", "give results here or in results, not both");
  const results = archive === undefined ? file : await archivedResults(archive);
  if (results !== undefined) {
    if (given.trials !== undefined)
      throw badField(
        archive === undefined ? "results" : "archive",
        "give a bundle or another tool's results, not both",
      );
    const format = foreignFormat(results, named);
    return { bundle: await readForeign(results, format, given.run_id), format };
  }
  if (named !== undefined) throw badField("format", "is of results, and there are none");
  const { run_id, meta, trials, summary = {}, findings = [] } = given;
  const missing = "a bundle needs it; other tools' files go into results";
  if (run_id === undefined) throw badField("run_id", missing);
  if (meta === undefined) throw badField("meta", missing);
  if (trials === undefined) throw badField("trials", missing);
  const { diagnosis = diagnosisOf(trials), usage = usageOf(trials) } = given;
  const { observations = { attempts: trials.length } } = given;
  return {
    bundle: { run_id, meta, summary, trials, findings, diagnosis, observations, usage },
    format: "bundle",
  };
}

/** A run bundle must hold every trial of its planned tasks once, and a summary and diagnosis that match them. */
function check({ meta, trials, summary, diagnosis, observations }: RunBundle): void {
  if (trials.length === 0) throw badField("trials", "a finished run has at least one");
  const planned = new Set(meta.tasks.map(({ id }) => id));
  if (planned.size < meta.tasks.length) throw badField("meta.tasks", "names a task twice");
  const seen = new Set<string>();
  for (const [i, { task, n, end, cause }] of trials.entries()) {
    if (!planned.has(task)) throw badField(`trials.${i}.task`, "is not among meta.tasks");
    if (n > meta.tries) throw badField(`trials.${i}.n`, "is above meta.tries");
    if (seen.has(tryKey(task, n))) throw badField(`trials.${i}.n`, "this try is there already");
    if ((end === "met") !== (cause === null)) throw badField(`trials.${i}.cause`, "does not fit its end");
    seen.add(tryKey(task, n));
  }
  const causes = diagnosisOf(trials);
  for (const cause of RootCause.options)
    if ((diagnosis[cause] ?? 0) !== (causes[cause] ?? 0))
      throw badField(`diagnosis.${cause}`, "is not what the trials add up to");
  if (observations.attempts < trials.length) throw badField("observations.attempts", "is below the number of trials");
  const ends = endsOf(trials);
  for (const end of ["met", "failed", "infra", "invalid"] as const)
    if (summary[end] !== undefined && summary[end] !== ends[end])
      throw badField(`summary.${end}`, "is not what the trials add up to");
}

/** A trial's end and its checks' verdicts must say the same: this service grades no bundle that contradicts itself. */
function checkVerdicts(trials: RunBundle["trials"]): void {
  for (const [i, { end, cause, checks }] of trials.entries()) {
    const open = checks.findIndex(({ verdict }) => verdict !== "met");
    if (end === "met" && open >= 0)
      throw badField(`trials.${i}.checks.${open}.verdict`, "is not met, but its trial is recorded as met");
    if (end === "failed" && cause === "checks" && !checks.some(({ verdict }) => verdict === "not_met"))
      throw badField(`trials.${i}.end`, "is failed by its checks, and none of them is not met");
  }
}

async function runOf(ctx: Ctx, bundle: RunBundle, format: ImportFormat, by?: string): Promise<RunDoc> {
  const { run_id, meta, observations, usage } = bundle;
  const { label, environment, player, timeout_seconds, tier, terms, tasks, tries, created_at } = meta;
  const agent = player.agent === null ? undefined : await ctx.store.records.get(Agent, player.agent);
  const at = ctx.now();
  return {
    id: ctx.id(Run.prefix),
    created_at: created_at > 0 ? created_at : at,
    by: actor(ctx, by),
    group: "",
    environment,
    label,
    surface: "",
    bundle: "",
    player: { ...player, agent: agent?.id ?? null },
    trials: tries,
    timeout_seconds,
    tier,
    terms,
    tasks,
    finished_at: at,
    imported: { at, format, run_id, attempts: observations.attempts, usage },
  };
}

/** Runs of one group of a source come into one group here. Of two who import the same one stores it, the other is told to look. */
async function store(
  ctx: Ctx,
  draft: RunDoc,
  bundle: RunBundle,
  rows: readonly TrialRow[],
  once: string,
): Promise<RunDoc> {
  const { id: run_id, environment, label, tasks } = draft;
  const part = { run: run_id, environment, label, tasks: tasks.length };
  const base = { created_at: draft.imported?.at ?? ctx.now(), by: draft.by };
  const groupOnce = idOfValue(
    RunImport,
    "group",
    bundle.meta.group,
    digestOf([draft.player, draft.trials, draft.tier]),
  );
  const known = await ctx.store.records.get(RunImport, groupOnce);
  const raw = known && (await ctx.store.records.raw(RunGroup.kind, known.group));
  const group: GroupDoc = raw
    ? addRun(RunGroup.schema.parse(JSON.parse(raw.text)), part)
    : groupOf(ctx.id(RunGroup.prefix), draft, part);
  const run: RunDoc = { ...draft, group: group.id };
  const analysis = analysisOf(ctx, run, bundle, rows);
  const graded: RunDoc = analysis ? { ...run, grading: { analysis: analysis.id } } : run;
  await ctx.store.records.apply([
    { op: "insert", kind: RunImport, doc: { ...base, id: once, run: run.id, group: group.id } },
    raw ? { op: "put", kind: RunGroup, doc: group, expect: raw.digest } : { op: "insert", kind: RunGroup, doc: group },
    ...(raw ? [] : [{ op: "insert" as const, kind: RunImport, doc: { ...base, id: groupOnce, group: group.id } }]),
    { op: "insert", kind: Run, doc: graded },
    ...(analysis ? [{ op: "insert" as const, kind: RunAnalysis, doc: analysis }] : []),
  ]);
  return graded;
}

function groupOf(id: string, run: RunDoc, part: GroupDoc["runs"][number]): GroupDoc {
  const { created_at, by, player, trials, timeout_seconds, tier } = run;
  return {
    id,
    created_at,
    by,
    player,
    ...(player.agent === null ? {} : { agent: player.agent }),
    runs: [part],
    selection: "imported",
    trials,
    timeout_seconds,
    trigger: "person",
    tier,
  };
}

function addRun(group: GroupDoc, part: GroupDoc["runs"][number]): GroupDoc {
  return { ...group, runs: [...group.runs, part] };
}

/** What people and models found comes along; what code finds is found here, from the trials. */
function analysisOf(ctx: Ctx, run: RunDoc, bundle: RunBundle, rows: readonly TrialRow[]) {
  const analyst = bundle.findings.filter(({ tier }) => tier !== "deterministic");
  if (analyst.length === 0) return undefined;
  const base = { id: ctx.id(RunAnalysis.prefix), created_at: ctx.now(), by: run.by };
  const findings = [...analyst, ...findingsByRule(rows)];
  return { ...base, group: run.group, run: run.id, findings, diagnosis: diagnosisOf(rows), causes: {} };
}

async function answer(ctx: Ctx, run: RunDoc) {
  const rows = await trialsOfRun(ctx, run);
  const findings = await findingsOf(ctx, run, rows);
  const { met, failed, infra, invalid } = endsOf(rows);
  const here = await ctx.store.records.getMany(
    TaskRecord,
    run.tasks.map(({ id }) => id),
  );
  const { environment, label, player, terms, tasks, trials: tries, timeout_seconds } = run;
  if (!run.imported) throw new Error("the run was not imported");
  const priced = rows.filter(({ usd }) => usd !== undefined).length;
  const { usd } = usageOf(rows, run.imported);
  return {
    org: ctx.org.tag,
    id: run.id,
    run_id: run.imported.run_id,
    group: run.group,
    environment,
    created_at: run.created_at,
    imported_at: run.imported.at,
    by_state: { met, failed, infra, invalid },
    trials: rows.length,
    summary: ratesOf(rows, run.trials),
    cost: { ...(usd === undefined ? {} : { usd }), trials: priced },
    findings: findings.length,
    finding_tiers: tiersOf(findings),
    meta: { label, format: run.imported.format, player, terms, tasks: tasks.length, tries, timeout_seconds },
    tasks_held: here.filter(({ status }) => status === "held").length,
    tier: run.tier,
  };
}

function tiersOf(findings: readonly RunFinding[]) {
  const tiers: Partial<Record<RunFinding["tier"], number>> = {};
  for (const { tier } of findings) tiers[tier] = (tiers[tier] ?? 0) + 1;
  return tiers;
}
