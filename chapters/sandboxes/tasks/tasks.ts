import { z } from "zod";
import { ENGINE } from "../../../worlds/tasks/grading/certificate.ts";
import { loadBundle } from "../../blobs.ts";
import type { Ctx } from "../../context.ts";
import { countOf } from "../../count-of.ts";
import { conflict, forbidden } from "../../errors.ts";
import { byField } from "../../fields.ts";
import type { Doc } from "../../record.ts";
import { EnvironmentRevision } from "../../records/sandboxes/revision.ts";
import type { BundleRecord } from "../../records/sandboxes/sandboxes.ts";
import { audited } from "../../retirement.ts";
import { CANDIDATES } from "../authoring/author-tasks.ts";
import { type EnvironmentDoc, findEnvironment } from "../environments/environment-records.ts";
import { revise } from "../environments/revise.ts";
import { envRef } from "../fields.ts";
import { evidenceOf } from "../surfaces/surface-evidence.ts";
import { describeCheck } from "./checks.ts";
import { whyFewCount } from "./few-tasks.ts";
import { whyNoneCounts } from "./no-tasks.ts";
import {
  dimensionsOf,
  distinctOf,
  families,
  REVIEW_CHECKS,
  suiteOf,
  tasksState,
  toolGate,
  untestedTools,
  verdictCounts,
} from "./suite.ts";
import {
  environmentTasks,
  findTask,
  isHeldAsPoor,
  staleness,
  standing,
  statusCounts,
  type TaskDoc,
  verifierHealth,
} from "./task-records.ts";

/** What `environment_tasks` takes. */
export const ListInput = z.object({
  ...envRef,
  retired: z.boolean().optional().describe("Retired tasks too."),
  audience: z
    .enum(["customer", "staff"])
    .optional()
    .describe("`customer` when absent; `staff` for the service-wide caller alone."),
});
export type ListInput = z.output<typeof ListInput>;

/** Every task with its checks and whether it counts; what the set covers and lacks, and how its checks proved themselves. */
export async function listEnvironmentTasks(ctx: Ctx, input: ListInput) {
  const audience = input.audience ?? "customer";
  if (audience === "staff" && ctx.caller.kind !== "operator")
    throw forbidden("Only the service-wide caller reads what is for staff.");
  const environment = await findEnvironment(ctx, input.env_id);
  const { record, bundle } = await loadBundle(ctx, environment.bundle);
  const all = await environmentTasks(ctx, environment.id);
  const tasks = all.filter((row) => input.retired === true || row.status !== "retired");
  const counts = statusCounts(all);
  const generations = await ctx.store.records.count(EnvironmentRevision, {
    environment: environment.id,
    act: "regenerate",
  });
  const path = `/v0/orgs/${ctx.org.tag}/environments/${environment.id}`;
  const health = verifierHealth(all);
  return {
    org: ctx.org.tag,
    audience,
    environment: environment.id,
    surface: environment.surface,
    serves: environment.bundle,
    evidence_id: record.evidence[0] ?? null,
    selection: environment.selection,
    state: environment.retired_at === undefined ? ("live" as const) : ("retired" as const),
    tasks_state: tasksState(all),
    check: checkOf(all),
    caveat: caveatOf(all, record, await whyNone(ctx, environment, record, all), whyFewCount(all, environment.lost)),
    world_snapshot: environment.base_blob,
    world_missing: bundle.gaps,
    tool_gate: toolGate(tasks, bundle),
    suite: suiteOf(all),
    chosen: all.filter(standing).map((row) => row.index),
    refused_tasks: all.flatMap(({ index, status, reason }) =>
      status === "refused" ? [{ index, reason: reason ?? "" }] : [],
    ),
    review_counts: counts,
    distinct: distinctOf(all),
    left_out: untestedTools(all, bundle, environment.unused),
    review_checks: verdictCounts(all),
    max_rounds: CANDIDATES,
    generations: generations + 1,
    coverage: families(tasks, standing),
    coverage_at_generation: families(all, () => true),
    dimensions: dimensionsOf(all),
    rooted: all.filter(({ verdicts }) => verdicts.some(({ name, passed }) => name === "grounded" && passed)).length,
    links: { review: `${path}/review`, revisions: `${path}/revisions`, fidelity: `${path}/fidelity` },
    tasks: tasks.map(taskView),
    ...(health === undefined ? {} : { verifier_health: health }),
  };
}

/** Why no task counts; undefined where it cannot be told: tasks were wanted of a selection only, or evidence was deleted. */
async function whyNone(
  ctx: Ctx,
  { selection }: EnvironmentDoc,
  bundle: Doc<typeof BundleRecord>,
  tasks: readonly TaskDoc[],
): Promise<string | undefined> {
  if (Object.keys(selection).length > 0 || tasks.some(standing)) return undefined;
  const evidence = await evidenceOf(ctx, bundle.evidence);
  return evidence.length < bundle.evidence.length ? undefined : whyNoneCounts(tasks, bundle, evidence);
}

/** What makes a task of the set count, and how many do. */
function checkOf(tasks: readonly TaskDoc[]) {
  return {
    engine: ENGINE,
    proves: REVIEW_CHECKS.filter(({ name }) => name !== "natural").map((row) => ({ ...row })),
    certified: tasks.filter(standing).length,
    distinct: distinctOf(tasks),
    poor: tasks.filter(isHeldAsPoor).length,
  };
}

/** Below this share of held-out calls answered as observed, what agents ask beside the tasks is worth a warning. */
const WELL = 0.9;

/** How the world answers what its tasks do not prove; undefined where it answers well. */
function worldCaveat({ fidelity, declared }: Doc<typeof BundleRecord>): string | undefined {
  if (fidelity === undefined)
    return `How its world answers beside the tasks was not measured${declared ? ": a declaration stands over what was compiled" : ": too few sessions to hold some out"}.`;
  const { calls, identical_volatile: right, not_served: silent } = fidelity.all;
  if (calls === 0 || right / calls >= WELL) return undefined;
  const share = (n: number) => `${Math.round((100 * n) / calls)} %`;
  return `Beside the tasks its world is thin: of ${countOf(calls, "held-out call")} it answered ${share(right)} as observed, ${share(silent)} not at all and ${share(calls - right - silent)} otherwise.`;
}

function caveatOf(
  tasks: readonly TaskDoc[],
  record: Doc<typeof BundleRecord>,
  why: string | undefined,
  few: string | undefined,
): string | null {
  const told = [setCaveat(tasks, why), few, tasks.some(standing) ? worldCaveat(record) : undefined];
  const caveat = told.filter((one) => one !== undefined && one !== null).join(" ");
  return caveat === "" ? null : caveat;
}

function setCaveat(tasks: readonly TaskDoc[], why: string | undefined): string | null {
  const stale = tasks.flatMap((row) => staleness(row) ?? []);
  const again = stale.length === 0 ? "" : ` Of ${stale.length} of them: ${stale[0]}`;
  const out = tasks.filter((row) => row.status !== "retired" && !standing(row)).length;
  if (!tasks.some(standing))
    return `No task of this environment counts in a run.${again}${why === undefined ? "" : ` ${why}`}`;
  const poor = tasks.filter(isHeldAsPoor).length;
  const held = poor === 0 ? "" : ` ${poor} of them held: its world is too poor for them.`;
  return out === 0 ? null : `Written, and not counted: ${countOf(out, "task")}.${held}${again}`;
}

export function taskView(row: TaskDoc) {
  const { family, cell, voice, request, turns, tier, checks, script } = row.task;
  const stale = staleness(row);
  return {
    id: row.id,
    index: row.index,
    digest: row.digest,
    status: row.status,
    ...(row.reason === undefined ? {} : { reason: row.reason }),
    ...(stale === undefined ? {} : { stale }),
    ...(row.certificate?.neighbourhood === undefined ? {} : { neighbourhood: row.certificate.neighbourhood }),
    family,
    cell,
    voice,
    request,
    turns,
    tier,
    tools: [...new Set(script.calls.map((call) => call.tool))],
    checks: checks.map((check) => ({ kind: check.kind, decides: describeCheck(check, row.task) })),
  };
}

/** Changes tasks as one revision; what `change` leaves as it is stays out of it. */
async function changeTasks(
  ctx: Ctx,
  input: TasksInput & { readonly reason?: string | undefined },
  act: "tasks_retired" | "tasks_restored",
  change: (row: TaskDoc) => TaskDoc,
): Promise<TaskDoc[]> {
  const environment = await findEnvironment(ctx, input.env_id);
  const indexes = [...new Set(input.indexes)];
  const rows = await Promise.all(indexes.map((index) => findTask(ctx, environment.id, index)));
  const after = rows.map(change);
  const changed = rows.flatMap((before, i) => (after[i] === before ? [] : [{ before, after: after[i]! }]));
  if (changed.length > 0) await revise(ctx, environment, { act, by: input.by, reason: input.reason, changed });
  return after;
}

export const indexes = { indexes: z.array(z.number().int().min(0)).min(1).max(500).describe("Which tasks, by index.") };

/** What `environment_tasks_restore` takes. */
export const TasksInput = z.object({ ...envRef, ...indexes, ...byField });
export type TasksInput = z.output<typeof TasksInput>;

/** Takes tasks off: they are listed on request and never run. One that is retired keeps its first reason. */
export async function retireTasks(ctx: Ctx, input: TasksInput & { readonly reason?: string | undefined }) {
  const reason = input.reason ?? "Retired by a person.";
  const rows = await changeTasks(ctx, input, "tasks_retired", (row) => {
    if (row.status === "retired") return row;
    const was = { status: row.status, ...(row.reason === undefined ? {} : { reason: row.reason }) };
    return { ...row, status: "retired" as const, reason, was };
  });
  await audited(ctx, input, "tasks_retired", { environment: input.env_id, tasks: rows.length });
  return { environment: input.env_id, retired: rows.map((row) => row.index) };
}

/** Puts retired tasks back to what they were, and names those. Others stay as they are; none of them retired is a conflict. */
export async function restoreTasks(ctx: Ctx, input: TasksInput) {
  const back = new Set<number>();
  const rows = await changeTasks(ctx, input, "tasks_restored", (row) => {
    if (row.status !== "retired") return row;
    back.add(row.index);
    const { was, ...doc } = row;
    return restored(doc, was ?? { status: "draft" });
  });
  if (back.size === 0) throw conflict("None of these tasks is retired.", { by: "environment_tasks" });
  await audited(ctx, input, "tasks_restored", { environment: input.env_id, tasks: back.size });
  const put = rows.filter(({ index }) => back.has(index));
  return { environment: input.env_id, restored: put.map(({ index, status }) => ({ index, status })) };
}

function restored({ reason: _reason, ...row }: TaskDoc, was: NonNullable<TaskDoc["was"]>): TaskDoc {
  return { ...row, status: was.status, ...(was.reason === undefined ? {} : { reason: was.reason }) };
}
