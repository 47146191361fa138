import { expect } from "vitest";
import { readInputs, surfaceEvidence } from "../../../../chapters/sandboxes/surfaces/surface-evidence.ts";
import { bothSurfaces, type Invoke, type SurfaceTest } from "../../../helpers/app.ts";
import { ctxOf } from "../../../helpers/ctx.ts";

const said = (request: string) => ({
  messages: [
    { role: "user", content: request },
    { role: "assistant", content: "Done." },
  ],
});

/** Stores two sessions of a provenance and answers the ids of their traces. */
async function traces(invoke: Invoke, { app, org }: SurfaceTest, provenance: string): Promise<string[]> {
  const { body } = await invoke("evidence_post", {
    content: [said(`${provenance} one`), said(`${provenance} two`)],
    provenance,
  });
  const { items } = await app.service.store.forOrg(org.id).traces.heads(body.id);
  return items.map(({ id }) => id);
}

/** The rewards that tasks would be mined by now, by request. */
async function rewards({ app, org }: SurfaceTest): Promise<Record<string, number | undefined>> {
  const ctx = ctxOf(app.service, org);
  const { traces: read } = await readInputs(ctx, await surfaceEvidence(ctx, "main"));
  return Object.fromEntries(read.map(({ request, reward }) => [request, reward]));
}

bothSurfaces("labels stand on traces, one each, and decide what tasks are mined from", async (invoke, t) => {
  const [a = "", b = ""] = await traces(invoke, t, "production");
  const [c = ""] = await traces(invoke, t, "staging");
  expect((await invoke("labels_post", { trace: a, polarity: "positive" }, t.org.read)).status).toBe(403);
  expect(await invoke("labels_post", { trace: a, polarity: "positive" }, t.org.push)).toMatchObject({
    status: 201,
    body: { stored: 1, replaced: 0, labels: [{ trace: a }] },
  });
  const both = [
    { trace: b, polarity: "negative", correction: "It should have refused." },
    { trace: c, polarity: "positive" },
  ];
  expect((await invoke("labels_post", { labels: both })).body).toMatchObject({ stored: 2 });
  expect(await rewards(t)).toEqual({
    "production one": 1,
    "production two": 0,
    "staging one": 1,
    "staging two": undefined,
  });
  expect((await invoke("labels_post", { trace: a, polarity: "negative" })).body).toMatchObject({ replaced: 1 });
  expect((await rewards(t))["production one"]).toBe(0);
  await invoke("labels_post", { trace: a, polarity: "positive" });

  const { body } = await invoke("labels_get", {}, t.org.read);
  expect(body.labels).toHaveLength(3);
  expect(body.labels.find((row: { trace: string }) => row.trace === b)).toMatchObject({
    kind: "negative",
    has_correction: true,
    became: null,
  });
  expect(JSON.stringify(body)).not.toContain("should have refused");
  expect(body.streams).toEqual({
    production: { positive: 1, negative: 1, corrected: 1 },
    staging: { positive: 1, negative: 0, corrected: 0 },
  });
  expect(body.guard).toEqual({ labelled: 1, standing: 0, missing: [a] });
  const first = (await invoke("labels_get", { limit: 2 })).body;
  expect((await invoke("labels_get", { limit: 2, cursor: first.next })).body.labels).toHaveLength(1);

  expect(await invoke("labels_post", { labels: [...both, { trace: "tr_none", polarity: "positive" }] })).toMatchObject({
    status: 422,
    body: { fields: [{ path: "labels.2.trace" }] },
  });
  expect((await invoke("labels_post", { polarity: "positive" })).status).toBe(400);
  expect((await invoke("labels_post", { trace: a, polarity: "fine" })).status).toBe(400);
  expect((await invoke("labels_post", { trace: a, polarity: "positive", labels: both })).status).toBe(400);
});

bothSurfaces("the labels policy keeps tasks to production", async (invoke, t) => {
  const [a = ""] = await traces(invoke, t, "production");
  const [c = ""] = await traces(invoke, t, "staging");
  await invoke("labels_post", { labels: [a, c].map((trace) => ({ trace, polarity: "positive" })) });
  expect((await invoke("labels_policy_get")).body).toMatchObject({ production_only: false, set_by: null });
  expect(await invoke("labels_policy_put", { production_only: true, by: "ann" })).toMatchObject({
    status: 200,
    body: { production_only: true, set_by: "ann" },
  });
  expect((await invoke("labels_policy_get", {}, t.org.read)).body).toMatchObject({
    production_only: true,
    set_by: "ann",
  });
  expect((await invoke("labels_get")).body.production_only).toBe(true);
  expect(await rewards(t)).toMatchObject({ "production one": 1, "staging one": undefined });
  expect((await invoke("labels_policy_put", { production_only: "yes" })).status).toBe(400);
});
