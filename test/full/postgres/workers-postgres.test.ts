import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { JobCtx } from "../../../chapters/job.ts";
import type { ServiceStore } from "../../../chapters/ports/store.ts";
import type { AnyJob, JobRunner, JobsOptions } from "../../../src/jobs/options.ts";
import { sharedQueue } from "../../../src/jobs/queue/shared.ts";
import { sharedMeter } from "../../../src/limits/shared-meter.ts";
import { openStore } from "../../../store/open.ts";
import { type Cluster, startPostgres } from "../../helpers/stores/postgres.ts";
import { TRIALS } from "../../jobs/kill-worker.ts";
import { define, ended, ORG, runnerOn, silent, until } from "../../jobs/kit.ts";

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startPostgres();
});
afterAll(() => cluster?.stop());

/** Servers of one database, each with connections and a queue of its own; `work` runs with them and they end with it. */
async function servers(
  definitions: readonly AnyJob[],
  work: (on: {
    readonly url: string;
    server(
      begin: boolean,
      options?: (store: ServiceStore) => Partial<JobsOptions>,
    ): Promise<ReturnType<typeof runnerOn> & { store: ServiceStore }>;
  }) => Promise<void>,
): Promise<void> {
  const url = await cluster.database();
  const made: { runner: JobRunner; store: ServiceStore }[] = [];
  const server = async (begin: boolean, options: (store: ServiceStore) => Partial<JobsOptions> = () => ({})) => {
    const store = await openStore({ url });
    await store.createOrg(ORG);
    const queue = sharedQueue({ url, kinds: definitions.map(({ kind }) => kind), log: silent });
    const on = { ...runnerOn(store, definitions, { soleOwner: false, queue, ...options(store) }), store };
    made.push(on);
    if (begin) on.runner.begin();
    return on;
  };
  try {
    await work({ url, server });
  } finally {
    for (const { runner, store } of made) {
      await runner.close();
      await store.close();
    }
  }
}

test("a message alone brings a job to a worker, and a look through the rows alone does too", async () => {
  const work = define(async (_ctx, { name }) => name);
  await servers([work], async ({ server }) => {
    const front = await server(false);
    const blind = await server(true, (store) => ({ store: { ...store, claimJobs: async () => [] } }));
    for (const name of ["a", "b", "c", "d", "e"]) {
      const { job: id } = await front.jobs.start(work, { name });
      expect(await ended(front.org, id)).toMatchObject({ status: "landed", result: name, attempt: 1 });
    }
    await blind.runner.close();
    const mute = await server(false, () => ({
      queue: { announce() {}, begin() {}, freed() {}, close: async () => {} },
    }));
    const { job: id } = await mute.jobs.start(work, { name: "unannounced" });
    await server(true);
    expect(await ended(front.org, id)).toMatchObject({ status: "landed", attempt: 1 });
  });
});

test("many jobs on two workers: each runs once, and both work", async () => {
  const runs = new Map<string, number>();
  const made = () =>
    define(async (_ctx, { name }) => {
      runs.set(name, (runs.get(name) ?? 0) + 1);
      await sleep(20);
      return name;
    });
  const work = made();
  await servers([work], async ({ server }) => {
    const front = await server(false);
    const owners = new Set<string>();
    const seen = (store: ServiceStore): Partial<JobsOptions> => ({
      store: {
        ...store,
        claimJob: async (org, id, owner, ...rest) => {
          const row = await store.claimJob(org, id, owner, ...rest);
          if (row) owners.add(owner);
          return row;
        },
      },
    });
    await server(true, seen);
    await server(true, seen);
    const names = Array.from({ length: 60 }, (_, i) => `job ${i}`);
    const started = await Promise.all(names.map((name) => front.jobs.start(work, { name })));
    for (const { job: id } of started) expect((await ended(front.org, id)).status).toBe("landed");
    expect([...runs.values()]).toEqual(names.map(() => 1));
    expect(owners.size).toBe(2);
  });
});

test("a stop reaches a job and its children, on whichever worker they run, within two seconds", async () => {
  const untilAborted = (ctx: JobCtx) =>
    new Promise<never>((_, reject) => ctx.signal.addEventListener("abort", () => reject(ctx.signal.reason)));
  const child = define(untilAborted, { kind: "child", concurrency: 2 });
  const parent = define(
    async (ctx, { name }) => {
      for (let n = 0; n < 4; n++) await ctx.jobs.start(child, { name: `${name} ${n}` }, { parent: ctx.job.id });
      return untilAborted(ctx);
    },
    { kind: "parent" },
  );
  await servers([child, parent], async ({ server }) => {
    const front = await server(false);
    await server(true);
    await server(true);
    const { job: id } = await front.jobs.start(parent, { name: "group" });
    const children = async () => (await front.org.jobs.list({ parent: id })).items;
    const all = async (status: string) => (await children()).filter((row) => row.status === status).length === 4;
    await expect.poll(() => all("running")).toBe(true);
    await front.jobs.stop(id, "someone", "cancelled");
    await ended(front.org, id);
    await expect.poll(() => all("cancelled")).toBe(true);
  });
});

/** A worker process of the counted job; `wrote` grows with what it says it wrote. */
function workerOn(url: string) {
  const child = spawn(process.execPath, [fileURLToPath(new URL("../../jobs/kill-worker.ts", import.meta.url)), url]);
  const said = { output: "", errors: "" };
  child.stdout.on("data", (chunk) => {
    said.output += chunk;
  });
  child.stderr.on("data", (chunk) => {
    said.errors += chunk;
  });
  const exit = new Promise<string>((resolve) => child.on("close", (code, signal) => resolve(signal ?? String(code))));
  const wrote = () => [...said.output.matchAll(/wrote (\d+)\n/g)].map((match) => Number(match[1]));
  return { child, said, exit, wrote };
}

test("a worker killed in the middle of its trials loses none; another goes on, and each is counted once", async () => {
  const url = await cluster.database();
  const one = workerOn(url);
  while (one.wrote().length === 0 && one.child.exitCode === null) await sleep(20);
  const two = workerOn(url);
  while (one.wrote().length < 12 && one.child.exitCode === null) await sleep(5);
  one.child.kill("SIGKILL");
  expect(await one.exit, one.said.errors).toBe("SIGKILL");
  expect(await two.exit, two.said.errors).toBe("0");
  const told = [...one.wrote(), ...two.wrote()];
  expect(new Set(told).size).toBe(told.length);
  const store = await openStore({ url });
  const org = store.forOrg(ORG.id);
  expect(await org.trials.tally("run_1")).toEqual({ met: TRIALS });
  const [row, ...others] = (await org.jobs.list()).items;
  expect(others).toEqual([]);
  expect(row).toMatchObject({ status: "landed", attempt: 2, result: { trials: TRIALS } });
  await store.close();
});

test("connections that are cut in the middle of a job cost it nothing", async () => {
  const steps = new Set<number>();
  const work = define(
    async (ctx) => {
      for (let n = 1; n <= 30; n++) {
        await ctx.job.checkpoint({ n });
        steps.add(n);
        await sleep(20);
      }
      return steps.size;
    },
    { attempts: 5 },
  );
  await servers([work], async ({ server }) => {
    const front = await server(false);
    await server(true);
    const { job: id } = await front.jobs.start(work, { name: "long" });
    while (steps.size < 5) await sleep(10);
    await cluster.cutConnections();
    const look = async () => (await front.org.jobs.get(id).catch(() => undefined)) as never;
    while (!(await look())) await sleep(20);
    expect(await until(front.org, id, (row) => row.ended_at !== null)).toMatchObject({
      status: "landed",
      result: 30,
    });
  });
});

test("three servers together never pass a limit, and leave little of it", async () => {
  await servers([], async ({ server }) => {
    const now = () => 1_790_000_000;
    const stores = [(await server(false)).store, (await server(false)).store, (await server(false)).store];
    const meters = stores.map((store) => sharedMeter(store, now));
    const granted = async (name: string, most: number, asked: number) => {
      const takes = meters.flatMap((meter) => Array.from({ length: asked }, () => meter.take(name, 1, most)));
      const waits = await Promise.all(takes);
      for (const wait of waits) if (wait !== undefined) expect(wait).toBe(60);
      return waits.filter((wait) => wait === undefined).length;
    };
    expect(await granted("few", 7, 10)).toBe(7);
    const many = await granted("many", 1_000, 400);
    expect(many).toBeLessThanOrEqual(1_000);
    expect(many).toBeGreaterThan(950);
    const turns = await Promise.all(stores.map((store, i) => store.takeTurn("tick/org", `own_${i}`, 100, 160)));
    expect(turns.filter(Boolean)).toHaveLength(1);
    const holder = `own_${turns.indexOf(true)}`;
    expect(await stores[0]?.takeTurn("tick/org", holder, 120, 180)).toBe(true);
    expect(await stores[0]?.takeTurn("tick/org", "late", 179, 240)).toBe(false);
    expect(await stores[1]?.takeTurn("tick/org", "late", 181, 240)).toBe(true);
    await stores[2]?.endTurn("tick/org", holder);
    expect(await stores[2]?.takeTurn("tick/org", "other", 182, 240)).toBe(false);
    await stores[2]?.endTurn("tick/org", "late");
    expect(await stores[2]?.takeTurn("tick/org", "other", 182, 240)).toBe(true);
  });
});
