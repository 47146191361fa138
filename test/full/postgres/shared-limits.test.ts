import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { WorldRecord } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { ScheduleFiring } from "../../../chapters/records/sources/sources.ts";
import { invoker } from "../../helpers/app.ts";
import { type Cluster, startPostgres } from "../../helpers/stores/postgres.ts";
import { startShared } from "../../helpers/stores/shared-service.ts";
import { mintWorld } from "../../helpers/world.ts";

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startPostgres();
});
afterAll(() => cluster?.stop());

it("three servers together hold an org to its calls, of its tokens and of its worlds; another org goes on, and no server runs a job", async () => {
  const settings = { SVC_ORG_CALLS_PER_MINUTE: "60" };
  const { app, balancer } = await startShared(await cluster.database(), { servers: 3, workers: 0 }, settings);
  try {
    const [org, other] = [await app.org("acme"), await app.org("other")];
    const world = await mintWorld(app, org);
    await app.service.store
      .forOrg(org.id)
      .records.update(WorldRecord, world.id, (doc) => ({ ...doc, minted: true as const }));
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
    const accept = { accept: "application/json, text/event-stream" };
    const [REST, WORLD] = [30, 60];
    const calls = [
      ...Array.from({ length: REST }, (_, i) => app.rest("GET", "/v0/whoami", undefined, i % 2 ? org.read : org.push)),
      ...Array.from({ length: WORLD }, () => app.rest("POST", new URL(world.url).pathname, list, world.token, accept)),
    ];
    const answers = await Promise.all(calls);
    const statuses = Map.groupBy(answers, ({ status }) => status);
    expect(statuses.get(200)).toHaveLength(60);
    expect(statuses.get(429)).toHaveLength(REST + WORLD - 60);
    for (const { body } of statuses.get(429) ?? []) expect(body.retry_after).toBeGreaterThan(0);
    expect(balancer.answered.size).toBe(3);
    expect((await app.rest("GET", "/v0/whoami", undefined, other.read)).status).toBe(200);
    // Servers alone answer, and begin nothing.
    const invoke = invoker(app, "rest", other);
    const source = { kind: "http_json", external_id: "http://127.0.0.1:9/none", consent: "granted" };
    const { id: sid } = (await invoke("sources_post", source)).body;
    const started = await invoke("sources_sync", { sid });
    expect(started.status).toBe(202);
    await sleep(1_500);
    const job = await app.service.store.forOrg(other.id).jobs.get(started.body.job);
    expect(job).toMatchObject({ status: "queued", attempt: 0 });
  } finally {
    await app.close();
  }
});

it("three workers tick at the same second, and a schedule that is due fires once", async () => {
  let pulled = 0;
  const source = createServer((_req, res) => {
    pulled += 1;
    res.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ messages: [] }));
  });
  source.listen(0, "127.0.0.1");
  await once(source, "listening");
  const { app } = await startShared(await cluster.database(), { servers: 1, workers: 3 });
  try {
    const org = await app.org();
    const invoke = invoker(app, "rest", org);
    const external_id = `http://127.0.0.1:${(source.address() as AddressInfo).port}/documents`;
    const { body } = await invoke("sources_post", { kind: "http_json", external_id, consent: "granted" });
    const start_at = Date.now() / 1000 - 1;
    expect(
      (await invoke("schedules_post", { kind: "sync", source: body.id, cadence: "hourly", start_at })).status,
    ).toBe(201);
    const store = app.service.store.forOrg(org.id);
    const fired = async () => (await store.records.list(ScheduleFiring, { where: { status: "fired" } })).items;
    await expect.poll(async () => (await fired()).length).toBeGreaterThan(0);
    // The others have had their turn by then.
    await sleep(3_000);
    expect(await fired()).toHaveLength(1);
    expect((await store.jobs.list({ kind: "source_sync" })).items).toHaveLength(1);
    expect(pulled).toBe(1);
  } finally {
    await app.close();
    source.close();
  }
});
