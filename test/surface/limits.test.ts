import { connect } from "node:net";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterEach, expect, it } from "vitest";
import { WorldRecord } from "../../chapters/records/sandboxes/sandboxes.ts";
import { type AppOptions, invoker, startApp, type TestApp } from "../helpers/app.ts";
import { mintWorld, type TestWorld } from "../helpers/world.ts";
import { shopIn } from "../tools/runs/kit.ts";

let app: TestApp;
afterEach(() => app.close());

const NONE = { calls: 0, bytes: 0, jobs: 0, worlds: 0 };
const start = (orgPerMinute: Partial<typeof NONE>, config: AppOptions["config"] = {}) =>
  startApp({ jobs: false, config: { ...config, orgPerMinute: { ...NONE, ...orgPerMinute } } });

const refused = { status: 429, body: { error: "rate_limited", retry_after: expect.any(Number) } };

it("an org's calls are counted together, whichever credential makes them over whichever surface", async () => {
  app = await start({ calls: 6 });
  const [a, b] = [await app.org("a"), await app.org("b")];
  const ask = (token: string) => app.rest("GET", "/v0/whoami", undefined, token);
  // Connecting a client takes calls of its own.
  const client = await app.mcp(a.read);
  let made = 0;
  while ((await ask(a.push)).status === 200) made += 1;
  expect(made).toBeGreaterThan(0);
  expect(made).toBeLessThan(6);
  expect(await ask(a.admin)).toMatchObject(refused);
  await expect(client.call("whoami")).rejects.toThrow("rate_limited");
  expect((await ask(b.read)).status).toBe(200);
  expect((await ask(app.operator)).status).toBe(200);
});

it("what an org sends is counted when it has come: the body that goes over is taken, the next call is not", async () => {
  app = await start({ bytes: 100_000 });
  const org = await app.org();
  const send = () => app.rest("POST", "/v0/evidence?kind=document&format=text", "words ".repeat(10_000), org.push);
  expect((await send()).status).toBeLessThan(300);
  expect((await send()).status).toBeLessThan(300);
  await expect.poll(async () => (await send()).status).toBe(429);
});

it("jobs that an org starts, and worlds that it makes, have limits of their own", async () => {
  app = await start({ jobs: 2, worlds: 1 }, { privateAddressesAllowed: true });
  const org = await app.org();
  const invoke = invoker(app, "rest", org);
  const made = await invoke("sources_post", {
    kind: "http_json",
    external_id: "http://127.0.0.1:9/traces",
    consent: "granted",
  });
  const { id: sid } = made.body;
  expect((await invoke("sources_sync", { sid })).status).toBe(202);
  expect((await invoke("sources_sync", { sid })).status).toBe(200);
  expect(await invoke("sources_sync", { sid })).toMatchObject(refused);
  const { environment } = (await app.service.store
    .forOrg(org.id)
    .records.get(WorldRecord, (await mintWorld(app, org)).id)) as { environment: string };
  expect((await invoke("worlds_post", { environment })).status).toBe(201);
  expect(await invoke("worlds_post", { environment })).toMatchObject(refused);
  expect((await invoke("whoami")).status).toBe(200);
});

it("calls of a world that a caller minted are its org's; those of a trial were counted when it was begun", async () => {
  app = await start({ calls: 8 });
  const org = await app.org();
  const [minted, trial] = [await mintWorld(app, org), await mintWorld(app, org)];
  await app.service.store
    .forOrg(org.id)
    .records.update(WorldRecord, minted.id, (doc) => ({ ...doc, minted: true as const }));
  const until429 = async (world: TestWorld, most: number) => {
    const client = new Client({ name: "test", version: "1" });
    const requestInit = { headers: { authorization: `Bearer ${world.token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(world.url), { requestInit }) as never);
    try {
      for (let n = 0; n < most; n++) await client.listTools();
      return "none";
    } catch (error) {
      return String(error);
    } finally {
      await client.close();
    }
  };
  expect(await until429(minted, 20)).toContain("rate_limited");
  expect(await app.rest("GET", "/v0/whoami", undefined, org.read)).toMatchObject(refused);
  expect(await until429(trial, 20)).toBe("none");
});

// Finding S15.
it("a credential has so many calls under way and no more, and others are not held up", async () => {
  app = await start({}, { callsAtOnce: 3 });
  const [a, b] = [await app.org("a"), await app.org("b")];
  const head = `POST /v0/evidence HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${a.push}\r\ncontent-length: 9\r\n\r\n[`;
  const open = Array.from({ length: 3 }, () => connect(Number(new URL(app.url).port), "127.0.0.1"));
  for (const socket of open) socket.write(head);
  const ask = (token: string) => app.rest("GET", "/v0/whoami", undefined, token);
  await expect.poll(() => ask(a.push)).toMatchObject(refused);
  expect((await ask(b.push)).status).toBe(200);
  expect((await ask(a.read)).status).toBe(200);
  for (const socket of open) socket.destroy();
  await expect.poll(async () => (await ask(a.push)).status).toBe(200);
});

// Finding S18.
it("a start that is refused leaves no run behind", async () => {
  app = await start({ jobs: 1 });
  const org = await app.org();
  const invoke = invoker(app, "rest", org);
  const { environment } = await shopIn(app.service, org.id, 2);
  expect((await invoke("start_run", { harness: "reference", environment })).status).toBe(202);
  expect(await invoke("start_run", { harness: "reference", environment, trials: 2 })).toMatchObject(refused);
  expect((await invoke("run_groups_list")).body.groups).toHaveLength(1);
});
