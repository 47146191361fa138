import { beforeAll, describe, expect, it } from "vitest";
import type { ObservedTrace } from "../../../worlds/observation.ts";
import { diffOntologies } from "../../../worlds/ontology/diff.ts";
import { compileOntology } from "../../../worlds/ontology/index.ts";
import { Ontology } from "../../../worlds/ontology/schema.ts";
import { deskTraces } from "../../helpers/desk-traces.ts";
import { NOTED, recordMemorySessions } from "../../helpers/memory-sessions.ts";
import { figures, heldTo, type OntologyKey } from "./key.ts";

/** Read off worlds/samples/desk/tools.json. */
const DESK: OntologyKey = {
  services: ["desk"],
  reads: [
    "find_customer_by_email",
    "find_customer_by_name",
    "get_customer",
    "get_order",
    "get_product",
    "get_refund",
    "get_shipment",
    "list_orders",
    "search_products",
  ],
  writes: ["apply_credit", "cancel_order", "change_address", "exchange_item", "place_order", "return_item"],
  entities: {
    customer: "store_credit",
    order: "placed_on",
    product: "discontinued",
    refund: "issued_on",
    shipment: "carrier",
  },
  references: [
    ["order.customer_id", "customer"],
    ["order.items[].product_id", "product"],
    ["order.shipment_id", "shipment"],
    ["order.refund_id", "refund"],
    ["shipment.order_id", "order"],
    ["refund.order_id", "order"],
    ["refund.customer_id", "customer"],
    ["refund.product_id", "product"],
    ["get_customer.customer_id", "customer"],
    ["list_orders.customer_id", "customer"],
    ["place_order.customer_id", "customer"],
    ["place_order.product_id", "product"],
    ["get_product.product_id", "product"],
    ["get_order.order_id", "order"],
    ["apply_credit.order_id", "order"],
    ["cancel_order.order_id", "order"],
    ["change_address.order_id", "order"],
    ["exchange_item.order_id", "order"],
    ["exchange_item.product_id", "product"],
    ["exchange_item.new_product_id", "product"],
    ["return_item.order_id", "order"],
    ["return_item.product_id", "product"],
    ["get_refund.refund_id", "refund"],
    ["get_shipment.shipment_id", "shipment"],
  ],
};

/** Read off the published server's own listing. */
const MEMORY: OntologyKey = {
  services: ["memory"],
  reads: ["read_graph", "search_nodes", "open_nodes"],
  writes: [
    "create_entities",
    "create_relations",
    "add_observations",
    "delete_entities",
    "delete_observations",
    "delete_relations",
  ],
  entities: { entity: "entityType", relation: "relationType" },
  references: [
    ["relation.from", "entity"],
    ["relation.to", "entity"],
    ["open_nodes.names[]", "entity"],
    ["delete_entities.entityNames[]", "entity"],
    ["add_observations.observations[].entityName", "entity"],
    ["delete_observations.deletions[].entityName", "entity"],
    ["create_relations.relations[].from", "entity"],
    ["create_relations.relations[].to", "entity"],
    ["delete_relations.relations[].from", "entity"],
    ["delete_relations.relations[].to", "entity"],
  ],
};

describe.each([
  { name: "desk", key: DESK, load: async () => deskTraces() },
  { name: "memory", key: MEMORY, load: async () => (await recordMemorySessions(1, 30, NOTED)).traces },
])("the ontology of $name from traces alone", ({ name, key, load }) => {
  let traces: readonly ObservedTrace[];
  beforeAll(async () => {
    traces = await load();
  });

  it("holds to a key that was written from the listing", () => {
    const held = heldTo(compileOntology(traces, { name }), key);
    console.info(figures(name, held));
    expect(held.services).toBe(true);
    expect(held.tools.right / held.tools.called).toBeGreaterThanOrEqual(0.95);
    expect(held.entities.found).toBe(held.entities.of);
    expect(held.references.found / held.references.of, held.references.missing.join("; ")).toBeGreaterThanOrEqual(0.9);
  });

  it("is the same graph whatever the order, with evidence for all that it says", () => {
    const graph = compileOntology(traces, { name });
    expect(Ontology.parse(graph)).toEqual(graph);
    expect(compileOntology([...traces].reverse(), { name })).toEqual(graph);
    const ids = new Set(traces.map((trace) => trace.id));
    for (const { evidence, id } of [...graph.nodes, ...graph.edges]) {
      expect(evidence.calls, id).toBeGreaterThan(0);
      for (const example of evidence.examples) {
        const [, trace, call] = /^(.*)#(\d+)$/.exec(example) ?? [];
        expect(ids.has(trace ?? ""), example).toBe(true);
        expect(traces.find((one) => one.id === trace)?.calls[Number(call)], example).toBeDefined();
      }
    }
  });
});

const listed = (name: string, readOnlyHint?: boolean) => ({
  name,
  inputSchema: { type: "object", properties: { id: { type: "string" }, mode: { enum: ["fast", "slow"] } } },
  ...(readOnlyHint === undefined ? {} : { annotations: { readOnlyHint } }),
});

describe("operations", () => {
  it("of a listing alone are named, with their arguments and closed values, and nothing is said to be observed", () => {
    const graph = compileOntology([], { name: "s", tools: [listed("crm__get_card", true), listed("files.drop")] });
    const of = (id: string) => graph.nodes.find((node) => node.id === id);
    expect(of("operation/crm__get_card")).toMatchObject({ effect: "read", basis: "annotation" });
    expect(of("operation/files.drop")).toMatchObject({ effect: "write", basis: "verb" });
    expect(of("operation/files.drop/args/mode/values")).toMatchObject({ values: ["fast", "slow"] });
    expect(graph.nodes.filter(({ kind }) => kind === "service").map(({ name }) => name)).toEqual(["crm", "files"]);
    expect(graph.nodes.every(({ evidence }) => evidence.calls === 0 && evidence.listing)).toBe(true);
    expect(graph.nodes.some(({ kind }) => kind === "object")).toBe(false);
  });

  it("that read by their verb and change rows all the same are writes by observation", () => {
    const card = (n: number, state: string) => ({ card_id: `K-${n}`, holder: `holder ${n}`, state });
    const traces = Array.from({ length: 6 }, (_, n): ObservedTrace => {
      const call = (tool: string, result: ReturnType<typeof card> | string) => ({
        tool,
        args: { card_id: `K-${n}` },
        result: typeof result === "string" ? result : { ...result },
        isError: false,
      });
      return {
        id: `t${n}`,
        calls: [call("get_card", card(n, "open")), call("check_card", "done"), call("get_card", card(n, "frozen"))],
      };
    });
    const graph = compileOntology(traces, { name: "cards" });
    const check = graph.nodes.find(({ id }) => id === "operation/check_card");
    expect(check).toMatchObject({ effect: "write", basis: "observed" });
    expect(graph.edges.map(({ id }) => id)).toContain("writes operation/check_card object/cards");
    expect(graph.nodes.find(({ id }) => id === "operation/get_card")).toMatchObject({ effect: "read", basis: "verb" });
  });
});

describe("a diff", () => {
  const traces = deskTraces();
  const was = compileOntology(traces, { name: "desk" });

  it("of a graph and itself is empty", () => {
    const diff = diffOntologies(was, was);
    expect(diff.nodes).toEqual({ added: [], removed: [] });
    expect(diff.edges).toEqual({ added: [], removed: [] });
    expect([...diff.operations.renamed, ...diff.objects.renamed, ...diff.effects]).toEqual([]);
  });

  it("finds a renamed tool by what it has and touches, and counts nothing else as changed", () => {
    const renamed = traces.map((trace) => ({
      ...trace,
      calls: trace.calls.map((call) => (call.tool === "get_shipment" ? { ...call, tool: "fetch_parcel" } : call)),
    }));
    const diff = diffOntologies(was, compileOntology(renamed, { name: "desk" }));
    expect(diff.operations).toMatchObject({
      added: [],
      removed: [],
      renamed: [{ from: "operation/get_shipment", to: "operation/fetch_parcel" }],
    });
    expect(diff.edges).toEqual({ added: [], removed: [] });
  });

  it("tells a tool that came and one that went, which are nothing alike", () => {
    const without = traces.map((trace) => ({
      ...trace,
      calls: trace.calls.filter((call) => call.tool !== "search_products"),
    }));
    const diff = diffOntologies(
      was,
      compileOntology(without, { name: "desk", tools: [{ ...listed("ring_bell"), inputSchema: { type: "object" } }] }),
    );
    expect(diff.operations.added).toEqual(["operation/ring_bell"]);
    expect(diff.operations.removed).toEqual(["operation/search_products"]);
    expect(diff.operations.renamed).toEqual([]);
    expect(diff.edges.removed).toContain("reads operation/search_products object/products");
  });
});
