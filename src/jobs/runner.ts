import { setTimeout as sleep } from "node:timers/promises";
import PQueue from "p-queue";
import type { Jobs } from "../../chapters/context.ts";
import { orNotFound } from "../../chapters/errors.ts";
import type { JobDefinition, JobHandle } from "../../chapters/job.ts";
import { dayStart } from "../../chapters/organization/budget.ts";
import { everyRow } from "../../chapters/page.ts";
import type { JobRow, OrgStore } from "../../chapters/ports/store.ts";
import { type Ruling, ruleOnBudget } from "./budget.ts";
import type { AnyJob, JobRunner, JobsOptions } from "./options.ts";
import { embeddedQueue } from "./queue/embedded.ts";
import type { JobQueue, WaitingJob } from "./queue/port.ts";
import { type Active, type RowRunOptions, runRow } from "./row-run.ts";
import { hasEnded, heldJobs, liveChildren, runningJobs } from "./rows.ts";
import { LeaseLost, ShuttingDown, StopRequested } from "./signals.ts";

/** How long a lease holds, seconds; renewed far more often, so only a dead or stuck process loses one. */
const LEASE_S = 10;
const RENEW_MS = 400;
/** How long the store may take to renew leases: a connection that nothing comes over any more must not look like a held lease. */
const RENEW_WAIT_MS = 4_000;
const NEW_DAY_MS = 500;
const RULE_AGAIN_MS = 30_000;
const CLOSE_MS = 5_000;
const LOOK_MS = 50;
/** What a job that was held midway needs to go on, micro-dollars: each of its calls sets aside its own. */
const LEAST_MICRO = 10_000;
/** Who asks the jobs of an org that is removed to stop. */
const REMOVAL = "removal of the org";

/** Runs the jobs of a store. Rows are the truth; the queue only decides when, and how many of a kind run at once. */
export function createJobs(options: JobsOptions): JobRunner {
  return new Runner(options);
}

class Runner implements JobRunner {
  readonly #options: JobsOptions;
  readonly #owner: string;
  readonly #definitions = new Map<string, AnyJob>();
  readonly #places = new Map<string, PQueue>();
  readonly #queue: JobQueue;
  readonly #running: RowRunOptions;
  readonly #active = new Map<string, Active>();
  #timers: NodeJS.Timeout[] = [];
  #begun = false;
  #closed = false;
  #claiming = false;
  #claims: Promise<void> = Promise.resolve();
  #again = false;
  /** The day that held jobs were ruled on; none before this process has. */
  #ruledOn: number | undefined;
  #ruling = false;
  #rulesFrom = 0;
  #renewing = false;
  #renewedAt = performance.now();

  constructor(options: JobsOptions) {
    this.#options = options;
    this.#owner = options.owner ?? options.id("own");
    this.#queue = options.queue ?? embeddedQueue();
    this.#running = {
      ...options,
      owner: this.#owner,
      queue: this.#queue,
      rule: (store, estimate, self) => this.#rule(store, estimate, self),
    };
    for (const definition of options.definitions) {
      if (this.#definitions.has(definition.kind)) throw new Error(`two job definitions are named ${definition.kind}`);
      this.#definitions.set(definition.kind, definition);
      this.#places.set(definition.kind, new PQueue({ concurrency: definition.concurrency }));
    }
  }

  begin(): void {
    if (this.#begun) return;
    this.#begun = true;
    this.#timers = [
      setInterval(() => void this.#renew(), RENEW_MS).unref(),
      setInterval(() => void this.#onNewDay(), NEW_DAY_MS).unref(),
    ];
    const hands = { look: () => this.#claim(), offer: (job: WaitingJob) => this.#offered(job) };
    void this.#resume().then(() => {
      if (this.#closed) return;
      this.#queue.begin(hands);
      void this.#onNewDay();
    });
  }

  forOrg(org: { readonly id: string; readonly tag: string }, by: string): Jobs {
    return {
      start: (definition, input, options) => this.#start(org, by, definition, input, options ?? {}),
      stop: (id, who, how) => this.#stop(this.#options.store.forOrg(org.id), id, who, how),
      reEvaluate: () => this.#rerule(this.#options.store.forOrg(org.id)),
      estimate: (row) => estimateOf(this.#definitions.get(row.kind), row),
    };
  }

  async drop(org: string): Promise<void> {
    const { jobs } = this.#options.store.forOrg(org);
    const live: string[] = [];
    for await (const { id } of everyRow((page) => jobs.list({ ...page, live: true }))) live.push(id);
    // Those that other processes run hear it when they renew their leases.
    for (const id of live) await jobs.update(id, { stop_by: REMOVAL });
    for (const { row, abort } of this.#active.values()) if (row.org === org) abort.abort(new StopRequested(REMOVAL));
    const running = async (id: string) => (await jobs.get(id))?.status === "running";
    for (const until = performance.now() + CLOSE_MS; performance.now() < until; await sleep(LOOK_MS)) {
      const left = await Promise.all(live.map(running));
      if (!left.includes(true)) return;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const timer of this.#timers) clearInterval(timer);
    for (const place of this.#places.values()) place.pause();
    for (const { abort } of this.#active.values()) abort.abort(new ShuttingDown());
    await within(
      CLOSE_MS,
      Promise.allSettled([this.#claims, ...[...this.#active.values()].map((active) => active.ended)]),
    );
    await within(CLOSE_MS, this.#queue.close());
  }

  async #start<I>(
    org: { readonly id: string },
    by: string,
    definition: JobDefinition<I>,
    input: I,
    options: NonNullable<Parameters<Jobs["start"]>[2]>,
  ): Promise<JobHandle> {
    if (!this.#definitions.has(definition.kind)) throw new Error(`no job definition is named ${definition.kind}`);
    const { store, now, id } = this.#options;
    const orgStore = store.forOrg(org.id);
    const estimate = definition.estimate?.(input) ?? 0;
    const ruling = await this.#rule(orgStore, estimate);
    const made = now();
    const asked: JobRow = {
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
    };
    const { row, deduplicated } = await orgStore.jobs.start(asked, options.records);
    if (!deduplicated) await orgStore.jobs.event(row.id, made, ruling.fits ? "queued" : "held", { kind: row.kind });
    if (row.status === "queued" && !deduplicated) this.#queue.announce(row);
    return { job: row.id, status: row.status, deduplicated, poll: `/v0/jobs/${row.id}` };
  }

  async #stop(store: OrgStore, id: string, by: string, how: "stopped" | "cancelled"): Promise<void> {
    const now = this.#options.now();
    const asked = { stop_by: by };
    const ended = { ...asked, status: how, ended_at: now, note: "It was ended before it began." };
    for (;;) {
      const row = orNotFound(await store.jobs.get(id), "job");
      if (hasEnded(row.status)) return;
      const waits = row.status === "queued" || row.status === "held";
      // What waits may be taken between the look and the write: then it is asked to stop as what runs is.
      if (!(await store.jobs.update(id, waits ? ended : asked, { status: row.status }))) continue;
      await store.jobs.event(id, now, waits ? how : "stop_asked", { by });
      break;
    }
    this.#active.get(id)?.abort.abort(new StopRequested(by));
    for (const child of await liveChildren(store, id)) await this.#stop(store, child, by, how);
  }

  async #rerule(store: OrgStore): Promise<number> {
    let released = 0;
    for (const row of await heldJobs(store)) {
      const ruling = await this.#ruleHeld(store, row);
      if (ruling === undefined) continue;
      const change = ruling.fits ? ({ status: "queued", note: null } as const) : { note: ruling.sentence };
      // Another server may have released it, and have it run by now.
      const changed = await store.jobs.update(row.id, change, { status: "held" });
      if (!changed || !ruling.fits) continue;
      this.#queue.announce(row);
      await store.jobs.event(row.id, this.#options.now(), "released", {});
      released += 1;
    }
    return released;
  }

  /** Decides on a held job; undefined where its input no longer parses. A started job goes on with its day's budget. */
  async #ruleHeld(store: OrgStore, row: JobRow): Promise<Ruling | undefined> {
    const definition = this.#definitions.get(row.kind);
    const input = definition?.input.safeParse(row.input);
    if (!definition || !input?.success) return undefined;
    const estimate = definition.estimate?.(input.data as never);
    if (estimate !== undefined) return this.#rule(store, estimate);
    return ruleOnBudget(store, await this.#options.dailyBudget(store), 0, LEAST_MICRO, this.#options.now());
  }

  /** Rules on an estimate, with what running jobs may still spend set aside; `self` gives way to those begun before it. */
  async #rule(store: OrgStore, estimate: number, self?: string): Promise<Ruling> {
    if (estimate === 0) return { fits: true };
    let reserved = 0;
    for (const row of await runningJobs(store)) {
      if (row.id === self) break;
      reserved += estimateOf(this.#definitions.get(row.kind), row) ?? 0;
    }
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
      for await (const row of everyRow((page) => this.#options.store.jobsAcrossOrgs({ ...page, live: true })))
        if (row.status === "running")
          await this.#options.store.forOrg(row.org).jobs.update(row.id, { status: "queued" }, { status: "running" });
    } catch (error) {
      this.#options.log.error({ err: error }, "jobs of an earlier process could not be resumed");
    } finally {
      this.#claiming = false;
    }
  }

  /** One claim; true when there may be more to take. */
  async #claimSome(): Promise<boolean> {
    const open = [...this.#places.keys()]
      .map((kind) => ({ kind, room: this.#room(kind) }))
      .filter(({ room }) => room > 0);
    if (open.length === 0) return false;
    const limit = Math.min(...open.map(({ room }) => room), 20);
    const now = this.#options.now();
    const kinds = open.map(({ kind }) => kind);
    const rows = await this.#options.store.claimJobs(this.#owner, limit, now, now + LEASE_S, kinds);
    if (this.#closed) {
      await Promise.all(rows.map((row) => this.#giveBack(row)));
      return false;
    }
    for (const row of rows) this.#take(row);
    return rows.length > 0;
  }

  /** How many more of a kind may run here. */
  #room(kind: string): number {
    const place = this.#places.get(kind);
    return place === undefined ? 0 : place.concurrency - place.size - place.pending;
  }

  /** Takes one row that the queue names, if it still waits, and keeps the queue waiting until there is room for another. */
  async #offered({ org, id, kind }: WaitingJob): Promise<void> {
    await this.#untilRoom(kind);
    if (this.#closed) return;
    const now = this.#options.now();
    const row = await this.#options.store.claimJob(org, id, this.#owner, now, now + LEASE_S);
    if (row && this.#closed) return this.#giveBack(row);
    if (row) this.#take(row);
    await this.#untilRoom(kind);
  }

  async #untilRoom(kind: string): Promise<void> {
    while (!this.#closed && this.#room(kind) <= 0)
      await Promise.race([...this.#active.values()].filter(({ row }) => row.kind === kind).map(({ ended }) => ended));
  }

  /** Puts a row back that was claimed and not begun; where that fails its lease runs out. */
  async #giveBack({ org, id, attempt }: JobRow): Promise<void> {
    const { store, log } = this.#options;
    try {
      await store.forOrg(org).jobs.update(id, { status: "queued", attempt: attempt - 1 }, { owner: this.#owner });
    } catch (error) {
      log.warn({ err: error, job: id }, "a claimed job could not be given back");
    }
  }

  #take(row: JobRow): void {
    const definition = this.#definitions.get(row.kind);
    const queue = this.#places.get(row.kind);
    if (!definition || !queue) return;
    const before = this.#active.get(row.id);
    if (before) {
      // It was put back a moment ago, or its lease ran out while this process stood still: first what runs ends.
      void before.ended.then(() => (this.#closed ? this.#giveBack(row) : this.#take(row)));
      return;
    }
    const active: Active = {
      row,
      abort: new AbortController(),
      estimate: estimateOf(definition, row) ?? 0,
      ended: Promise.resolve(),
    };
    this.#active.set(row.id, active);
    active.ended = queue
      .add(() => runRow(this.#running, definition, active))
      .catch((error: unknown) => this.#options.log.error({ err: error, job: row.id }, "a job's end could not be kept"))
      .then(() => {
        this.#active.delete(row.id);
        if (!this.#closed) this.#queue.freed();
      });
  }

  /** Holds on to what this process runs; ends what was asked to stop and what is another's by now. */
  async #renew(): Promise<void> {
    if (this.#closed || this.#renewing) return;
    const asked = performance.now();
    if (this.#active.size === 0) {
      this.#renewedAt = asked;
      return;
    }
    this.#renewing = true;
    const { store, log, now, soleOwner } = this.#options;
    try {
      const asking = store.renewJobs(this.#owner, [...this.#active.keys()], now() + LEASE_S);
      // Alone it may wait: for as long as deleted content is scrubbed, say.
      const renewed = soleOwner ? await asking : await within(RENEW_WAIT_MS, asking);
      if (!renewed) throw new Error("the store did not answer in time");
      this.#renewedAt = asked;
      for (const id of renewed.stops) this.#active.get(id)?.abort.abort(new StopRequested("another process"));
      for (const id of renewed.lost) this.#active.get(id)?.abort.abort(new LeaseLost());
    } catch (error) {
      log.error({ err: error }, "job leases could not be renewed");
      if (soleOwner || performance.now() - this.#renewedAt < LEASE_S * 1000) return;
      // Others may have taken them: what goes on here would be done twice.
      for (const { abort } of this.#active.values()) abort.abort(new LeaseLost());
    } finally {
      this.#renewing = false;
    }
  }

  /** Rules held jobs again when a new day begins, and at the start: the day may have begun while no process ran. */
  async #onNewDay(): Promise<void> {
    const { store, log, now } = this.#options;
    const today = dayStart(now());
    if (this.#closed || this.#ruling || today === this.#ruledOn || performance.now() < this.#rulesFrom) return;
    this.#ruling = true;
    try {
      const orgs = new Set<string>();
      for await (const { org, status } of everyRow((page) => store.jobsAcrossOrgs({ ...page, live: true })))
        if (status === "held") orgs.add(org);
      for (const org of orgs) await this.#rerule(store.forOrg(org));
      this.#ruledOn = today;
    } catch (error) {
      this.#rulesFrom = performance.now() + RULE_AGAIN_MS;
      log.error({ err: error }, "held jobs could not be ruled again");
    } finally {
      this.#ruling = false;
    }
  }
}

/** What work comes to, or undefined where that takes longer than so many milliseconds. */
async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), ms);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function estimateOf(definition: AnyJob | undefined, row: Pick<JobRow, "input">): number | undefined {
  const input = definition?.input.safeParse(row.input);
  return input?.success ? definition?.estimate?.(input.data as never) : undefined;
}
