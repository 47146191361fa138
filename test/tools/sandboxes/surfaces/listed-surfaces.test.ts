import { beforeEach, describe, expect, it } from "vitest";
import { invoker, startApp } from "../../../helpers/app.ts";
import { shop } from "../../../worlds/fixtures/shop.ts";
import { shopIn } from "../../runs/kit.ts";
import { ended, ok, sharedApp } from "../kit.ts";

const shared = sharedApp({ config: { privateAddressesAllowed: true } });

const tools = [
  {
    name: "get_parcel",
    description: "Get a parcel.",
    inputSchema: { type: "object", properties: { id: { type: "string" } } },
  },
  { name: "move_parcel", inputSchema: { type: "object", properties: { id: { type: "string" } } } },
];

describe("surfaces of a listing", () => {
  const { org, invoke } = shared.over();
  let n = 0;
  let name = "";
  beforeEach(() => {
    name = `parcels ${++n}`;
  });

  it("surfaces_post serves a listing as it is, and answers nothing that was never observed", async () => {
    expect((await invoke("surfaces_post", { name, tools }, org.read)).status).toBe(403);
    expect((await invoke("surfaces_post", { name })).body.fields[0].path).toBe("tools");
    expect((await invoke("surfaces_post", { name, tools: [{ title: "nameless" }] })).status).toBeGreaterThanOrEqual(
      400,
    );
    const { status, body } = await ok(invoke("surfaces_post", { name, tools, by: "ann" }, org.push));
    expect(status).toBe(201);
    expect(body).toMatchObject({ tools: 2, gaps: 2, observed: false, surface: { name, bundle: body.bundle } });
    const manifest = (await ok(invoke("bundle_manifest", { bundle_id: body.bundle }))).body;
    expect(manifest.tools.map((tool: { name: string }) => tool.name).sort()).toEqual(["get_parcel", "move_parcel"]);
    const minted = await ok(invoke("sandboxes_post", { surface: name, hypothesis: "observed" }));
    const { result } = await ended(invoke, minted.body.job);
    const { body: world } = await ok(invoke("worlds_post", { environment: result.sandbox }));
    const ref = { bundle_id: world.bundle_id, world: world.world };
    for (const tool of ["get_parcel", "move_parcel"]) {
      const called = (await ok(invoke("world_call", { ...ref, tool, args: { id: "P1" } }))).body;
      expect(called).toMatchObject({ is_error: true, answer_class: "error:not_served", changes: [] });
    }
    expect((await invoke("surfaces_post", { name, tools })).status).toBe(409);
  });

  it("surfaces_post asks a tool server for its tools, with headers that are not kept", async () => {
    const made = await shopIn(shared.app.service, org.id, 1, `${name} source`);
    const { body: world } = await ok(invoke("worlds_post", { environment: made.environment }));
    const headers = { Authorization: `Bearer ${world.token}` };
    const { body } = await ok(invoke("surfaces_post", { name, url: world.url, headers }, org.push));
    expect(body).toMatchObject({ tools: shop.tools.length, observed: false });
    const manifest = (await ok(invoke("bundle_manifest", { bundle_id: body.bundle }))).body;
    expect(manifest.tools.map((tool: { name: string }) => tool.name).sort()).toEqual(
      shop.tools.map((tool) => tool.name).sort(),
    );
    const evidence = await ok(invoke("evidence_get", { eid: body.evidence }));
    expect(JSON.stringify([evidence.body, body])).not.toContain(world.token);
    const wrong = { name: `${name} again`, url: world.url, headers: { Authorization: "Bearer svc_world_wrong" } };
    const refused = await invoke("surfaces_post", wrong);
    expect(refused.status).toBeGreaterThanOrEqual(400);
    const names = (await ok(invoke("surfaces_list", { limit: 500 }))).body.surfaces.map(
      (row: { name: string }) => row.name,
    );
    expect(names).not.toContain(`${name} again`);
    expect((await invoke("surfaces_post", { name: "x", url: "file:///etc/passwd" })).body.fields[0].path).toBe("url");
  });
});

it("surfaces_post calls no private address where the workspace does not allow it", async () => {
  const app = await startApp({ config: { privateAddressesAllowed: false } });
  try {
    const org = await app.org();
    const invoke = invoker(app, "rest", org);
    const made = await shopIn(app.service, org.id, 1);
    const { body: world } = await ok(invoke("worlds_post", { environment: made.environment }));
    const headers = { Authorization: `Bearer ${world.token}` };
    const refused = await invoke("surfaces_post", { name: "inside", url: world.url, headers });
    expect(refused.status).toBe(403);
    expect(JSON.stringify(refused.body)).not.toContain(world.token);
  } finally {
    await app.close();
  }
});
