import { expect } from "vitest";
import { bothSurfaces, type Invoke } from "../../../helpers/app.ts";
import { deskTraces, ended, ok } from "../../sandboxes/kit.ts";

// biome-ignore lint/suspicious/noExplicitAny: fields of many axes; a wrong name fails the expectation.
type Axis = any;

async function axis(invoke: Invoke, field: string): Promise<Axis> {
  const { body } = await ok(invoke("dimensions_get"));
  return body.dimensions.find((row: Axis) => row.field === field);
}

async function value(invoke: Invoke, field: string, name: string): Promise<Axis> {
  return (await axis(invoke, field))?.values.find((row: Axis) => row.value === name);
}

bothSurfaces(
  "the axes that every org has are there, with what the graph and the evidence show",
  async (invoke, { org }) => {
    const { body } = await ok(invoke("dimensions_get", {}, org.read));
    expect(body.dimensions.map((row: Axis) => row.field)).toEqual([
      "use_case",
      "persona",
      "register",
      "operation",
      "object",
      "data_condition",
      "difficulty",
      "policy",
    ]);
    expect((await axis(invoke, "data_condition")).values.map((row: Axis) => row.value)).toEqual([
      "present",
      "absent",
      "partial",
      "contradictory",
    ]);
    expect(body.facets).toEqual([]);
    await ok(invoke("evidence_post", { surface: "desk", content: deskTraces(12) }));
    await ended(invoke, (await ok(invoke("ontology_compile", { surface: "desk" }))).body.job);
    const found = await value(invoke, "operation", "get_order");
    expect(found).toMatchObject({ origin: "ontology", tier: "deterministic", status: "accepted" });
    expect(found.cites).toHaveLength(1);
    const facets = (await ok(invoke("dimensions_get"))).body.facets;
    expect(facets).toContainEqual({
      facet: "surface",
      values: [{ value: "desk", evidence: 1, traces: deskTraces(12).length }],
      tier: "deterministic",
    });
  },
);

bothSurfaces("a dimension is declared once, grows, and goes whole", async (invoke, { org }) => {
  const input = { field: "channel", values: ["chat", "mail"], label: "Channel", added_by: "ann" };
  expect((await invoke("dimensions_post", input, org.push)).status).toBe(403);
  expect((await invoke("dimensions_post", { field: "Bad Name", values: ["x"] })).body.fields[0].path).toBe("field");
  expect((await invoke("dimensions_post", { field: "channel" })).body.fields[0].path).toBe("values");
  expect((await invoke("dimensions_post", { values: ["x"] })).body.fields[0].path).toBe("field");
  const first = await ok(invoke("dimensions_post", input));
  expect(first.status).toBe(201);
  expect(first.body).toMatchObject({ registered: ["chat", "mail"], already: [], preset: null });
  expect(first.body.dimensions).toMatchObject([{ field: "channel", by: "ann", tier: "human", standing: false }]);
  const more = (await ok(invoke("dimensions_post", { preset: "channel" }))).body;
  expect(more).toMatchObject({ preset: "channel", registered: ["email", "phone", "web"], already: ["chat"] });
  const did = first.body.dimensions[0].id;
  const standing = (await ok(invoke("dimensions_get"))).body.dimensions.find(
    (row: { field: string }) => row.field === "persona",
  );
  // Finding A27.
  expect(await invoke("dimensions_delete", { did: standing.id })).toMatchObject({
    status: 409,
    body: { reason: expect.stringContaining("it stays") },
  });
  expect(did).toMatch(/^dx_/);
  expect((await invoke("dimensions_delete", { did }, org.push)).status).toBe(403);
  expect((await ok(invoke("dimensions_delete", { did }))).body).toEqual({
    deleted: { dimension: did, values: 5 },
    field: "channel",
  });
  expect(await axis(invoke, "channel")).toBeUndefined();
  expect((await invoke("dimensions_delete", { did })).status).toBe(404);
});

bothSurfaces("values are accepted, dismissed and described", async (invoke, { org }) => {
  await ok(invoke("dimensions_post", { field: "use_case", values: ["cancel an order"] }));
  await ok(invoke("dimensions_post", { field: "persona", values: ["new customer"] }));
  const job = await value(invoke, "use_case", "cancel an order");
  const persona = await value(invoke, "persona", "new customer");
  const accept = { value_id: job.id, by: "ann", reason: "seen", personas: ["new customer"] };
  expect((await invoke("dimension_value_accept", accept, org.read)).status).toBe(403);
  expect((await invoke("dimension_value_accept", { ...accept, personas: ["nobody"] })).body.fields[0].path).toBe(
    "personas.0",
  );
  const accepted = (await ok(invoke("dimension_value_accept", accept, org.push))).body;
  expect(accepted).toMatchObject({
    act: "accept",
    axis: "use_case",
    target: { id: job.id, status: "accepted", settled_by: "ann", settled_reason: "seen", personas: ["new customer"] },
  });
  const again = (await ok(invoke("dimension_value_accept", { value_id: job.id, by: "bob" }))).body;
  expect(again.target.settled_by).toBe("ann");
  const dismissed = (await ok(invoke("dimension_value_dismiss", { value_id: job.id, by: "bob" }))).body;
  expect(dismissed).toMatchObject({ act: "dismiss", target: { status: "dismissed", settled_by: "bob" } });
  const axisId = (await ok(invoke("dimensions_post", { preset: "urgency" }))).body.dimensions[0].id;
  const whole = (await ok(invoke("dimension_value_dismiss", { value_id: axisId }))).body;
  expect(whole).toMatchObject({ axis: "urgency", target: { id: axisId, status: "dismissed" } });
  expect((await axis(invoke, "urgency")).status).toBe("dismissed");
  for (const id of ["dv_nothing", "dx_nothing"])
    expect((await invoke("dimension_value_dismiss", { value_id: id })).status).toBe(404);
  const given = await value(invoke, "data_condition", "partial");
  await ok(invoke("dimension_value_dismiss", { value_id: given.id }));
  expect(await value(invoke, "data_condition", "partial")).toMatchObject({ status: "dismissed" });
  expect((await invoke("dimension_value_profile_post", { value_id: persona.id })).status).toBe(400);
  const unknown = { value_id: persona.id, jobs: ["fly"] };
  expect((await invoke("dimension_value_profile_post", unknown)).body.fields[0].path).toBe("jobs.0");
  await ok(invoke("dimension_value_profile_post", { value_id: persona.id, weight: 3, jobs: ["cancel an order"] }));
  const { body } = await ok(
    invoke("dimension_value_profile_post", { value_id: persona.id, profile: { tone: "short" }, by: "ann" }, org.push),
  );
  expect(body.value).toMatchObject({ weight: 3, jobs: ["cancel an order"], profile: { tone: "short" } });
});

bothSurfaces(
  "a value stands under another, never in a circle, and a use case can be a hero",
  async (invoke, { org }) => {
    await ok(invoke("dimensions_post", { field: "use_case", values: ["orders", "cancel", "returns"] }));
    const [orders, cancel, returns] = (await axis(invoke, "use_case")).values;
    const ids = new Map([orders, cancel, returns].map((row) => [row.value, row.id]));
    const under = (child: string, parent: string, more = {}) =>
      invoke("dimension_value_parent", { value_id: ids.get(child), value: parent, ...more }, org.push);
    const first = (await ok(under("cancel", "orders", { grader: "ann", reason: "it is one" }))).body;
    expect(first).toMatchObject({ replaced: null, grader: "ann", tier: "human", parent: { value: "orders" } });
    const second = (await ok(under("cancel", "returns", { grader_kind: "model" }))).body;
    expect(second).toMatchObject({ tier: "llm-derived", replaced: { value: "orders", grader: "ann" } });
    expect((await under("returns", "cancel")).status).toBe(409);
    expect((await under("returns", "returns")).status).toBe(409);
    expect((await under("returns", "nothing")).status).toBe(404);
    expect((await value(invoke, "use_case", "cancel")).parent.value).toBe("returns");
    const { body: evidence } = await ok(invoke("evidence_post", { content: deskTraces(30) }));
    const hero = { value_id: ids.get("cancel"), cites: [evidence.id], by: "ann" };
    expect((await ok(invoke("dimension_value_hero", hero, org.push))).body).toMatchObject({
      hero: true,
      by: "ann",
      cites: [evidence.id],
    });
    expect((await value(invoke, "use_case", "cancel")).hero).toBe(true);
    expect((await invoke("dimension_value_hero", { ...hero, cites: ["ev_nothing"] })).body.fields[0].path).toBe(
      "cites.0",
    );
    await ok(invoke("dimension_value_hero", { value_id: ids.get("cancel"), hero: false }));
    expect((await value(invoke, "use_case", "cancel")).hero).toBe(false);
    const present = await value(invoke, "data_condition", "present");
    expect((await invoke("dimension_value_hero", { value_id: present.id })).status).toBe(409);
  },
);

bothSurfaces("spellings are told first and folded when asked, with all that they had", async (invoke, { org }) => {
  await ok(invoke("dimensions_post", { field: "use_case", values: ["Cancel order"] }));
  await ok(invoke("dimensions_post", { field: "use_case", values: ["cancel-orders", "return item"] }));
  await ok(invoke("dimensions_post", { field: "persona", values: ["regular"] }));
  const [kept, twin, other] = await Promise.all(
    ["Cancel order", "cancel-orders", "return item"].map((name) => value(invoke, "use_case", name)),
  );
  const persona = await value(invoke, "persona", "regular");
  await ok(invoke("dimension_value_profile_post", { value_id: twin.id, weight: 2, personas: ["regular"] }));
  await ok(invoke("dimension_value_profile_post", { value_id: kept.id, weight: 1 }));
  await ok(invoke("dimension_value_profile_post", { value_id: persona.id, jobs: ["cancel-orders"] }));
  await ok(invoke("dimension_value_parent", { value_id: other.id, value: "cancel-orders" }));
  const plan = (await ok(invoke("dimensions_merge_spellings", {}, org.push))).body;
  expect(plan).toMatchObject({
    applied: false,
    field: "use_case",
    merges: [{ kept: { id: kept.id }, folded: [{ id: twin.id }] }],
  });
  expect(plan.merges).toHaveLength(1);
  expect((await axis(invoke, "use_case")).values).toHaveLength(3);
  expect((await invoke("dimensions_merge_spellings", { field: "nothing" })).status).toBe(404);
  await ok(invoke("dimensions_merge_spellings", { apply: true, by: "ann" }));
  expect(await value(invoke, "use_case", "Cancel order")).toMatchObject({
    weight: 3,
    personas: ["regular"],
    spellings: ["cancel-orders"],
  });
  expect(await value(invoke, "use_case", "cancel-orders")).toBeUndefined();
  expect((await value(invoke, "persona", "regular")).jobs).toEqual(["Cancel order"]);
  expect((await value(invoke, "use_case", "return item")).parent).toMatchObject({ value: "Cancel order", id: kept.id });
  expect((await ok(invoke("dimensions_merge_spellings", { apply: true }))).body.merges).toEqual([]);
});
