import { context, SpanStatusCode, type Tracer, trace } from "@opentelemetry/api";
import { OTLPTraceExporter as JsonExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { QUIET_SECONDS } from "../../../chapters/evidence/rolling/close.ts";
import { Evidence } from "../../../chapters/records/evidence/evidence.ts";
import { FakeClock, startApp, type TestApp, type TestOrg } from "../../helpers/app.ts";
import { chapters } from "./kit.ts";

const MESSAGES = [{ role: "user", parts: [{ type: "text", content: "Where is W1?" }] }];
const REPLY = [{ role: "assistant", parts: [{ type: "text", content: "On its way." }], finish_reason: "stop" }];

/** One session of an agent in GenAI attributes: a root, a tool that answers, one that fails, a model's reply. */
async function session(tracer: Tracer, flush: () => Promise<void>): Promise<void> {
  const root = tracer.startSpan("invoke_agent desk", {
    attributes: { "gen_ai.operation.name": "invoke_agent", "gen_ai.conversation.id": "conv-7" },
  });
  const inside = trace.setSpan(context.active(), root);
  const child = (name: string, attributes: Record<string, string>) => tracer.startSpan(name, { attributes }, inside);
  const tool = (name: string, more: Record<string, string>) =>
    child(`execute_tool ${name}`, {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": name,
      "gen_ai.tool.call.arguments": '{"id":"W1"}',
      ...more,
    });
  tool("get_order", { "gen_ai.tool.call.result": '{"status":"sent"}' }).end();
  await flush();
  const failed = tool("cancel_order", {});
  failed.setStatus({ code: SpanStatusCode.ERROR, message: "not allowed" });
  failed.end();
  await flush();
  child("chat m", {
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "m-1",
    "gen_ai.input.messages": JSON.stringify(MESSAGES),
    "gen_ai.output.messages": JSON.stringify(REPLY),
  }).end();
  root.end();
  await flush();
}

describe("an OpenTelemetry exporter pointed at /v0/evidence", () => {
  let app: TestApp;
  let org: TestOrg;
  const clock = new FakeClock();
  beforeEach(async () => {
    app = await startApp({ chapters, clock });
    org = await app.org();
  });
  afterEach(() => app.close());

  it.each([
    ["JSON", JsonExporter],
    ["protobuf", ProtobufExporter],
    ["JSON, compressed", JsonExporter],
  ])("is understood in %s, over several posts", async (name, Exporter) => {
    const exporter = new Exporter({
      url: `${app.url}/v0/evidence`,
      headers: { authorization: `Bearer ${org.push}` },
      ...(name.includes("compressed") ? { compression: "gzip" as never } : {}),
    });
    const results: unknown[] = [];
    const counted: typeof exporter.export = exporter.export.bind(exporter);
    exporter.export = (spans, done) =>
      counted(spans, (result) => {
        results.push(result.code);
        done(result);
      });
    const processor = new BatchSpanProcessor(exporter);
    const provider = new BasicTracerProvider({
      resource: resourceFromAttributes({ "service.name": "desk-agent" }),
      spanProcessors: [processor],
    });
    await session(provider.getTracer("test"), () => processor.forceFlush());
    await provider.shutdown();
    expect(results).toEqual([0, 0, 0]);

    clock.advance(QUIET_SECONDS);
    await app.service.schedules.tick();
    const store = app.service.store.forOrg(org.id);
    const [record] = (await store.records.list(Evidence)).items;
    expect(record?.rolling?.service).toBe("desk-agent");
    const rows = [];
    for await (const row of store.traces.stream([record?.id ?? ""])) rows.push(row.trace);
    expect(rows).toMatchObject([
      {
        session: "conv-7",
        request: "Where is W1?",
        final_answer: "On its way.",
        labels: { service: "desk-agent", model: "m-1" },
        calls: [
          { tool: "get_order", args: { id: "W1" }, is_error: false },
          { tool: "cancel_order", is_error: true, result: "not allowed" },
        ],
      },
    ]);
  });

  it("hears that its token is refused", async () => {
    const exporter = new JsonExporter({ url: `${app.url}/v0/evidence`, headers: { authorization: "Bearer wrong" } });
    const processor = new BatchSpanProcessor(exporter);
    const provider = new BasicTracerProvider({ spanProcessors: [processor] });
    const ended = new Promise<{ code: number }>((resolve) => {
      const send = exporter.export.bind(exporter);
      exporter.export = (spans, done) =>
        send(spans, (result) => {
          resolve(result);
          done(result);
        });
    });
    provider.getTracer("test").startSpan("x").end();
    await processor.forceFlush().catch(() => {});
    expect((await ended).code).toBe(1);
    await provider.shutdown().catch(() => {});
  });
});
