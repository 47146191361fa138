import { expect, it } from "vitest";
import { bothSurfaces, type Invoke, invoker, startApp } from "../../helpers/app.ts";
import { startProvider } from "../../helpers/vendors/models.ts";
import { deskTraces, ended, ok } from "../sandboxes/kit.ts";

const GUIDE = `# How the desk works

Each order belongs to one customer. Products have many refunds! Ships and sails are no things of ours.
Refunds include orders. Customers contain products.
`;
const STATED = "has object/products object/refunds";
const INCLUDED = "has object/refunds object/orders";
const CONTAINED = "has object/customers object/products";

async function landed(invoke: Invoke, tool: string, args: Record<string, unknown>) {
  const { body } = await ok(invoke(tool, args));
  const job = await ended(invoke, body.job);
  if (job.status !== "landed") throw new Error(`${tool} ended ${job.status}: ${job.note}`);
  return job.result;
}

/** The edges that name a document, by id. */
async function documented(invoke: Invoke): Promise<Map<string, { tier: string; evidence: { document?: string } }>> {
  const { edges } = (await ok(invoke("ontology_get", { surface: "desk" }))).body;
  return new Map(
    edges.flatMap((edge: { id: string; evidence: { document?: string } }) =>
      edge.evidence.document ? [[edge.id, edge]] : [],
    ),
  );
}

// Finding A22; personas/personas.test.ts holds what dimensions_derive says.
bothSurfaces("surface_relations_document adds what sentences state, and compiles keep it", async (invoke, { org }) => {
  const { body: traces } = await ok(invoke("evidence_post", { surface: "desk", content: deskTraces(6) }));
  const { body: guide } = await ok(invoke("evidence_post", { content: GUIDE }));
  const input = { surface: "desk", source: guide.id };
  expect((await invoke("surface_relations_document", input)).status).toBe(404);
  await landed(invoke, "ontology_compile", { surface: "desk" });
  expect((await invoke("surface_relations_document", input, org.read)).status).toBe(403);
  expect((await invoke("surface_relations_document", { ...input, source: "ev_nothing" })).status).toBe(404);
  expect((await invoke("surface_relations_document", { ...input, source: traces.id })).status).toBe(422);
  const first = await landed(invoke, "surface_relations_document", input);
  expect(first).toMatchObject({ revision: 2, refused: 0, partial: false, tier: "deterministic" });
  expect([...first.added].sort()).toEqual([CONTAINED, STATED, INCLUDED, "refers_to object/orders object/customers"]);
  expect((await documented(invoke)).get(STATED)).toMatchObject({
    tier: "deterministic",
    evidence: { document: guide.id },
  });
  await landed(invoke, "ontology_compile", { surface: "desk", force: true });
  expect([...(await documented(invoke)).keys()].sort()).toEqual([...first.added].sort());
  const { body: head } = await ok(invoke("ontology_get", { surface: "desk", part: "head" }));
  expect(head.act).toBe("document");
  await ok(invoke("ontology_revision_restore", { rev: head.id }));
  expect((await documented(invoke)).size).toBe(0);
  await landed(invoke, "ontology_compile", { surface: "desk", force: true });
  expect((await documented(invoke)).size).toBe(0);

  const { body: other } = await ok(invoke("evidence_post", { content: "Whoever orders may ask for a refund." }));
  expect(await landed(invoke, "surface_relations_document", { ...input, source: other.id })).toMatchObject({
    added: [],
    note: expect.stringMatching(/^It found none\. A rule read this: .* a model can/),
  });
});

it("names and relations of a model are of its tier, and what they cannot join is refused", async () => {
  const provider = await startProvider();
  const app = await startApp({ config: provider.config });
  try {
    const org = await app.org();
    const invoke = invoker(app, "rest", org);
    await ok(invoke("evidence_post", { surface: "desk", content: deskTraces(6) }));
    const { body: guide } = await ok(invoke("evidence_post", { content: GUIDE }));
    const labels = [
      { id: "object/orders", label: "Customer orders" },
      { id: "object/nothing", label: "Nothing" },
    ];
    const references = [{ from: "operation/get_order", to: "object/orders" }];
    provider.say({ text: JSON.stringify({ labels, references }), tokens: [1000, 100] });
    const compiled = await landed(invoke, "ontology_compile", { surface: "desk" });
    expect(compiled.refused).toEqual([
      { from: "object/nothing", reason: "unknown_node" },
      { from: "operation/get_order", to: "object/orders", reason: "not_a_field" },
    ]);
    const { body } = await ok(invoke("ontology_node_get", { node_id: "object/orders" }));
    expect(body).toMatchObject({ node: { label: "Customer orders" }, tier: "llm-derived" });
    const [pin] = (await ok(invoke("ontology_pins", { surface: "desk" }))).body.pins;
    expect(pin).toMatchObject({ id: compiled.schema_pin, tier: "llm-derived" });
    expect(pin.usd).toBeGreaterThan(0);
    expect(await landed(invoke, "ontology_compile", { surface: "desk", force: true })).toMatchObject({ revision: 1 });
    const edges = [
      { kind: "writes", from: "operation/get_order", to: "object/orders", record: "1" },
      { kind: "exposes", from: "object/orders", to: "object/customers", record: "1" },
      { kind: "has", from: "object/orders", to: "object/customers", record: "77" },
    ];
    provider.say({ text: JSON.stringify({ edges }) });
    const told = await landed(invoke, "surface_relations_document", { surface: "desk", source: guide.id });
    expect(told).toMatchObject({
      added: ["writes operation/get_order object/orders"],
      refused: 2,
      tier: "llm-derived",
    });
    expect((await documented(invoke)).get("writes operation/get_order object/orders")?.tier).toBe("llm-derived");
    expect(provider.unscripted()).toBe(0);
  } finally {
    await app.close();
    await provider.close();
  }
});
