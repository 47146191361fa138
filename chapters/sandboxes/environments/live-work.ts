import type { Ctx } from "../../context.ts";
import { conflict } from "../../errors.ts";
import { everyRow } from "../../page.ts";
import { Run } from "../../records/runs/runs.ts";
import { Surface } from "../../records/sandboxes/sandboxes.ts";
import type { EnvironmentDoc } from "./environment-records.ts";
import { generates } from "./generate-environments.ts";

/** What works on an environment, by the kind of its job. */
const WORK: Readonly<Record<string, string>> = {
  run: "A run",
  run_group: "A run",
  pipeline: "The surface's pipeline",
  generate_environments: "The generation that draws it",
  author_tasks: "A writing of its tasks",
  review: "A review of its tasks",
  rereview: "A review of its tasks",
  reserve_tasks: "A copying of its tasks",
  audit_environment: "An audit",
  failure_mode_tasks: "A writing of tasks for a failure mode",
  worldplan: "A writing of tasks",
};

/** A job that works on an environment: a run, its surface's pipeline, or one that writes its tasks. */
interface LiveWork {
  readonly job: string;
  /** What it is, in words that begin a sentence. */
  readonly work: string;
  /** The run group that it plays, where it is a run. */
  readonly group?: string;
  /** Why it waits, where it is held: for the budget, or for a person. */
  readonly held?: string;
}

/** What works on an environment now, but for the job `own`; undefined where nothing does. */
export async function liveWork(ctx: Ctx, environment: EnvironmentDoc, own?: string): Promise<LiveWork | undefined> {
  const surface = await ctx.store.records.get(Surface, environment.surface);
  for await (const job of everyRow((page) => ctx.store.jobs.list({ ...page, live: true })))
    if (job.id !== own && (await worksOn(ctx, job, environment, surface?.name)))
      return {
        job: job.id,
        work: WORK[job.kind] ?? "A job",
        ...(await groupOf(ctx, job)),
        ...(job.status === "held" ? { held: job.note ?? "it waits for a person" } : {}),
      };
  return undefined;
}

async function groupOf(ctx: Ctx, { id, kind }: { readonly id: string; readonly kind: string }) {
  if (kind === "run_group") return { group: id };
  const run = kind === "run" ? await ctx.store.records.get(Run, id) : undefined;
  return run === undefined ? {} : { group: run.group };
}

/** Refuses a change of an environment while something works on it. */
export async function refuseWhileLive(ctx: Ctx, environment: EnvironmentDoc, own?: string): Promise<void> {
  const live = await liveWork(ctx, environment, own);
  if (live !== undefined)
    throw conflict(`${live.work} works on this environment; wait for it or end it.`, { names: [live.job] });
}

async function worksOn(
  ctx: Ctx,
  job: { readonly id: string; readonly kind: string; readonly input: unknown },
  environment: EnvironmentDoc,
  surface: string | undefined,
): Promise<boolean> {
  const input = (job.input ?? {}) as Readonly<Record<string, unknown>>;
  switch (job.kind) {
    case "run":
      return (await ctx.store.records.get(Run, job.id))?.environment === environment.id;
    case "run_group": {
      const { items } = await ctx.store.records.list(Run, {
        where: { group: job.id, environment: environment.id },
        limit: 1,
      });
      return items.length > 0;
    }
    case "pipeline":
      return input.surface === surface;
    case "generate_environments":
      return generates(input, environment);
    default:
      return input.environment === environment.id;
  }
}
