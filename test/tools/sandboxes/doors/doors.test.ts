import { expect, it } from "vitest";
import { Door, DoorSecret } from "../../../../chapters/records/sandboxes/doors.ts";
import { ordersDocument, ordersHar } from "../../../helpers/apis/orders.ts";
import { parcelsHar } from "../../../helpers/apis/parcels.ts";
import { bothSurfaces, FakeClock, type Invoke, type SurfaceTest, startApp } from "../../../helpers/app.ts";
import { ok } from "../kit.ts";

/** The org's door over the captured API; answers what apidoor_post does. */
async function serve(invoke: Invoke, more: Record<string, unknown> = {}) {
  await ok(invoke("evidence_post", { content: ordersHar() }));
  return (await ok(invoke("apidoor_post", more))).body;
}

async function ask(url: string, method = "GET", body?: unknown) {
  const res = await fetch(url, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
  });
  const text = await res.text();
  return { status: res.status, headers: res.headers, text, body: text === "" ? undefined : JSON.parse(text) };
}

bothSurfaces("an API door answers as the captured API does, and remembers what is written", async (invoke) => {
  const door = await serve(invoke);
  expect(door).toMatchObject({
    org: "acme",
    recompiled: true,
    reused_token: false,
    census: { captures: 1, other_hosts: 1, routes_declared: 0, tier: "deterministic" },
    compile: { tables: { orders: 12 } },
  });
  expect(door.tool_names).toContain("get_v1_orders_order_id");
  const { base_url: base } = door;
  const one = await ask(`${base}/v1/orders/1002`);
  expect([one.status, one.body]).toEqual([200, { id: 1002, status: "open", customer: "c1", total: 12 }]);
  expect(one.headers.get("x-api-version")).toBe("7");
  expect(one.headers.get("x-request-id")).toBeNull();
  // Of 1007 no write was ever captured: what PATCH does was learned from others.
  expect((await ask(`${base}/v1/orders/1007`)).body.status).toBe("shipped");
  const patched = await ask(`${base}/v1/orders/1007`, "PATCH", { status: "cancelled" });
  expect([patched.status, patched.body.status]).toEqual([200, "cancelled"]);
  expect((await ask(`${base}/v1/orders/1007`)).body.status).toBe("cancelled");
  const missing = await ask(`${base}/v1/orders/4004`);
  expect([missing.status, missing.body.error.code]).toEqual([404, "order_not_found"]);
  const head = await fetch(`${base}/v1/orders/1002`, { method: "HEAD" });
  expect([head.status, await head.text()]).toEqual([200, ""]);
});

bothSurfaces("a door's pages link to itself, and what evidence is silent on is a typed gap", async (invoke) => {
  const { base_url: base, id, token_id } = await serve(invoke);
  const page = await ask(`${base}/v1/orders?offset=0&limit=2`);
  expect([page.status, page.body.length]).toEqual([200, 2]);
  expect(page.headers.get("link")).toBe(`<${base}/v1/orders?offset=2&limit=2>; rel="next"`);
  for (const [method, path, body] of [
    ["DELETE", "/v1/orders/1002", undefined],
    ["GET", "/v1/customers/secret-customer-7", undefined],
    ["POST", "/v1/exports", { format: "pdf" }],
  ] as const) {
    const gap = await ask(base + path, method, body);
    expect([path, gap.status, gap.body.error]).toEqual([path, 501, "not_served"]);
  }
  const gaps = await ask(`${base}/_svc/gaps`);
  expect(gaps.body).toEqual({
    gaps: { "POST /v1/exports": 1 },
    unserved: { DELETE: 1, GET: 1 },
    tier: "deterministic",
  });
  const { body: tally } = await ok(invoke("sandbox_door_tally", { sid: id, tid: token_id }));
  expect(tally).toEqual({
    tid: token_id,
    routes: { "GET /v1/orders": { 200: 1 }, "POST /v1/exports": { 501: 1 } },
    unserved: { DELETE: 1, GET: 1 },
    gaps: { "POST /v1/exports": 1 },
    limited: 0,
    resets: 0,
    requests: 4,
    tier: "deterministic",
  });
  expect(JSON.stringify(tally)).not.toContain("secret-customer");
});

// Finding B4.
bothSurfaces(
  "a door contradicts none of its evidence: refusals refuse, and what was deleted is gone",
  async (invoke) => {
    await ok(invoke("evidence_post", { content: parcelsHar() }));
    const { base_url: base, compile } = (await ok(invoke("apidoor_post", {}))).body;
    expect(compile.replay).toMatchObject({ exchanges: 196, wrong: 0 });
    expect(compile.replay.right).toBeGreaterThanOrEqual(160);
    const path = "/v1/parcels";
    const made = await ask(base + path, "POST", { owner: "ada", label: "Lamp", weight: 4 });
    expect([made.status, made.body]).toMatchObject([201, { owner: "ada", label: "Lamp", weight: 4, state: "open" }]);
    const own = `${base}${path}/${made.body.id}`;
    expect([(await ask(own)).status, (await ask(own)).body]).toEqual([200, made.body]);
    expect((await ask(own, "PATCH", { label: "Desk lamp" })).body).toMatchObject({ label: "Desk lamp", state: "open" });
    expect((await ask(own, "PATCH", { state: "closed" })).body).toMatchObject({ label: "Desk lamp", state: "closed" });
    const closed = await ask(own, "PATCH", { label: "Lantern" });
    expect([closed.status, closed.body.error.code]).toEqual([409, "closed"]);
    expect((await ask(own)).body).toMatchObject({ label: "Desk lamp", state: "closed" });
    expect((await ask(own, "DELETE")).status).toBe(204);
    for (const method of ["GET", "DELETE"]) expect([method, (await ask(own, method)).status]).toEqual([method, 404]);
    // Ten owners who do not exist were refused, another one each time: whether one exists is not known, so nobody is made up.
    const nobody = await ask(base + path, "POST", { owner: "zed", label: "Lamp", weight: 4 });
    expect([422, 501]).toContain(nobody.status);
  },
);

bothSurfaces("doors of one sandbox never meet; each is reset from both sides", async (invoke) => {
  const { id: sid, base_url: first } = await serve(invoke);
  const { body: opened, status } = await ok(invoke("sandbox_door_post", { sid, label: "mobile", version: "3.1" }));
  expect(status).toBe(201);
  const { door } = opened;
  expect(door).toMatchObject({ sandbox: sid, label: "mobile", version: "3.1", live: true, requests: 0 });
  const at = (base: string) => ask(`${base}/v1/orders/1001`).then(({ body }) => body.status);
  await ask(`${door.base_url}/v1/orders/1001`, "PATCH", { status: "lost" });
  expect([await at(door.base_url), await at(first)]).toEqual(["lost", "shipped"]);
  const { body: reset } = await ok(invoke("sandbox_door_reset", { sid, tid: door.tid }));
  expect(await at(door.base_url)).toBe("shipped");
  await ask(`${door.base_url}/v1/orders/1001`, "PATCH", { status: "lost" });
  expect((await ask(door.reset_url, "POST")).body).toEqual(reset);
  expect(await at(door.base_url)).toBe("shipped");
  expect((await ok(invoke("sandbox_door_tally", { sid, tid: door.tid }))).body.resets).toBe(2);
  const { body: seen } = await ok(invoke("sandbox_get", { sid }));
  expect(seen.doors.map((each: { tid: string }) => each.tid)).toHaveLength(2);
  expect(seen.doors[1]).toMatchObject({ tid: door.tid, label: "mobile" });
});

bothSurfaces("a revoked door, an unknown one and another token's answer the same bytes", async (invoke, t) => {
  const { id: sid, token_id: tid, base_url: base } = await serve(invoke);
  const bytes = async (url: string) => {
    const { status, text, headers } = await ask(url);
    return JSON.stringify([status, text, headers.get("content-type"), headers.get("www-authenticate")]);
  };
  const unknown = await bytes(`${t.app.url}/d/svc_door_${"x".repeat(43)}/v1/orders/1002`);
  expect(unknown).toContain("404");
  expect(await bytes(`${base}/v1/orders/1002`)).not.toBe(unknown);
  const foreign = await bytes(`${t.app.url}/d/${t.org.admin}/v1/orders/1002`);
  const { body } = await ok(invoke("sandbox_door_delete", { sid, tid }));
  expect(body.door).toMatchObject({ live: false, revoked_at: expect.any(Number) });
  expect(body.door.base_url).toBeUndefined();
  for (const path of ["/v1/orders/1002", "/_svc/gaps", "", "/_svc/reset"])
    expect(await bytes(base + path)).toBe(unknown);
  expect(foreign).toBe(unknown);
  const again = (await ok(invoke("sandbox_door_delete", { sid, tid }))).body;
  expect(again.door.revoked_at).toBe(body.door.revoked_at);
  expect((await invoke("sandbox_door_reset", { sid, tid })).status).toBe(409);
  const { body: listed } = await ok(invoke("sandbox_door_get", { sid }));
  expect(listed.doors).toEqual([again.door]);
  expect((await invoke("sandbox_door_get", { sid: "env_none" })).status).toBe(404);
  expect((await invoke("sandbox_door_tally", { sid, tid: "hd_none" })).body.reason).toBe(
    "No such door. See sandbox_door_get.",
  );
});

bothSurfaces(
  "unchanged evidence is not compiled again, and newer evidence keeps the door's address",
  async (invoke) => {
    const first = await serve(invoke);
    await ask(`${first.base_url}/v1/orders/1001`, "PATCH", { status: "lost" });
    const again = (await ok(invoke("apidoor_post", { quota_limit: 500 }))).body;
    expect(again).toMatchObject({
      recompiled: false,
      reused_token: true,
      bundle_id: first.bundle_id,
      world: first.world,
    });
    expect((await ask(`${again.base_url}/v1/orders/1001`)).body.status).toBe("lost");
    await ok(invoke("evidence_post", { content: ordersDocument() }));
    const newer = (await ok(invoke("apidoor_post", {}))).body;
    expect(newer).toMatchObject({
      recompiled: true,
      reused_token: true,
      base_url: first.base_url,
      census: { routes_declared: 3 },
    });
    expect(newer.world).not.toBe(first.world);
    expect(newer.tool_names).toEqual(expect.arrayContaining(["getOrder", "listOrders", "deleteOrder"]));
    expect((await ask(`${newer.base_url}/v1/orders/1001`)).body.status).toBe("shipped");
    // Declared and never captured: a gap, no made-up success.
    expect((await ask(`${newer.base_url}/v1/orders/1001`, "DELETE")).status).toBe(501);
    const back = (await ok(invoke("apidoor_post", { bundle_id: first.bundle_id }))).body;
    expect(back).toMatchObject({ bundle_id: first.bundle_id, recompiled: false, reused_token: true });
    const described = (
      await ok(
        invoke("apidoor_post", { description_overrides: { get_v1_orders: "All orders." }, bundle_id: first.bundle_id }),
      )
    ).body;
    const { body: manifest } = await ok(invoke("bundle_manifest", { bundle_id: described.bundle_id }));
    expect(manifest.tools.find((tool: { name: string }) => tool.name === "get_v1_orders").description).toBe(
      "All orders.",
    );
    expect((await ask(`${described.base_url}/v1/orders/1001`)).status).toBe(200);
  },
);

bothSurfaces("routes can be given, and captures named", async (invoke) => {
  expect((await invoke("apidoor_post", {})).body.reason).toContain("There is no HTTP capture");
  const { body: stored } = await ok(invoke("evidence_post", { content: ordersHar() }));
  const capture = stored.evidence?.id ?? stored.id;
  const { body } = await ok(invoke("apidoor_post", { capture, grammar: ["GET /{version}/orders/{number}"] }));
  expect(body.tool_names).toContain("get_version_orders_number");
  expect((await ask(`${body.base_url}/v1/orders/1004`)).body.id).toBe(1004);
  expect((await invoke("apidoor_post", { capture: "ev_none" })).status).toBe(404);
  expect((await invoke("apidoor_post", { grammar: ["orders"] })).status).toBe(400);
});

bothSurfaces(
  "doors are listed by what they serve; their addresses are whole for those who may act",
  async (invoke, t) => {
    expect((await ok(invoke("apidoor_get"))).body).toEqual({ org: "acme", doors: [] });
    const { bundle_id, base_url, world, token_id } = await serve(invoke, { quota_limit: 9 });
    const { body } = await ok(invoke("apidoor_get", {}, t.org.push));
    const row = { world, token_id, label: "API", quota_limit: 9, base_url, gaps_url: `${base_url}/_svc/gaps` };
    expect(body.doors).toEqual([{ bundle_id, worlds_served: 1, worlds: [expect.objectContaining(row)] }]);
    const secret = base_url.split("/").at(-1);
    const { body: read } = await ok(invoke("apidoor_get", {}, t.org.read));
    expect(JSON.stringify(read)).not.toContain(secret);
    // The secret is in no record, and it opens nothing of the service itself.
    const { records } = t.app.service.store.forOrg(t.org.id);
    for (const kind of [Door, DoorSecret]) expect(JSON.stringify(await records.list(kind))).not.toContain(secret);
    expect((await t.app.rest("GET", "/v0/orgs", undefined, secret)).status).toBe(403);
  },
);

const clock = new FakeClock();
bothSurfaces(
  "a door refuses past its limit and says how long to wait",
  async (invoke) => {
    const { base_url: base, id: sid, token_id: tid } = await serve(invoke, { quota_limit: 2 });
    const statuses = [];
    for (let i = 0; i < 4; i++) statuses.push((await ask(`${base}/v1/orders/1001`)).status);
    expect(statuses).toEqual([200, 200, 429, 429]);
    clock.advance(20);
    const refused = await ask(`${base}/v1/orders/1001`);
    expect([refused.headers.get("retry-after"), refused.body]).toEqual([
      "40",
      { error: "rate_limited", reason: "This door's limit is reached.", retry_after: 40 },
    ]);
    clock.advance(40);
    expect((await ask(`${base}/v1/orders/1001`)).status).toBe(200);
    expect((await ok(invoke("sandbox_door_tally", { sid, tid }))).body.limited).toBe(3);
  },
  { clock },
);

bothSurfaces("a sandbox without an API has no door, and a deleted one leaves none behind", async (invoke) => {
  const { id: sid, base_url: base } = await serve(invoke);
  await ok(invoke("evidence_post", { surface: "desk", content: [{ name: "ping", inputSchema: { type: "object" } }] }));
  await ok(invoke("sandbox_delete", { sid }));
  expect((await ask(`${base}/v1/orders/1001`)).status).toBe(404);
  expect((await ok(invoke("apidoor_get"))).body.doors).toEqual([]);
  expect((await ok(invoke("apidoor_post", {}))).body).toMatchObject({ recompiled: false, reused_token: false });
});

it("keeps its address, its world and its tally over a restart", async () => {
  const { mkdtempSync, rmSync } = await import("node:fs");
  const { tmpdir } = await import("node:os");
  const { join } = await import("node:path");
  const dataDir = mkdtempSync(join(tmpdir(), "doors-"));
  try {
    const before: Pick<SurfaceTest, "app"> = { app: await startApp({ dataDir }) };
    const { invoker } = await import("../../../helpers/app.ts");
    const org = await before.app.org();
    const door = await serve(invoker(before.app, "rest", org));
    await ask(`${door.base_url}/v1/orders/1001`, "PATCH", { status: "lost" });
    await before.app.close();
    const after = await startApp({ dataDir });
    try {
      const path = new URL(door.base_url).pathname;
      expect((await ask(`${after.url}${path}/v1/orders/1001`)).body.status).toBe("lost");
    } finally {
      await after.close();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});
