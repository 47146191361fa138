import { z } from "zod";
import { digestOf } from "../../../worlds/digest.ts";
import type { Task } from "../../../worlds/tasks/schema.ts";
import { loadEnvironment } from "../../blobs.ts";
import { actor, type Ctx } from "../../context.ts";
import { badRequest, conflict, notFound, orNotFound, unprocessable } from "../../errors.ts";
import { orgField } from "../../fields.ts";
import { DEFAULT_PAGE, everyRow, pageInput } from "../../page.ts";
import type { Doc } from "../../record.ts";
import { Environment, Surface } from "../../records/sandboxes/sandboxes.ts";
import { type PlanTask, Worldplan } from "../../records/sandboxes/worldplan.ts";
import { audited } from "../../retirement.ts";
import { reviewTasks } from "../tasks/compute-tasks.ts";

/** A stored plan. */
export type WorldplanDoc = Doc<typeof Worldplan>;

/** A plan of this org. Unknown and another org's are the same 404. */
export async function findWorldplan(ctx: Ctx, id: string): Promise<WorldplanDoc> {
  return orNotFound(await ctx.store.records.get(Worldplan, id), "worldplan");
}

/** The plan that an environment was generated for, if one was. */
export async function worldplanOf(ctx: Ctx, environment: string): Promise<string | null> {
  const { items } = await ctx.store.records.list(Worldplan, { where: { environment }, limit: 1 });
  return items[0]?.id ?? null;
}

/** What `worldplans_list` takes. */
export const ListInput = z.object({
  ...orgField,
  limit: pageInput.limit,
  offset: z.number().int().min(0).max(1_000_000).optional(),
  after: z.string().min(1).max(200).optional().describe("`next` of the page before."),
  all: z.boolean().optional().describe("Those of retired surfaces too."),
});
export type ListInput = z.output<typeof ListInput>;

/** A page of the org's plans, newest first, with task counts; `all` adds retired surfaces. `total` counts the whole list. */
export async function listWorldplans(ctx: Ctx, input: ListInput) {
  const hidden = input.all === true ? new Set<string>() : await retiredSurfaces(ctx);
  const limit = input.limit ?? DEFAULT_PAGE;
  const shown: WorldplanDoc[] = [];
  let [total, left, begun] = [0, input.offset ?? 0, input.after === undefined];
  for await (const plan of everyRow((page) => ctx.store.records.list(Worldplan, page))) {
    if (hidden.has(plan.surface)) continue;
    total++;
    if (begun && left > 0) left--;
    else if (begun && shown.length <= limit) shown.push(plan);
    if (plan.id === input.after) begun = true;
  }
  const page = shown.slice(0, limit);
  return {
    worldplans: page.map(headOf),
    total,
    ...(shown.length > limit ? { next: page.at(-1)!.id } : {}),
  };
}

async function retiredSurfaces(ctx: Ctx): Promise<Set<string>> {
  const retired = new Set<string>();
  for await (const row of everyRow((page) => ctx.store.records.list(Surface, page)))
    if (row.retired_at !== undefined) retired.add(row.id);
  return retired;
}

function headOf({ tasks, ...plan }: WorldplanDoc) {
  const certified = tasks.filter((row) => row.status === "certified").length;
  return { ...plan, tasks: tasks.length, certified, owned: plan.owned_by !== undefined };
}

/** A plan whole, with its tasks. */
export async function getWorldplan(ctx: Ctx, input: { readonly wid: string }) {
  const plan = await findWorldplan(ctx, input.wid);
  return { ...plan, owned: plan.owned_by !== undefined };
}

/** A task of a plan as a person wants it: what is not said stays. */
type TaskEdit = { readonly index: number } & {
  readonly [K in "request" | "turns" | "script" | "checks"]?: Task[K] | undefined;
};

interface PatchInput {
  readonly wid: string;
  readonly label?: string | undefined;
  readonly tasks?: readonly TaskEdit[] | undefined;
  readonly by?: string | undefined;
}

/**
 * Names a plan anew, or makes its tasks those listed: each as it stands or rewritten, in that order; what is not listed
 * is dropped. Rewritten tasks pass the same gate as written ones, or nothing is changed. Who changes tasks owns the plan.
 */
export async function patchWorldplan(ctx: Ctx, input: PatchInput) {
  const plan = await findWorldplan(ctx, input.wid);
  const tasks = input.tasks === undefined ? undefined : await edited(ctx, plan, input.tasks);
  const now = ctx.now();
  const by = actor(ctx, input.by);
  const doc = await ctx.store.records.update(Worldplan, plan.id, (row) => {
    if (tasks !== undefined && digestOf(row.tasks) !== digestOf(plan.tasks))
      throw conflict("The plan's tasks were changed meanwhile; read it again.");
    return {
      ...row,
      ...(input.label === undefined ? {} : { label: input.label }),
      ...(tasks === undefined ? {} : { tasks, owned_by: row.owned_by ?? by, owned_at: row.owned_at ?? now }),
      updated_at: now,
    };
  });
  if (!doc) throw notFound("worldplan");
  await audited(ctx, input, "worldplan_changed", { worldplan: plan.id, tasks: doc.tasks.length });
  return { ...doc, owned: doc.owned_by !== undefined };
}

async function edited(ctx: Ctx, plan: WorldplanDoc, edits: readonly TaskEdit[]): Promise<PlanTask[]> {
  const standing = new Map(plan.tasks.map((row) => [row.index, row]));
  const unknown = edits.flatMap(({ index }, i) =>
    standing.has(index) ? [] : [{ path: `tasks.${i}.index`, message: "the plan has no task of this index" }],
  );
  const twice = edits.flatMap(({ index }, i) =>
    edits.findIndex((other) => other.index === index) < i
      ? [{ path: `tasks.${i}.index`, message: "is named twice" }]
      : [],
  );
  if (unknown.length + twice.length > 0)
    throw badRequest("The request has fields that cannot be used; see fields.", {
      fields: [...unknown, ...twice],
    });
  const rows = edits.map((edit) => withEdit(standing.get(edit.index)!, edit));
  const changed = rows.filter((row) => row.digest !== standing.get(row.index)!.digest);
  if (changed.length === 0) return rows;
  const world = await loadEnvironment(ctx, plan);
  const reviews = await ctx.compute.run(reviewTasks, { ...world, tasks: changed.map((row) => row.task) }, ctx.signal);
  const failed = changed.flatMap((row, i) => {
    const names = reviews[i]!.certificate.verdicts.filter(({ passed }) => !passed).map(({ name }) => name);
    const at = edits.findIndex((edit) => edit.index === row.index);
    return names.length === 0 ? [] : [{ path: `tasks.${at}`, message: `does not pass: ${names.join(", ")}` }];
  });
  if (failed.length > 0) throw unprocessable("Some tasks do not pass review; nothing was changed.", { fields: failed });
  const passed = new Set(changed.map((row) => row.index));
  return rows.map(({ reason, ...row }) =>
    passed.has(row.index)
      ? { ...row, status: "certified" as const }
      : { ...row, ...(reason === undefined ? {} : { reason }) },
  );
}

function withEdit(row: PlanTask, { index: _index, ...edit }: TaskEdit): PlanTask {
  const said = Object.fromEntries(Object.entries(edit).filter(([, value]) => value !== undefined)) as Partial<Task>;
  const task: Task = { ...row.task, ...said };
  const digest = digestOf(task);
  // Words and checks that a person wrote are a person's.
  return digest === row.digest
    ? row
    : { ...row, task: { ...task, tier: "human" }, digest: digestOf({ ...task, tier: "human" }) };
}

/** Deletes a plan; the environment that it was generated on stays. */
export async function deleteWorldplan(ctx: Ctx, input: { readonly wid: string }) {
  const plan = await findWorldplan(ctx, input.wid);
  await ctx.store.records.delete(Worldplan, plan.id);
  await audited(ctx, {}, "worldplan_deleted", { worldplan: plan.id });
  return { deleted: plan.id };
}

/** Writes a plan of what stands on its environment now, unless a person owns the one there is: that one stays. */
export async function writeWorldplan(
  ctx: Ctx,
  plan: Omit<WorldplanDoc, "created_at" | "surface" | "bundle" | "base_blob" | "seed" | "tasks">,
  tasks: readonly PlanTask[],
): Promise<WorldplanDoc> {
  const environment = await ctx.store.records.get(Environment, plan.environment);
  if (!environment) throw unprocessable("The environment of the plan is gone.");
  const known = await ctx.store.records.get(Worldplan, plan.id);
  if (known?.owned_by !== undefined) return known;
  const { surface, bundle, base_blob, seed } = environment;
  const doc = {
    ...plan,
    created_at: known?.created_at ?? ctx.now(),
    surface,
    bundle,
    base_blob,
    seed,
    tasks: [...tasks],
  };
  await ctx.store.records.put(Worldplan, doc);
  return doc;
}
