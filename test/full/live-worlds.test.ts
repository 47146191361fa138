import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startServe } from "../helpers/process.ts";
import { atOnce, memoryOf, plantWorlds, WorldCaller } from "../helpers/stores/live-worlds.ts";
import { shop, shopRows } from "../worlds/fixtures/shop.ts";

const WORLDS = 300;
const [CUSTOMER = ""] = Object.keys(shopRows.tables.customers ?? {});

it("a server killed while its worlds are written to has lost nothing that it answered", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "live-worlds-"));
  try {
    const { worlds } = await plantWorlds(dataDir, shop, shopRows, WORLDS);
    const first = await startServe(dataDir, { SVC_CALLS_PER_MINUTE: "0" });
    const caller = new WorldCaller(first.url);
    /** The last address that each world answered for, by its place. */
    const answered = new Map<number, string>();
    const asked = new Map<number, string>();
    let calls = 0;
    let killed = false;
    const gone = once(first.child, "exit");
    const rounds = Array.from({ length: 10 }, () => worlds).flat();
    await atOnce(rounds, 16, async (world, i) => {
      if (killed) return;
      const at = i % WORLDS;
      const note = `n${i}@example.com`;
      asked.set(at, note);
      try {
        await caller.call(world, "update_email", { customer_id: CUSTOMER, email: note });
        answered.set(at, note);
        calls++;
      } catch (error) {
        if (!killed) throw error;
      }
      if (calls === WORLDS * 2 && !killed) {
        killed = true;
        expect(memoryOf(first.child.pid ?? 0).now).toBeLessThan(2 ** 30);
        first.child.kill("SIGKILL");
      }
    });
    await gone;
    await caller.close();
    expect(answered.size).toBe(WORLDS);
    const second = await startServe(dataDir, { SVC_CALLS_PER_MINUTE: "0" });
    const again = new WorldCaller(second.url);
    const lost: string[] = [];
    await atOnce(worlds, 16, async (world, at) => {
      const customer = await again.call(world, "get_customer", { customer_id: CUSTOMER });
      // What was asked last may stand too: it was stored, and the answer went down with the server.
      if (![answered.get(at), asked.get(at)].some((note) => note !== undefined && customer.includes(`"${note}"`)))
        lost.push(world.id);
    });
    expect(lost).toEqual([]);
    await again.close();
    const ended = once(second.child, "exit");
    second.child.kill("SIGTERM");
    await ended;
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});
