import { expect } from "vitest";
import { bothSurfaces } from "../../../helpers/app.ts";
import { ok } from "../../sandboxes/kit.ts";
import { TOKEN, traced } from "../kit.ts";

// biome-ignore lint/suspicious/noExplicitAny: fields of many answers; a wrong name fails the expectation.
type Row = any;

bothSurfaces("attributes are filed per trace, with who read them and how, and read back", async (invoke, { org }) => {
  const { eid, ids } = await traced(invoke, 4);
  const of = (trace: string | undefined, values: object) => ({ trace, values });
  const post = (input: object, as?: string) => invoke("evidence_attributes_post", { eid, ...input }, as);
  expect((await post({ attributes: [of(ids[0], { a: { value: "x" } })] }, org.read)).status).toBe(403);
  const said = await post({ attributes: [of(ids[0], { mood: { value: "angry", cite: "turns.1" } })] }, org.push);
  expect(said).toMatchObject({
    status: 201,
    body: { _v: 1, id: eid, extracted: { traces: 1, values: 1, extractor_model: null, method: null, tier: "human" } },
  });
  const coded = await ok(
    post({ method: "regex 2", attributes: ids.map((id, i) => of(id, { parity: { value: i % 2 ? "odd" : "even" } })) }),
  );
  expect(coded.body.extracted).toMatchObject({ values: 4, tier: "deterministic" });
  const model = await ok(
    post({
      extractor_model: "m-1",
      attributes: [of(ids[1], { mood: { value: "calm", tier: "human" }, parity: { value: "odd" } })],
    }),
  );
  expect(model.body.extracted, "a model's word is never more").toMatchObject({ tier: "llm-derived" });
  expect(model.body.attributes).toEqual([
    { field: "mood", filled: 2, share: 0.5, distinct: 2, tier: "llm-derived" },
    { field: "parity", filled: 4, share: 1, distinct: 2, tier: "llm-derived" },
  ]);
  const first = (await ok(invoke("evidence_attributes_get", { eid, limit: 2 }, org.read))).body;
  expect(first.attributes).toEqual([
    {
      trace: ids[0],
      position: 0,
      attributes: {
        mood: { value: "angry", cite: "turns.1", tier: "human", reader: "acme-push" },
        parity: { value: "even", cite: null, tier: "deterministic", reader: "regex 2" },
      },
    },
    {
      trace: ids[1],
      position: 1,
      attributes: {
        mood: { value: "calm", cite: null, tier: "llm-derived", reader: "m-1" },
        parity: { value: "odd", cite: null, tier: "llm-derived", reader: "m-1" },
      },
    },
  ]);
  const second = (await ok(invoke("evidence_attributes_get", { eid, limit: 2, cursor: first.next }))).body;
  expect(second.attributes.map((row: Row) => row.trace)).toEqual(ids.slice(2));
  expect(second.next).toBeUndefined();
  expect(first.fields.map((row: Row) => [row.field, row.filled])).toEqual([
    ["mood", 2],
    ["parity", 4],
  ]);
  expect(second, "counted once, not for each page").not.toHaveProperty("fields");

  const unknown = await post({
    attributes: [of(ids[2], { mood: { value: "x" } }), of("tr_none", { mood: { value: "x" } })],
  });
  expect(unknown).toMatchObject({ status: 400, body: { fields: [{ path: "attributes.1.trace" }] } });
  const secret = await post({ attributes: [of(ids[2], { mood: { value: TOKEN } })] });
  expect(secret.status).toBe(422);
  expect(JSON.stringify(secret.body)).not.toContain(TOKEN);
  expect((await post({ attributes: [of(ids[2], { "Bad Name": { value: "x" } })] })).status).toBe(400);
  expect((await post({ attributes: [of(ids[2], { mood: { value: " " } })] })).status).toBe(400);
  const after = (await ok(invoke("evidence_attributes_get", { eid }))).body;
  expect(after.fields[0], "nothing of what was refused").toMatchObject({ field: "mood", filled: 2 });
  const listing = await ok(
    invoke("evidence_post", { content: [{ type: "function", function: { name: "f", parameters: {} } }] }),
  );
  expect((await invoke("evidence_attributes_get", { eid: listing.body.id })).status).toBe(422);
  expect((await invoke("evidence_attributes_get", { eid: "ev_none" })).status).toBe(404);
});

bothSurfaces("what evidence_match says of a next value is what selecting it leaves", async (invoke) => {
  const { eid, ids } = await traced(invoke, 60);
  const attributes = ids.map((trace, i) => ({
    trace,
    values: {
      a: { value: `a${(i * 7) % 3}` },
      b: { value: `b${(i * i) % 5}`, ...(i % 2 ? { tier: "human" } : {}) },
      ...(i % 4 ? { c: { value: `c${(i * 11) % 4}` } } : {}),
    },
  }));
  await ok(invoke("evidence_attributes_post", { eid, attributes, method: "by hand" }));
  const match = async (selection: Record<string, string[]>) =>
    (await ok(invoke("evidence_match", { eid, selection }))).body as Row;
  for (const selection of [
    { a: ["a1"] },
    { a: ["a0", "a2"], b: ["b1", "b4"] },
    { a: ["a1"], b: ["b0", "b1"], c: ["c1"] },
  ]) {
    const told = await match(selection);
    expect(told.per_field.map((row: Row) => row.field)).toEqual(["a", "b", "c"]);
    for (const { field, values } of told.per_field)
      for (const { value, n, chosen } of values) {
        const before = (selection as Record<string, string[]>)[field] ?? [];
        expect(chosen).toBe(before.includes(value));
        const next = await match({ ...selection, [field]: [...new Set([...before, value])] });
        expect(next.matched_n, `${JSON.stringify(selection)} and ${field} ${value}`).toBe(n);
      }
  }
});

bothSurfaces("evidence_match counts a selection and what each next value leaves", async (invoke, { org }) => {
  const { eid, ids } = await traced(invoke, 40);
  const attributes = ids.map((trace, i) => ({
    trace,
    values: {
      size: { value: ["s", "m", "l", "xl"][i % 4] },
      half: { value: i < 20 ? "first" : "second", ...(i < 20 ? {} : { tier: "human" }) },
      ...(i < 10 ? { rare: { value: "yes" } } : {}),
    },
  }));
  await ok(invoke("evidence_attributes_post", { eid, attributes, method: "by hand" }));
  const match = async (input: object) => (await ok(invoke("evidence_match", { eid, ...input }, org.push))).body as Row;
  expect((await invoke("evidence_match", { eid }, org.read)).status).toBe(403);
  const all = await match({});
  expect(all).toMatchObject({ corpus_n: 40, matched_n: 40, min_traces: 5, enough: true, counted_selection: {} });
  expect(all.unfilterable).toMatchObject([{ field: "rare", filled: 10, share: 0.25 }]);
  expect(all.per_field.map((row: Row) => row.field)).toEqual(["half", "size"]);
  expect(all.per_field[1].values.map((row: Row) => [row.value, row.n])).toEqual([
    ["l", 10],
    ["m", 10],
    ["s", 10],
    ["xl", 10],
  ]);

  const narrowed = await match({ selection: { half: ["first"], size: ["s", "m"] }, fields: ["size", "half"] });
  expect(narrowed.matched_n).toBe(10);
  const [size, half] = narrowed.per_field;
  expect(size.values.map((row: Row) => [row.value, row.n, row.chosen])).toEqual([
    ["m", 10, true],
    ["s", 10, true],
    ["l", 15, false],
    ["xl", 15, false],
  ]);
  expect(half.values.map((row: Row) => [row.value, row.n, row.tier])).toEqual([
    ["first", 10, "deterministic"],
    ["second", 20, "human"],
  ]);
  const one = await match({ fields: ["size"] });
  expect(one.per_field.map((row: Row) => row.field)).toEqual(["size"]);
  expect(one.unfilterable, "no other field is counted").toEqual([]);
  const next = await match({ selection: { half: ["first", "second"], size: ["s", "m"] } });
  expect(next.matched_n, "what the answer promised").toBe(20);

  const few = await match({ selection: { size: ["s"], half: ["first"], rare: ["yes"] } });
  expect(few).toMatchObject({ matched_n: 5, counted_selection: { size: ["s"], half: ["first"] }, enough: true });
  expect(await match({ selection: { size: ["none"] } })).toMatchObject({ matched_n: 0, enough: false });
  const wrong = await invoke("evidence_match", { eid, selection: { colour: ["red"] } });
  expect(wrong).toMatchObject({ status: 400, body: { fields: [{ path: "selection.colour" }] } });
  expect((await invoke("evidence_match", { eid, selection: { size: [] } })).status).toBe(400);
  expect((await invoke("evidence_match", { eid, fields: ["colour"] })).body.fields[0].path).toBe("fields.0");
  expect((await invoke("evidence_match", { eid: "ev_none" })).status).toBe(404);
});
