import { gzipSync } from "node:zlib";
import protobuf from "protobufjs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOTLESS_SECONDS } from "../../../chapters/evidence/rolling/close.ts";
import { FakeClock, startApp, type TestApp, type TestOrg } from "../../helpers/app.ts";
import { chapters, TOKEN } from "./kit.ts";

describe("OpenTelemetry exports", () => {
  let app: TestApp;
  let org: TestOrg;
  const clock = new FakeClock();
  beforeAll(async () => {
    app = await startApp({ chapters, clock });
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
    const part = await post(request([tool, { ...http, traceId: "" }]));
    expect(JSON.parse(part.text)).toEqual({
      partialSuccess: { rejectedSpans: "1", errorMessage: "a span without a trace id or a span id" },
    });
    expect(JSON.parse((await post({ resourceSpans: [] })).text)).toEqual({});
    const secret = span("b7ad6b7169203333", { "input.value": TOKEN }, "2af7651916cd43dd8448eb211c80319c");
    const refused = JSON.parse((await post(request([secret, http]))).text).partialSuccess;
    expect(refused).toEqual({ rejectedSpans: "1", errorMessage: "a span holds a secret (github)" });
    const broken = await app.rest("POST", "/v0/evidence", '{"resourceSpans": [{"scopeSpans":', org.push, {
      "content-type": "application/json",
    });
    expect([broken.status, JSON.parse(broken.text).code]).toEqual([400, 3]);
    const listed = await app.rest("GET", "/v0/evidence", undefined, org.read);
    expect(listed.body.evidence, "the spans wait for the rest of their traces").toEqual([]);
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
    clock.advance(ROOTLESS_SECONDS);
    await app.service.schedules.tick();
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
