import { readFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { beforeAll, describe, expect, it } from "vitest";
import { WorldRecord } from "../../../../chapters/records/sandboxes/sandboxes.ts";
import { shop, shopRows } from "../../../worlds/fixtures/shop.ts";
import { type ShopOrg, shopIn } from "../../runs/kit.ts";
import { ok, sharedApp } from "../kit.ts";

const shared = sharedApp();

async function mcpClient(url: string, token: string): Promise<Client> {
  const client = new Client({ name: "agent", version: "1" });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }) as never);
  return client;
}

const knock = (url: string, token: string | undefined) =>
  fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
  });

const [pendingId, pending] = Object.entries(shopRows.tables.orders ?? {}).find(([, row]) => row.status === "pending")!;
const cancel = { tool: "cancel_order", args: { order_id: pendingId, reason: "no longer needed" } };

describe("worlds", () => {
  const { org, invoke, store } = shared.over();
  let made: ShopOrg;
  beforeAll(async () => {
    made = await shopIn(shared.app.service, org.id, 8);
  });

  const mint = async (extra: Record<string, unknown> = {}) => {
    const { status, body } = await invoke("worlds_post", { environment: made.environment, ...extra }, org.push);
    expect(status).toBe(201);
    return body as { world: string; bundle_id: string; token: string; token_id: string; url: string };
  };

  it("worlds_post mints a world as drawn; worlds_list shows it with its endpoint and never its token", async () => {
    expect((await invoke("worlds_post", { environment: made.environment }, org.read)).status).toBe(403);
    expect(await invoke("worlds_post", { environment: "env_none" })).toMatchObject({
      status: 404,
      body: { reason: "No such environment. See surfaces_list." },
    });
    expect((await invoke("worlds_post", { environment: made.environment, expires_in_days: 0 })).body.fields).toEqual([
      expect.objectContaining({ path: "expires_in_days" }),
    ]);
    const first = await mint({ label: "first", by: "ann" });
    const second = await mint();
    expect(first.token).toMatch(/^svc_world_[\w-]{43}$/);
    expect(first.url).toBe(`${shared.app.url}/worlds/${first.bundle_id}/${first.world}/mcp`);
    const page = await ok(invoke("worlds_list", { environment: made.environment, limit: 1 }, org.read));
    expect(page.body.worlds.map((row: { id: string }) => row.id)).toEqual([second.world]);
    const rest = await ok(invoke("worlds_list", { environment: made.environment, limit: 1, cursor: page.body.next }));
    expect(rest.body.worlds[0]).toMatchObject({
      id: first.world,
      label: "first",
      by: "ann",
      live: true,
      url: first.url,
    });
    expect(JSON.stringify([page.body, rest.body])).not.toContain("svc_world_");
    expect((await ok(invoke("worlds_list", { environment: "env_none" }))).body.worlds).toEqual([]);
  });

  // Findings B35 and E59.
  it("a world's server is named by its label, without one by its origin and id", async () => {
    const named = await mint({ label: "till 7" });
    const plain = await mint();
    const own = await Promise.all([named, plain].map(({ url, token }) => mcpClient(url, token)));
    expect(own.map((client) => client.getServerVersion()?.name)).toEqual(["till 7", `${shop.name} ${plain.world}`]);
    for (const client of own) await client.close();
  });

  it("worlds_list leaves out the worlds of trials unless asked", async () => {
    const records = store().records;
    const minted = await mint();
    const stored = await records.get(WorldRecord, minted.world);
    const trial = { ...stored!, id: shared.app.service.id("wl"), trial: "tk_x.1" };
    const { minted: _minted, ...ofTrial } = trial;
    await records.insert(WorldRecord, ofTrial);
    const ids = async (args: Record<string, unknown>) =>
      (await ok(invoke("worlds_list", { limit: 500, ...args }))).body.worlds.map((row: { id: string }) => row.id);
    expect(await ids({})).toContain(minted.world);
    expect(await ids({})).not.toContain(trial.id);
    expect(await ids({ trials: true })).toContain(trial.id);
  });

  it("world_tools serves the manifest, and world_call answers as the tools do", async () => {
    const at = await mint();
    const tools = (await ok(invoke("world_tools", ref(at), org.read))).body;
    expect(tools.tools.map((tool: { name: string }) => tool.name).sort()).toEqual(
      shop.tools.map((tool) => tool.name).sort(),
    );
    expect(tools.tool_count).toBe(shop.tools.length);
    const read = await ok(invoke("world_call", { ...ref(at), tool: "get_order", args: { order_id: pendingId } }));
    expect(read.body).toMatchObject({ is_error: false, answer_class: "data", served_by: "behaviour", changes: [] });
    expect(read.body.answer).toEqual(pending);
    expect(JSON.parse(read.body.text)).toEqual(pending);
    const missing = await ok(invoke("world_call", { ...ref(at), tool: "get_order", args: { order_id: "#W0" } }));
    expect(missing.body).toMatchObject({ is_error: true, text: "Error: order not found", changes: [] });
    const wrong = await ok(invoke("world_call", { ...ref(at), tool: "get_order", args: {} }));
    expect(wrong.body).toMatchObject({ is_error: true, served_by: "schema" });
    const unknown = await ok(invoke("world_call", { ...ref(at), tool: "fly" }));
    expect(unknown.body.is_error).toBe(true);
    expect((await invoke("world_call", { ...ref(at), tool: "get_order" }, org.read)).status).toBe(403);
  });

  it("a write shows in world_peek and world_state, and world_reset takes it back", async () => {
    const at = await mint();
    const drawn = (await ok(invoke("world_peek", ref(at)))).body;
    expect(drawn.changed).toEqual([]);
    expect(drawn.tables).toEqual(
      Object.fromEntries(Object.entries(shopRows.tables).map(([name, rows]) => [name, Object.keys(rows).length])),
    );
    const done = await ok(invoke("world_call", { ...ref(at), ...cancel }));
    expect(done.body.changes).toEqual([{ table: "orders", key: pendingId }]);
    const peek = (await ok(invoke("world_peek", ref(at), org.read))).body;
    expect(peek.changed).toEqual([{ table: "orders", key: pendingId, op: "update" }]);
    expect(peek.digest).not.toBe(drawn.digest);
    const state = (await ok(invoke("world_state", { ...ref(at), table: "orders" }, org.read))).body;
    expect(Object.keys(state.tables)).toEqual(["orders"]);
    expect(state.tables.orders[pendingId].status).toBe("cancelled");
    expect(state.diff).toHaveLength(1);
    expect(state.diff[0]).toMatchObject({ before: { status: "pending" }, after: { status: "cancelled" } });
    expect(state.digest).toBe(peek.digest);
    expect(Object.keys((await ok(invoke("world_state", ref(at)))).body.tables).sort()).toEqual(
      Object.keys(shopRows.tables).sort(),
    );
    expect((await invoke("world_state", { ...ref(at), table: "nothing" })).status).toBe(404);
    expect((await invoke("world_reset", ref(at), org.read)).status).toBe(403);
    const reset = await ok(invoke("world_reset", ref(at), org.push));
    expect(reset.body).toEqual({ world: at.world, reset: true, digest: drawn.digest });
    expect((await ok(invoke("world_peek", ref(at)))).body.changed).toEqual([]);
    expect(await store().journals.read(at.world)).toEqual([]);
  });

  it("a world that was put away is rebuilt from its journal, and goes on from there", async () => {
    const at = await mint();
    await ok(invoke("world_call", { ...ref(at), ...cancel }));
    await ok(invoke("world_call", { ...ref(at), tool: "cancel_order", args: { ...cancel.args, order_id: "#W0" } }));
    const before = (await ok(invoke("world_state", ref(at)))).body;
    shared.app.service.worlds.forOrg(org.id).close(at.world);
    expect((await ok(invoke("world_state", ref(at)))).body).toEqual(before);
    const again = await ok(invoke("world_call", { ...ref(at), ...cancel }));
    expect(again.body).toMatchObject({ is_error: true, text: "Error: only a pending order can be cancelled" });
    expect(await store().journals.read(at.world)).toHaveLength(3);
  });

  it("two worlds of one environment never see each other's changes", async () => {
    const [a, b] = [await mint(), await mint()];
    await ok(invoke("world_call", { ...ref(a), ...cancel }));
    const seen = await ok(invoke("world_call", { ...ref(b), tool: "get_order", args: { order_id: pendingId } }));
    expect(seen.body.answer.status).toBe("pending");
  });

  it("world_check grades what was done in a world, and changes nothing", async () => {
    const index = made.tasks.findIndex(
      (task) => task.checks.some((check) => check.kind === "answer_includes") && task.script.calls.length > 0,
    );
    const task = made.tasks[index]!;
    const at = await mint();
    const before = (await ok(invoke("world_check", { ...ref(at), index }, org.read))).body;
    expect(before).toMatchObject({ world: at.world, index, end: "failed", tier: "deterministic" });
    expect(before.checks).toHaveLength(task.checks.length);
    const key = JSON.parse(readFileSync(made.key, "utf8"))[task.request] as {
      calls: { tool: string; args: Record<string, unknown> }[];
      answer: string;
    };
    for (const { tool, args } of key.calls) await ok(invoke("world_call", { ...ref(at), tool, args }));
    const right = (await ok(invoke("world_check", { ...ref(at), index, answer: key.answer }))).body;
    expect(right.checks.filter((check: { verdict: string }) => check.verdict !== "met")).toEqual([]);
    expect(right.end).toBe("met");
    expect((await ok(invoke("world_check", { ...ref(at), index, answer: "I do not know." }))).body.end).toBe("failed");
    expect(await invoke("world_check", { ...ref(at), index: 999 })).toMatchObject({
      status: 404,
      body: { reason: "No such task. See environment_tasks." },
    });
  });

  it("a connector token opens its own world's endpoint and nothing else; world_tokens_delete ends it at once", async () => {
    const [mine, other] = [await mint(), await mint()];
    const client = await mcpClient(mine.url, mine.token);
    expect((await client.listTools()).tools.map((tool) => tool.name)).toContain("cancel_order");
    const called = await client.callTool({ name: cancel.tool, arguments: cancel.args });
    expect(called.isError ?? false).toBe(false);
    expect((await ok(invoke("world_peek", ref(mine)))).body.changed).toHaveLength(1);
    expect((await knock(other.url, mine.token)).status).toBeGreaterThanOrEqual(401);
    expect((await knock(mine.url, undefined)).status).toBe(401);
    expect((await knock(mine.url, org.read)).status).toBeGreaterThanOrEqual(401);
    for (const path of ["/v0/whoami", "/v0/worlds"]) {
      expect((await shared.app.rest("GET", path, undefined, mine.token)).status).toBeGreaterThanOrEqual(401);
    }
    const more = await ok(invoke("world_tokens_post", { world: mine.world, label: "second" }, org.push));
    expect(more.status).toBe(201);
    expect(more.body).toMatchObject({ url: mine.url, token: expect.stringMatching(/^svc_world_/) });
    const revoked = await ok(invoke("world_tokens_delete", { tid: mine.token_id }, org.push));
    expect(revoked.body).toMatchObject({ token_id: mine.token_id, world: mine.world });
    expect((await ok(invoke("world_tokens_delete", { tid: mine.token_id }))).body).toEqual(revoked.body);
    expect((await knock(mine.url, mine.token)).status).toBe(401);
    await expect(client.callTool({ name: "get_order", arguments: { order_id: pendingId } })).rejects.toThrow();
    await client.close();
    expect((await knock(mine.url, more.body.token)).status).toBe(200);
    expect((await invoke("world_tokens_post", { world: "wl_none" })).status).toBe(404);
    expect((await invoke("world_tokens_post", { world: mine.world, bundle_id: "bd_other" })).status).toBe(404);
    expect((await invoke("world_tokens_delete", { tid: "tok_none" })).status).toBe(404);
    expect((await invoke("world_tokens_post", { world: mine.world }, org.read)).status).toBe(403);
  });

  it("an org's own token is no connector token, so it is not revoked as one", async () => {
    const minted = await ok(invoke("org_tokens_post", { name: "x", scope: "read" }));
    expect((await invoke("world_tokens_delete", { tid: minted.body.id })).status).toBe(404);
    expect((await invoke("whoami", {}, minted.body.token)).status).toBe(200);
  });

  it("a world of another bundle's name is not found, and one that has ended takes no token", async () => {
    const at = await mint();
    for (const tool of ["world_tools", "world_peek", "world_state", "world_reset"]) {
      expect((await invoke(tool, { world: at.world, bundle_id: "bd_other" })).status, tool).toBe(404);
      expect((await invoke(tool, { world: "wl_none", bundle_id: at.bundle_id })).status, tool).toBe(404);
    }
    const records = store().records;
    await records.update(WorldRecord, at.world, (row) => ({ ...row, ended_at: shared.app.service.now() }));
    expect((await invoke("world_tokens_post", { world: at.world })).status).toBe(409);
    const listed = (await ok(invoke("worlds_list", { limit: 500 }))).body.worlds;
    expect(listed.find((row: { id: string }) => row.id === at.world).live).toBe(false);
  });
});

/** What names a world in a call. */
function ref({ world, bundle_id }: { world: string; bundle_id: string }) {
  return { world, bundle_id };
}
