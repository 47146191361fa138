import { expect, it } from "vitest";
import { bothSurfaces, invoker, startApp } from "../../../helpers/app.ts";
import { startProvider } from "../../../helpers/vendors/models.ts";

const text =
  "Our agent does three things.\n- Order changes: swaps an item before it ships.\n- **Refunds** - pays back to the card\n2. Address questions";

bothSurfaces("a statement is kept word for word and read once into proposed use cases", async (invoke, { org }) => {
  expect((await invoke("statements_post", { text }, org.read)).status).toBe(403);
  expect((await invoke("statements_post", { text: "  " })).status).toBe(400);
  expect((await invoke("statements_derive")).body).toMatchObject({
    statement: null,
    usd: 0,
    note: "No statement is unread.",
  });
  const waiting = await invoke("statements_post", { text: "Nothing listed here.", author: "bo", derive: false });
  expect(waiting.body.statement).toMatchObject({ read: false, proposal: null, author: "bo", tier: "human" });
  const posted = await invoke("statements_post", { text, author: "ann", origin: "upload", file_name: "use.md" });
  expect(posted).toMatchObject({ status: 201, body: { usd: 0, estimate_usd: 0 } });
  const { statement } = posted.body;
  expect(statement).toMatchObject({
    read: true,
    characters: text.length,
    proposal: { tier: "deterministic", model: null },
  });
  expect(statement.proposal.buckets).toEqual([
    {
      label: "order changes",
      profile: "swaps an item before it ships.",
      sentence: "Order changes: swaps an item before it ships.",
    },
    { label: "refunds", profile: "pays back to the card", sentence: "**Refunds** - pays back to the card" },
    { label: "address questions", profile: "Address questions", sentence: "Address questions" },
  ]);
  const { dimensions } = (await invoke("dimensions_get")).body;
  expect(JSON.stringify(dimensions)).toContain("order changes");
  const list = (await invoke("statements_list", {}, org.read)).body;
  expect(list.statements).toHaveLength(2);
  expect(JSON.stringify(list)).not.toContain("three things");
  expect((await invoke("statements_list", { id: statement.id })).body.statement.text).toBe(text);
  expect((await invoke("statements_list", { id: "st_none" })).status).toBe(404);

  expect((await invoke("statements_derive")).body.statement).toMatchObject({
    id: waiting.body.statement.id,
    read: false,
    proposal: null,
  });
  const prose = "Half of our requests are about cancelling. About a third ask about baggage.";
  const unread = (await invoke("statements_post", { text: prose })).body;
  expect(unread.statement).toMatchObject({ read: false, proposal: null });
  expect(unread.note).toContain("stays unread");
  expect(posted.body.note).toContain("lists alone");
  // What no rule can read does not keep it from what it can.
  const later = (await invoke("statements_post", { text: "- baggage", derive: false })).body.statement;
  expect((await invoke("statements_derive")).body.statement).toMatchObject({ id: later.id, read: true });
  expect((await invoke("statements_derive", { statement: statement.id })).body.statement.proposal.values).toEqual([]);
  expect((await invoke("statements_derive", { statement: "st_none" })).status).toBe(404);
});

it("a model may name only what the person's own sentences say", async () => {
  const provider = await startProvider();
  const app = await startApp({ config: provider.config });
  try {
    const invoke = invoker(app, "rest", await app.org());
    const said = (sentence: string) => ({
      text: JSON.stringify({ buckets: [{ label: "swaps", profile: "Swaps items.", sentence }] }),
      tokens: [10, 1] as const,
    });
    provider.say(said("They swap items."), said("Nobody said this."));
    expect((await invoke("statements_post", { text })).status).toBe(422);
    expect((await invoke("statements_list")).body.statements[0]).toMatchObject({ read: false, proposal: null });
    provider.say(said("swaps an item  before it ships."));
    const derived = (await invoke("statements_derive")).body;
    expect(derived.statement.proposal).toMatchObject({ tier: "llm-derived", model: "openai-compatible/small" });
    expect(derived.usd).toBeGreaterThan(0);
    expect(derived.estimate_usd).toBeGreaterThan(derived.usd);
  } finally {
    await app.close();
    await provider.close();
  }
});
