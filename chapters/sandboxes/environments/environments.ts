import { certificateTerms } from "../../../worlds/tasks/grading/certificate.ts";
import { loadBundle, loadEnvironment } from "../../blobs.ts";
import type { Ctx } from "../../context.ts";
import { AppError, badField, conflict, notFound, orNotFound } from "../../errors.ts";
import { DEFAULT_PAGE, type PageInput } from "../../page.ts";
import { Environment, Surface } from "../../records/sandboxes/sandboxes.ts";
import { audited, type Retiring, restore, retire } from "../../retirement.ts";
import { suiteOf, tasksState } from "../tasks/suite.ts";
import { environmentTasks, statusCounts, verifierHealth } from "../tasks/task-records.ts";
import { findEnvironment } from "./environment-records.ts";

/** The record with its task counts, state and health. */
export async function getEnvironment(ctx: Ctx, input: { readonly env_id: string }) {
  const environment = await findEnvironment(ctx, input.env_id);
  const tasks = await environmentTasks(ctx, environment.id);
  const { base_blob, ...record } = environment;
  const health = verifierHealth(tasks);
  return {
    ...record,
    state: environment.retired_at === undefined ? ("live" as const) : ("retired" as const),
    tasks_state: tasksState(tasks),
    suite: suiteOf(tasks),
    world_snapshot: base_blob,
    counts: statusCounts(tasks),
    ...(health === undefined ? {} : { verifier_health: health }),
  };
}

/** The manifest its worlds serve. */
export async function environmentTools(ctx: Ctx, input: { readonly env_id: string }) {
  const environment = await findEnvironment(ctx, input.env_id);
  const { bundle } = await loadBundle(ctx, environment.bundle);
  return {
    environment: environment.id,
    bundle_id: environment.bundle,
    tool_count: bundle.tools.length,
    tools: bundle.tools,
  };
}

/** The digests that comparisons use as terms: bundle, tools, base rows, and each task with its checks. */
export async function environmentSurfaceKey(ctx: Ctx, input: { readonly env_id: string }) {
  const environment = await findEnvironment(ctx, input.env_id);
  const { record } = await loadBundle(ctx, environment.bundle);
  const world = await loadEnvironment(ctx, environment);
  const tasks = await environmentTasks(ctx, environment.id);
  return {
    environment: environment.id,
    bundle: record.digest,
    base_rows: environment.base_blob,
    tasks: tasks.map((row) => ({ index: row.index, task: row.digest, ...certificateTerms(row.task, world) })),
  };
}

/** One table of the drawn state, by key, all rows or those with every word of `q`: which were observed and which drawn. */
export async function environmentWorldTable(
  ctx: Ctx,
  input: { readonly env_id: string; readonly table: string; readonly q?: string | undefined } & PageInput,
) {
  const environment = await findEnvironment(ctx, input.env_id);
  const { base } = await loadEnvironment(ctx, environment);
  const rows = base.tables[input.table];
  if (rows === undefined) throw new AppError("not_found", "No such table.", { names: [input.table], missing: "table" });
  const drawn = new Set(base.drawn[input.table] ?? []);
  const words = (input.q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const says = (key: string) => {
    const text = words.length === 0 ? "" : `${key}\n${JSON.stringify(rows[key])}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const keys = Object.keys(rows).filter(says).sort();
  const from = input.cursor === undefined ? 0 : keys.indexOf(input.cursor) + 1;
  if (input.cursor !== undefined && from === 0) throw badField("cursor", "take it from `next` of the page before");
  const page = keys.slice(from, from + (input.limit ?? DEFAULT_PAGE));
  const last = page.at(-1);
  return {
    environment: environment.id,
    table: input.table,
    total: keys.length,
    rows: page.map((key) => ({
      key,
      origin: drawn.has(key) ? ("drawn" as const) : ("observed" as const),
      row: rows[key]!,
    })),
    ...(last !== undefined && last !== keys.at(-1) ? { next: last } : {}),
  };
}

/** Takes one drawn state off the org's pages; its runs stay. Retiring twice keeps the first mark. */
export async function retireEnvironment(ctx: Ctx, input: { readonly env_id: string } & Retiring) {
  const { id, retired_at } = await findEnvironment(ctx, input.env_id);
  const retired = await ctx.store.records.update(Environment, id, (row) => retire(ctx, row, input));
  if (!retired) throw notFound("environment");
  if (retired_at === undefined) await audited(ctx, input, "environment_retired", { environment: id });
  return { retired };
}

/** Puts a retired environment back. */
export async function restoreEnvironment(ctx: Ctx, input: { readonly env_id: string } & Retiring) {
  const { id, retired_at, surface } = await findEnvironment(ctx, input.env_id);
  if (retired_at === undefined) throw conflict("The environment is not retired.", { by: "org_retired" });
  if ((await ctx.store.records.get(Surface, surface))?.retired_at !== undefined)
    throw conflict("The environment's surface is retired; restore that first.", { by: "surface_restore" });
  const restored = orNotFound(await ctx.store.records.update(Environment, id, restore), "environment");
  await audited(ctx, input, "environment_restored", { environment: id });
  return { restored };
}
