import { expect, it } from "vitest";
import { bothSurfaces, type Invoke, invoker, startApp } from "../../helpers/app.ts";
import { startProvider } from "../../helpers/vendors/models.ts";
import { deskTools, deskTraces, ended, ok } from "../sandboxes/kit.ts";

// biome-ignore lint/suspicious/noExplicitAny: fields of many values; a wrong name fails the expectation.
type Row = any;

const HANDBOOK = `# Desk handbook

Intro with a list:

- not a persona

## Personas

- **Regular** - orders every week and writes little
- First-time buyers: need every step told
- regulars

## Use cases

1. Cancel an order
2. Return an item
`;

async function values(invoke: Invoke, field: string): Promise<Row[]> {
  const { body } = await ok(invoke("dimensions_get"));
  return body.dimensions.find((row: Row) => row.field === field).values;
}

async function derived(invoke: Invoke, input: Record<string, unknown>): Promise<Row> {
  const started = await ok(invoke("dimensions_derive", input));
  expect(started.status).toBe(202);
  const job = await ended(invoke, started.body.job);
  if (job.status !== "landed") throw new Error(`the reading ended ${job.status}: ${job.note}`);
  expect(job).toMatchObject({ done: 2, total: 2 });
  return job.result;
}

bothSurfaces("dimensions_derive reads traces by rule, once, in part or as a whole", async (invoke, { org }) => {
  const { body: source } = await ok(invoke("evidence_post", { content: deskTraces(6) }));
  const { body: listing } = await ok(invoke("evidence_post", { content: deskTools() }));
  expect((await invoke("dimensions_derive", { source: source.id }, org.read)).status).toBe(403);
  expect((await invoke("dimensions_derive", { source: "ev_nothing" })).status).toBe(404);
  expect((await invoke("dimensions_derive", { source: listing.id })).status).toBe(422);
  const wrong = await invoke("dimensions_derive", { source: source.id, attributes: ["colour"] });
  expect(wrong.body.fields[0].path).toBe("attributes.0");
  const total = deskTraces(6).length;
  const told = await derived(invoke, { source: source.id, propose: false, curve: true, subsample: 0.5 });
  expect(told).toMatchObject({ records: total, read: Math.floor(total / 2), partial: true, proposed: [], model: null });
  expect(told.curve.at(-1).records).toBe(told.read);
  expect(await values(invoke, "use_case")).toEqual([]);
  const first = await derived(invoke, { source: source.id });
  expect(first).toMatchObject({ read: total, partial: false, refused: 0, tier: "deterministic", dropped_ids: [] });
  const found = await values(invoke, "use_case");
  expect(found.map((row) => row.id).sort()).toEqual([...first.proposed].sort());
  expect(found.map((row) => row.value)).toContain("cancel order");
  expect(found.reduce((sum, row) => sum + row.traces, 0)).toBe(total);
  for (const row of found) expect(row).toMatchObject({ status: "proposed", origin: "derived", cites: [source.id] });
  const again = await derived(invoke, { source: source.id });
  expect(again).toMatchObject({ proposed: [], deduped: found.length });
  expect((await values(invoke, "use_case")).reduce((sum, row) => sum + row.traces, 0)).toBe(total);
  const dismissed = found.find((row) => row.value === "cancel order");
  await ok(invoke("dimension_value_dismiss", { value_id: dismissed.id }));
  const few = await derived(invoke, { source: source.id, limit: 1, additive: false });
  expect(few.read).toBe(1);
  expect(few.complements.length).toBeGreaterThan(0);
  const left = await values(invoke, "use_case");
  expect(left.find((row) => row.id === dismissed.id)?.status).toBe("dismissed");
  for (const name of few.complements) expect(left.map((row) => row.value)).not.toContain(name);
});

bothSurfaces("dimensions_personas_from_document writes what a document was read to show", async (invoke, { org }) => {
  const { body: source } = await ok(invoke("evidence_post", { content: HANDBOOK }));
  const input = { source: source.id };
  expect((await invoke("dimensions_personas_from_document", input, org.read)).status).toBe(403);
  expect((await invoke("dimensions_personas_from_document", { source: "ev_nothing" })).status).toBe(404);
  expect((await invoke("dimensions_personas_from_document", input)).status).toBe(409);
  const result = await derived(invoke, input);
  expect((await values(invoke, "use_case")).map((row) => row.value).sort()).toEqual([
    "Cancel an order",
    "Return an item",
  ]);
  const { body, status } = await ok(invoke("dimensions_personas_from_document", input, org.push));
  expect(status).toBe(201);
  expect(body).toMatchObject({ field: "persona", source: source.id, pins: [result.reading], tier: "deterministic" });
  const personas = await values(invoke, "persona");
  expect(personas.map((row) => row.value).sort()).toEqual(["First-time buyers", "Regular"]);
  for (const row of personas) expect(row).toMatchObject({ status: "accepted", cites: [source.id] });
  await ok(invoke("dimensions_personas_from_document", input));
  expect(await values(invoke, "persona")).toEqual(personas);
});

it("dimensions_derive by a model cites what is there, and what is not is refused and counted", async () => {
  const provider = await startProvider();
  const app = await startApp({ config: provider.config });
  try {
    const org = await app.org();
    const invoke = invoker(app, "rest", org);
    const { body: source } = await ok(invoke("evidence_post", { content: deskTraces(30) }));
    const said = [
      { field: "persona", value: "hurried parent", records: ["1", "999"], profile: { tone: "short" } },
      { field: "persona", value: "nobody", records: ["999"] },
      { field: "colour", value: "red", records: ["1"] },
    ];
    provider.say({ text: JSON.stringify({ values: said }), tokens: [1000, 100] });
    const result = await derived(invoke, { source: source.id });
    expect(result).toMatchObject({ refused: 2, dropped_ids: ["999"], tier: "llm-derived" });
    expect(result.model).not.toBeNull();
    expect(await values(invoke, "persona")).toMatchObject([
      { value: "hurried parent", profile: { tone: "short" }, tier: "llm-derived", status: "proposed" },
    ]);
    provider.say({ text: "no json" }, { text: "still none" });
    const failed = await ok(invoke("dimensions_derive", { source: source.id }));
    expect((await ended(invoke, failed.body.job)).status).toBe("failed");
    expect(await values(invoke, "persona")).toHaveLength(1);
    expect(provider.unscripted()).toBe(0);
  } finally {
    await app.close();
    await provider.close();
  }
});
