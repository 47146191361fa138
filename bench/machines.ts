import { setTimeout as sleep } from "node:timers/promises";
import { everyRow } from "../chapters/page.ts";
import { Evidence } from "../chapters/records/evidence/evidence.ts";
import type { TestApp } from "../test/helpers/app.ts";
import { type Network, startNetwork, startRelay } from "../test/helpers/stores/network.ts";
import { startPostgres } from "../test/helpers/stores/postgres.ts";
import { type Account, type LoadedOrg, load } from "../test/helpers/stores/shared-load.ts";
import { type SharedService, startShared } from "../test/helpers/stores/shared-service.ts";
import { mintWorld } from "../test/helpers/world.ts";
import { shopIn } from "../test/tools/runs/kit.ts";
import { shopRows } from "../test/worlds/fixtures/shop.ts";
import type { BenchLine } from "./harness.ts";

/** None is a link without a relay in it, so that each end sees the cut itself. */
const DELAYS_MS = [0, 1, 20];
const SERVERS = 3;
/** The load before, while and after the first server's link to the database is cut. */
const BEFORE_S = 15;
const CUT_S = 25;
const AFTER_S = 30;
const [CUSTOMER = ""] = Object.keys(shopRows.tables.customers ?? {});

/**
 * PostgreSQL and three servers that also run the jobs, each in a network namespace of its own, every piece of data between
 * them a delay later; one server's link is cut under load. What was accepted and then lost, or is there twice, is counted.
 */
export async function bench(): Promise<BenchLine[]> {
  const lines: BenchLine[] = [];
  for (const delay of DELAYS_MS) {
    const network = await startNetwork(SERVERS + 1);
    try {
      lines.push(...(await measure(network, delay)));
    } finally {
      await network.close();
    }
  }
  return lines;
}

async function measure({ machines, middle, cut, join }: Network, delay: number): Promise<BenchLine[]> {
  const [database, ...servers] = machines;
  const cluster = await startPostgres(database);
  const direct = await cluster.database();
  const relay = delay === 0 ? undefined : await startRelay(middle, new URL(direct), delay);
  const url = new URL(direct);
  if (relay) url.host = `${middle}:${relay.port}`;
  try {
    const places = servers.map(({ within, front }) => ({
      within,
      settings: { SVC_DATABASE_URL: url.href, SVC_HOST: front, SVC_ROLES: "serve,work" },
    }));
    const shared = await startShared(direct, { servers: SERVERS, workers: 0 }, {}, places);
    try {
      const one = await plant(shared);
      const waits: number[] = [];
      const began = performance.now();
      const seconds = () => (performance.now() - began) / 1000;
      const whole = BEFORE_S + CUT_S + AFTER_S;
      const loading = load(timed(shared.app, waits), [one], () => seconds() > whole);
      await sleep(BEFORE_S * 1000);
      // The first server's; the database's own is the machine before it.
      await cut(1);
      await sleep(CUT_S * 1000);
      await join(1);
      const joined = performance.now();
      await answers(shared, one);
      const back = (performance.now() - joined) / 1000;
      const [account] = (await loading) as [Account];
      const line = (name: string, value: number, unit: string) => ({ name: `${name}, ${delay} ms`, value, unit });
      const { lost, twice, ended } = await compare(shared.app, one, account);
      return [
        line("traces accepted over a cut link", account.accepted.length, "traces"),
        line("writes of a world confirmed over a cut link", account.confirmed.length, "writes"),
        line("runs started over a cut link", account.groups.length, "runs"),
        line("refused or without an answer", account.broken, "requests"),
        line("the longest that a caller waited", Math.max(...waits) / 1000, "s"),
        line("until the cut server answered again", back, "s"),
        line("lost", lost, "traces, writes and trials"),
        line("there twice", twice, "traces, writes and trials"),
        line("runs that did not land", account.groups.length - ended, "runs"),
      ];
    } finally {
      await shared.app.close();
    }
  } finally {
    relay?.close();
    await cluster.stop();
  }
}

async function plant({ app }: SharedService): Promise<LoadedOrg> {
  const org = await app.org("alpha");
  const shop = await shopIn(app.service, org.id, 10, "alpha");
  const { id, bundle, url, token } = await mintWorld(app, org);
  const world = { id, bundle, token, path: new URL(url).pathname };
  return { org, mark: "zqalphazq", environment: shop.environment, agent: undefined, world, customer: CUSTOMER };
}

/** The same app, the milliseconds that each request took kept. */
function timed(app: TestApp, waits: number[]): TestApp {
  const rest: TestApp["rest"] = async (...request) => {
    const began = performance.now();
    try {
      return await app.rest(...request);
    } finally {
      waits.push(performance.now() - began);
    }
  };
  return { ...app, rest };
}

/** Once the first server answers what it must read from the database. */
async function answers({ members }: SharedService, { org }: LoadedOrg): Promise<void> {
  for (;;) {
    const asked = fetch(`${members[0]?.url}/v0/evidence`, {
      headers: { authorization: `Bearer ${org.read}` },
      signal: AbortSignal.timeout(1000),
    });
    if (await asked.then(({ ok }) => ok).catch(() => false)) return;
    await sleep(50);
  }
}

/** What the callers were told against what the store holds, once all jobs have ended. */
async function compare(app: TestApp, { org, world }: LoadedOrg, { accepted, confirmed, groups }: Account) {
  const store = app.service.store.forOrg(org.id);
  while ((await store.jobs.list({ live: true, limit: 1 })).items.length > 0) await sleep(250);
  const records: string[] = [];
  for await (const { id } of everyRow((page) => store.records.list(Evidence, page))) records.push(id);
  const traces = new Map<string, number>();
  for await (const { trace } of store.traces.stream(records)) {
    const name = /zq\w+zq-\d+-\d/.exec(JSON.stringify(trace))?.[0] ?? "";
    traces.set(name, (traces.get(name) ?? 0) + 1);
  }
  const writes = new Map<string, number>();
  for (const { args } of await store.journals.read(world.id)) {
    const { email = "" } = args as { email?: string };
    writes.set(email, (writes.get(email) ?? 0) + 1);
  }
  const missing = (told: readonly string[], there: ReadonlyMap<string, number>) =>
    told.filter((name) => !there.has(name)).length;
  const more = (there: ReadonlyMap<string, number>) => [...there.values()].filter((times) => times > 1).length;
  let [lost, twice, ended] = [missing(accepted, traces) + missing(confirmed, writes), more(traces) + more(writes), 0];
  for (const { group, job, trials } of groups) {
    if ((await store.jobs.get(job))?.status === "landed") ended += 1;
    const played = new Map<string, number>();
    for (const { id } of (await store.jobs.list({ parent: group, limit: 50 })).items)
      for await (const { task, n } of everyRow((page) => store.trials.list(id, page))) {
        const trial = `${task} ${n}`;
        played.set(trial, (played.get(trial) ?? 0) + 1);
      }
    lost += Math.max(0, trials - played.size);
    twice += more(played);
  }
  return { lost, twice, ended };
}
