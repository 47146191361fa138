import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import protobuf from "protobufjs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { evidence } from "../../../tools/evidence/evidence.ts";
import { records } from "../../../tools/evidence/records.ts";
import { chapter } from "../../../tools/kernel/chapter.ts";
import { bothSurfaces, startApp, type TestApp, type TestOrg } from "../../helpers/app.ts";

const chapters = [
  chapter({ name: "evidence", title: "Evidence", description: "Evidence.", operations: [...evidence, ...records] }),
];
const TOKEN = `ghp_${"a1B2".repeat(9)}`;

/** One trial of an invented shop as tau-bench writes it. */
function trial(task: number, reward: number, result = '{"order_id": "W1", "status": "open", "total": 12.5}') {
  return {
    task_id: task,
    trial: 0,
    reward,
    info: { source: "user" },
    traj: [
      { role: "system", content: "Be kind." },
      { role: "user", content: `Where is order W${task}? I am ann_smith_42.` },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          {
            id: "c1",
            type: "function",
            function: { name: "get_order", arguments: JSON.stringify({ order_id: `W${task}`, user: "ann_smith_42" }) },
          },
        ],
      },
      { role: "tool", tool_call_id: "c1", name: "get_order", content: result },
      { role: "assistant", content: "It is open." },
    ],
  };
}

const lines = (rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row)).join("\n");

bothSurfaces(
  "evidence is sent, listed, read and assigned",
  async (invoke, t) => {
    const content = [trial(1, 1), trial(2, 0, "Error: order not found"), { task_id: 3, traj: [] }];
    const posted = await invoke("evidence_post", { content, tag: "first", author: "Ann" }, t.org.push);
    expect(posted.status).toBe(201);
    expect(posted.body).toMatchObject({
      org: "acme",
      kind: "traces",
      format: "tau-bench",
      admitted: 2,
      surface: "main",
      tags: ["first"],
      provenance_kind: "synthetic",
      provenance_detected: true,
      origin: "push",
      never_pulled: true,
      stats: { traces: 2, calls: 2, tools: 1, refused: 1 },
      refused: [{ line: 3, reason: "an empty traj" }],
      superseded: false,
    });
    expect(posted.body.ids).toHaveLength(2);
    const again = await invoke("evidence_post", { content });
    expect([again.status, again.body.id, again.body.ids]).toEqual([200, posted.body.id, posted.body.ids]);

    const listed = await invoke("evidence_list", {}, t.org.read);
    expect(listed.body.data_access).toEqual({ full: 1 });
    expect(listed.body.evidence.map((each: { id: string }) => each.id)).toEqual([posted.body.id]);
    expect((await invoke("evidence_list", { kind: "document" })).body.evidence).toEqual([]);

    const eid = posted.body.id;
    const read = await invoke("evidence_get", { eid }, t.org.read);
    expect(read.body).toMatchObject({
      id: eid,
      by: "Ann",
      digest: createHash("sha256").update(JSON.stringify(content)).digest("hex"),
      versions: [{ id: eid, current: true, traces: 2 }],
    });
    const preview = await invoke("evidence_get", { eid, summary: true });
    expect(preview.body.preview.map((each: { request: string }) => each.request)).toEqual([
      "Where is order W1? I am ann_smith_42.",
      "Where is order W2? I am ann_smith_42.",
    ]);

    const newer = (await invoke("evidence_post", { content: lines([trial(7, 1), trial(8, 1)]), format: "jsonl" })).body
      .id;
    const assigned = await invoke(
      "evidence_assign",
      { eid, provenance: "production", superseded_by: newer, pipeline: "nightly" },
      t.org.push,
    );
    expect(assigned.body).toEqual({
      id: eid,
      org: "acme",
      agent: null,
      agent_version: null,
      pipeline: "nightly",
      provenance_kind: "production",
      provenance_kind_before: "synthetic",
      superseded_by: newer,
      surface: "main",
    });
    expect((await invoke("evidence_get", { eid: newer })).body.versions.map((each: { id: string }) => each.id)).toEqual(
      [eid, newer],
    );
    for (const wrong of [
      { superseded_by: eid },
      { superseded_by: "ev_none" },
      { agent: "ag_none" },
      { agent_version: "v1" },
    ]) {
      const refused = await invoke("evidence_assign", { eid, ...wrong });
      expect([refused.status, refused.body.fields[0].path]).toEqual([400, Object.keys(wrong)[0]]);
    }
    expect((await invoke("evidence_assign", { eid: newer, superseded_by: eid })).body.fields[0].message).toBe(
      "that evidence is superseded by this one",
    );
    expect((await invoke("evidence_assign", { eid, provenance: "staging" }, t.org.read)).status).toBe(403);
  },
  { chapters },
);

bothSurfaces(
  "a toolspec says what parameters held and where their values came from",
  async (invoke) => {
    const rows = Array.from({ length: 10 }, (_, i) => ({
      messages: [
        { role: "user", content: "Find and cancel." },
        {
          role: "assistant",
          content: "",
          tool_calls: [
            {
              id: "a",
              type: "function",
              function: {
                name: "find",
                arguments: `{"email":"u${i}@shop.example","state":"${i % 2 === 0 ? "open" : "done"}"}`,
              },
            },
          ],
        },
        { role: "tool", tool_call_id: "a", content: `{"orders":[{"order_id":"W${1000 + i}"}]}` },
        {
          role: "assistant",
          content: "",
          tool_calls: [
            {
              id: "b",
              type: "function",
              function: { name: "cancel", arguments: `{"order":{"id":"W${1000 + i}"},"days":${i + 1}}` },
            },
          ],
        },
        { role: "tool", tool_call_id: "b", content: "Error: not allowed" },
        { role: "assistant", content: "I cannot do that." },
      ],
    }));
    const { body } = await invoke("evidence_post", { content: lines(rows) });
    const spec = (await invoke("evidence_toolspec", { eid: body.id })).body;
    expect(spec.tools.map((tool: { tool: string }) => tool.tool)).toEqual(["cancel", "find"]);
    const [cancel, find] = spec.tools;
    expect(cancel).toMatchObject({ calls: 10, errors: 10 });
    expect(cancel.params).toMatchObject([
      {
        path: "order.id",
        types: ["string"],
        share: 1,
        distinct: 10,
        format: "id",
        from: [{ field: "find:orders[].order_id", n: 10 }],
      },
      { path: "days", types: ["integer"], range: [1, 10] },
    ]);
    expect(cancel.params[0].values).toBeUndefined();
    expect(find.params).toMatchObject([
      { path: "email", format: "email" },
      { path: "state", values: ["done", "open"] },
    ]);
    const listing = (await invoke("evidence_post", { content: [{ name: "find", inputSchema: { type: "object" } }] }))
      .body;
    expect(listing).toMatchObject({ kind: "tool_listing", format: "mcp", admitted: 1 });
    expect((await invoke("evidence_toolspec", { eid: listing.id })).status).toBe(422);
    expect((await invoke("evidence_toolspec", { eid: "ev_none" })).status).toBe(404);
  },
  { chapters },
);

bothSurfaces(
  "records are listed by kind and read as stored",
  async (invoke) => {
    const { body } = await invoke("evidence_post", { content: "# Returns\n\nWithin 30 days.", tag: "policy" });
    expect(body).toMatchObject({ kind: "document", format: "markdown", document: { title: "Returns", texts: 1 } });
    const all = (await invoke("org_records")).body;
    expect(all.kinds.find((each: { kind: string }) => each.kind === "evidence")).toEqual({
      kind: "evidence",
      count: 1,
      ids: [body.id],
    });
    expect(all.kinds.find((each: { kind: string }) => each.kind === "evidence_key")).toMatchObject({ count: 1 });
    const one = (await invoke("org_record_get", { kind: "evidence", rid: body.id })).body;
    expect(one).toMatchObject({ kind: "evidence", id: body.id, record: { id: body.id, tag: "policy" } });
    expect(one.digest).toMatch(/^[0-9a-f]{64}$/);
    expect((await invoke("org_record_get", { kind: "evidence", rid: "ev_none" })).status).toBe(404);
    expect((await invoke("org_record_get", { kind: "evidence_key", rid: "ek_any" })).status).toBe(404);
    expect((await invoke("org_records", { kind: "nothing" })).status).toBe(404);
    const paged = (await invoke("org_records", { kind: "evidence", limit: 1 })).body;
    expect(paged.kinds[0].ids).toEqual([body.id]);
  },
  { chapters },
);

bothSurfaces(
  "a trace with a secret is refused, with its kind and never the secret",
  async (invoke) => {
    const content = lines([trial(1, 1), trial(2, 1, `token\n${TOKEN}`)]);
    const posted = await invoke("evidence_post", { content });
    expect(posted.body).toMatchObject({ admitted: 1, refused: [{ line: 2, reason: "holds a secret (github)" }] });
    expect(JSON.stringify(posted.body)).not.toContain(TOKEN);
    const alone = await invoke("evidence_post", { content: [trial(3, 1, TOKEN)] });
    expect([alone.status, alone.body.reason]).toEqual([
      422,
      "Nothing could be taken; 1 refused. The first, item 1: holds a secret (github).",
    ]);
    const document = await invoke("evidence_post", { content: `The key is ${TOKEN}`, format: "text" });
    expect(document.status).toBe(422);
    expect((await invoke("evidence_list")).body.evidence).toHaveLength(1);
    expect((await invoke("evidence_post", { content, allow_secrets: true })).body).toMatchObject({
      admitted: 2,
      refused: [],
    });
  },
  { chapters },
);

describe("bodies over REST", () => {
  let app: TestApp;
  let org: TestOrg;
  beforeAll(async () => {
    app = await startApp({ chapters });
    org = await app.org();
  });
  afterAll(() => app.close());
  const post = (body: unknown, headers: Record<string, string> = {}, query = "") =>
    app.rest("POST", `/v0/evidence${query}`, body, org.push, headers);
  const count = async () => (await app.rest("GET", "/v0/evidence?limit=500", undefined, org.read)).body.evidence.length;

  it("takes raw files, JSON lines and gzip of them, with what the query says", async () => {
    const rows = [trial(21, 1), trial(22, 1)];
    const raw = await post(
      JSON.stringify(rows, null, 2),
      { "content-type": "application/json" },
      "?surface=shop&provenance=public&tag=x",
    );
    expect([
      raw.status,
      raw.body.admitted,
      raw.body.surface,
      raw.body.provenance_kind,
      raw.body.provenance_detected,
    ]).toEqual([201, 2, "shop", "public", false]);
    const ndjson = await post(lines(rows), { "content-type": "application/x-ndjson" });
    expect([ndjson.status, ndjson.body.admitted]).toEqual([201, 2]);
    const gzipFile = await post(gzipSync(lines([trial(23, 1)])), { "content-type": "application/gzip" });
    expect([gzipFile.status, gzipFile.body.admitted]).toEqual([201, 1]);
    const encoded = await post(gzipSync(lines([trial(24, 1)])), {
      "content-type": "application/x-ndjson",
      "content-encoding": "gzip",
    });
    expect([encoded.status, encoded.body.admitted]).toEqual([201, 1]);
  });

  it("takes an envelope whose content is text or JSON, and refuses unknown fields with their path", async () => {
    const envelope = await post({
      kind: "traces",
      format: "tau-bench",
      content: lines([trial(31, 1)]),
      idempotency_key: "k1",
    });
    expect(envelope.status).toBe(201);
    const same = await post({ content: [trial(99, 1)], idempotency_key: "k1" });
    expect([same.status, same.body.id]).toEqual([200, envelope.body.id]);
    const unknown = await post({ kind: "traces", content: "x", colour: "red" });
    expect([unknown.status, unknown.body.fields]).toEqual([400, [{ path: "colour", message: "unknown field" }]]);
    const wrong = await post({ kind: "traces", content: 5 });
    expect([wrong.status, wrong.body.fields[0].path]).toEqual([400, "content"]);
    const other = await post({ org: "other", content: "x", format: "text" });
    expect(other.status).toBe(403);
    const kind = await post({ kind: "document", format: "tau2", content: "[]" });
    expect([kind.status, kind.body.fields[0].path]).toEqual([400, "kind"]);
    const format = await post({ format: "nonsense", content: "[]" });
    expect([format.status, format.body.fields[0].path]).toEqual([400, "format"]);
  });

  it("refuses what is broken with where it is broken, and stores nothing of it", async () => {
    const before = await count();
    const whole = JSON.stringify([trial(41, 1), trial(42, 1)]);
    const broken = `${whole.slice(0, 50)}"${whole.slice(50)}`;
    const cases: [body: string | Uint8Array, status: number, reason: RegExp][] = [
      [whole.slice(0, -20), 400, /cut off before its end, at byte \d+/],
      [broken, 400, /not valid JSON: .*, at byte \d+/],
      ["", 400, /empty/],
      [gzipSync(whole).subarray(0, 200), 400, /cut off/],
      [Buffer.concat([gzipSync(whole).subarray(0, 60), Buffer.alloc(300, 7)]), 400, /damaged|cut off/],
      ['{"colour": "red"}', 422, /no format that can be read/],
      [Buffer.from([1, 0, 2, 0, 3]), 422, /binary/],
      ["PK\u0003\u0004zip", 422, /zip/],
    ];
    for (const [body, status, reason] of cases) {
      const refused = await post(body, { "content-type": "application/octet-stream" });
      expect([refused.status, refused.body.reason]).toEqual([status, expect.stringMatching(reason)]);
    }
    expect(await count()).toBe(before);
  });

  it("reads a line that looks like an envelope as a line when the body is said to be lines", async () => {
    const document = JSON.stringify({ content: "Returns within 30 days.", title: "Returns" });
    const posted = await post(document, { "content-type": "application/x-ndjson" });
    expect([posted.status, posted.body.kind, posted.body.document]).toEqual([
      201,
      "document",
      { title: "Returns", texts: 1, chars: 23 },
    ]);
  });

  it("counts broken lines and takes the others", async () => {
    const body = `${JSON.stringify(trial(51, 1))}\n{"task_id": 52, \n${JSON.stringify(trial(53, 1))}\n5\n`;
    const posted = await post(body, { "content-type": "application/x-ndjson" });
    expect(posted.body).toMatchObject({
      admitted: 2,
      refused: [
        { line: 2, reason: "the line is not valid JSON" },
        { line: 4, reason: "no traj list" },
      ],
    });
  });

  it("stores the same bytes once though they come at the same time", async () => {
    const body = lines(Array.from({ length: 40 }, (_, i) => trial(600 + i, 1)));
    const all = await Promise.all(
      Array.from({ length: 4 }, () => post(body, { "content-type": "application/x-ndjson" })),
    );
    expect(new Set(all.map((each) => each.body.id)).size).toBe(1);
    expect(all.map((each) => each.status).sort()).toEqual([200, 200, 200, 201]);
    const store = app.service.store.forOrg(org.id);
    expect(await store.traces.count(all[0]?.body.id)).toBe(40);
  });

  it("leaves nothing of a body that breaks after thousands of traces", async () => {
    const row = JSON.stringify({ ...trial(700, 1), pad: "x".repeat(9000) });
    const before = await count();
    const body = `[${Array.from({ length: 1500 }, () => row).join(",")},{"broken`;
    const refused = await post(body, { "content-type": "application/json" });
    expect([refused.status, refused.body.reason]).toEqual([
      400,
      expect.stringMatching(/cut off before its end, at byte 1\d{7}/),
    ]);
    expect(await count()).toBe(before);
    const drafts = (await app.rest("GET", `/v0/orgs/${org.tag}/records`, undefined, org.read)).body.stays_behind.find(
      (each: { kind: string }) => each.kind === "evidence_draft",
    );
    expect(drafts.count).toBe(0);
  });
});

describe("OpenTelemetry exports", () => {
  let app: TestApp;
  let org: TestOrg;
  beforeAll(async () => {
    app = await startApp({ chapters });
    org = await app.org();
  });
  afterAll(() => app.close());
  const kv = (fields: Record<string, string>) =>
    Object.entries(fields).map(([key, stringValue]) => ({ key, value: { stringValue } }));
  const span = (id: string, attributes: Record<string, string>, trace = "0af7651916cd43dd8448eb211c80319c") => ({
    traceId: trace,
    spanId: id,
    name: "work",
    kind: 1,
    startTimeUnixNano: "1700000000000000000",
    endTimeUnixNano: "1700000000500000000",
    attributes: kv(attributes),
    status: {},
  });
  const request = (spans: unknown[]) => ({
    resourceSpans: [
      { resource: { attributes: kv({ "service.name": "shop" }) }, scopeSpans: [{ scope: { name: "s" }, spans }] },
    ],
  });
  const tool = span("b7ad6b7169203331", {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "get_order",
    "gen_ai.tool.call.arguments": '{"id":"W1"}',
    "gen_ai.tool.call.result": '{"ok":true}',
  });
  const http = span("b7ad6b7169203332", { "http.method": "GET" }, "1af7651916cd43dd8448eb211c80319c");

  it("answers JSON exports as the protocol has it", async () => {
    const post = (body: unknown) =>
      app.rest("POST", "/v0/evidence", JSON.stringify(body), org.push, { "content-type": "application/json" });
    const taken = await post(request([tool]));
    expect([taken.status, taken.headers.get("content-type"), JSON.parse(taken.text)]).toEqual([
      200,
      expect.stringContaining("application/json"),
      {},
    ]);
    const part = await post(request([tool, http]));
    expect(JSON.parse(part.text)).toEqual({
      partialSuccess: {
        rejectedSpans: "1",
        errorMessage: expect.stringContaining("without model, tool or agent spans"),
      },
    });
    expect(JSON.parse((await post({ resourceSpans: [] })).text)).toEqual({});
    const none = await post(request([http]));
    expect([none.status, JSON.parse(none.text).partialSuccess.rejectedSpans]).toEqual([200, "1"]);
    const broken = await app.rest("POST", "/v0/evidence", '{"resourceSpans": [{"scopeSpans":', org.push, {
      "content-type": "application/json",
    });
    expect([broken.status, JSON.parse(broken.text).code]).toEqual([400, 3]);
    const listed = await app.rest("GET", "/v0/evidence", undefined, org.read);
    expect(listed.body.evidence.map((each: { admitted: number }) => each.admitted)).toEqual([1, 1]);
    const asFile = await app.rest("POST", "/v0/evidence?format=otlp", JSON.stringify(request([tool, tool])), org.push, {
      "content-type": "application/json",
    });
    expect([asFile.status, asFile.body.format]).toEqual([201, "otlp"]);
  });

  it("reads protobuf exports that another encoder wrote", async () => {
    const { root } = protobuf.parse(`syntax = "proto3";
      message Req { repeated RS resource_spans = 1; } message RS { repeated SS scope_spans = 2; string schema_url = 3; } message SS { repeated S spans = 2; }
      message S { bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; string name = 5; fixed64 start = 7; fixed64 end = 8; repeated KV attributes = 9; fixed32 flags = 16; }
      message KV { string key = 1; AV value = 2; } message AV { string string_value = 1; int64 int_value = 3; }`);
    const Req = root.lookupType("Req");
    const attributes = [
      ["gen_ai.operation.name", "execute_tool"],
      ["gen_ai.tool.name", "cancel"],
      ["gen_ai.tool.call.arguments", '{"id":7}'],
    ].map(([key, string_value]) => ({ key, value: { stringValue: string_value } }));
    const bytes = Req.encode(
      Req.fromObject({
        resourceSpans: [
          {
            schemaUrl: "u",
            scopeSpans: [
              {
                spans: [
                  {
                    traceId: Buffer.alloc(16, 5),
                    spanId: Buffer.alloc(8, 6),
                    traceState: "a=b",
                    name: "n",
                    start: "1700000001000000000",
                    end: "1700000002000000000",
                    attributes,
                    flags: 1,
                  },
                ],
              },
            ],
          },
        ],
      }),
    ).finish();
    const headers = { "content-type": "application/x-protobuf", "content-encoding": "gzip" };
    const taken = await app.rest("POST", "/v0/evidence", gzipSync(bytes), org.push, headers);
    expect([taken.status, taken.headers.get("content-type"), taken.text]).toEqual([200, "application/x-protobuf", ""]);
    const store = app.service.store.forOrg(org.id);
    const [record] = (await app.rest("GET", "/v0/evidence?limit=1", undefined, org.read)).body.evidence;
    const [head] = (await store.traces.heads(record.id)).items;
    const row = await store.traces.get(head?.id ?? "");
    expect(row?.trace).toMatchObject({
      started_at: 1700000001,
      labels: { trace_id: "05".repeat(16) },
      calls: [{ tool: "cancel", args: { id: 7 }, answer_class: "pending" }],
    });
    const broken = await app.rest("POST", "/v0/evidence", Buffer.from([255, 255, 255]), org.push, {
      "content-type": "application/x-protobuf",
    });
    expect([broken.status, broken.headers.get("content-type")]).toEqual([400, "application/x-protobuf"]);
  });
});
