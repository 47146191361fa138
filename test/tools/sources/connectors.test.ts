import { expect } from "vitest";
import { bothSurfaces } from "../../helpers/app.ts";

interface Row {
  id: string;
  category: string;
  tier: string;
  eval_set?: string;
  promote: boolean;
  retired: boolean;
}

bothSurfaces("the connector catalog begins with what agents commonly use", async (invoke, { org }) => {
  const { body } = await invoke("connectors_get", {}, org.read);
  expect(body.connectors.length).toBeGreaterThanOrEqual(20);
  expect(new Set(body.connectors.map((row: Row) => row.id)).size).toBe(body.connectors.length);
  const categories = new Map<string, { eval_set: { id: string }; connectors: number }>(
    body.categories.map((each: { id: string }) => [each.id, each]),
  );
  for (const row of body.connectors as Row[]) {
    expect(row).not.toHaveProperty("regression_rate");
    expect(row.promote, "nothing is promoted before it is measured").toBe(false);
    expect(row.eval_set).toBe(row.tier === "experimental" ? undefined : categories.get(row.category)?.eval_set.id);
  }
  for (const [id, { connectors }] of categories)
    expect(connectors).toBe(body.connectors.filter((row: Row) => row.category === id).length);
  expect(body.counts).toMatchObject({ all: body.connectors.length, retired: 0, promote: 0, rerun_due: 0 });
  expect(body).toMatchObject({ org: "acme", promotion_tier: "core", tier: "deterministic" });
});

bothSurfaces("promotion is computed: standard, measured, no rerun due", async (invoke, { org, app }) => {
  const patch = async (fields: object) =>
    (await invoke("connector_patch", { cid: "github", ...fields }, org.push)).body;
  expect(await patch({ regression_rate: 0.02 })).toMatchObject({
    promote: true,
    rerun_due: false,
    eval_set: "code-v1",
  });
  expect(await patch({ regression_rate: 0.021 })).toMatchObject({ promote: false });
  expect(await patch({ regression_rate: 0.01 })).toMatchObject({ promote: true });
  const renewed = await patch({ version: "2.0.0", by: "mei" });
  expect(renewed).toMatchObject({ version: "2.0.0", rerun_due: true, promote: false, by: "mei" });
  expect(renewed, "a rate belongs to the version it was measured on").not.toHaveProperty("regression_rate");
  expect(await patch({ regression_rate: 0 })).toMatchObject({ rerun_due: false, promote: true });
  expect(await patch({ tier: "experimental" })).toMatchObject({ promote: false });
  expect(await patch({ tier: "standard", regression_rate: null })).toMatchObject({ promote: false });
  expect((await invoke("connector_patch", { cid: "nobody", tier: "core" })).status).toBe(404);
  expect((await invoke("connector_patch", { cid: "github", regression_rate: 2 })).body.fields[0].path).toBe(
    "regression_rate",
  );
  const other = await app.org("other");
  const theirs = (await invoke("connectors_get", { orgtag: other.tag }, other.read)).body.connectors;
  expect(
    theirs.find((row: Row) => row.id === "github"),
    "what one org measured is its own",
  ).not.toHaveProperty("version");
});

bothSurfaces("connectors are added once and written over by id", async (invoke, { org }) => {
  const rows = [
    { id: "acme-erp", name: "Acme ERP", category: "customers", tier: "standard", version: "1" },
    { id: "slack", name: "Slack", category: "chat", tier: "core" },
  ];
  const first = await invoke("connectors_post", { connectors: rows, by: "mei" }, org.push);
  expect(first).toMatchObject({ status: 201, body: { created: 1, updated: 1, unchanged: 0, by: "mei" } });
  expect(first.body.connectors[0]).toMatchObject({ id: "acme-erp", rerun_due: true, eval_set: "customers-v1" });
  const again = await invoke("connectors_post", { connectors: rows });
  expect(again).toMatchObject({ status: 200, body: { created: 0, updated: 0, unchanged: 2 } });
  const listed = (await invoke("connectors_get")).body;
  expect(listed.connectors.find((row: Row) => row.id === "slack")).toMatchObject({ tier: "core" });
  expect(listed.counts.core).toBe(1);
  const twice = await invoke("connectors_post", { connectors: [rows[0], rows[0]] });
  expect(twice).toMatchObject({ status: 400, body: { fields: [{ path: "connectors.1.id" }] } });
  expect((await invoke("connectors_post", { connectors: rows }, org.read)).status).toBe(403);
});

bothSurfaces("connectors are retired and restored", async (invoke) => {
  const retired = await invoke("connector_patch", {
    cid: "trello",
    retired: true,
    reason: "nobody uses it",
    by: "mei",
  });
  expect(retired.body).toMatchObject({ retired: true, retired_by: "mei", retired_reason: "nobody uses it" });
  const again = await invoke("connector_patch", { cid: "trello", retired: true, by: "other" });
  expect(again.body).toMatchObject({ retired_by: "mei", retired_at: retired.body.retired_at });
  const ids = async (args: object) =>
    (await invoke("connectors_get", { ...args })).body.connectors.map((row: Row) => row.id);
  expect(await ids({})).not.toContain("trello");
  expect(await ids({ retired: true })).toContain("trello");
  expect((await invoke("connectors_get")).body.counts.retired).toBe(1);
  const restored = await invoke("connector_patch", { cid: "trello", retired: false });
  expect(restored.body).toMatchObject({ retired: false });
  expect(restored.body).not.toHaveProperty("retired_by");
  expect(await ids({})).toContain("trello");
});

bothSurfaces("changes of one connector at once all stay", async (invoke) => {
  const changes = [
    { tier: "core" },
    { name: "Hub" },
    { category: "code2" },
    { version: "9.9" },
    { connectors: [{ id: "github", name: "Hub", category: "code2", rerun_due: true }] },
  ];
  const ends = await Promise.all(
    changes.map((change) =>
      "connectors" in change
        ? invoke("connectors_post", change)
        : invoke("connector_patch", { cid: "github", ...change }),
    ),
  );
  for (const { status } of ends) expect(status).toBeLessThan(300);
  const { connectors } = (await invoke("connectors_get")).body;
  const [row] = connectors.filter(({ id }: { id: string }) => id === "github");
  expect(row).toMatchObject({ tier: "core", name: "Hub", category: "code2", version: "9.9", rerun_due: true });
  const many = Array.from({ length: 8 }, (_, n) => ({ id: `own-${n % 2}`, name: `Own ${n}`, category: "web" }));
  const posts = await Promise.all(many.map((one) => invoke("connectors_post", { connectors: [one] })));
  expect(posts.filter(({ status }) => status === 201)).toHaveLength(2);
  expect(posts.filter(({ status }) => status === 200)).toHaveLength(6);
});
