import { afterEach, beforeEach, expect } from "vitest";
import { Evidence } from "../../../chapters/records/evidence/evidence.ts";
import { ordersHar } from "../../helpers/apis/orders.ts";
import { bothSurfaces, type Invoke } from "../../helpers/app.ts";
import { type TestRepo, testRepo } from "../../helpers/git.ts";
import { ended, ok } from "./kit.ts";

/** A tool server of a customer's own that answers otherwise than its upstream does: other names, other words. */
const SERVER = `import { createInterface } from "node:readline";
const BASE = process.env.SHOP_URL;
const id = { type: "object", properties: { order_id: { type: "integer" } }, required: ["order_id"] };
const TOOLS = [
  { name: "get_order", description: "Reads an order", inputSchema: id },
  { name: "list_reports", description: "Lists reports", inputSchema: { type: "object", properties: {} } },
  { name: "cancel_order", description: "Cancels an order", inputSchema: id },
];
const said = (value, isError = false) => ({ content: [{ type: "text", text: JSON.stringify(value) }], isError });
async function called({ name, arguments: args }) {
  if (name === "list_reports") return said({ reports: await (await fetch(BASE + "/reports")).json() });
  if (name === "cancel_order") {
    const body = JSON.stringify({ status: "cancelled" });
    const headers = { "content-type": "application/json" };
    return said(await (await fetch(BASE + "/orders/" + args.order_id, { method: "PATCH", headers, body })).json());
  }
  const res = await fetch(BASE + "/orders/" + args.order_id);
  const order = await res.json();
  return res.ok ? said({ number: order.id, state: order.status }) : said("There is no such order.", true);
}
createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = method === "initialize"
    ? { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "shop", version: "1" } }
    : method === "tools/call" ? await called(params) : { tools: TOOLS };
  console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
});
`;

const JSON_BODY = { "content-type": "application/json" };

let repo: TestRepo;
beforeEach(() => {
  repo = testRepo({});
});
afterEach(() => {
  repo.close();
});

async function connect(invoke: Invoke) {
  const { body } = await ok(invoke("served_repo_post", { url: repo.folder }));
  await ended(invoke, body.job);
  return (await ok(invoke("served_repo_get", { rid: body.record }))).body;
}

bothSurfaces(
  "a served version's tools that read are called, ask the mock, and its worlds answer as it did",
  async (invoke, { app, org }) => {
    await ok(invoke("evidence_post", { content: ordersHar() }));
    const { id: sid, token_id: tid, base_url } = (await ok(invoke("apidoor_post", {}))).body;
    // Finding B15: what another client does at its door is nothing that this server answers.
    const written = { method: "PATCH", headers: JSON_BODY, body: JSON.stringify({ status: "cancelled" }) };
    expect((await fetch(`${base_url}/v1/orders/1002`, written)).status).toBe(200);
    repo.commit({ "server.js": SERVER });
    const connected = await connect(invoke);
    expect(connected, JSON.stringify(connected.refusal)).toMatchObject({ state: "connected", operations: 3 });
    // Eleven orders that are there; of one that is not, and of the reports, the mock itself has no evidence.
    expect(connected.recorded).toEqual({ calls: 11, upstream_gaps: 2 });
    expect((await ok(invoke("sandbox_door_tally", { sid, tid }))).body.requests).toBe(1);
    const own = (await ok(invoke("sandbox_door_get", { sid }))).body.doors.at(-1);
    expect(own).toMatchObject({ label: `recording ${connected.id}`, live: false });
    const { body: tally } = await ok(invoke("sandbox_door_tally", { sid, tid: own.tid }));
    expect(tally.routes["GET /v1/orders/{order_id}"]).toEqual({ 200: 11, 501: 1 });
    expect(Object.keys(tally.routes), "what writes is not called").not.toContain("PATCH /v1/orders/{order_id}");

    const store = app.service.store.forOrg(org.id);
    const recording = await store.records.get(Evidence, connected.recording);
    expect(recording).toMatchObject({ kind: "traces", provenance: "synthetic", stats: { traces: 1, calls: 11 } });
    const environment = await generated(invoke, connected.surface_id);
    const { body: world } = await ok(invoke("worlds_post", { environment }));
    const ask = async (tool: string, args: object) => {
      const { body } = await ok(invoke("world_call", { bundle_id: world.bundle_id, world: world.world, tool, args }));
      return body;
    };
    const found = await ask("get_order", { order_id: 1002 });
    expect(JSON.parse(found.text)).toEqual({ number: 1002, state: "open" });
    expect((await ask("get_order", { order_id: 987_655_322 })).answer_class).toBe("error:not_served");
    // What the server made of an answer that the mock does not have is no answer of its own.
    expect((await ask("list_reports", {})).answer_class).toBe("error:not_served");
    expect((await ask("cancel_order", { order_id: 1002 })).answer_class).toBe("error:not_served");

    // A newer version answers otherwise: what was recorded before stands no more.
    repo.commit({ "server.js": SERVER.replace("state: order.status", "phase: order.status") });
    const newer = await connect(invoke);
    expect(newer.recording).not.toBe(connected.recording);
    expect(await store.records.get(Evidence, connected.recording)).toMatchObject({ superseded_by: newer.recording });
    const again = (await ok(invoke("worlds_post", { environment: await generated(invoke, newer.surface_id) }))).body;
    const { body: told } = await ok(
      invoke("world_call", {
        bundle_id: again.bundle_id,
        world: again.world,
        tool: "get_order",
        args: { order_id: 1002 },
      }),
    );
    expect(JSON.parse(told.text)).toEqual({ number: 1002, phase: "open" });
  },
);

async function generated(invoke: Invoke, surface: string): Promise<string> {
  const { body } = await ok(invoke("generate_environments", { surface, tasks: 1, seed: String(Math.random()) }));
  const job = await ended(invoke, body.job);
  if (job.status !== "landed") throw new Error(`the generation ended ${job.status}: ${job.note}`);
  return job.result.environments[0].id;
}
