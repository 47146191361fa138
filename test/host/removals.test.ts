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
