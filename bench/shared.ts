import { mintFor } from "../src/service/workspace.ts";
import { atOnce, type LiveWorld, plantWorldsIn, WorldCaller } from "../test/helpers/stores/live-worlds.ts";
import { startPostgres } from "../test/helpers/stores/postgres.ts";
import { startShared } from "../test/helpers/stores/shared-service.ts";
import { against, type BenchLine, median } from "./harness.ts";
import { retail } from "./worlds.ts";

const WORLDS = 60;
const CALLS = 400;
const POSTS = 30;
const WARM_POSTS = 60;
const TRACES_A_POST = 10;
const AT_ONCE = 12;
const ROUNDS = 2;

/** The text of a chat record of about 5 KB. */
function record(n: number): unknown {
  const text = (words: number) =>
    Array.from({ length: words }, (_, i) => `word${(n * 7919 + i * 104_729) % 997}`).join(" ");
  const messages = Array.from({ length: 8 }, (_, i) => ({
    role: i % 2 === 0 ? "user" : "assistant",
    content: text(80),
  }));
  return { id: `s${n}`, messages };
}

/**
 * Ingest and calls of worlds with one, two and three servers over one PostgreSQL, each server asked in turn, and the same
 * calls with every world kept to one server. Everything shares this machine's processors, the database and the caller too.
 */
export async function bench(): Promise<BenchLine[]> {
  const cluster = await startPostgres();
  try {
    const shared = await startShared(await cluster.database(), { servers: 3, workers: 0 });
    try {
      const { service } = shared.app;
      const { bundle, base } = retail();
      const { worlds, org } = await plantWorldsIn(service, bundle, base, WORLDS);
      const push = await mintFor(service, org, "bench push", "push");
      const servers = shared.balancer.targets;
      const callers = servers.map((url) => new WorldCaller(url, AT_ONCE));
      let posted = 0;
      /** The server of the i-th request, of the first `n`; `sticky` keeps a world to one. */
      const callsPerSecond = async (n: number, sticky: boolean) => {
        const started = performance.now();
        await atOnce(Array.from({ length: CALLS }), AT_ONCE, (_, i) =>
          call(callers[(sticky ? i % WORLDS : i + Math.floor(i / WORLDS)) % n] as WorldCaller, i),
        );
        return (CALLS * 1000) / (performance.now() - started);
      };
      const call = async (caller: WorldCaller, i: number) => {
        const world = worlds[i % WORLDS] as LiveWorld;
        if (i % 4 < 3) await caller.call(world, "get_order", { order_id: `#W${i % 1000}` });
        else await caller.call(world, "set_address", { order_id: "#W2", street: "2 Main St", city: `City ${i}` });
      };
      const tracesPerSecond = async (n: number) => {
        const started = performance.now();
        await atOnce(Array.from({ length: POSTS }), AT_ONCE, (_, i) => post(servers[i % n] as string));
        return (POSTS * TRACES_A_POST * 1000) / (performance.now() - started);
      };
      const post = async (server: string) => {
        const content = Array.from({ length: TRACES_A_POST }, () => record(posted++));
        const answer = await fetch(`${server}/v0/evidence`, {
          method: "POST",
          headers: { authorization: `Bearer ${push}`, "content-type": "application/json" },
          body: JSON.stringify({ surface: "bench", content }),
        });
        if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
        await answer.arrayBuffer();
      };
      // Of what is measured the first server does five parts and the third one: warmed by that alone, the third would be the slowest.
      for (const [i, server] of servers.entries()) {
        await atOnce(Array.from({ length: WARM_POSTS }), AT_ONCE, () => post(server));
        await atOnce(Array.from({ length: CALLS }), AT_ONCE, (_, n) => call(callers[i] as WorldCaller, n));
      }
      const measured = new Map<string, number[]>();
      const measure = async (name: string, work: () => Promise<number>, round: number) => {
        const value = await work();
        if (round > 0) measured.set(name, [...(measured.get(name) ?? []), value]);
      };
      // In turns, so that a machine whose speed wanders treats all alike; the first round warms up.
      for (let round = 0; round <= ROUNDS; round++)
        for (const n of [1, 2, 3]) {
          await measure(`ingest ${n}`, () => tracesPerSecond(n), round);
          await measure(`calls ${n}`, () => callsPerSecond(n, false), round);
          await measure(`kept ${n}`, () => callsPerSecond(n, true), round);
        }
      for (const caller of callers) await caller.close();
      const of = (name: string) => median(measured.get(name) ?? []);
      const one = (name: string, unit: string) => ({ name: `one server, ${unit}`, value: of(name) });
      return [
        ...[1, 2, 3].map((n) =>
          against(`ingest of 5 KB traces, ${n} of 3 servers`, of(`ingest ${n}`), "/s", one("ingest 1", "/s")),
        ),
        ...[1, 2, 3].map((n) =>
          against(`calls of worlds in turn, ${n} of 3 servers`, of(`calls ${n}`), "/s", one("calls 1", "/s")),
        ),
        ...[2, 3].map((n) =>
          against(`calls in turn against each world kept to one, ${n} servers`, of(`calls ${n}`), "/s", {
            name: "kept",
            value: of(`kept ${n}`),
          }),
        ),
      ];
    } finally {
      await shared.app.close();
    }
  } finally {
    await cluster.stop();
  }
}
