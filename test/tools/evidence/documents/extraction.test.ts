import { expect, it } from "vitest";
import { Evidence } from "../../../../chapters/records/evidence/evidence.ts";
import { bothSurfaces, type Invoke, invoker, startApp } from "../../../helpers/app.ts";
import { startProvider } from "../../../helpers/vendors/models.ts";
import { deskTraces, ended, ok } from "../../sandboxes/kit.ts";
import { traced } from "../kit.ts";

// biome-ignore lint/suspicious/noExplicitAny: fields of many answers; a wrong name fails the expectation.
type Row = any;

async function landed(invoke: Invoke, tool: string, input: object): Promise<Row> {
  const started = await ok(invoke(tool, input as Record<string, unknown>));
  expect(started.status).toBe(202);
  const job = await ended(invoke, started.body.job);
  expect(job.note).toBeNull();
  expect(job.status).toBe("landed");
  return { ...job.result, started: started.body };
}

bothSurfaces(
  "evidence_extract reads traces by rule, goes on where it was, and leaves what was filed",
  async (invoke, { org }) => {
    const { body: source } = await ok(invoke("evidence_post", { content: deskTraces(6) }));
    const eid = source.id as string;
    const total = source.stats.traces as number;
    expect((await invoke("evidence_extract", { eid }, org.read)).status).toBe(403);
    expect((await invoke("evidence_extract", { eid: "ev_none" })).status).toBe(404);
    const first = (await ok(invoke("evidence_attributes_get", { eid, limit: 1 }))).body.attributes[0];
    const filed = { trace: first.trace, values: { use_case: { value: "my own words" } } };
    await ok(invoke("evidence_attributes_post", { eid, attributes: [filed] }));
    const some = await landed(invoke, "evidence_extract", { eid, limit: 10 });
    expect(some).toMatchObject({
      evidence_id: eid,
      version: 1,
      traces: 10,
      left: total - 10,
      capped: false,
      usd: 0,
      model: null,
      tier: "deterministic",
    });
    expect(some.started).toMatchObject({ traces: 10, documents: 0, estimate_usd: 0 });
    const rest = await landed(invoke, "evidence_extract", { eid });
    expect(rest).toMatchObject({ version: 1, traces: total - 10, left: 0 });
    expect(await landed(invoke, "evidence_extract", { eid })).toMatchObject({ traces: 0, values: 0, left: 0 });
    const { body } = await ok(invoke("evidence_attributes_get", { eid, limit: 500 }));
    const fields = new Map<string, Row>(body.fields.map((row: Row) => [row.field, row]));
    for (const name of ["final_answer", "calls", "user_turns", "errors", "changes", "outcome", "use_case", "register"])
      expect(fields.get(name), name).toMatchObject({ filled: total, share: 1 });
    expect(fields.get("use_case")).toMatchObject({ tier: "deterministic" });
    expect(body.attributes[0].attributes.use_case).toMatchObject({ value: "my own words", tier: "human" });
    const values = body.attributes.map((row: Row) => row.attributes.use_case.value);
    expect(values).toContain("cancel order");
    for (const row of body.attributes.slice(1)) {
      expect(row.attributes.first_tool.cite).toBe("calls.0");
      expect(row.attributes.use_case).toMatchObject({
        cite: expect.stringMatching(/^calls\.\d+$/),
        reader: "extract:rule",
      });
    }
    const fresh = await landed(invoke, "evidence_extract", { eid, fresh: true });
    expect(fresh).toMatchObject({ version: 2, traces: total, left: 0 });
    const after = (await ok(invoke("evidence_attributes_get", { eid, limit: 500 }))).body;
    expect(after.attributes).toEqual(body.attributes);
    expect((await invoke("evidence_re_extract", { eid })).status).toBe(422);
    expect((await invoke("evidence_extraction_get", { eid })).status).toBe(422);
  },
);

it("evidence_extract by a model cites what is there, stops at its cap, and a bad answer costs one batch", async () => {
  const provider = await startProvider();
  const app = await startApp({ config: provider.config });
  try {
    const org = await app.org();
    const invoke = invoker(app, "rest", org);
    const { eid } = await traced(invoke, 12);
    const say = (ids: readonly number[], cite = "turns.1") => ({
      text: JSON.stringify({
        traces: ids.map((id) => ({ id: String(id), values: [{ field: "persona", value: `p${id % 2}`, cite }] })),
      }),
      tokens: [1000, 100] as const,
    });
    provider.say(say([0, 1, 2, 3, 4]), say([5, 6], "turns.99"), say([5, 6], "calls.7"), say([10, 11]));
    const result = await landed(invoke, "evidence_extract", { eid });
    expect(provider.unscripted()).toBe(0);
    expect(result).toMatchObject({
      traces: 12,
      refused: 5,
      left: 0,
      capped: false,
      model: "openai-compatible/small",
      prompt_version: "evidence-attributes-1",
      tier: "llm-derived",
    });
    const { body } = await ok(invoke("evidence_attributes_get", { eid }));
    expect(body.attributes[3].attributes).toMatchObject({
      persona: { value: "p1", cite: "turns.1", tier: "llm-derived", reader: "extract:openai-compatible/small" },
      calls: { value: "1", tier: "deterministic", reader: "extract:rule" },
    });
    expect(body.attributes[5].attributes.persona, "what was refused is not there").toBeUndefined();
    expect(body.attributes[5].attributes.calls.value).toBe("1");
    const sent = JSON.stringify(provider.requests[0]?.body);
    expect(sent).toContain("Where is order W0?");

    const before = provider.requests.length;
    const capped = await landed(invoke, "evidence_extract", { eid, fresh: true, usd_cap: 0.000001 });
    expect(capped).toMatchObject({ traces: 0, capped: true, usd: 0, left: 12, version: 2 });
    expect(provider.requests.length, "nobody was asked").toBe(before);
  } finally {
    await app.close();
    await provider.close();
  }
});

const HANDBOOK = `# Desk handbook

## Personas

- **Regular** - orders every week and writes little
- First-time buyers: need every step told

Refunds must be approved by a person before they are paid. A shipped order cannot be cancelled.
`;
const NOTES = `# Notes

Personas:
- regular - one we know
`;

bothSurfaces(
  "documents are pinned as they were read, and only evidence_re_extract replaces a pin",
  async (invoke, { app, org }) => {
    const { body: source } = await ok(invoke("evidence_post", { content: HANDBOOK }));
    const eid = source.id as string;
    const view = async (input: object = {}) =>
      (await ok(invoke("evidence_extraction_get", { eid, ...input }, org.read))).body as Row;
    expect(await view()).toMatchObject({
      id: eid,
      current: null,
      map: null,
      versions: [],
      orphaned: [],
      cites: [],
      note: expect.stringContaining("evidence_extract"),
    });
    const read = await landed(invoke, "evidence_extract", { eid });
    expect(read).toMatchObject({ documents: 1, refused: 0, left: 0, tier: "deterministic" });
    const first = await view({ cites: true });
    expect(first.current).toMatchObject({ version: 1, state: "current", model: null, tier: "deterministic" });
    expect(first.current.says.map((row: Row) => [row.field, row.value])).toEqual([
      ["persona", "Regular"],
      ["persona", "First-time buyers"],
      ["policy", "Refunds must be approved by a person before they are paid."],
      ["policy", "A shipped order cannot be cancelled."],
    ]);
    for (const { quote, at } of first.cites) expect(HANDBOOK.slice(at, at + quote.length)).toBe(quote);
    expect(first.cites).toHaveLength(4);
    expect((await view()).cites).toEqual([]);
    expect(await landed(invoke, "evidence_extract", { eid })).toMatchObject({ documents: 0 });
    expect((await view()).current.pin).toBe(first.current.pin);
    expect((await invoke("evidence_extract", { eid, fresh: true })).status).toBe(409);
    expect((await invoke("evidence_re_extract", { eid }, org.read)).status).toBe(403);
    await landed(invoke, "evidence_re_extract", { eid });
    const second = await view();
    expect(second.current).toMatchObject({ version: 2, state: "current" });
    expect(second.versions.map((row: Row) => [row.pin, row.state])).toEqual([
      [second.current.pin, "current"],
      [first.current.pin, "superseded"],
    ]);
    expect((await view({ pin: first.current.pin })).current).toMatchObject({
      version: 1,
      superseded_by: second.current.pin,
    });
    expect((await invoke("evidence_extraction_get", { eid, pin: "ex_none" })).status).toBe(404);

    const store = app.service.store.forOrg(org.id);
    const blob = await store.blobs.put(
      Buffer.from(JSON.stringify({ texts: [{ text: HANDBOOK }, { id: "notes", text: NOTES }] })),
    );
    await store.records.update(Evidence, eid, (doc) => ({ ...doc, blob }));
    expect(await landed(invoke, "evidence_extract", { eid })).toMatchObject({ documents: 1, left: 0 });
    const both = await view();
    expect(both.documents.map((row: Row) => [row.document, row.version])).toEqual([
      ["1", 2],
      ["notes", 1],
    ]);
    expect(both.map.values[0]).toEqual({
      field: "persona",
      value: "Regular",
      documents: ["1", "notes"],
      spellings: ["Regular", "regular"],
    });
    const cut = await store.blobs.put(Buffer.from(JSON.stringify({ texts: [{ text: `${HANDBOOK}!` }] })));
    await store.records.update(Evidence, eid, (doc) => ({ ...doc, blob: cut }));
    expect((await view()).orphaned.map((row: Row) => [row.document, row.reason])).toEqual([
      ["1", "its document's text has changed"],
      ["notes", "its document is gone"],
    ]);
  },
);

// Finding A10.
bothSurfaces("a rule reader takes every sentence that commands, and says which fields it filled", async (invoke) => {
  const said = [
    "Each reservation can use at most one travel certificate and at most one credit card.",
    "Do not offer compensation by yourself.",
    "The agent should list the details before it books.",
    "All passengers must fly the same flights.",
    "You cannot add insurance after booking.",
    "A reservation holds up to 5 passengers.",
    "If a flight was cancelled, the agent can offer a certificate of $100 for each passenger.",
    "Any reservation can be cancelled within 24 hours of booking.",
    "The rest of a certificate is not refundable.",
    "A change of cabin requires the user to pay the difference.",
  ];
  const { body: source } = await ok(
    invoke("evidence_post", {
      content: `# Policy\n\n${said.join(" ")}\n\nThe desk is open every day. A flight can be there on many days.`,
    }),
  );
  const done = await landed(invoke, "evidence_extract", { eid: source.id });
  expect(done).toMatchObject({ values: said.length, tier: "deterministic" });
  expect(done.unfilled).toContain("persona");
  expect(done.unfilled).not.toContain("policy");
  const { body: traces } = await ok(invoke("evidence_post", { content: deskTraces(2) }));
  const read = await landed(invoke, "evidence_extract", { eid: traces.id });
  expect(read.fields).toEqual(expect.arrayContaining(["persona", "policy"]));
  expect(read.unfilled).toEqual(expect.arrayContaining(["persona", "policy"]));
});

// Finding A10: what a model cost is what the ledger has.
it("what an answer cost that could not be used is told as it was spent", async () => {
  const provider = await startProvider();
  const app = await startApp({ config: provider.config });
  try {
    const invoke = invoker(app, "rest", await app.org());
    const { body: source } = await ok(invoke("evidence_post", { content: "# Policy\n\nYou must ask twice." }));
    for (let i = 0; i < 2; i++) provider.say({ text: "no JSON", tokens: [1000, 10] });
    const done = await landed(invoke, "evidence_extract", { eid: source.id });
    expect(done).toMatchObject({ refused: 1, documents: 1 });
    const { body: spend } = await invoke("spend_summary");
    expect(done.usd).toBeGreaterThan(0);
    expect(done.usd).toBeCloseTo(spend.today.spent_usd, 9);
  } finally {
    await app.close();
    await provider.close();
  }
});
