import { expect, it } from "vitest";
import { removalsOf } from "../../src/service/removals.ts";
import { openStore } from "../../store/open.ts";
import { silent } from "../jobs/kit.ts";

it("a removal whose process died is finished by those that live on, once it can be no other's any more", async () => {
  const store = await openStore({ path: ":memory:" });
  try {
    let now = 10_000;
    const dropped: string[] = [];
    const jobs = { drop: async (org: string) => void dropped.push(org) };
    const removals = removalsOf(store, jobs, { now: () => now, log: silent });
    for (const id of ["org_left", "org_stays"]) await store.createOrg({ id, tag: id.slice(4), created_at: 1 });
    await store.forOrg("org_left").audit.append(1, "t", "x", {});
    await store.removal.begin("org_left", now, "t");
    await removals.finishAbandoned();
    expect(await store.removal.begun()).toEqual(["org_left"]);
    now += 1_800;
    await removals.finishAbandoned();
    expect(dropped).toEqual(["org_left"]);
    expect(await store.removal.begun()).toEqual([]);
    expect(await store.removal.count("org_left")).toMatchObject({ orgs: 0, audit: 0 });
    expect(await store.removal.vacuumDue()).toBe(false);
    await removals.finishAbandoned();
    expect(dropped).toEqual(["org_left"]);
    expect(await store.orgById("org_stays")).toBeDefined();
  } finally {
    await store.close();
  }
});

it("leaves the jobs of an org that was brought back after another process ended its removal", async () => {
  const store = await openStore({ path: ":memory:" });
  try {
    const dropped: string[] = [];
    const back = async (id: string) => {
      await store.removal.finish(id, 2);
      await store.createOrg({ id, tag: id, created_at: 3 });
    };
    const drop = async (org: string) => {
      if (dropped.push(org) === 1) await back("org_b");
    };
    for (const id of ["org_a", "org_b"]) {
      await store.createOrg({ id, tag: id, created_at: 1 });
      await store.removal.begin(id, 1, "t");
    }
    await removalsOf(store, { drop }, { now: () => 4, log: silent }).resume();
    expect(dropped).toEqual(["org_a"]);
    expect(await store.orgById("org_a")).toBeUndefined();
    expect(await store.orgById("org_b")).toBeDefined();
  } finally {
    await store.close();
  }
});
