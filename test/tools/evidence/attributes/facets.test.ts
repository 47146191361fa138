import { expect } from "vitest";
import { bothSurfaces } from "../../../helpers/app.ts";
import { ok } from "../../sandboxes/kit.ts";
import { traced } from "../kit.ts";

// biome-ignore lint/suspicious/noExplicitAny: fields of many answers; a wrong name fails the expectation.
type Row = any;

/** Three kinds of trace of 30, 20 and 10, told apart by three fields; every seventh has another register. */
const planted = (i: number) => (i < 30 ? "cancel" : i < 50 ? "return" : "invoice");
const valuesOf = (i: number) => ({
  use_case: { value: planted(i) },
  tool: { value: `${planted(i)}_tool` },
  object: { value: i < 50 ? "order" : "bill" },
  register: { value: i % 7 === 0 ? "terse" : "polite" },
});

bothSurfaces("facets_post finds the groups that are there, by seed, and writes them back", async (invoke, { org }) => {
  const { eid, ids } = await traced(invoke, 60);
  expect((await invoke("facets_post", { evidence: eid })).status, "nothing was read yet").toBe(422);
  const attributes = ids.map((trace, i) => ({ trace, values: valuesOf(i) }));
  await ok(invoke("evidence_attributes_post", { eid, attributes, method: "planted" }));
  expect((await invoke("facets_post", { evidence: eid }, org.read)).status).toBe(403);
  const { status, body } = await ok(invoke("facets_post", { evidence: eid, as_field: "grp" }, org.push));
  expect(status).toBe(201);
  expect(body.clusters.map((row: Row) => row.size)).toEqual([30, 20, 10]);
  expect(body).toMatchObject({
    org: "acme",
    traces: 60,
    tier: "deterministic",
    fields: ["object", "register", "tool", "use_case"],
  });
  const [first] = body.clusters;
  expect(first.medoid).toEqual({ use_case: "cancel", tool: "cancel_tool", object: "order", register: "polite" });
  expect(first.describes[0]).toEqual({ field: "tool", value: "cancel_tool", share: 1, share_of_all: 0.5 });
  // Five of its thirty differ from the medoid in one field of four.
  expect(first.cohesion).toBeCloseTo(1 - 5 / 30 / 4, 10);
  expect(first.exemplars).toEqual([1, 2, 3].map((position) => ({ trace: ids[position], position })));
  const same = await ok(invoke("facets_post", { evidence: eid, fields: body.fields }));
  expect(same.body.clusters, "the same attributes and seed").toEqual(body.clusters);
  // Finding A11: clusters alone are enough.
  const given = await ok(invoke("facets_post", { clusters: [{ label: "mine", traces: ids.slice(0, 5) }] }));
  expect(given.body).toMatchObject({ evidence: eid, clusters: [{ label: "mine", size: 5 }] });
  expect((await invoke("facets_post", {})).body.fields[0].path).toBe("evidence");
  expect((await invoke("facets_post", { clusters: [{ label: "x", traces: ["tr_none"] }] })).status).toBe(400);
  const matched = await ok(invoke("evidence_match", { eid, selection: { grp: [first.label] } }));
  expect(matched.body.matched_n).toBe(30);

  const two = await ok(invoke("facets_post", { evidence: eid, k: 2, fields: ["object", "tool"], seed: "9" }));
  expect(two.body.clusters.map((row: Row) => row.size)).toEqual([50, 10]);
  const again = await ok(invoke("facets_post", { evidence: eid, k: 2, fields: ["object", "tool"], seed: "9" }));
  expect(again.body.clusters).toEqual(two.body.clusters);
  const more = await ok(invoke("facets_post", { evidence: eid, k: 50, fields: ["object"] }));
  expect(more.body.clusters, "no more groups than there are combinations").toHaveLength(2);
  expect((await invoke("facets_post", { evidence: eid, fields: ["colour"] })).body.details.names).toEqual(['"colour"']);
  expect((await invoke("facets_post", { evidence: eid, fields: ["object"], as_field: "object" })).status).toBe(400);

  const list = (await ok(invoke("facets_list", { limit: 2, evidence: eid }, org.read))).body;
  expect(list.facets.map((row: Row) => row.id)).toEqual([more.body.id, again.body.id]);
  expect(list.facets[1].clusters[0]).toEqual({ label: two.body.clusters[0].label, size: 50 });
  expect((await ok(invoke("facets_list", { evidence: "ev_none" }))).body.facets).toEqual([]);
  expect((await ok(invoke("facets_get", { fid: body.id }, org.read))).body).toEqual(body);
  expect((await invoke("facets_get", { fid: "fs_none" })).status).toBe(404);
});

bothSurfaces("facets_post measures groups that a person made", async (invoke) => {
  const { eid, ids } = await traced(invoke, 60);
  const attributes = ids.slice(0, 50).map((trace, i) => ({ trace, values: valuesOf(i) }));
  await ok(invoke("evidence_attributes_post", { eid, attributes, method: "planted" }));
  const clusters = [
    { label: "same", traces: ids.slice(1, 6) },
    { label: "mixed", traces: [ids[28], ids[29], ids[30], ids[31]] },
    { label: "unread", traces: ids.slice(55) },
  ];
  const { body } = await ok(invoke("facets_post", { evidence: eid, clusters }));
  expect(body).toMatchObject({ traces: 14, tier: "human" });
  expect(body.cohesion, "one group has no measure").toBeUndefined();
  const [same, mixed, unread] = body.clusters;
  expect(same).toMatchObject({ label: "same", size: 5, share: 0.1, cohesion: 1 });
  expect(mixed.cohesion).toBeLessThan(0.9);
  expect(unread).toEqual({
    label: "unread",
    size: 5,
    exemplars: [55, 56, 57].map((position) => ({ trace: ids[position], position })),
    medoid: {},
    describes: [],
  });
  const twice = [...clusters, { label: "again", traces: [ids[1]] }];
  expect((await invoke("facets_post", { evidence: eid, clusters: twice })).body.fields[0].path).toBe(
    "clusters.3.traces.0",
  );
  const unknown = [{ label: "x", traces: [ids[0], "tr_none"] }];
  expect((await invoke("facets_post", { evidence: eid, clusters: unknown })).body.fields[0].path).toBe(
    "clusters.0.traces.1",
  );
  expect((await invoke("facets_post", { evidence: eid, clusters, k: 3 })).status).toBe(400);
});
