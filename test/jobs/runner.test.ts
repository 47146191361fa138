import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { AppError } from "../../chapters/errors.ts";
import type { JobCtx } from "../../chapters/job.ts";
import type { ServiceStore } from "../../chapters/ports/store.ts";
import type { JobRunner } from "../../src/jobs/options.ts";
import { openStore } from "../../store/open.ts";
import { StoreUnreachable } from "../../store/unreachable.ts";
import { define, ended, ORG, runnerOn, until } from "./kit.ts";

let store: ServiceStore;
let runners: JobRunner[] = [];

beforeEach(async () => {
  store = await openStore({ path: ":memory:" });
  await store.createOrg(ORG);
});
afterEach(async () => {
  for (const runner of runners) await runner.close();
  runners = [];
  await store.close();
});

/** Runs until the job is told to end. */
async function untilAborted(ctx: JobCtx): Promise<never> {
  await new Promise((resolve) => ctx.signal.addEventListener("abort", resolve));
  throw ctx.signal.reason;
}

function start(definitions: Parameters<typeof runnerOn>[1], options: Parameters<typeof runnerOn>[2] = {}) {
  const made = runnerOn(store, definitions, options);
  runners.push(made.runner);
  made.runner.begin();
  return made;
}

test("a job runs to its result, with progress and an audit trail", async () => {
  const work = define(async (ctx, { name }) => {
    ctx.progress(1, 2, "half");
    await ctx.job.audit("step", { n: 1 });
    ctx.progress(2, 2, "whole");
    return { said: name };
  });
  const { jobs, org } = start([work]);
  const handle = await jobs.start(work, { name: "a" });
  expect(handle).toMatchObject({ status: "queued", deduplicated: false, poll: `/v0/jobs/${handle.job}` });
  const row = await ended(org, handle.job);
  expect(row).toMatchObject({
    status: "landed",
    result: { said: "a" },
    by: "tester",
    attempt: 1,
    done: 2,
    total: 2,
    message: "whole",
  });
  await expect
    .poll(async () => (await org.jobs.events(handle.job)).map((event) => event.kind))
    .toEqual(["queued", "started", "step", "landed"]);
});

test("a double start answers the running job; once it has ended the key is free", async () => {
  let runs = 0;
  const work = define(async () => {
    runs += 1;
    await sleep(100);
  });
  const { jobs, org } = start([work]);
  const starts = await Promise.all([1, 2, 3, 4].map(() => jobs.start(work, { name: "same" })));
  expect(new Set(starts.map((handle) => handle.job)).size).toBe(1);
  expect(starts.filter((handle) => handle.deduplicated)).toHaveLength(3);
  await ended(org, starts[0]?.job ?? "");
  expect((await jobs.start(work, { name: "same" })).deduplicated).toBe(false);
  expect(runs).toBeLessThanOrEqual(2);
});

test("no more of a kind run at once than it allows, and other kinds are not held up", async () => {
  let now = 0;
  let most = 0;
  const work = define(async () => {
    now += 1;
    most = Math.max(most, now);
    await sleep(30);
    now -= 1;
  });
  const blocked = define(untilAborted, { kind: "blocked", concurrency: 1 });
  const { jobs, org } = start([work, blocked]);
  await jobs.start(blocked, { name: "x" });
  const all = await Promise.all(Array.from({ length: 12 }, (_, i) => jobs.start(work, { name: String(i) })));
  for (const { job: id } of all) await ended(org, id);
  expect(most).toBe(2);
});

test("a refusal fails the job with its reason; a fault without its text", async () => {
  const refuses = define(async () => {
    throw new AppError("conflict", "There is nothing to do.");
  });
  const breaks = define(
    async () => {
      throw new Error("secret detail");
    },
    { kind: "breaks" },
  );
  const { jobs, org } = start([refuses, breaks]);
  const refused = await ended(org, (await jobs.start(refuses, { name: "a" })).job);
  expect(refused).toMatchObject({ status: "failed", note: "There is nothing to do." });
  const broken = await ended(org, (await jobs.start(breaks, { name: "a" })).job);
  expect(broken.status).toBe("failed");
  expect(broken.note).not.toContain("secret");
});

test("a stop reaches the job and its children at once; what waits never begins", async () => {
  const child = define(untilAborted, { kind: "child", concurrency: 1, ends: "stop" });
  const parent = define(
    async (ctx) => {
      await ctx.jobs.start(child, { name: "1" }, { parent: ctx.job.id, id: "job_child1" });
      await ctx.jobs.start(child, { name: "2" }, { parent: ctx.job.id, id: "job_child2" });
      await untilAborted(ctx);
    },
    { kind: "parent", ends: "stop" },
  );
  const { jobs, org } = start([parent, child]);
  const { job: id } = await jobs.start(parent, { name: "p" });
  await until(org, "job_child2", () => true);
  await until(org, "job_child1", (row) => row.status === "running");
  await jobs.stop(id, "somebody", "stopped");
  expect(await ended(org, id)).toMatchObject({ status: "stopped", stop_by: "somebody" });
  expect((await ended(org, "job_child1")).status).toBe("stopped");
  expect(await ended(org, "job_child2")).toMatchObject({ status: "stopped", attempt: 0 });
  await jobs.stop(id, "again", "stopped");
  expect((await org.jobs.get(id))?.stop_by).toBe("somebody");
  await expect(jobs.stop("job_none", "x", "stopped")).rejects.toMatchObject({ code: "not_found" });
});

test("a stop asked through another process is heard at the next renewal of the lease, two a second", async () => {
  let renewals = 0;
  let heardAt: number | undefined;
  const work = define(async (ctx) => {
    ctx.signal.addEventListener("abort", () => {
      heardAt = renewals;
    });
    return untilAborted(ctx);
  });
  const renewJobs: ServiceStore["renewJobs"] = async (...args) => {
    const answer = await store.renewJobs(...args);
    renewals += 1;
    return answer;
  };
  const every = vi.spyOn(globalThis, "setInterval");
  const { jobs, org } = start([work], { store: { ...store, renewJobs }, soleOwner: false });
  expect(Math.min(...every.mock.calls.map(([, ms]) => ms as number))).toBeLessThanOrEqual(500);
  every.mockRestore();
  const { job: id } = await jobs.start(work, { name: "a" });
  await until(org, id, (row) => row.status === "running");
  const other = runnerOn(store, [work], { soleOwner: false });
  await other.jobs.stop(id, "elsewhere", "cancelled");
  const asked = renewals;
  expect(await ended(org, id)).toMatchObject({ status: "cancelled", stop_by: "elsewhere" });
  // One renewal may have been under way while it was asked.
  expect((heardAt ?? Number.POSITIVE_INFINITY) - asked).toBeLessThanOrEqual(2);
});

test("closing puts a running job back with its checkpoint, and the next process goes on from there", async () => {
  const seen: unknown[] = [];
  const work = define(async (ctx) => {
    seen.push(ctx.job.state);
    if (ctx.job.state !== undefined) return "finished";
    await ctx.job.checkpoint({ done: ["a"] });
    return untilAborted(ctx);
  });
  const first = runnerOn(store, [work]);
  first.runner.begin();
  const { job: id } = await first.jobs.start(work, { name: "a" });
  await until(first.org, id, (row) => row.state !== null);
  await first.runner.close();
  expect(await first.org.jobs.get(id)).toMatchObject({ status: "queued", attempt: 0 });
  const { org } = start([work]);
  expect(await ended(org, id)).toMatchObject({ status: "landed", result: "finished", attempt: 1 });
  expect(seen).toEqual([undefined, { done: ["a"] }]);
});

test("a lease that ran out is taken over, and only the new owner's end counts", async () => {
  let release: (() => void) | undefined;
  const slow = define(async () => {
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    return "late";
  });
  // A process that is stuck: it takes the job and never renews.
  const stuck = runnerOn(store, [slow], { soleOwner: false, now: () => Date.now() / 1000 - 3_600, owner: "stuck" });
  runners.push(stuck.runner);
  stuck.runner.begin();
  const { job: id } = await stuck.jobs.start(slow, { name: "a" });
  await until(stuck.org, id, (row) => row.status === "running");
  const quick = define(async () => "in time");
  const { org } = start([quick], { soleOwner: false });
  expect(await ended(org, id)).toMatchObject({ status: "landed", result: "in time", attempt: 2 });
  release?.();
  await sleep(100);
  expect(await org.jobs.get(id)).toMatchObject({ result: "in time" });
});

test("a process that lost its lease ends the job and leaves its row to who has it", async () => {
  let heard: unknown;
  const work = define(async (ctx) => {
    try {
      return await untilAborted(ctx);
    } finally {
      heard = ctx.signal.reason;
    }
  });
  const renewJobs: ServiceStore["renewJobs"] = async (_owner, ids) => ({ stops: [], lost: ids });
  const { jobs, org } = start([work], { store: { ...store, renewJobs }, soleOwner: false });
  const { job: id } = await jobs.start(work, { name: "a" });
  await until(org, id, () => heard !== undefined);
  await sleep(100);
  expect(heard).toMatchObject({ name: "LeaseLost" });
  expect(await org.jobs.get(id)).toMatchObject({ status: "running", attempt: 1, ended_at: null });
});

test("a process whose store does not answer any more ends its jobs once their leases are over; one that is alone waits", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "setTimeout", "clearTimeout", "performance"] });
  try {
    for (const soleOwner of [false, true]) {
      let heard: unknown;
      const begun = Promise.withResolvers<void>();
      const work = define((ctx) => {
        begun.resolve();
        ctx.signal.addEventListener("abort", () => {
          heard = ctx.signal.reason;
        });
        return untilAborted(ctx);
      });
      const renewJobs = () => new Promise<never>(() => {});
      const { jobs, runner } = start([work], { store: { ...store, renewJobs }, soleOwner });
      await jobs.start(work, { name: String(soleOwner) });
      await begun.promise;
      await vi.advanceTimersByTimeAsync(8_000);
      expect(heard).toBeUndefined();
      await vi.advanceTimersByTimeAsync(12_000);
      if (soleOwner) expect(heard).toBeUndefined();
      else expect(heard).toMatchObject({ name: "LeaseLost" });
      const closed = runner.close();
      await vi.advanceTimersByTimeAsync(20_000);
      await closed;
    }
  } finally {
    vi.useRealTimers();
  }
});

test("a job that meets an unreachable store goes back to the queue, the attempt not counted", async () => {
  let begun = 0;
  const work = define(
    async () => {
      begun += 1;
      if (begun < 3) throw new StoreUnreachable();
      return "there";
    },
    { attempts: 1 },
  );
  const { jobs, org } = start([work]);
  const { job: id } = await jobs.start(work, { name: "a" });
  expect(await ended(org, id)).toMatchObject({ status: "landed", attempt: 1, result: "there" });
  expect((await org.jobs.events(id)).map(({ kind }) => kind).filter((kind) => kind === "put_back")).toHaveLength(2);
});

test("a job that was begun too often fails with a sentence", async () => {
  const work = define(untilAborted, { attempts: 1 });
  const lost = runnerOn(store, [work], { soleOwner: false, now: () => Date.now() / 1000 - 3_600 });
  runners.push(lost.runner);
  lost.runner.begin();
  const { job: id } = await lost.jobs.start(work, { name: "a" });
  await until(lost.org, id, (row) => row.status === "running");
  const { org } = start([work], { soleOwner: false });
  const row = await ended(org, id);
  expect(row.status).toBe("failed");
  expect(row.note).toContain("begun once");
});

test("a job beyond the day's budget is held with the sentence, ruled again when the budget changes or a day begins", async () => {
  let budget = 1_000_000;
  let now = 1_790_000_000;
  const work = define(async () => "done", { estimate: ({ name }) => Number(name) * 1_000_000 });
  const { jobs, org } = start([work], { dailyBudget: async () => budget, now: () => now });
  await org.ledger.append({ id: "le_1", at: now, job: null, kind: "pass", who: "x", micro_usd: 400_000, note: "" });
  const held = await jobs.start(work, { name: "2" });
  expect(held.status).toBe("held");
  expect((await org.jobs.get(held.job))?.note).toBe(
    "It may cost $2.00 and $0.60 of today's $1.00 is left. It goes on when the budget is raised to $2.40 or the next day (UTC) begins.",
  );
  expect(await jobs.reEvaluate()).toBe(0);
  budget = 3_000_000;
  expect(await jobs.reEvaluate()).toBe(1);
  expect(await ended(org, held.job)).toMatchObject({ status: "landed", note: null });
  budget = 600_000;
  const tomorrow = await jobs.start(work, { name: "0.5" });
  expect(tomorrow.status).toBe("held");
  now += 86_400;
  expect((await ended(org, tomorrow.job)).status).toBe("landed");
});

test("a job that was held when the service ended goes on at the next start, where the day has begun meanwhile", async () => {
  let now = 1_790_000_000;
  const work = define(async () => "done", { estimate: () => 2_000_000 });
  const options = { dailyBudget: async () => 2_000_000, now: () => now };
  const before = start([work], options);
  const spent = { id: "le_1", at: now, job: null, kind: "pass", who: "x", micro_usd: 1_000_000, note: "" };
  await before.org.ledger.append(spent);
  const { job: id, status } = await before.jobs.start(work, { name: "a" });
  expect(status).toBe("held");
  await before.runner.close();
  now += 86_400;
  const { org } = start([work], options);
  expect((await ended(org, id)).status).toBe("landed");
});

test("a job that another server released, and has running by now, is not put back by one that saw it held", async () => {
  let budget = 0;
  let runs = 0;
  const { promise: go, resolve: release } = Promise.withResolvers<void>();
  const work = define(
    async () => {
      runs += 1;
      await go;
    },
    { attempts: 1, estimate: () => 1_000_000 },
  );
  const one = start([work], { dailyBudget: async () => budget, soleOwner: false });
  const { job: id } = await one.jobs.start(work, { name: "a" });
  const seen = await one.org.jobs.list({ live: true });
  expect(seen.items[0]?.status).toBe("held");
  budget = 5_000_000;
  expect(await one.jobs.reEvaluate()).toBe(1);
  await until(one.org, id, (row) => row.status === "running");
  const late: ServiceStore = {
    ...store,
    forOrg: (org) => ({
      ...store.forOrg(org),
      jobs: Object.assign(store.forOrg(org).jobs, { list: async () => seen }),
    }),
  };
  const other = runnerOn(late, [work], { dailyBudget: async () => budget, soleOwner: false });
  expect(await other.jobs.reEvaluate()).toBe(0);
  // Longer than a server takes to notice that it lost its lease.
  await sleep(1_000);
  release();
  expect(await ended(one.org, id)).toMatchObject({ status: "landed", attempt: 1 });
  expect(runs).toBe(1);
  await other.runner.close();
});

test("jobs that run at once cannot spend the same money twice", async () => {
  let release: (() => void)[] = [];
  const work = define(
    () =>
      new Promise<void>((resolve) => {
        release.push(resolve);
      }),
    { estimate: () => 600_000 },
  );
  const { jobs, org } = start([work], { dailyBudget: async () => 1_000_000 });
  const first = await jobs.start(work, { name: "a" });
  await until(org, first.job, (row) => row.status === "running");
  const second = await jobs.start(work, { name: "b" });
  expect(second.status).toBe("held");
  for (const go of release) go();
  release = [];
  await ended(org, first.job);
  expect(await jobs.reEvaluate()).toBe(1);
  await until(org, second.job, (row) => row.status === "running");
  await until(org, second.job, () => release.length > 0);
  release[0]?.();
  expect((await ended(org, second.job)).status).toBe("landed");
});
