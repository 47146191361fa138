import { z } from "zod";
import { digestOf } from "../../../worlds/digest.ts";
import { Check, Script, type Task } from "../../../worlds/tasks/schema.ts";
import { loadEnvironment } from "../../blobs.ts";
import { actor, type Ctx } from "../../context.ts";
import { badField } from "../../errors.ts";
import { byField } from "../../fields.ts";
import { DEFAULT_PAGE, type PageInput } from "../../page.ts";
import { type Doc, idOfValue } from "../../record.ts";
import { type DryRun, TaskScript } from "../../records/sandboxes/script.ts";
import { audited } from "../../retirement.ts";
import { dryRunScript } from "../authoring/authoring-tasks.ts";
import { type EnvironmentDoc, findEnvironment, liveEnvironment } from "../environments/environment-records.ts";
import { envRef } from "../fields.ts";
import { environmentTasks, findTask } from "./task-records.ts";

type ScriptDoc = Doc<typeof TaskScript>;
type Played = Awaited<ReturnType<typeof dryRunScript.run>>;

/** The reference script of each task, or of one: what to start from when writing another way to do it. */
export async function starterScripts(
  ctx: Ctx,
  input: { readonly env_id: string; readonly index?: number | undefined } & PageInput,
) {
  const environment = await findEnvironment(ctx, input.env_id);
  const one = input.index === undefined ? undefined : await findTask(ctx, environment.id, input.index);
  const all = one ? [one] : (await environmentTasks(ctx, environment.id)).filter((row) => row.status !== "retired");
  const after = input.cursor === undefined ? -1 : Number(input.cursor);
  if (!Number.isInteger(after)) throw badField("cursor", "take it from `next` of the page before");
  const rest = all.filter((row) => row.index > after);
  const page = rest.slice(0, input.limit ?? DEFAULT_PAGE);
  const scripts = page.map(({ index, status, task }) => {
    const { family, request, turns, script } = task;
    return { index, status, family, request, turns, script, source: "reference" as const };
  });
  return {
    environment: environment.id,
    scripts,
    ...(page.length < rest.length ? { next: String(page.at(-1)!.index) } : {}),
  };
}

export const index = z.number().int().min(0).describe("The task's index in its environment, from 0.");

/** What `environment_scripts_dry_run` takes. */
export const DryRunInput = z.object({
  ...envRef,
  script: Script,
  index: index.optional(),
  checks: z.array(Check).max(50).optional().describe("Instead of the task's own."),
});
export type DryRunInput = z.output<typeof DryRunInput>;

/** Plays a script on a fresh fork of the drawn world: each call's answer and the checks' verdicts. Stores nothing. */
export async function dryRun(ctx: Ctx, input: DryRunInput) {
  const environment = await findEnvironment(ctx, input.env_id);
  const task = input.index === undefined ? undefined : (await findTask(ctx, environment.id, input.index)).task;
  const played = await play(ctx, environment, input.script, task, input.checks ?? task?.checks ?? []);
  const { calls, answer, diff, end, cause, verdicts, failedAt } = played;
  return {
    environment: environment.id,
    ...(input.index === undefined ? {} : { index: input.index }),
    end,
    cause,
    ...(failedAt === undefined ? {} : { failed_at: failedAt }),
    calls,
    answer,
    changes: diff,
    checks: verdicts,
    tier: "deterministic" as const,
  };
}

async function play(
  ctx: Ctx,
  environment: EnvironmentDoc,
  script: Script,
  task: Task | undefined,
  checks: readonly Check[],
): Promise<Played> {
  const world = await loadEnvironment(ctx, environment);
  return ctx.compute.run(dryRunScript, { ...world, seed: environment.seed, script, task, checks }, ctx.signal);
}

/** What `environment_scripts_post` takes. */
export const StoreInput = z.object({
  ...envRef,
  scripts: z
    .array(z.object({ index, script: Script, name: z.string().min(1).max(200).optional() }))
    .min(1)
    .max(100),
  ...byField,
});
export type StoreInput = z.output<typeof StoreInput>;

/** Stores scripts with their dry runs. One that fails its task's checks stays a draft; equal scripts are kept once. */
export async function storeScripts(ctx: Ctx, input: StoreInput) {
  const environment = await liveEnvironment(ctx, input.env_id);
  const tasks = await Promise.all(input.scripts.map(({ index }) => findTask(ctx, environment.id, index)));
  const docs: ScriptDoc[] = [];
  for (const [i, { index, script, name }] of input.scripts.entries()) {
    const { task } = tasks[i]!;
    const { end, cause, verdicts, failedAt } = await play(ctx, environment, script, task, task.checks);
    const { bundle, base_blob } = environment;
    const dry_run: DryRun = {
      bundle,
      base_blob,
      checks_digest: digestOf(task.checks),
      end,
      cause,
      checks: verdicts,
      ...(failedAt === undefined ? {} : { failed_at: failedAt }),
    };
    docs.push({
      id: idOfValue(TaskScript, environment.id, String(index), digestOf(script)),
      created_at: ctx.now(),
      by: actor(ctx, input.by),
      environment: environment.id,
      index,
      ...(name === undefined ? {} : { name }),
      script,
      status: end === "met" ? "stored" : "draft",
      dry_run,
    });
  }
  await ctx.store.records.apply(docs.map((doc) => ({ op: "put", kind: TaskScript, doc })));
  await audited(ctx, input, "scripts_stored", { environment: environment.id, scripts: docs.length });
  const drafts = docs.filter((doc) => doc.status === "draft").length;
  return {
    environment: environment.id,
    scripts: docs.map((doc, i) => view(environment, doc, tasks[i]?.task)),
    stored: docs.length - drafts,
    drafts,
    tier: "human" as const,
  };
}

/** A page of stored scripts and drafts; `lapsed` ones were run on another world or with other checks than now. */
export async function listScripts(
  ctx: Ctx,
  input: { readonly env_id: string; readonly index?: number | undefined } & PageInput,
) {
  const environment = await findEnvironment(ctx, input.env_id);
  const where = { environment: environment.id, ...(input.index === undefined ? {} : { index: input.index }) };
  const page = await ctx.store.records.list(TaskScript, { where, limit: input.limit, cursor: input.cursor });
  const tasks = page.items.length === 0 ? [] : await environmentTasks(ctx, environment.id);
  const byIndex = new Map(tasks.map((row) => [row.index, row.task]));
  return {
    environment: environment.id,
    scripts: page.items.map((doc) => view(environment, doc, byIndex.get(doc.index))),
    ...(page.next === undefined ? {} : { next: page.next }),
  };
}

function view(environment: EnvironmentDoc, { environment: _environment, ...doc }: ScriptDoc, task: Task | undefined) {
  const { bundle, base_blob, checks_digest } = doc.dry_run;
  const otherWorld = bundle !== environment.bundle || base_blob !== environment.base_blob;
  const otherChecks = checks_digest !== undefined && (!task || checks_digest !== digestOf(task.checks));
  return { ...doc, lapsed: otherWorld || otherChecks };
}
