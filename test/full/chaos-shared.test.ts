import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { everyRow } from "../../chapters/page.ts";
import type { OrgStore } from "../../chapters/ports/store.ts";
import { Evidence } from "../../chapters/records/evidence/evidence.ts";
import type { TrialRow } from "../../chapters/records/runs/runs.ts";
import { HANGS_MS } from "../hangs.ts";
import { invoker } from "../helpers/app.ts";
import { startPostgres } from "../helpers/stores/postgres.ts";
import { type Account, type LoadedOrg, load } from "../helpers/stores/shared-load.ts";
import { type Member, type SharedService, startShared } from "../helpers/stores/shared-service.ts";
import { mintWorld } from "../helpers/world.ts";
import { connect, shopIn } from "../tools/runs/kit.ts";
import { shopRows } from "../worlds/fixtures/shop.ts";
import { Caller, lookLast, plantVictim, plantWorlds, purgeAndRestore, rotateLinks, WORLDS } from "./chaos/victims.ts";

/** How long processes and connections are killed; SVC_CHAOS_MINUTES makes it longer. */
const SECONDS = process.env.SVC_CHAOS_MINUTES ? Number(process.env.SVC_CHAOS_MINUTES) * 60 : 75;
const TAGS = ["alpha", "beta", "gamma"];
const [CUSTOMER = ""] = Object.keys(shopRows.tables.customers ?? {});

/** An org with an environment, a world and, for the first, an agent that is a process. */
async function plant({ app }: SharedService, tag: string, i: number): Promise<LoadedOrg> {
  const org = await app.org(tag);
  const mark = `zq${tag}zq`;
  const shop = await shopIn(app.service, org.id, 10, mark);
  const agent = i === 0 ? await connect(invoker(app, "rest", org), shop, `${mark} agent`) : undefined;
  const { id, bundle, url, token } = await mintWorld(app, org);
  const world = { id, bundle, token, path: new URL(url).pathname };
  return { org, mark, environment: shop.environment, agent, world, customer: CUSTOMER };
}

async function trialsOf(store: OrgStore, group: string): Promise<TrialRow[]> {
  const rows: TrialRow[] = [];
  for (const { id } of (await store.jobs.list({ parent: group, limit: 50 })).items)
    for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
      const page = await store.trials.list(id, { limit: 500, cursor });
      rows.push(...page.items);
      cursor = page.next;
    }
  return rows;
}

async function settle(store: OrgStore): Promise<void> {
  while ((await store.jobs.list({ live: true, limit: 1 })).items.length > 0) await sleep(250);
}

it(
  "servers, workers and connections die at random under several orgs' load: nothing accepted is lost or counted twice, and no org sees another's",
  async () => {
    const cluster = await startPostgres();
    try {
      const shared = await startShared(await cluster.database());
      const { app } = shared;
      try {
        const orgs: LoadedOrg[] = [];
        for (const [i, tag] of TAGS.entries()) orgs.push(await plant(shared, tag, i));
        const until = Date.now() + SECONDS * 1000;
        const killed = { serve: 0, work: 0, connections: 0 };
        const kill = async () => {
          const restarting = new Map<Member, Promise<void>>();
          for (let n = 0; Date.now() < until; n++) {
            await sleep(1_500 + 3_000 * Math.random());
            // Each kind in its turn, at random within it; one of each stays up.
            const kind = (["serve", "connections", "work"] as const)[n % 3] as keyof typeof killed;
            const up = shared.members.filter((member) => member.role === kind && !restarting.has(member));
            const victim = up[Math.floor(Math.random() * up.length)];
            if (kind === "connections") await cluster.cutConnections();
            else if (up.length > 1 && victim)
              restarting.set(
                victim,
                shared.kill(victim).finally(() => restarting.delete(victim)),
              );
            else continue;
            killed[kind] += 1;
          }
          await Promise.all(restarting.values());
        };
        const over = () => Date.now() > until;
        const caller = new Caller();
        caller.url = app.url;
        const turned = await app.org("turned");
        await plantWorlds(app, turned);
        const victim = await plantVictim(app, "victim");
        let rotations = 0;
        const turn = async () => {
          for (; !over(); await sleep(100)) if (await rotateLinks(caller, turned)) rotations += 1;
        };
        const erase = async () => {
          for (; !over(); await sleep(100)) await purgeAndRestore(caller, app.operator, over, victim);
        };
        const [accounts] = await Promise.all([load(app, orgs, over), kill(), turn(), erase()]);
        await lookLast(caller, app.operator, victim);
        const links: (string | null)[] = [];
        const { tokens } = app.service.store.forOrg(turned.id);
        for await (const { world } of everyRow((page) => tokens.live("world", Date.now(), page))) links.push(world);
        expect([links.length, new Set(links).size]).toEqual([WORLDS + 1, WORLDS + 1]);
        for (const times of [rotations, victim.begun]) expect(times).toBeGreaterThan(0);
        console.log(
          `links rotated ${rotations} times; of ${victim.begun} deletions and restores that were begun ${victim.purged} and ${victim.restored} were answered`,
        );
        for (const [i, { org, mark, world }] of orgs.entries()) {
          const own = accounts[i] as Account;
          const store = app.service.store.forOrg(org.id);
          await settle(store);
          expect(own.leaks, mark).toEqual([]);

          const stored: string[] = [];
          const foreign: string[] = [];
          const records: string[] = [];
          for await (const { id } of everyRow((page) => store.records.list(Evidence, page))) records.push(id);
          for await (const { trace } of store.traces.stream(records)) {
            const text = JSON.stringify(trace);
            stored.push(/zq\w+zq-\d+-\d/.exec(text)?.[0] ?? "");
            if (TAGS.some((tag) => text.includes(`zq${tag}zq`) && mark !== `zq${tag}zq`)) foreign.push(text);
          }
          const there = new Set(stored);
          expect(
            own.accepted.filter((name) => !there.has(name)),
            mark,
          ).toEqual([]);
          expect(foreign, mark).toEqual([]);

          const journal = (await store.journals.read(world.id)).map(({ args }) => (args as { email?: string }).email);
          const places = own.confirmed.map((email) => journal.flatMap((each, at) => (each === email ? [at] : [])));
          // Each write that was confirmed stands once, in the order of the answers.
          expect(
            places.filter((at) => at.length !== 1),
            mark,
          ).toEqual([]);
          expect(places.flat(), mark).toEqual(places.flat().sort((a, b) => a - b));

          const ends: Record<string, number> = {};
          for (const { group, job, trials } of own.groups) {
            const row = await store.jobs.get(job);
            expect([row?.status, row?.note], `${mark} ${job}`).toEqual(["landed", null]);
            const rows = await trialsOf(store, group);
            const counted = new Set(rows.map(({ task, n }) => `${task} ${n}`));
            expect(counted.size, `${mark} ${group}`).toBe(trials);
            const told = await app.rest("GET", `/v0/orgs/${org.tag}/runs/group/${group}`, undefined, org.read);
            const { met, failed, infra, invalid } = told.body.rates;
            expect(met + failed + infra + invalid, `${mark} ${group}`).toBe(trials);
            for (const [end, count] of Object.entries({ met, failed, infra, invalid }))
              ends[end] = (ends[end] ?? 0) + count;
          }
          // Who plays makes no mistake: what was killed around it is not its failure.
          expect(ends.failed, mark).toBe(0);
          expect(await store.audit.verify()).not.toHaveProperty("broken");
          expect(own.accepted.length, mark).toBeGreaterThan(0);
          expect(own.confirmed.length, mark).toBeGreaterThan(0);
          expect(own.groups.length, mark).toBeGreaterThan(0);
          console.log(
            `${org.tag}: ${own.calls} calls, ${own.broken} broken; ${own.accepted.length} traces accepted, ${stored.length} stored; ${own.confirmed.length} writes to a world confirmed, ${journal.length} stored; ${own.groups.length} groups, ends ${JSON.stringify(ends)}`,
          );
        }
        console.log(
          `in ${SECONDS} s killed: ${killed.serve} servers, ${killed.work} workers, all connections ${killed.connections} times`,
        );
        for (const times of Object.values(killed)) expect(times).toBeGreaterThan(0);
      } finally {
        await app.close();
      }
    } finally {
      await cluster.stop();
    }
  },
  SECONDS * 1000 + HANGS_MS,
);
