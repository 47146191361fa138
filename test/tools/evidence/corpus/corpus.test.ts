import { expect, it } from "vitest";
import { bothSurfaces, invoker, startApp } from "../../../helpers/app.ts";
import { startProvider } from "../../../helpers/vendors/models.ts";

const item = (text: string, more: object = {}) => ({
  text,
  provenance: { site: "forum.example", date: "2026-01-02" },
  licence: "CC-BY-4.0",
  ...more,
});
const asked = [
  "Could you move my meeting to Friday please?",
  "remind me tomorrow",
  "Cancel the meeting with Ann and tell her.",
  "Water the ferns on the balcony while I am away",
  "How often do ferns need water?",
  "Which ferns like shade?",
];

bothSurfaces(
  "public requests are stored once, with where they stood and under which licence",
  async (invoke, { org }) => {
    expect((await invoke("corpus_post", { items: [item("x")] }, org.read)).status).toBe(403);
    const posted = await invoke("corpus_post", {
      items: [...asked.map((text) => item(text)), item("  remind   me tomorrow ")],
    });
    expect(posted).toMatchObject({ status: 201, body: { stored: 6, already: 1, refused: [] } });
    const bare = await invoke("corpus_post", {
      items: [
        { text: "no licence", provenance: { site: "s" } },
        { text: "no site", licence: "MIT" },
        { text: "both given" },
      ],
      licence: "CC0-1.0",
      site: "other.example",
    });
    expect(bare.body).toMatchObject({ stored: 3, refused: [] });
    expect(
      (await invoke("corpus_post", { items: [{ text: "no site", licence: "MIT" }, { text: "nothing" }] })).body.refused,
    ).toEqual([
      { index: 0, reason: "It names no site." },
      { index: 1, reason: "It names no licence." },
    ]);
    expect((await invoke("corpus_get", {}, org.read)).body).toMatchObject({
      items: 9,
      unread: 9,
      by_licence: { "CC-BY-4.0": 6, "CC0-1.0": 2, MIT: 1 },
      by_site: { "forum.example": 6, "other.example": 2, s: 1 },
      use_cases: { scheduling: 3 },
      public_demand: false,
      candidates: [],
    });
    expect((await invoke("corpus_post", { items: [] })).status).toBe(400);
    expect((await invoke("corpus_post", { items: [{ text: " " }] })).status).toBe(400);
    expect((await invoke("corpus_post", { items: [item("x", { author: "ann" })] })).status).toBe(400);
  },
);

bothSurfaces("a pass reads what none has read and proposes what people ask for", async (invoke) => {
  expect((await invoke("corpus_derive")).body).toMatchObject({ read: 0, proposed: [], note: expect.any(String) });
  expect((await invoke("corpus_policy_get")).body).toMatchObject({ public_demand: false, set_by: null });
  expect((await invoke("corpus_policy_put", { public_demand: true, by: "ann" })).body).toMatchObject({
    public_demand: true,
    set_by: "ann",
  });
  await invoke("corpus_post", { items: asked.map((text) => item(text)) });
  const derived = await invoke("corpus_derive");
  expect(derived).toMatchObject({ status: 200, body: { read: 6, model: null, usd: 0, tier: "deterministic" } });
  const names = derived.body.proposed.map(({ field, value }: { field: string; value: string }) => `${field}:${value}`);
  expect(names).toEqual(expect.arrayContaining(["use_case:scheduling", "use_case:ferns"]));
  const { candidates, unread } = (await invoke("corpus_get")).body;
  expect(unread).toBe(0);
  expect(candidates.find(({ value }: { value: string }) => value === "ferns")).toMatchObject({
    status: "proposed",
    items: 3,
  });
  expect((await invoke("corpus_derive")).body.read).toBe(0);

  const { id } = candidates.find(({ value }: { value: string }) => value === "ferns");
  await invoke("dimension_value_dismiss", { value_id: id });
  await invoke("corpus_post", {
    items: ["ferns one here", "two ferns there", "ferns and nothing else"].map((text) => item(text)),
  });
  const again = (await invoke("corpus_derive")).body;
  expect(again.deduped).toBeGreaterThan(0);
  expect(again.proposed.map(({ value }: { value: string }) => value)).not.toContain("ferns");
  expect((await invoke("corpus_get")).body.candidates.find((row: { id: string }) => row.id === id)).toMatchObject({
    status: "dismissed",
    items: 6,
  });
});

it("a model that reads the corpus cites what it was given, or nothing is written", async () => {
  const provider = await startProvider();
  const app = await startApp({ config: provider.config });
  try {
    const invoke = invoker(app, "rest", await app.org());
    await invoke("corpus_post", { items: asked.slice(0, 2).map((text) => item(text)) });
    const wrong = JSON.stringify({
      use_cases: [{ label: "plans", profile: "Plans.", items: ["cp_made_up"] }],
      registers: [],
    });
    provider.say({ text: wrong, tokens: [10, 1] }, { text: wrong, tokens: [10, 1] });
    expect((await invoke("corpus_derive")).status).toBe(422);
    expect((await invoke("corpus_get")).body).toMatchObject({ unread: 2, candidates: [] });
    const sent = JSON.stringify(provider.requests[0]?.body);
    const [id] = /cp_[0-9a-f]{64}/.exec(sent) ?? [];
    const right = JSON.stringify({ use_cases: [{ label: "plans", profile: "Plans.", items: [id] }], registers: [] });
    provider.say({ text: right, tokens: [10, 1] });
    expect((await invoke("corpus_derive")).body).toMatchObject({
      read: 2,
      model: "openai-compatible/small",
      tier: "llm-derived",
    });
    expect((await invoke("corpus_get")).body.candidates).toMatchObject([
      { value: "plans", tier: "llm-derived", items: 1 },
    ]);
  } finally {
    await app.close();
    await provider.close();
  }
});
