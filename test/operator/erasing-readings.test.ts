import { expect, it } from "vitest";
import { Extraction, ExtractionMap } from "../../chapters/records/evidence/extraction.ts";
import { EvidenceRevision } from "../../chapters/records/evidence/revision.ts";
import { type Invoke, invoker } from "../helpers/app.ts";
import { foundInStore } from "../helpers/stores/data-folder.ts";
import { ended, ok } from "../tools/sandboxes/kit.ts";
import { operatorTests } from "./kit.ts";

const { start, act } = operatorTests();
const WHO = "Zoë Quarterstaff";

const trace = (text: string) => ({
  messages: [
    { role: "user", content: text },
    { role: "assistant", content: "done" },
  ],
});

async function rowsOf(invoke: Invoke, eid: string) {
  const { attributes } = (await ok(invoke("evidence_attributes_get", { eid }))).body;
  return attributes.map((row: { attributes: Record<string, { value: string }> }) => row.attributes);
}

it("a person is taken out of attributes of other traces, of what records were before, and of what was read of documents", async () => {
  const app = await start({ jobs: true });
  const org = await app.org();
  const invoke = invoker(app, "rest", org);
  const store = app.service.store.forOrg(org.id);
  const post = async (content: unknown, more = {}) => (await ok(invoke("evidence_post", { content, ...more }))).body;

  // Her own trace, and one of somebody else that a reader filed her name of.
  const own = await post([trace(`I am ${WHO}`), trace("I am somebody else")]);
  await ok(
    invoke("evidence_attributes_post", {
      eid: own.id,
      attributes: [
        { trace: own.ids[0], values: { asked_by: { value: WHO } } },
        { trace: own.ids[1], values: { asked_by: { value: `for ${WHO}` }, topic: { value: "refunds" } } },
      ],
    }),
  );
  // A record that held her before it was converted again, and holds her no more.
  const again = await post([trace("I am a third one")]);
  const before = JSON.stringify([{ position: 0, id: again.ids[0], trace: trace(`I was ${WHO}`) }]);
  const revision = {
    id: "er_1",
    created_at: 1,
    by: "test",
    evidence: again.id,
    source: "src_1",
    act: "reconvert" as const,
    state: "landed" as const,
    next: 1,
    counts: {
      ...{ changed: 1, unchanged: 0, past_retention: 0, gone: 0, refused: 0 },
      ...{ calls_before: 0, calls_after: 0, attributes_dropped: 0 },
    },
    left: { past_retention: [], gone: [], refused: [] },
    stats: {},
    traces: [await store.blobs.put(Buffer.from(before))],
  };
  await store.records.insert(EvidenceRevision, revision);
  // A document that names her, with what was read of it; and one of which only the reading does.
  const personas = `# Handbook\n\n## Personas\n\n- ${WHO} - orders every week\n`;
  const document = await post(personas);
  const other = await post("# Handbook\n\n## Personas\n\n- Regulars - order every week\n");
  for (const { id: eid } of [document, other]) {
    const { body } = await ok(invoke("evidence_extract", { eid }));
    expect((await ended(invoke, body.job)).status).toBe("landed");
  }
  const [pin] = (await store.records.list(Extraction, { where: { evidence: other.id } })).items;
  const said = { field: "persona", value: `${WHO}, a regular`, quote: "Regulars", at: 0 };
  await store.records.update(Extraction, pin?.id ?? "", (doc) => ({ ...doc, statements: [said] }));
  expect(foundInStore(app.dataDir, ["quarterstaff"])).toEqual(["quarterstaff"]);

  const { status, body } = await act("POST", "/orgs/acme/erase-person", { values: [WHO] });
  expect(status).toBe(200);
  expect(body).toMatchObject({ traces: 1, remaining: [], remaining_total: 0, scrubbed: true });
  // The attribute of the other trace, the part of the document, the earlier record, and the reading of the other document.
  expect(body.parts).toBe(4);
  expect(await rowsOf(invoke, own.id), "what else was filed of the other trace stays").toEqual([
    { topic: expect.objectContaining({ value: "refunds" }) },
  ]);
  expect(await store.traces.count(again.id), "the trace that does not hold her stays").toBe(1);
  expect((await store.records.list(EvidenceRevision)).items).toMatchObject([{ traces: [] }]);
  expect((await store.records.list(Extraction)).items).toEqual([]);
  expect((await store.records.list(ExtractionMap)).items).toEqual([]);
  expect(foundInStore(app.dataDir, ["quarterstaff"])).toEqual([]);
  expect((await act("POST", "/orgs/acme/erase-person", { values: [WHO] })).body).toMatchObject({ traces: 0, parts: 0 });
});
