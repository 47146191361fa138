import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServe } from "../test/helpers/process.ts";
import { atOnce, memoryOf, plantWorlds, WorldCaller } from "../test/helpers/stores/live-worlds.ts";
import type { BenchLine } from "./harness.ts";
import { retail } from "./worlds.ts";

const WORLDS = 2_000;
const CALLS = 10_000;
const AT_ONCE = 4;

/**
 * Two thousand live worlds of a retail-sized base on one server: each is written to, then called at random; the process
 * is killed, started anew, and every world read again.
 */
export async function bench(): Promise<BenchLine[]> {
  const dataDir = mkdtempSync(join(tmpdir(), "bench-live-"));
  try {
    const { bundle, base } = retail();
    const { worlds } = await plantWorlds(dataDir, bundle, base, WORLDS);
    const env = { SVC_CALLS_PER_MINUTE: "0" };
    const first = await startServe(dataDir, env);
    const caller = new WorldCaller(first.url, AT_ONCE);
    const city = (i: number) => `City ${i}`;
    await atOnce(worlds, AT_ONCE, async (world, i) => {
      await caller.call(world, "set_address", { order_id: "#W1", street: "1 Main St", city: city(i) });
    });
    const ms: number[] = [];
    const picks = Array.from({ length: CALLS }, (_, i) => (i * 7919 + Math.floor(i / WORLDS)) % WORLDS);
    const started = performance.now();
    await atOnce(picks, AT_ONCE, async (pick, i) => {
      const world = worlds[pick];
      if (!world) return;
      const begun = performance.now();
      if (i % 4 < 3) await caller.call(world, "get_order", { order_id: `#W${i % 1000}` });
      else await caller.call(world, "set_address", { order_id: "#W2", street: "2 Main St", city: city(pick) });
      ms.push(performance.now() - begun);
    });
    const seconds = (performance.now() - started) / 1000;
    const memory = memoryOf(first.child.pid ?? 0);
    await caller.close();
    const gone = once(first.child, "exit");
    first.child.kill("SIGKILL");
    await gone;
    const second = await startServe(dataDir, env);
    const again = new WorldCaller(second.url, AT_ONCE);
    let lost = 0;
    await atOnce(worlds, AT_ONCE, async (world, i) => {
      const order = await again.call(world, "get_order", { order_id: "#W1" });
      if (!order.includes(`"city":"${city(i)}"`)) lost++;
    });
    await again.close();
    const ended = once(second.child, "exit");
    second.child.kill("SIGTERM");
    await ended;
    const sorted = ms.sort((a, b) => a - b);
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
    return [
      { name: "live worlds", value: WORLDS, unit: "" },
      { name: `calls to random ones, ${AT_ONCE} at once`, value: CALLS / seconds, unit: "/s" },
      { name: "a call, median", value: at(0.5), unit: "ms" },
      { name: "a call, 99th percentile", value: at(0.99), unit: "ms" },
      { name: "memory of the server", value: memory.now / 2 ** 20, unit: "MiB" },
      { name: "memory of the server at its most", value: memory.most / 2 ** 20, unit: "MiB" },
      { name: "worlds that lost a write over the kill", value: lost, unit: "" },
    ];
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}
