import { expect } from "vitest";
import { Environment } from "../../../../chapters/records/sandboxes/sandboxes.ts";
import { bothSurfaces } from "../../../helpers/app.ts";
import { connect, endOf, shopIn } from "../../runs/kit.ts";

bothSurfaces(
  "a discovery says which operations a version uses and who answered each: agent_discover, agent_discoveries",
  async (invoke, { app, org }) => {
    const shop = await shopIn(app.service, org.id, 4);
    const aid = await connect(invoke, shop, "good");
    expect((await invoke("agent_discoveries", { aid }, org.read)).body).toEqual({ agent: aid, discoveries: [] });
    const started = await invoke("agent_discover", { aid, tasks: 4 }, org.push);
    expect(started).toMatchObject({
      status: 202,
      body: { agent: aid, version: "1", surface: "shop", environment: shop.environment, tasks: 4 },
    });
    expect(await endOf(invoke, started.body.job)).toBe("landed");
    const [found, ...more] = (await invoke("agent_discoveries", { aid }, org.read)).body.discoveries;
    expect(more).toEqual([]);
    expect(found).toMatchObject({ agent: aid, version: "1", environment: shop.environment, tier: "deterministic" });
    expect(found.tasks).toHaveLength(4);
    expect(new Set(found.tasks.map(({ family }: { family: string }) => family)).size).toBe(4);
    expect(found.operations.length).toBeGreaterThan(1);
    for (const { calls, errors, answered_by, tasks } of found.operations) {
      const { behaviour, recorded, gap, schema } = answered_by;
      expect(behaviour + recorded + gap + schema).toBe(calls);
      expect(behaviour).toBe(calls);
      expect(errors).toBeLessThanOrEqual(calls);
      expect(tasks).toBeGreaterThan(0);
    }
    const called = found.operations.map(({ tool }: { tool: string }) => tool);
    expect([...called, ...found.unused].sort()).toEqual([...new Set([...called, ...found.unused])].sort());
    expect(called.length + found.unused.length).toBe(9);
    expect(found.behaviour).toMatchObject({ broken_off: 0 });
    expect(found.behaviour.writes).toBeGreaterThan(0);
    expect(found.behaviour.refused + found.behaviour.said_no_data).toBeGreaterThan(0);
    expect(found.topics.length).toBeGreaterThan(1);
    // Nothing of it is a run.
    expect((await invoke("runs_list")).body.runs).toEqual([]);

    const crashing = await connect(invoke, shop, "crashing", "crash");
    const { body } = await invoke("agent_discover", { aid: crashing, tasks: 2 });
    expect(body.tasks).toBe(2);
    await endOf(invoke, body.job);
    const [bad] = (await invoke("agent_discoveries", { aid: crashing })).body.discoveries;
    expect(bad.behaviour).toMatchObject({ broken_off: 2, writes: 0 });
    expect(
      bad.tasks.every(({ cause, connected }: { cause: string; connected: boolean }) => cause === "crash" && connected),
    ).toBe(true);
    expect(bad.operations).toEqual([]);
  },
);

bothSurfaces("a discovery needs a surface with certified tasks", async (invoke, { app, org }) => {
  const made = await invoke("agents_post", { kind: "command", name: "bot", command: "true" });
  const { id: aid } = made.body.agent;
  expect((await invoke("agent_discover", { aid })).status).toBe(404);
  const shop = await shopIn(app.service, org.id, 2);
  expect((await invoke("agent_discover", { aid, surface: "nowhere" })).status).toBe(404);
  const store = app.service.store.forOrg(org.id);
  await store.records.update(Environment, shop.environment, (row) => ({ ...row, retired_at: 1 }));
  expect(await invoke("agent_discover", { aid, surface: "shop" })).toMatchObject({ status: 409 });
});
