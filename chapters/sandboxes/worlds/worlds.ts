import { z } from "zod";
import { withStart } from "../../../worlds/starts.ts";
import type { JournalEntry, RowChange } from "../../../worlds/state/journal.ts";
import { grade } from "../../../worlds/tasks/grading/grade.ts";
import type { FinishedTrial } from "../../../worlds/tasks/schema.ts";
import type { World } from "../../../worlds/world-api.ts";
import { loadEnvironment } from "../../blobs.ts";
import type { Ctx } from "../../context.ts";
import { conflict, notFound, orNotFound } from "../../errors.ts";
import { byField, recordId } from "../../fields.ts";
import { everyRow, type PageInput, pageOf } from "../../page.ts";
import { Environment, WorldRecord } from "../../records/sandboxes/sandboxes.ts";
import { findEnvironment, liveEnvironment } from "../environments/environment-records.ts";
import { findTask } from "../tasks/task-records.ts";
import { expiresInDays, label } from "./fields.ts";
import type { OpenWorld } from "./world-host.ts";
import { findWorld, makeWorld, type WorldRef } from "./world-records.ts";
import { mintWorldToken } from "./world-tokens.ts";

async function openWorld(ctx: Ctx, ref: WorldRef): Promise<OpenWorld> {
  const record = await findWorld(ctx, ref.world, ref.bundle_id);
  return orNotFound(await ctx.worlds.open(record.id), "world");
}

/** What `worlds_post` takes. */
export const MintWorldInput = z.object({
  environment: recordId("environment"),
  index: z.number().int().min(0).optional().describe("A task whose start the world has; the drawn state when absent."),
  label,
  expires_in_days: expiresInDays,
  ...byField,
});

/** Mints a world of an environment, as drawn or as a task begins where one is named, with a connector token for its MCP endpoint. */
export async function mintWorld(ctx: Ctx, input: z.output<typeof MintWorldInput>) {
  const environment = await liveEnvironment(ctx, input.environment);
  const { label, by, index } = input;
  const start = index === undefined ? undefined : (await findTask(ctx, environment.id, index)).task.start;
  const world = await makeWorld(ctx, environment, {
    ...(start === undefined ? {} : { start }),
    ...(label === undefined ? {} : { label }),
    ...(by === undefined ? {} : { by }),
  });
  const token = await mintWorldToken(ctx, { world: world.id, label, expires_in_days: input.expires_in_days });
  return { world: world.id, bundle_id: world.bundle, environment: world.environment, ...token };
}

/**
 * The org's worlds, newest first; those made for trials are left out unless asked for, and those of retired environments
 * unless the environment is named.
 */
export async function listWorlds(
  ctx: Ctx,
  input: PageInput & { readonly environment?: string | undefined; readonly trials?: boolean | undefined },
) {
  const where = {
    ...(input.environment === undefined ? {} : { environment: input.environment }),
    ...(input.trials === true ? {} : { minted: true }),
  };
  const retired = input.environment === undefined ? await retiredEnvironments(ctx) : new Set<string>();
  const page = await pageOf(
    (next) => ctx.store.records.list(WorldRecord, { ...next, where }),
    input,
    (row) => !retired.has(row.environment),
  );
  const worlds = page.items.map(({ minted: _minted, earlier: _earlier, ...row }) => ({
    ...row,
    live: row.ended_at === undefined,
    url: ctx.worlds.url(row.bundle, row.id),
  }));
  return { worlds, ...(page.next === undefined ? {} : { next: page.next }) };
}

async function retiredEnvironments(ctx: Ctx): Promise<ReadonlySet<string>> {
  const retired = new Set<string>();
  for await (const { id, retired_at } of everyRow((page) => ctx.store.records.list(Environment, page)))
    if (retired_at !== undefined) retired.add(id);
  return retired;
}

/** One call as an agent would make it. A tool's own error is an answer, not a refusal. */
export async function callWorld(
  ctx: Ctx,
  input: WorldRef & { readonly tool: string; readonly args?: Record<string, unknown> | undefined },
) {
  const open = await openWorld(ctx, input);
  const answer = await open.call(input.tool, input.args ?? {});
  return {
    world: open.id,
    tool: input.tool,
    is_error: answer.isError,
    answer_class: answer.answerClass,
    served_by: answer.servedBy,
    ...(answer.layer === undefined ? {} : { layer: answer.layer }),
    ...(answer.confidence === undefined ? {} : { confidence: answer.confidence }),
    answer: answer.value,
    text: answer.text,
    changes: answer.changes.map(({ table, key }) => ({ table, key })),
  };
}

/** The manifest a world serves. */
export async function worldTools(ctx: Ctx, input: WorldRef) {
  const { world, id } = await openWorld(ctx, input);
  return { world: id, tool_count: world.tools.length, tools: [...world.tools] };
}

/** Row counts per table, and which rows differ from the drawn state. */
export async function peekWorld(ctx: Ctx, input: WorldRef) {
  const { world, id } = await openWorld(ctx, input);
  const tables = Object.fromEntries(world.tables().map((table) => [table, count(world.rows(table))]));
  const changed = world.diff().map((change) => ({ table: change.table, key: change.key, op: changeOp(change) }));
  return { world: id, tables, changed, digest: world.digest() };
}

/** The tables of a world now, whole; one table when named. */
export async function worldState(ctx: Ctx, input: WorldRef & { readonly table?: string | undefined }) {
  const { world, id } = await openWorld(ctx, input);
  const names = input.table === undefined ? world.tables() : world.tables().filter((name) => name === input.table);
  if (input.table !== undefined && names.length === 0) throw notFound("table");
  const tables = Object.fromEntries(names.map((table) => [table, Object.fromEntries(world.rows(table))]));
  return { world: id, tables, diff: world.diff(), digest: world.digest() };
}

/** Puts a world back to its drawn state; its journal is cleared. */
export async function resetWorld(ctx: Ctx, input: WorldRef) {
  const open = await openWorld(ctx, input);
  await open.reset();
  return { world: open.id, reset: true, digest: open.world.digest() };
}

/** What was done in a world, as grading sees it. */
export function finishedTrial(
  entries: readonly JournalEntry[],
  world: World,
  answers: FinishedTrial["answers"],
): FinishedTrial {
  const known = world.changesOf(entries);
  return {
    calls: entries.map(({ tool, args, answer, answer_class, is_error, at }, i) => {
      const changes = [...(known[i] ?? [])];
      const changed = changes.length > 0;
      return { tool, args, answer, answer_class, is_error, changed, ...(changed ? { changes } : {}), at };
    }),
    answers,
    diff: world.diff(),
  };
}

/** Runs a task's checks against a world as it stands now, with the answer given, if one is. */
export async function checkWorld(
  ctx: Ctx,
  input: WorldRef & { readonly index: number; readonly answer?: string | undefined },
) {
  const record = await findWorld(ctx, input.world, input.bundle_id);
  const open = await openWorld(ctx, input);
  const environment = await findEnvironment(ctx, record.environment);
  const row = await findTask(ctx, environment.id, input.index);
  if (row.task.start !== record.start)
    throw conflict(
      "The task begins with another state than this world; mint a world for it (worlds_post with its index).",
    );
  const entries = await ctx.store.journals.read(record.id);
  const answers = input.answer === undefined ? [] : [{ text: input.answer }];
  const { verdicts, end } = grade(
    row.task,
    finishedTrial(entries, open.world, answers),
    withStart({ ...(await loadEnvironment(ctx, environment)), seed: record.seed }, row.task),
  );
  return { world: record.id, index: row.index, end, checks: verdicts, tier: "deterministic" as const };
}

function count(rows: Iterable<unknown>): number {
  let n = 0;
  for (const _row of rows) n++;
  return n;
}

function changeOp(change: RowChange): "insert" | "update" | "delete" {
  if (change.before === undefined) return "insert";
  return change.after === undefined ? "delete" : "update";
}
