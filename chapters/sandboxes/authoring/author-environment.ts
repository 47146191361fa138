import { z } from "zod";
import type { Task } from "../../../worlds/tasks/schema.ts";
import { REGISTERS, revoiceTask } from "../../../worlds/tasks/words/revoice.ts";
import type { Persona } from "../../../worlds/tasks/words/voices.ts";
import { loadEnvironment } from "../../blobs.ts";
import { actor, type Ctx } from "../../context.ts";
import { isVoiced, personaNamed } from "../../dimensions/voices.ts";
import { conflict, unprocessable } from "../../errors.ts";
import { byField } from "../../fields.ts";
import { type JobCtx, job } from "../../job.ts";
import { type EnvironmentDoc, liveEnvironment } from "../environments/environment-records.ts";
import { refuseWhileLive } from "../environments/live-work.ts";
import { revise, revisionOfJob } from "../environments/revise.ts";
import { envRef, modelField, seedField, someTasks, whyField } from "../fields.ts";
import { judgeTasks, reviewed } from "../review/review-tasks.ts";
import { environmentTasks, findTask, isHeldAsPoor, type TaskDoc } from "../tasks/task-records.ts";
import { refuseModel, rewriteTasks, withTask } from "./author-tasks.ts";

const Authoring = z.object({
  environment: z.string(),
  act: z.enum(["regenerate", "revoice"]),
  indexes: z.array(z.number().int()).optional(),
  register: z.enum(REGISTERS).optional(),
  persona: z.string().optional(),
  seed: z.string(),
  by: z.string(),
  reason: z.string().optional(),
});
type Authoring = z.infer<typeof Authoring>;

/** Writes refused tasks of an environment again, or voices requests anew; one revision holds what it changed. */
export const authorJob = job({
  kind: "author_tasks",
  input: Authoring,
  key: ({ act, environment }) => `${act}:${environment}`,
  attempts: 3,
  ends: "cancel",
  concurrency: 1,
  run: author,
});

async function author(ctx: JobCtx, input: Authoring) {
  const environment = await liveEnvironment(ctx, input.environment);
  await refuseWhileLive(ctx, environment, ctx.job.id);
  const done = await revisionOfJob(ctx, environment.id, ctx.job.id);
  if (done) return { environment: environment.id, act: input.act, changed: done.changed, revision: done.id };
  const rows = await environmentTasks(ctx, environment.id);
  const due = rows.filter((row) => isDue(row, input));
  const made =
    input.act === "regenerate"
      ? await rewriteTasks(ctx, environment, due, {
          seed: input.seed,
          asked: new Set(rows.map((row) => row.task.request)),
        })
      : await revoiced(ctx, environment, due, rows, input);
  const changed = due.flatMap((before) => {
    const after = made.get(before.id);
    return after ? [{ before, after }] : [];
  });
  const left = due.filter((row) => !made.has(row.id)).map((row) => row.index);
  const result = { environment: environment.id, act: input.act, asked: due.length, left };
  if (changed.length === 0) return { ...result, changed: [], revision: null };
  const { act, by, reason } = input;
  const { revision } = await revise(ctx, environment, { act, by, reason, changed, jobs: [ctx.job.id] });
  return { ...result, changed: changed.map((row) => row.before.index), revision: revision.id };
}

function isDue(row: TaskDoc, { act, indexes }: Authoring): boolean {
  if (row.status === "retired" || (indexes !== undefined && !indexes.includes(row.index))) return false;
  if (act === "revoice") return true;
  // A person's own words are written over only where the person names them.
  return row.status === "refused" && (row.task.tier !== "human" || indexes !== undefined);
}

async function revoiced(
  ctx: Ctx,
  environment: EnvironmentDoc,
  due: readonly TaskDoc[],
  all: readonly TaskDoc[],
  input: Authoring,
): Promise<Map<string, TaskDoc>> {
  const asked = new Set(all.map((row) => row.task.request));
  const asks = input.persona === undefined ? undefined : await personaNamed(ctx, input.persona);
  const drafts: { row: TaskDoc; draft: TaskDoc }[] = [];
  for (const row of due) {
    const task = voiced(row.task, row.index, input, asks);
    // A bare question is said alike in more registers than one: its label alone is another then.
    if (!task || (task.request !== row.task.request && asked.has(task.request))) continue;
    asked.add(task.request);
    drafts.push({ row, draft: withTask(row, task) });
  }
  const reviews = await judgeTasks(
    ctx,
    await loadEnvironment(ctx, environment),
    drafts.map(({ draft }) => draft),
  );
  const found = new Map<string, TaskDoc>();
  drafts.forEach(({ row, draft }, i) => {
    const after = reviewed(draft, reviews[i]!, true, ctx.now());
    // A voice is no reason to lose a task: one that no longer passes keeps the request it had.
    if (after.status === "certified") found.set(row.id, keptHold(row, after));
  });
  return found;
}

/** How the reason begins of a task held since its world does not bear out what a person says its key is. */
export const CORRECTED = "Corrected, and the world does not bear it out: ";

function doubt(after: TaskDoc): string {
  return after.status === "certified"
    ? "A person corrected it, and the world did not bear that out; its key is another since, and passes review."
    : `${CORRECTED}${after.reason}`;
}

/** A task that a person holds stays held whatever its review found; one that its world was too poor for is what it is now. */
export function keptHold(before: TaskDoc, after: TaskDoc): TaskDoc {
  if (before.status !== "held" || isHeldAsPoor(before)) return after;
  const { held_by } = before;
  const doubted = before.reason?.startsWith(CORRECTED) === true;
  // Why a correction was not borne out is told of the key it gave: another one has its own reason.
  const reason = doubted && before.digest !== after.digest ? doubt(after) : before.reason;
  return {
    ...after,
    status: "held",
    ...(reason === undefined ? {} : { reason }),
    ...(held_by === undefined ? {} : { held_by }),
  };
}

function voiced(task: Task, index: number, { register, seed }: Authoring, asks: Persona | undefined): Task | undefined {
  const others = REGISTERS.filter((name) => name !== task.voice.register);
  const one = register ?? asks?.register ?? others[index % others.length]!;
  const voice = asks ? { persona: asks.name, lead: asks.says[index % asks.says.length] } : task.voice;
  return revoiceTask(task, { ...voice, register: one }, seed);
}

/** What `environment_review_regenerate` takes. */
export const AuthorRequest = z.object({
  ...envRef,
  ...someTasks("every refused one"),
  ...seedField,
  ...modelField,
  ...whyField,
  ...byField,
});
export type AuthorRequest = z.output<typeof AuthorRequest>;

/** Starts writing refused tasks again; tasks that none was found for stay refused. */
export async function startRegenerate(ctx: Ctx, request: AuthorRequest) {
  return start(ctx, request, { act: "regenerate" });
}

/** Starts voicing requests anew, keys untouched; a request that would not pass review keeps its words. */
export async function startRevoice(
  ctx: Ctx,
  request: AuthorRequest & {
    readonly register?: (typeof REGISTERS)[number] | undefined;
    readonly persona?: string | undefined;
  },
) {
  const { register, persona } = request;
  if (persona !== undefined && !isVoiced(await personaNamed(ctx, persona)))
    throw unprocessable(
      `Nothing is known of how ${JSON.stringify(persona)} speaks, so no request can be put in its words. Say it in the persona's profile (says, a line each, or a register), or name a register alone.`,
    );
  const voice = { ...(register === undefined ? {} : { register }), ...(persona === undefined ? {} : { persona }) };
  return start(ctx, request, { act: "revoice", ...voice });
}

async function start(ctx: Ctx, request: AuthorRequest, what: Pick<Authoring, "act" | "register" | "persona">) {
  const environment = await liveEnvironment(ctx, request.env_id);
  refuseModel(request.model);
  for (const index of request.indexes ?? []) await findTask(ctx, environment.id, index);
  const input: Authoring = {
    environment: environment.id,
    ...what,
    seed: request.seed ?? `revision ${environment.revision}`,
    by: actor(ctx, request.by),
    ...(request.indexes === undefined ? {} : { indexes: [...request.indexes] }),
    ...(request.reason === undefined ? {} : { reason: request.reason }),
  };
  const due = (await environmentTasks(ctx, environment.id)).filter((row) => isDue(row, input));
  if (due.length === 0) throw conflict("No task of this environment is due for that.", { by: "environment_review" });
  const key = authorJob.key(input);
  const { items } = await ctx.store.jobs.list({ kind: authorJob.kind, live: true, limit: 500 });
  await refuseWhileLive(ctx, environment, items.find((row) => row.key === key)?.id);
  const handle = await ctx.jobs.start(authorJob, input);
  return {
    ...handle,
    environment: environment.id,
    surface: environment.surface,
    tasks: due.length,
    stages: what.act === "regenerate" ? ["write", "review"] : ["voice", "review"],
    tier: "deterministic" as const,
  };
}
