import { beforeEach, describe, expect, it } from "vitest";
import { Evidence } from "../../../chapters/records/evidence/evidence.ts";
import { deskTools, deskTraces, ended, ok, sharedApp } from "../sandboxes/kit.ts";

const shared = sharedApp();

/** The same sessions with one tool under another name. */
function renamed(traces: unknown[], from: string, to: string): unknown[] {
  return JSON.parse(JSON.stringify(traces).replaceAll(`"${from}"`, `"${to}"`));
}

describe("the ontology of a surface", () => {
  const { org, invoke, store } = shared.over();
  let name = "";
  let n = 0;
  beforeEach(async () => {
    name = `desk ${++n}`;
  });

  async function compiled(more: Record<string, unknown> = {}) {
    const { status, body } = await ok(invoke("ontology_compile", { surface: name, ...more }, org.push));
    expect(status).toBe(202);
    const job = await ended(invoke, body.job);
    if (job.status !== "landed") throw new Error(`the compile ended ${job.status}: ${job.note}`);
    return job.result;
  }

  /** Sends other sessions in the place of those of an evidence record. */
  async function replace(evidence: string, content: unknown[]) {
    const { body } = await ok(invoke("evidence_post", { surface: name, content }));
    const { records } = store();
    await records.update(Evidence, evidence, (row) => ({ ...row, superseded_by: body.id }));
  }

  it("ontology_compile lands what ontology_get and ontology_node_get read, and reuses it while nothing changed", async () => {
    expect((await invoke("ontology_compile", { surface: name }, org.push)).status).toBe(404);
    const posted = await ok(invoke("evidence_post", { surface: name, content: deskTraces(16) }));
    expect((await invoke("ontology_compile", { surface: name }, org.read)).status).toBe(403);
    const first = await compiled();
    expect(first).toMatchObject({ revision: 1, reused: false, refused: [], removed: [] });
    expect(first.landed.nodes.operation).toBeGreaterThan(10);
    const got = (await ok(invoke("ontology_get", { surface: name }, org.read))).body;
    expect(got).toMatchObject({
      id: first.ontology,
      surface: name,
      revision: 1,
      tier: "deterministic",
      model: null,
      undo: null,
      compile: { status: "landed", kind: "ontology_compile", done: 2, total: 2 },
      counts: first.landed,
      evidence_refs: [{ id: posted.body.id, kind: "traces" }],
    });
    expect(got.surfaces).toContainEqual({ surface: name, surface_id: got.surface_id, revision: 1 });
    const effect = (id: string) => got.nodes.find((node: { id: string }) => node.id === id)?.effect;
    expect(effect("operation/cancel_order")).toBe("write");
    expect(effect("operation/get_order")).toBe("read");
    const objects = got.ontology.objects.map((object: { name: string }) => object.name);
    expect(objects).toEqual(expect.arrayContaining(["customers", "orders", "products"]));
    const head = (await ok(invoke("ontology_get", { surface: name, part: "head" }))).body;
    expect(head).toMatchObject({ id: first.ontology, counts: first.landed });
    for (const part of ["nodes", "edges", "evidence_refs", "plans", "ontology"]) expect(head).not.toHaveProperty(part);
    const node = (await ok(invoke("ontology_node_get", { node_id: "object/orders/customer_id" }))).body;
    expect(node.node.kind).toBe("field");
    expect(node.edges.map((edge: { id: string }) => edge.id)).toContain(
      "refers_to object/orders/customer_id object/customers",
    );
    const of = (await ok(invoke("ontology_node_get", { node_id: "object/orders" }))).body;
    expect(of.evidence).toHaveLength(1);
    expect(of.node.evidence.examples[0]).toMatch(/^ev_[^/]+\/\d+#\d+$/);
    expect((await invoke("ontology_node_get", { node_id: "object/nothing" })).status).toBe(404);
    expect((await invoke("ontology_get", { surface: name, legacy: true })).status).toBe(404);
    const again = await compiled();
    expect(again).toEqual({ ...first, reused: true });
    expect(await compiled({ force: true })).toEqual({ ...first, reused: false });
  });

  it("ontology_compile of what has no evidence, or is gone, is refused", async () => {
    await ok(invoke("surfaces_post", { name, tools: [{ name: "get_x", inputSchema: { type: "object" } }] }));
    expect((await invoke("ontology_get", { surface: name })).status).toBe(404);
    const listed = await compiled();
    expect(listed.landed.nodes).toMatchObject({ operation: 1, service: 1 });
    expect(listed.landed.nodes.object).toBeUndefined();
    await ok(invoke("surface_retire", { surface: name }));
    expect((await invoke("ontology_compile", { surface: name })).status).toBe(409);
  });

  it("new evidence makes a revision that tells what went; ontology_restore and ontology_revision_restore put back", async () => {
    const { body: posted } = await ok(invoke("evidence_post", { surface: name, content: deskTraces(16) }));
    const first = await compiled();
    const nodesOf = async () =>
      (await ok(invoke("ontology_get", { surface: name }))).body.nodes.map((node: { id: string }) => node.id);
    const before = await nodesOf();
    const moved = renamed(deskTraces(16), "get_shipment", "fetch_parcel");
    await replace(posted.id, moved);
    const second = await compiled();
    expect(second.revision).toBe(2);
    expect(second.removed).toEqual([]);
    expect((await ok(invoke("ontology_node_get", { node_id: "operation/fetch_parcel" }))).body.revision).toBe(2);
    expect((await nodesOf()).includes("operation/get_shipment")).toBe(false);
    const wrong = await invoke("ontology_restore", { surface: name, revision: 1, expected_revision: 1 });
    expect(wrong.status).toBe(409);
    expect((await invoke("ontology_restore", { surface: name, revision: 2 })).status).toBe(409);
    expect((await invoke("ontology_restore", { surface: name, revision: 9 })).status).toBe(404);
    expect((await invoke("ontology_restore", { surface: name, revision: 1 }, org.read)).status).toBe(403);
    const { body: restored } = await ok(
      invoke("ontology_restore", { surface: name, revision: 1, expected_revision: 2 }, org.push),
    );
    expect(restored).toMatchObject({ revision: 3, act: "restore", restores: first.ontology, surface: name });
    expect(await nodesOf()).toEqual(before);
    expect((await invoke("ontology_revision_restore", { rev: second.ontology })).status).toBe(409);
    expect((await invoke("ontology_revision_restore", { rev: "on_nothing" })).status).toBe(404);
    const undone = (await ok(invoke("ontology_revision_restore", { rev: restored.id, by: "ann", reason: "wrong one" })))
      .body;
    expect(undone).toMatchObject({
      error: null,
      revision: { revision: 4, act: "undo", by: "ann", reason: "wrong one", restores: second.ontology },
    });
    expect(await nodesOf()).toContain("operation/fetch_parcel");
    const twice = await invoke("ontology_revision_restore", { rev: restored.id });
    expect(twice.status).toBe(409);
    expect((await invoke("ontology_revision_restore", { rev: first.ontology })).status).toBe(409);
  });

  it("ontology_pins tells what was read, and redraw supersedes it", async () => {
    await ok(invoke("evidence_post", { surface: name, content: deskTraces(16) }));
    const { schema_pin } = await compiled();
    const one = (await ok(invoke("ontology_pins", { surface: name }, org.read))).body;
    expect(one.pins).toMatchObject([
      {
        id: schema_pin,
        state: "current",
        model: null,
        tier: "deterministic",
        usd: 0,
        prompt_version: one.prompt_version,
      },
    ]);
    const { body } = await ok(invoke("ontology_node_get", { node_id: "operation/get_order" }));
    expect(body.node.label).toBe("get order");
    const redrawn = await compiled({ redraw: true });
    expect(redrawn.schema_pin).not.toBe(schema_pin);
    const pins = (await ok(invoke("ontology_pins", { surface: name }))).body.pins;
    expect(pins.map((pin: { id: string; state: string }) => [pin.id, pin.state])).toEqual([
      [redrawn.schema_pin, "current"],
      [schema_pin, "superseded"],
    ]);
    const asked = (await ok(invoke("ontology_pins", { surface: name, pin: schema_pin }))).body.pins;
    expect(asked).toMatchObject([{ id: schema_pin, superseded_by: redrawn.schema_pin }]);
    expect((await invoke("ontology_pins", { surface: name, pin: "op_nothing" })).status).toBe(404);
  });

  it("surface_ontology_derive, surface_ontology_versions and surface_ontology_diff go by the version that is served", async () => {
    expect((await invoke("surface_ontology_versions", { surface: name })).status).toBe(404);
    await ok(invoke("evidence_post", { surface: name, content: deskTools() }));
    const { body: posted } = await ok(invoke("evidence_post", { surface: name, content: deskTraces(16) }));
    const land = async (job: string) => {
      const done = await ended(invoke, job);
      if (done.status !== "landed") throw new Error(`${done.kind} ended ${done.status}: ${done.note}`);
      return done.result;
    };
    const pipeline = async () => {
      const { body } = await ok(invoke("pipeline_post", { surface: name }));
      return (await land(body.job)).bundle as string;
    };
    const a = await pipeline();
    await ok(
      invoke("agents_post", { name: `bot ${name}`, kind: "http", url: "https://agent.example.com/", version: "v1" }),
    );
    const derived = await ok(invoke("surface_ontology_derive", { surface: name, agent: `bot ${name}` }, org.push));
    // The pipeline stored the graph of its version.
    expect(derived.status).toBe(200);
    expect(derived.body).toMatchObject({
      surface_version: a,
      job: null,
      ontology: expect.any(String),
      exposed_by: [{ version: "v1" }],
    });
    expect((await invoke("surface_ontology_derive", { surface: name, agent_version: "v1" })).status).toBe(400);
    expect((await invoke("surface_ontology_derive", { surface: name, agent: "nobody" })).status).toBe(404);
    await replace(posted.id, renamed(deskTraces(16), "get_shipment", "fetch_parcel"));
    const b = await pipeline();
    expect(b).not.toBe(a);
    const { body: all } = await ok(invoke("surface_ontology_versions", { surface: name }, org.read));
    expect(all).toMatchObject({ current: b, current_stored: true });
    expect(all.versions.map((row: { surface_version: string }) => row.surface_version)).toEqual([b, a]);
    const diff = await ok(invoke("surface_ontology_diff", { surface: name, a }, org.read));
    expect(diff.body).toMatchObject({ a, b, tier: "deterministic" });
    expect(diff.body.dimensions.operation.added).toContain("fetch_parcel");
    expect(diff.verdict).toMatch(/^1 operation added, 0 removed/);
    expect((await invoke("surface_ontology_diff", { surface: name, a: "bd_nothing" })).status).toBe(404);
  });

  it("two compiles at once are one", async () => {
    await ok(invoke("evidence_post", { surface: name, content: deskTraces(16) }));
    const both = await Promise.all([1, 2].map(() => ok(invoke("ontology_compile", { surface: name }))));
    const [x, y] = both.map(({ body }) => body);
    if (x.job === y.job) expect([x.deduplicated, y.deduplicated].sort()).toEqual([false, true]);
    for (const { job } of [x, y]) await ended(invoke, job);
    expect((await ok(invoke("ontology_get", { surface: name, part: "head" }))).body.revision).toBe(1);
  });
});

const { org, invoke } = shared.over();
it("ontology_get says in a header whether the graph was at hand", async () => {
  await ok(invoke("evidence_post", { surface: "cached", content: deskTraces(16) }));
  await ended(invoke, (await ok(invoke("ontology_compile", { surface: "cached" }))).body.job);
  const get = () => shared.app.rest("GET", `/v0/orgs/${org.tag}/ontology?surface=cached`, undefined, org.read);
  await get();
  expect((await get()).headers.get("x-svc-ontology-cache")).toBe("hit");
});
