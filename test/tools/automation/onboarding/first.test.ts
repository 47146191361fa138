import { expect } from "vitest";
import { bothSurfaces } from "../../../helpers/app.ts";
import { runToEnd, shopIn } from "../../runs/kit.ts";

bothSurfaces(
  "an org's first agent is made once, of its own surface, and plays: agents_first",
  async (invoke, { app, org }) => {
    expect(await invoke("agents_first")).toMatchObject({ status: 409 });
    const shop = await shopIn(app.service, org.id, 4);
    expect((await invoke("agents_first", {}, org.read)).status).toBe(403);
    const raced = await Promise.all([1, 2, 3].map(() => invoke("agents_first", {}, org.push)));
    expect(raced.map(({ status }) => status).sort()).toEqual([200, 200, 201]);
    expect(new Set(raced.map(({ body }) => body.agent.id)).size).toBe(1);
    const { body } = await invoke("agents_first");
    expect(body).toMatchObject({
      org: "acme",
      created: false,
      agents: 1,
      agent: { kind: "surface", name: "first agent", available: true, versions: [{ version: "1", harness: "rule" }] },
    });
    const { group } = await runToEnd(invoke, { agent: body.agent.id, environment: shop.environment });
    const { rates } = (await invoke("run_group", { gid: group })).body;
    expect(rates.valid + rates.infra + rates.invalid).toBe(4);
    expect(rates.infra).toBe(0);
  },
);

bothSurfaces("an org that has an agent gets no other one", async (invoke, { app, org }) => {
  await shopIn(app.service, org.id, 2);
  const made = await invoke("agents_post", { kind: "command", name: "own", command: "true" });
  await invoke("agent_retire", { aid: made.body.agent.id, retired: true });
  expect(await invoke("agents_first")).toMatchObject({
    status: 200,
    body: { created: false, agents: 1, agent: { name: "own" } },
  });
});
