import { setTimeout as sleep } from "node:timers/promises";
import { ulid } from "ulid";
import { z } from "zod";
import type { Ctx, Jobs, Log } from "../../chapters/context.ts";
import { type JobCtx, job } from "../../chapters/job.ts";
import type { JobRow, OrgStore, ServiceStore } from "../../chapters/ports/store.ts";
import type { AnyJob, JobRunner, JobsOptions } from "../../src/jobs/options.ts";
import { hasEnded } from "../../src/jobs/rows.ts";
import { createJobs } from "../../src/jobs/runner.ts";

/** A log that nobody reads. */
export const silent: Log = { info() {}, warn() {}, error() {} };

/** The one org of the runner's tests. */
export const ORG = { id: "org_1", tag: "acme", created_at: 1 };

/** A job that is named by its input and may be tried three times; `rest` says what is otherwise. */
export const define = (
  run: (ctx: JobCtx, input: { name: string }) => Promise<unknown>,
  rest: Partial<Parameters<typeof job<{ name: string }, unknown>>[0]> = {},
) =>
  job<{ name: string }, unknown>({
    kind: "work",
    input: z.object({ name: z.string() }),
    key: ({ name }) => name,
    attempts: 3,
    ends: "cancel",
    concurrency: 2,
    run,
    ...rest,
  });

/** A runner over a real store, with a Ctx that has what jobs of these tests use. */
export function runnerOn(
  store: ServiceStore,
  definitions: readonly AnyJob[],
  options: Partial<JobsOptions> = {},
): { runner: JobRunner; jobs: Jobs; org: OrgStore } {
  const now = options.now ?? (() => Date.now() / 1000);
  const id = (prefix: string) => `${prefix}_${ulid().toLowerCase()}`;
  const runner: JobRunner = createJobs({
    store,
    definitions,
    now,
    id,
    log: silent,
    dailyBudget: async () => 10_000_000,
    soleOwner: true,
    context: (org, caller, signal, progress) =>
      ({
        caller,
        now,
        id,
        log: silent,
        signal,
        progress,
        org,
        store: store.forOrg(org.id),
        jobs: runner.forOrg(org, caller.name),
      }) satisfies Partial<Ctx> as unknown as Ctx,
    ...options,
  });
  return { runner, jobs: runner.forOrg(ORG, "tester"), org: store.forOrg(ORG.id) };
}

/** Waits until a job's row is as wanted; fails with the row where it has ended otherwise. */
export async function until(org: OrgStore, id: string, wanted: (row: JobRow) => boolean): Promise<JobRow> {
  for (;;) {
    const row = await org.jobs.get(id);
    if (row && wanted(row)) return row;
    if (row && hasEnded(row.status)) throw new Error(`the job did not get there: ${JSON.stringify(row)}`);
    await sleep(20);
  }
}

/** Waits until a job has ended. */
export function ended(org: OrgStore, id: string): Promise<JobRow> {
  return until(org, id, (row) => hasEnded(row.status));
}
