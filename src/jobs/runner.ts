import PQueue from "p-queue";
import type { Caller } from "../../chapters/caller.ts";
import type { Ctx, Jobs } from "../../chapters/context.ts";
import { AppError, notFound } from "../../chapters/errors.ts";
import type { JobCtx, JobDefinition, JobHandle, JobStatus } from "../../chapters/job.ts";
import { dayStart } from "../../chapters/organization/budget.ts";
import type { JobRow, OrgStore } from "../../store/port.ts";
import { ruleOnBudget } from "./budget.ts";
import type { AnyJob, JobRunner, JobsOptions } from "./options.ts";
import { ProgressWriter } from "./progress.ts";
import { hasEnded, heldJobs, liveChildren } from "./rows.ts";
import { ShuttingDown, StopRequested } from "./signals.ts";

interface Active {
  readonly row: JobRow;
  readonly abort: AbortController;
  readonly estimate: number;
  ended: Promise<void>;
}

/** How long a lease holds, seconds; renewed far more often, so only a dead or stuck process loses one. */
const LEASE_S = 10;
const RENEW_MS = 400;
const POLL_MS = 500;
const CLOSE_MS = 5_000;
/** Runs the jobs of a store. Rows are the truth; per-kind queues only decide when. */
export function createJobs(options: JobsOptions): JobRunner {
  return new Runner(options);
}

class Runner implements JobRunner {
  readonly #options: JobsOptions;
  readonly #owner: string;
  readonly #definitions = new Map<string, AnyJob>();
  readonly #queues = new Map<string, PQueue>();
  readonly #active = new Map<string, Active>();
  #timers: NodeJS.Timeout[] = [];
  #begun = false;
  #closed = false;
  #claiming = false;
  #claims: Promise<void> = Promise.resolve();
  #again = false;
  #ruledOn: number;

  constructor(options: JobsOptions) {
    this.#options = options;
    this.#owner = options.owner ?? options.id("own");
    this.#ruledOn = dayStart(options.now());
    for (const definition of options.definitions) {
      if (this.#definitions.has(definition.kind)) throw new Error(`two job definitions are named ${definition.kind}`);
      this.#definitions.set(definition.kind, definition);
      this.#queues.set(definition.kind, new PQueue({ concurrency: definition.concurrency }));
    }
  }

  begin(): void {
    if (this.#begun) return;
    this.#begun = true;
    this.#timers = [
      setInterval(() => void this.#renew(), RENEW_MS).unref(),
      setInterval(() => void this.#poll(), POLL_MS).unref(),
    ];
    void this.#resume().then(() => this.#claim());
  }

  forOrg(org: { readonly id: string; readonly tag: string }, by: string): Jobs {
    return {
      start: (definition, input, options) => this.#start(org, by, definition, input, options ?? {}),
      stop: (id, who, how) => this.#stop(this.#options.store.forOrg(org.id), id, who, how),
      rerule: () => this.#rerule(this.#options.store.forOrg(org.id)),
      estimate: (row) => estimateOf(this.#definitions.get(row.kind), row),
    };
  }

  async drop(org: string): Promise<void> {
    const active = [...this.#active.values()].filter(({ row }) => row.org === org);
    for (const { abort } of active) abort.abort(new StopRequested("removal of the org"));
    await within(CLOSE_MS, Promise.allSettled(active.map(({ ended }) => ended)));
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const timer of this.#timers) clearInterval(timer);
    for (const queue of this.#queues.values()) queue.pause();
    for (const { abort } of this.#active.values()) abort.abort(new ShuttingDown());
    await within(
      CLOSE_MS,
      Promise.allSettled([this.#claims, ...[...this.#active.values()].map((active) => active.ended)]),
    );
  }

  async #start<I>(
    org: { readonly id: string },
    by: string,
    definition: JobDefinition<I>,
    input: I,
    options: { readonly parent?: string; readonly id?: string },
  ): Promise<JobHandle> {
    if (!this.#definitions.has(definition.kind)) throw new Error(`no job definition is named ${definition.kind}`);
    const { store, now, id } = this.#options;
    const orgStore = store.forOrg(org.id);
    const estimate = definition.estimate?.(input) ?? 0;
    const ruling = await this.#rule(orgStore, estimate);
    const made = now();
    const { row, deduplicated } = await orgStore.jobs.start({
      id: options.id ?? id("job"),
      org: org.id,
      kind: definition.kind,
      key: `${definition.kind}:${definition.key(input)}`,
      status: ruling.fits ? "queued" : "held",
      note: ruling.fits ? null : ruling.sentence,
      parent: options.parent ?? null,
      by,
      input,
      state: null,
      result: null,
      attempt: 0,
      done: 0,
      total: null,
      message: null,
      stop_by: null,
      created_at: made,
      started_at: null,
      ended_at: null,
    });
    if (!deduplicated) await orgStore.jobs.event(row.id, made, ruling.fits ? "queued" : "held", { kind: row.kind });
    if (this.#begun) queueMicrotask(() => void this.#claim());
    return { job: row.id, status: row.status, deduplicated, poll: `/v0/jobs/${row.id}` };
  }

  async #stop(store: OrgStore, id: string, by: string, how: "stopped" | "cancelled"): Promise<void> {
    const row = await store.jobs.get(id);
    if (!row) throw notFound("job");
    if (hasEnded(row.status)) return;
    const now = this.#options.now();
    const waits = row.status === "queued" || row.status === "held";
    const asked = { stop_by: by };
    const ended = { ...asked, status: how, ended_at: now, note: "It was ended before it began." };
    await store.jobs.update(id, waits ? ended : asked);
    await store.jobs.event(id, now, waits ? how : "stop_asked", {});
    this.#active.get(id)?.abort.abort(new StopRequested(by));
    for (const child of await liveChildren(store, id)) await this.#stop(store, child, by, how);
  }

  async #rerule(store: OrgStore): Promise<number> {
    let released = 0;
    for (const row of await heldJobs(store)) {
      const definition = this.#definitions.get(row.kind);
      const input = definition?.input.safeParse(row.input);
      if (!definition?.estimate || !input?.success) continue;
      const ruling = await this.#rule(store, definition.estimate(input.data as never));
      if (!ruling.fits) {
        await store.jobs.update(row.id, { note: ruling.sentence });
        continue;
      }
      await store.jobs.update(row.id, { status: "queued", note: null });
      await store.jobs.event(row.id, this.#options.now(), "released", {});
      released += 1;
    }
    if (released > 0 && this.#begun) void this.#claim();
    return released;
  }

  /** Rules on an estimate, with what other running jobs may still spend set aside. */
  async #rule(store: OrgStore, estimate: number, self?: string) {
    if (estimate === 0) return { fits: true } as const;
    let reserved = 0;
    for (const { row, estimate: other } of this.#active.values())
      if (row.org === store.org && row.id !== self) reserved += other;
    return ruleOnBudget(store, await this.#options.dailyBudget(store), reserved, estimate, this.#options.now());
  }

  /** Takes what there is room for. Runs alone; a call while one runs makes it go round once more. */
  async #claim(): Promise<void> {
    if (this.#claiming) {
      this.#again = true;
      return;
    }
    this.#claims = this.#claimAll();
    await this.#claims;
  }

  async #claimAll(): Promise<void> {
    this.#claiming = true;
    try {
      do {
        this.#again = false;
        while (!this.#closed && (await this.#claimSome())) {}
      } while (this.#again && !this.#closed);
    } catch (error) {
      this.#options.log.error({ err: error }, "jobs could not be claimed");
    } finally {
      this.#claiming = false;
    }
  }

  /** A sole owner knows that a job running at its start lost its process: it goes back to the queue, the attempt counted. */
  async #resume(): Promise<void> {
    if (!this.#options.soleOwner) return;
    this.#claiming = true;
    try {
      let cursor: string | undefined;
      do {
        const page = await this.#options.store.jobsAcrossOrgs({ live: true, limit: 500, cursor });
        for (const row of page.items)
          if (row.status === "running")
            await this.#options.store.forOrg(row.org).jobs.update(row.id, { status: "queued" });
        cursor = page.next;
      } while (cursor !== undefined);
    } catch (error) {
      this.#options.log.error({ err: error }, "jobs of an earlier process could not be resumed");
    } finally {
      this.#claiming = false;
    }
  }

  /** One claim; true when there may be more to take. */
  async #claimSome(): Promise<boolean> {
    const rooms = [...this.#queues].map(([kind, queue]) => ({
      kind,
      room: queue.concurrency - queue.size - queue.pending,
    }));
    const open = rooms.filter(({ room }) => room > 0);
    if (open.length === 0) return false;
    const limit = Math.min(...open.map(({ room }) => room), 20);
    const now = this.#options.now();
    const kinds = open.map(({ kind }) => kind);
    const rows = await this.#options.store.claimJobs(this.#owner, limit, now, now + LEASE_S, kinds);
    if (this.#closed) {
      const back = ({ org, id, attempt }: JobRow) =>
        this.#options.store.forOrg(org).jobs.update(id, { status: "queued", attempt: attempt - 1 }, this.#owner);
      await Promise.all(rows.map(back));
      return false;
    }
    let taken = 0;
    for (const row of rows) {
      if (this.#active.has(row.id)) continue;
      taken += 1;
      this.#take(row);
    }
    return taken > 0;
  }

  #take(row: JobRow): void {
    const definition = this.#definitions.get(row.kind);
    const queue = this.#queues.get(row.kind);
    if (!definition || !queue) return;
    const active: Active = {
      row,
      abort: new AbortController(),
      estimate: estimateOf(definition, row) ?? 0,
      ended: Promise.resolve(),
    };
    this.#active.set(row.id, active);
    active.ended = queue
      .add(() => this.#run(definition, active))
      .catch((error: unknown) => this.#options.log.error({ err: error, job: row.id }, "a job's end could not be kept"))
      .then(() => {
        this.#active.delete(row.id);
        if (!this.#closed) void this.#claim();
      });
  }

  async #run(definition: AnyJob, active: Active): Promise<void> {
    const { row, abort } = active;
    const { store, now, log } = this.#options;
    const orgStore = store.forOrg(row.org);
    const org = await store.orgById(row.org);
    const end = (status: JobStatus, note: string | null, result?: unknown) =>
      this.#end(orgStore, active, status, note, result);
    if (!org) return;
    if (row.stop_by !== null)
      return end(definition.ends === "stop" ? "stopped" : "cancelled", "It was ended on request.");
    if (row.attempt > definition.attempts) {
      const times = definition.attempts === 1 ? "once" : `${definition.attempts} times`;
      return end("failed", `It was begun ${times} and the service ended each time before it did. Start it again.`);
    }
    const input = definition.input.safeParse(row.input);
    if (!input.success) return end("failed", "Its input no longer fits this version of the service. Start it again.");
    const ruling = await this.#rule(orgStore, active.estimate, row.id);
    if (!ruling.fits) {
      const held = { status: "held", note: ruling.sentence, attempt: row.attempt - 1 } as const;
      await orgStore.jobs.update(row.id, held, this.#owner);
      return orgStore.jobs.event(row.id, now(), "held", {});
    }
    const started = now();
    await orgStore.jobs.update(row.id, { note: null }, this.#owner);
    await orgStore.jobs.event(row.id, started, "started", { attempt: row.attempt });
    const progress = new ProgressWriter(orgStore.jobs, row.id, this.#owner);
    const caller: Caller = { kind: "org", name: row.by, scope: "push", org: { id: org.id, tag: org.tag } };
    const ctx = this.#options.context(org, caller, abort.signal, (done, total, message) =>
      progress.report(done, total, message),
    );
    try {
      abort.signal.throwIfAborted();
      const result = await definition.run(jobCtx(ctx, orgStore, row, this.#owner, now), input.data as never);
      await progress.flush();
      await (abort.signal.aborted
        ? this.#interrupted(definition, orgStore, active, result)
        : end("landed", null, result));
    } catch (error) {
      await progress.flush();
      if (abort.signal.aborted) return this.#interrupted(definition, orgStore, active);
      if (!(error instanceof AppError)) log.error({ err: error, job: row.id, kind: row.kind }, "a job failed");
      await end(
        "failed",
        error instanceof AppError ? error.reason : "The service met a fault of its own; its log names this job.",
      );
    }
  }

  /** A job that was told to end: stopped for good, or back in the queue because the process goes down. */
  async #interrupted(definition: AnyJob, store: OrgStore, active: Active, result?: unknown): Promise<void> {
    const { row, abort } = active;
    if (abort.signal.reason instanceof ShuttingDown) {
      await store.jobs.update(row.id, { status: "queued", attempt: row.attempt - 1 }, this.#owner);
      return store.jobs.event(row.id, this.#options.now(), "put_back", {});
    }
    const how = definition.ends === "stop" ? "stopped" : "cancelled";
    await this.#end(store, active, how, "It was ended on request; what it finished stays.", result);
  }

  async #end(store: OrgStore, active: Active, status: JobStatus, note: string | null, result?: unknown): Promise<void> {
    const { row } = active;
    const now = this.#options.now();
    const change = { status, note, ended_at: now, ...(result === undefined ? {} : { result }) };
    // Where another process took the job over after our lease ran out, its end is the one that counts.
    if (!(await store.jobs.update(row.id, change, this.#owner))) return;
    await store.jobs.event(row.id, now, status, { attempt: row.attempt });
  }

  async #renew(): Promise<void> {
    if (this.#closed || this.#active.size === 0) return;
    try {
      const lease = this.#options.now() + LEASE_S;
      const asked = await this.#options.store.renewJobs(this.#owner, [...this.#active.keys()], lease);
      for (const id of asked) this.#active.get(id)?.abort.abort(new StopRequested("another process"));
    } catch (error) {
      this.#options.log.error({ err: error }, "job leases could not be renewed");
    }
  }

  /** Looks for work that nobody announced, and rules held jobs again when a new day begins. */
  async #poll(): Promise<void> {
    if (this.#closed) return;
    const today = dayStart(this.#options.now());
    if (today !== this.#ruledOn) {
      this.#ruledOn = today;
      await this.#reruleEveryOrg().catch((error: unknown) =>
        this.#options.log.error({ err: error }, "held jobs could not be ruled again"),
      );
    }
    await this.#claim();
  }

  async #reruleEveryOrg(): Promise<void> {
    let cursor: string | undefined;
    do {
      const page = await this.#options.store.orgs({ limit: 500, cursor });
      for (const org of page.items) await this.#rerule(this.#options.store.forOrg(org.id));
      cursor = page.next;
    } while (cursor !== undefined);
  }
}

/** Waits for work, at most so many milliseconds. */
async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}

function estimateOf(definition: AnyJob | undefined, row: Pick<JobRow, "input">): number | undefined {
  const input = definition?.input.safeParse(row.input);
  return input?.success ? definition?.estimate?.(input.data as never) : undefined;
}

function jobCtx(ctx: Ctx, store: OrgStore, row: JobRow, owner: string, now: () => number): JobCtx {
  return {
    ...ctx,
    account: { job: row.id, kind: row.kind },
    job: {
      id: row.id,
      attempt: row.attempt,
      state: row.state ?? undefined,
      checkpoint: async (state) => {
        await store.jobs.update(row.id, { state }, owner);
      },
      audit: (kind, fields) => store.jobs.event(row.id, now(), kind, fields ?? {}),
    },
  };
}
