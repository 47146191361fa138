import { afterAll, beforeAll, expect } from "vitest";
import { bothSurfaces, type Invoke } from "../../helpers/app.ts";
import { type DatasetToolServer, startDatasetTool } from "../../helpers/vendors/datasets.ts";
import { shopIn } from "../runs/kit.ts";

let tool: DatasetToolServer;
beforeAll(async () => {
  tool = await startDatasetTool();
});
afterAll(() => tool.close());

function emptied(): void {
  tool.datasets.clear();
  tool.items.clear();
  tool.refused.clear();
  tool.taken = undefined;
}

async function connected(invoke: Invoke, over: Record<string, unknown> = {}): Promise<string> {
  const source = { kind: "trace_store", surface: "shop", external_id: tool.url, auth: tool.keys, consent: "granted" };
  const made = await invoke("sources_post", { ...source, ...over });
  expect(made.status).toBe(201);
  return made.body.id;
}

const active = () => [...tool.items.values()].filter(({ status }) => status === "ACTIVE");

bothSurfaces(
  "every environment becomes a dataset of its name, and doing it again changes nothing",
  async (invoke, t) => {
    emptied();
    expect((await invoke("datasets_publish")).body.reason).toContain("sources_post");
    const sid = await connected(invoke, { consent: "unset" });
    expect((await invoke("datasets_publish")).body.reason).toContain("consented");
    await invoke("sources_patch", { sid, consent: "granted" });
    expect((await invoke("datasets_publish", {}, t.org.read)).status).toBe(403);
    expect((await invoke("datasets_publish", {}, t.org.push)).body).toMatchObject({
      datasets: [],
      items: 0,
      failed: 0,
    });

    const shop = await shopIn(t.app.service, t.org.id, 12);
    await shopIn(t.app.service, t.org.id, 3, "second");
    const sent = (await invoke("datasets_publish", {}, t.org.push)).body;
    expect(sent).toMatchObject({ org: "acme", source: sid, items: shop.tasks.length + 3, failed: 0, archived: 0 });
    const listed = (await invoke("datasets_get")).body.datasets.map(({ name }: { name: string }) => name);
    expect([...tool.datasets.keys()]).toEqual(listed);
    const items = active().filter(({ datasetName }) => datasetName === "acme/shop");
    expect(items.map(({ input }) => input?.request).sort()).toEqual(shop.tasks.map(({ request }) => request).sort());
    expect(items[0]).toMatchObject({
      id: expect.stringMatching(/^tk_/),
      expectedOutput: { calls: expect.any(Array) },
      metadata: { environment: shop.environment, tier: "deterministic" },
    });
    const held = structuredClone([...tool.items.values()]);
    expect((await invoke("datasets_publish")).body.items).toBe(held.length);
    expect([...tool.items.values()]).toEqual(held);

    // A person's own item stays; a task that is certified no more is taken off.
    const own = { id: "mine", datasetName: "acme/shop", input: {}, expectedOutput: null, metadata: null } as const;
    tool.items.set("mine", { ...own, status: "ACTIVE" });
    await invoke("environment_tasks_retire", { env_id: shop.environment, indexes: [0] });
    expect((await invoke("datasets_publish")).body).toMatchObject({ items: held.length - 1, archived: 1 });
    expect(active()).toHaveLength(held.length);
    expect(tool.items.get("mine")?.status).toBe("ACTIVE");
    expect((await invoke("datasets_publish")).body.archived).toBe(0);
  },
);

bothSurfaces("what fails is told per dataset, and a limit leaves the rest for later", async (invoke, t) => {
  emptied();
  await shopIn(t.app.service, t.org.id, 12);
  await shopIn(t.app.service, t.org.id, 3, "second");
  const sid = await connected(invoke);
  const first = (await invoke("datasets_publish")).body;
  const [bad] = [...tool.items.keys()];
  tool.items.clear();
  tool.refused.add(bad ?? "");
  const part = (await invoke("datasets_publish")).body;
  expect(part).toMatchObject({ items: first.items - 1, failed: 1 });
  expect(part.datasets[0]).toMatchObject({ failed: 1, error: "unprocessable", reason: expect.any(String) });
  expect(part.datasets[1].error).toBeUndefined();

  tool.refused.clear();
  tool.items.clear();
  tool.taken = { left: 3, retryAfter: 40 };
  const cut = (await invoke("datasets_publish")).body;
  expect(cut).toMatchObject({ items: 3, failed: first.items - 3, retry_after: 40 });
  expect(cut.datasets.map(({ error }: { error?: string }) => error)).toEqual(["rate_limited", undefined]);
  tool.taken = undefined;
  expect((await invoke("datasets_publish")).body).toMatchObject({ items: first.items, failed: 0 });

  await invoke("sources_patch", { sid, auth: { public_key: "pk-lf-ds", secret_key: "wrong" } });
  const refused = (await invoke("datasets_publish")).body;
  expect(refused).toMatchObject({ items: 0, failed: first.items });
  expect(refused.datasets[0].reason).toContain("refused the credential");
  const { items } = await t.app.service.store.forOrg(t.org.id).audit.list();
  expect(items.filter(({ act }) => act === "datasets_published")).toHaveLength(5);
  expect(JSON.stringify(items)).not.toContain("sk-lf");
});

bothSurfaces("environments of one label are datasets of their own", async (invoke, t) => {
  emptied();
  const first = await shopIn(t.app.service, t.org.id, 6);
  const second = await shopIn(t.app.service, t.org.id, 3);
  await connected(invoke);
  const sent = (await invoke("datasets_publish")).body;
  expect(sent.datasets).toMatchObject([
    { name: "acme/shop", environment: first.environment, items: 6, archived: 0 },
    { name: `acme/shop ${second.environment}`, environment: second.environment, items: 3, archived: 0 },
  ]);
  expect((await invoke("datasets_publish")).body).toMatchObject({ items: 9, archived: 0 });
  expect(active()).toHaveLength(9);
  await invoke("environment_retire", { env_id: first.environment });
  expect((await invoke("datasets_get")).body.datasets.map(({ name }: { name: string }) => name)).toEqual([
    `acme/shop ${second.environment}`,
  ]);
});
