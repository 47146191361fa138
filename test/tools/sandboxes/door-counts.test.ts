import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import type { OrgStore } from "../../../chapters/ports/store.ts";
import { type DoorTally, NO_TALLY } from "../../../chapters/records/sandboxes/doors.ts";
import { readConfig } from "../../../src/config.ts";
import { doorMeter } from "../../../src/http/door-limit.ts";
import { DoorTallies } from "../../../src/http/door-tally.ts";
import type { Service } from "../../../src/service/service.ts";

const limited = (tally: DoorTally): DoorTally => ({ ...tally, limited: tally.limited + 1 });

/** A store whose writes of a door's record take a while. */
function slowStore() {
  const state = { tally: NO_TALLY, writes: 0, fail: false };
  const records = {
    update: async (_kind: unknown, _id: string, change: (row: { tally: DoorTally }) => { tally: DoorTally }) => {
      const fails = state.fail;
      await sleep(5);
      if (fails) throw new Error("the disk is full");
      state.tally = change({ tally: state.tally }).tally;
      state.writes++;
    },
  };
  return { state, store: { records } as unknown as OrgStore };
}

it("requests to a door that come while its counts are written are one write together, and all are counted before they end", async () => {
  const { state, store } = slowStore();
  const tallies = new DoorTallies();
  let done = 0;
  const counted = Array.from({ length: 50 }, () => tallies.count(store, "hd_1", limited).then(() => done++));
  await Promise.race(counted);
  expect(state.tally.limited, "no answer before its count").toBeGreaterThanOrEqual(done);
  await sleep(1);
  const later = Array.from({ length: 50 }, () => tallies.count(store, "hd_1", limited));
  await Promise.all([...counted, ...later]);
  expect(state.tally.limited).toBe(100);
  expect(state.writes).toBeLessThanOrEqual(3);
});

it("a write that fails fails the requests it holds, and no later one", async () => {
  const { state, store } = slowStore();
  const tallies = new DoorTallies();
  state.fail = true;
  await expect(tallies.count(store, "hd_1", limited)).rejects.toThrow("the disk is full");
  state.fail = false;
  await tallies.count(store, "hd_1", limited);
  expect(state.tally.limited).toBe(1);
});

it("a door's limit is one over all servers of a shared store", async () => {
  let used = 0;
  const meter = async (_name: string, n: number, at: number) => {
    await sleep(1);
    used += n;
    return { used, until: at + 30 };
  };
  const now = () => 1000;
  const config = readConfig({ SVC_DATABASE_URL: "postgres://localhost/none" });
  const server = () => doorMeter({ config, store: { meter } as unknown as Service["store"], now });
  const servers = [server(), server(), server()];
  const waits = await Promise.all(Array.from({ length: 60 }, (_, i) => servers[i % 3]!.take("door/hd_1", 1, 20)));
  expect(waits.filter((wait) => wait === undefined)).toHaveLength(20);
  expect(new Set(waits)).toEqual(new Set([undefined, 30]));
});

it("a door in use keeps its window while more doors are asked than are remembered", async () => {
  const service = { config: readConfig({}), store: {} as Service["store"], now: () => 1000 };
  const meter = doorMeter(service);
  const mine = () => meter.take("door/mine", 1, 2);
  expect([await mine(), await mine()]).toEqual([undefined, undefined]);
  for (let n = 0; n < 10_000; n++) {
    await meter.take(`door/${n}`, 1, 2);
    if (n % 1000 === 0) expect(await mine()).toBeGreaterThan(0);
  }
  expect(await mine()).toBeGreaterThan(0);
});
