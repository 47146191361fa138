import { setTimeout as sleep } from "node:timers/promises";
import type { Caller } from "../../chapters/caller.ts";
import type { Ctx } from "../../chapters/context.ts";
import { AppError } from "../../chapters/errors.ts";
import { FailedWith, type JobCtx, type JobStatus, WaitsForBudget } from "../../chapters/job.ts";
import type { JobRow, OrgRow, OrgStore } from "../../chapters/ports/store.ts";
import { StoreUnreachable } from "../../store/unreachable.ts";
import type { Ruling } from "./budget.ts";
import type { AnyJob, JobsOptions } from "./options.ts";
import { ProgressWriter } from "./progress.ts";
import type { JobQueue } from "./queue/port.ts";
import { LeaseLost, ShuttingDown } from "./signals.ts";

/** A row that this process holds by its lease. */
export interface Active {
  readonly row: JobRow;
  readonly abort: AbortController;
  readonly estimate: number;
  ended: Promise<void>;
}

/** What running a row takes. */
export interface RowRunOptions extends Pick<JobsOptions, "store" | "now" | "log" | "context"> {
  /** Who holds the leases. */
  readonly owner: string;
  readonly queue: Pick<JobQueue, "announce">;
  /** Whether what the job may cost fits into its org's day. */
  readonly rule: (store: OrgStore, estimate: number, self: string) => Promise<Ruling>;
}

/** How often a job is put back while the store cannot be reached, and after how many milliseconds at first: within a lease. */
const PUT_BACK_TRIES = 5;
const PUT_BACK_MS = 250;

/** Runs a row that was taken, to what becomes of it. What another process took over is left to that one. */
export async function runRow(options: RowRunOptions, definition: AnyJob, active: Active): Promise<void> {
  const store = options.store.forOrg(active.row.org);
  try {
    await attempt(options, definition, store, active);
  } catch (error) {
    if (active.abort.signal.reason instanceof LeaseLost) return;
    if (!(error instanceof StoreUnreachable)) throw error;
    options.log.warn({ job: active.row.id }, "a job goes back to the queue: the store could not be reached");
    await putBackInTime(options, store, active.row);
  }
}

async function attempt(options: RowRunOptions, definition: AnyJob, store: OrgStore, active: Active): Promise<void> {
  const { row } = active;
  const { now, owner } = options;
  const org = await options.store.orgById(row.org);
  if (!org) return;
  if (row.stop_by !== null) return end(options, store, row, stopStatus(definition), "It was ended on request.");
  if (row.attempt > definition.attempts) {
    const times = definition.attempts === 1 ? "once" : `${definition.attempts} times`;
    const note = `It was begun ${times} and the service ended each time before it did. Start it again.`;
    return end(options, store, row, "failed", note);
  }
  const input = definition.input.safeParse(row.input);
  if (!input.success)
    return end(options, store, row, "failed", "Its input no longer fits this version of the service. Start it again.");
  const ruling = await options.rule(store, active.estimate, row.id);
  if (!ruling.fits) return hold(options, store, row, ruling.sentence);
  const started = now();
  if (!(await store.jobs.update(row.id, { note: null }, { owner }))) return;
  await store.jobs.event(row.id, started, "started", { attempt: row.attempt });
  await work(options, definition, store, active, org, input.data);
}

/** The job itself, and its end: landed, failed in words, or interrupted. */
async function work(
  options: RowRunOptions,
  definition: AnyJob,
  store: OrgStore,
  active: Active,
  org: OrgRow,
  input: unknown,
): Promise<void> {
  const { row, abort } = active;
  const progress = new ProgressWriter(store.jobs, row.id, options.owner);
  const caller: Caller = { kind: "org", name: row.by, scope: "push", org: { id: org.id, tag: org.tag } };
  const ctx = options.context(org, caller, abort.signal, (done, total, message) =>
    progress.report(done, total, message),
  );
  let result: unknown;
  try {
    abort.signal.throwIfAborted();
    result = await definition.run(jobCtx(options, ctx, store, row), input as never);
  } catch (error) {
    await progress.flush();
    if (abort.signal.aborted) return interrupted(options, definition, store, active);
    // The store's own trouble is no end of the job's.
    if (error instanceof StoreUnreachable) throw error;
    if (error instanceof WaitsForBudget) return hold(options, store, row, error.reason);
    if (error instanceof FailedWith) return end(options, store, row, "failed", error.reason, error.result);
    if (!(error instanceof AppError)) options.log.error({ err: error, job: row.id, kind: row.kind }, "a job failed");
    const fault = "The service met a fault of its own; its log names this job.";
    return end(options, store, row, "failed", error instanceof AppError ? error.reason : fault);
  }
  await progress.flush();
  await (abort.signal.aborted
    ? interrupted(options, definition, store, active, result)
    : end(options, store, row, "landed", definition.note?.(result) ?? null, result));
}

/** A job that was told to end: stopped for good, back in the queue because the process goes down, or another's by now. */
async function interrupted(
  options: RowRunOptions,
  definition: AnyJob,
  store: OrgStore,
  { row, abort }: Active,
  result?: unknown,
): Promise<void> {
  if (abort.signal.reason instanceof LeaseLost) return;
  if (abort.signal.reason instanceof ShuttingDown) return putBack(options, store, row);
  await end(options, store, row, stopStatus(definition), "It was ended on request; what it finished stays.", result);
}

async function end(
  options: RowRunOptions,
  store: OrgStore,
  row: JobRow,
  status: JobStatus,
  note: string | null,
  result?: unknown,
): Promise<void> {
  const now = options.now();
  const change = { status, note, ended_at: now, ...(result === undefined ? {} : { result }) };
  // Where another process took the job over after our lease ran out, its end is the one that counts.
  if (!(await store.jobs.update(row.id, change, { owner: options.owner }))) return;
  await store.jobs.event(row.id, now, status, { attempt: row.attempt });
}

/** Holds a job until there is budget for it: this attempt is not counted. */
async function hold({ owner, now }: RowRunOptions, store: OrgStore, row: JobRow, note: string): Promise<void> {
  if (!(await store.jobs.update(row.id, { status: "held", note, attempt: row.attempt - 1 }, { owner }))) return;
  await store.jobs.event(row.id, now(), "held", {});
}

/** Gives a job back to the queue as if this attempt had not been. */
async function putBack({ owner, now, queue }: RowRunOptions, store: OrgStore, row: JobRow): Promise<void> {
  if (!(await store.jobs.update(row.id, { status: "queued", attempt: row.attempt - 1 }, { owner }))) return;
  queue.announce(row);
  await store.jobs.event(row.id, now(), "put_back", {});
}

/** Puts a job back once the store answers again; where it does not in time the lease runs out, and the attempt counts. */
async function putBackInTime(options: RowRunOptions, store: OrgStore, row: JobRow): Promise<void> {
  for (let n = 0; n < PUT_BACK_TRIES; n++) {
    await sleep(PUT_BACK_MS * 2 ** n, undefined, { ref: false });
    try {
      return await putBack(options, store, row);
    } catch (error) {
      if (!(error instanceof StoreUnreachable)) throw error;
    }
  }
}

function stopStatus(definition: AnyJob): JobStatus {
  return definition.ends === "stop" ? "stopped" : "cancelled";
}

function jobCtx({ owner, now }: RowRunOptions, ctx: Ctx, store: OrgStore, row: JobRow): JobCtx {
  return {
    ...ctx,
    account: { job: row.id, kind: row.kind },
    job: {
      id: row.id,
      attempt: row.attempt,
      state: row.state ?? undefined,
      checkpoint: async (state) => {
        await store.jobs.update(row.id, { state }, { owner });
      },
      audit: (kind, fields) => store.jobs.event(row.id, now(), kind, fields ?? {}),
    },
  };
}
