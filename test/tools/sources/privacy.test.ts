import { afterEach, beforeEach, expect, it } from "vitest";
import { Source } from "../../../chapters/records/sources/sources.ts";
import { bothSurfaces, type Invoke, invoker, type SurfaceTest, startApp } from "../../helpers/app.ts";
import { foundInStore } from "../../helpers/stores/data-folder.ts";
import { type ObsTool, sessionSpans, startObs } from "../../helpers/vendors/obs.ts";
import { obsSource, pulled, tracesOf } from "./kit.ts";

const user = {
  user_id: "zebulon_quackenbush_4417",
  name: { first_name: "Zebulon", last_name: "Quackenbush" },
  email: "zeb.quackenbush@wexfordia.example",
  phone: "+1 (555) 867-5309",
  address: { address1: "742 Thistlewood Lane", city: "Marblehead", zip: "01945" },
  card: "4111 1111 1111 1111",
};
const PLANTED = ["ebulon", "uackenbush", "wexfordia", "867-5309", "histlewood", "arblehead", "4111 1111", "_4417"];
/** Values that identify nobody, and are values nevertheless. */
const VALUES = ["reservation moved", "platinum", "77.125"];

const session = () => ({
  messages: [
    { role: "user", content: `I'm Zebulon Quackenbush, ${user.email}, ${user.phone}. Is my reservation moved?` },
    {
      role: "assistant",
      content: null,
      tool_calls: [
        {
          id: "c1",
          type: "function",
          function: { name: "get_user", arguments: JSON.stringify({ user_id: user.user_id }) },
        },
      ],
    },
    { role: "tool", tool_call_id: "c1", content: JSON.stringify({ ...user, level: "platinum", credit: 77.125 }) },
    { role: "assistant", content: "Yes, Zebulon, it goes to 742 Thistlewood Lane, Marblehead now." },
  ],
});

/** What of the planted values stands anywhere in the store: rows, inflated bodies, files, answers, logs. */
async function found(invoke: Invoke, { app }: SurfaceTest, texts: readonly string[]): Promise<string[]> {
  const hits = new Set(foundInStore(app.dataDir, texts));
  const look = (answer: string) => {
    for (const text of texts) if (answer.includes(text)) hits.add(text);
  };
  const listed = await invoke("evidence_list", {});
  look(JSON.stringify(listed.body));
  for (const { id } of listed.body.evidence) {
    look(JSON.stringify((await invoke("evidence_get", { eid: id, summary: true })).body));
    look(JSON.stringify((await invoke("evidence_toolspec", { eid: id })).body));
  }
  return [...hits];
}

bothSurfaces("evidence that is sent as it is holds what was planted: the search finds it", async (invoke, t) => {
  expect((await invoke("evidence_post", { content: [session()] })).status).toBe(201);
  expect((await found(invoke, t, PLANTED)).sort()).toEqual([...PLANTED].sort());
});

bothSurfaces("evidence that is sent anonymized holds no identifying value anywhere", async (invoke, t) => {
  const sent = await invoke("evidence_post", { content: [session()], data_access: "anonymized" }, t.org.push);
  expect(sent).toMatchObject({ status: 201, body: { data_access: "anonymized", admitted: 1 } });
  expect(await found(invoke, t, PLANTED)).toEqual([]);
  const [trace] = await tracesOf(t, await invoke("evidence_list", {}));
  const result = JSON.parse(String(trace?.calls[0]?.result));
  expect(result).toMatchObject({ level: "platinum", credit: 77.125 });
  expect(trace?.calls[0]?.args.user_id, "joins hold").toBe(result.user_id);
  expect(trace?.request).toContain(result.email);
  const again = await invoke("evidence_post", { content: [session()], data_access: "anonymized" });
  expect(again).toMatchObject({ status: 200, body: { id: sent.body.id } });
  const full = await invoke("evidence_post", { content: [session()] });
  expect(full.status, "the same bytes under another access are another record").toBe(201);
});

bothSurfaces("evidence that is sent as shapes holds no value at all", async (invoke, t) => {
  const sent = await invoke("evidence_post", { content: [session()], data_access: "shapes" });
  expect(sent).toMatchObject({ status: 201, body: { data_access: "shapes" } });
  expect(await found(invoke, t, [...PLANTED, ...VALUES])).toEqual([]);
  const [trace] = await tracesOf(t, await invoke("evidence_list", {}));
  expect(JSON.parse(String(trace?.calls[0]?.result))).toMatchObject({ email: "<email>", level: "<word>", credit: 0 });
});

it("a large body, which is read on threads of its own, is cleared too", async () => {
  const app = await startApp();
  try {
    const org = await app.org();
    const lines = Array.from({ length: 600 }, (_, i) =>
      JSON.stringify({
        id: `s${i}`,
        messages: [...session().messages, { role: "user", content: "and ".repeat(2000) }],
      }),
    );
    const path = "/v0/evidence?data_access=anonymized";
    const type = { "content-type": "application/x-ndjson" };
    const sent = await app.rest("POST", path, lines.join("\n"), org.push, type);
    expect(sent).toMatchObject({ status: 201, body: { data_access: "anonymized", admitted: 600 } });
    expect(await found(invoker(app, "rest", org), { app, org }, PLANTED)).toEqual([]);
  } finally {
    await app.close();
  }
});

bothSurfaces("a sender cannot let more through than the source it names", async (invoke, t) => {
  const { id: sid } = (await invoke("sources_post", { kind: "otlp", external_id: "collector" })).body;
  const more = await invoke("evidence_post", { content: [session()], source: sid, data_access: "full" });
  expect(more).toMatchObject({ status: 400, body: { fields: [{ path: "data_access" }] } });
  const sent = await invoke("evidence_post", { content: [session()], source: sid });
  expect(sent.body).toMatchObject({ data_access: "anonymized", source: sid });
  expect(
    (await invoke("evidence_post", { content: [session()], source: sid, data_access: "shapes" })).body.data_access,
  ).toBe("shapes");
  expect(await found(invoke, t, PLANTED)).toEqual([]);
});

let vendor: ObsTool;
const obs = { apiUrl: "", appUrl: undefined, clientId: undefined, clientSecret: undefined };
beforeEach(async () => {
  vendor = await startObs();
  obs.apiUrl = vendor.url;
});
afterEach(() => vendor.close());

bothSurfaces(
  "what is pulled is anonymized with the source's key; forgotten, the same value is another pseudonym",
  async (invoke, t) => {
    const now = t.app.service.now();
    const add = (trace: string, ago: number) =>
      vendor.spans.push(
        ...sessionSpans(trace, now - ago, {
          user: "I'm Zebulon Quackenbush. Where is my order?",
          result: { ...user, status: "sent" },
        }),
      );
    add("t1", 4000);
    const { id: sid } = (await invoke("sources_post", obsSource(vendor))).body;
    await invoke("sources_patch", { sid, anon_key: "a key of the org's choosing" });
    expect(await pulled(invoke, t, sid)).toMatchObject({ result: { traces: 1 } });
    add("t2", 3000);
    await invoke("sources_patch", { sid, import: { days: 1 } });
    expect(await pulled(invoke, t, sid)).toMatchObject({ status: "landed" });
    expect((await invoke("sources_patch", { sid, forget_anon_key: true })).body.forgotten).toBe(true);
    const store = t.app.service.store.forOrg(t.org.id);
    await store.records.update(Source, sid, ({ resume: _gone, ...doc }) => doc);
    add("t3", 2000);
    expect(await pulled(invoke, t, sid)).toMatchObject({ status: "landed" });
    const traces = await tracesOf(t, await invoke("evidence_list", {}));
    const emails = traces.map((trace) => [trace.session, JSON.parse(String(trace.calls[0]?.result)).email]);
    expect(new Set(emails.map(([, email]) => email)).size, "one key before, one after").toBe(2);
    expect(await found(invoke, t, PLANTED)).toEqual([]);
  },
  { config: { sources: { obs, vcsApiUrl: undefined, traceStoreUrl: undefined } } as never },
);
