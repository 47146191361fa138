import { describe, expect, it } from "vitest";
import { read } from "./kit.ts";

const T = "5b8efff798038103d269b633813fc60c";

const typed = (value: unknown): object => {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "number") return { doubleValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(typed) } };
  return { kvlistValue: { values: pairs(value as object) } };
};
const pairs = (attributes: object) => Object.entries(attributes).map(([key, value]) => ({ key, value: typed(value) }));

/** Lines as the collector's file exporter writes them: an export request of one signal each. */
const spans = (...all: object[]) => ({
  resourceSpans: [{ resource: { attributes: pairs({ "service.name": "desk" }) }, scopeSpans: [{ spans: all }] }],
});
const logs = (...all: object[]) => ({ resourceLogs: [{ resource: {}, scopeLogs: [{ logRecords: all }] }] });
const lines = (values: readonly object[]) => values.map((value) => JSON.stringify(value)).join("\n");

const span = (spanId: string, at: number) => ({
  traceId: T,
  spanId,
  name: "chat m",
  startTimeUnixNano: `${at}000000000`,
  endTimeUnixNano: `${at + 1}000000000`,
  attributes: pairs({
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "m",
    "gen_ai.usage.input_tokens": 10,
    "gen_ai.usage.output_tokens": 2,
  }),
});
const log = (spanId: string, at: number, eventName: string, body: object, attributes = {}) => ({
  timeUnixNano: `${at}500000000`,
  eventName,
  body: typed(body),
  attributes: pairs({ "gen_ai.system": "openai", ...attributes }),
  traceId: T,
  spanId,
});

const find = { id: "c1", type: "function", function: { name: "find", arguments: '{"id":"W1"}' } };
const user = (id: string, at: number) => log(id, at, "gen_ai.user.message", { content: "Find W1" });
const choice = (id: string, at: number, message: object) => log(id, at, "gen_ai.choice", { index: 0, message });
const other = { timeUnixNano: "1", body: { stringValue: "GET /" } };
const first = logs(user("a1", 1000), choice("a1", 1001, { role: "assistant", tool_calls: [find] }));
const second = logs(
  user("a2", 1002),
  log("a2", 1002, "gen_ai.assistant.message", { tool_calls: [find] }),
  log("a2", 1002, "gen_ai.tool.message", { id: "c1", content: "sent" }),
  choice("a2", 1003, { role: "assistant", content: "It was sent." }),
  other,
);

/** Event names and bodies of opentelemetry.io/docs/specs/semconv/gen-ai, of before and after messages became attributes. */
describe("GenAI events in OTLP log records", () => {
  const whole = {
    request: "Find W1",
    calls: [{ tool: "find", args: { id: "W1" }, result: "sent" }],
    final_answer: "It was sent.",
  };

  it("are the messages of their spans, in whatever order the signals come and however often", async () => {
    const model = [spans(span("a1", 1000)), spans(span("a2", 1002))];
    for (const given of [
      [{ resourceMetrics: [] }, first, ...model, second],
      [...model, first, second, { resourceMetrics: [] }, first],
    ]) {
      const { format, traces, losses, refused } = await read(lines(given));
      expect([format, traces.length, refused]).toEqual(["otlp", 1, []]);
      expect(losses).toMatchObject({ log_record_without_messages: 1 });
      const usage = { input_tokens: 20, output_tokens: 4 };
      expect(traces[0]).toMatchObject({ ...whole, usage, labels: { model: "m", service: "desk" } });
      expect(traces[0]?.turns.map(({ role }) => role)).toEqual(["user", "assistant", "assistant"]);
    }
  });

  it("are a session where their spans are in another file, and log records of other things are none", async () => {
    const { format, traces, refused } = await read(lines([first, second]));
    expect([format, traces.length, refused]).toEqual(["otlp", 1, []]);
    expect(traces[0]).toMatchObject(whole);
    expect((await read(lines([logs(other)]))).format).toBe("records");
    await expect(read(lines([{ resourceMetrics: [] }]))).rejects.toThrow(/no format/);
    expect((await read(lines([logs(other), first, second]))).format).toBe("otlp");
  });

  it("leave spans without an id as many as they are", async () => {
    const called = (id: string) => ({
      ...span("", 1002),
      attributes: pairs({
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "find",
        "gen_ai.tool.call.id": id,
        "gen_ai.tool.call.arguments": `{"id":"${id}"}`,
      }),
    });
    const { traces } = await read(lines([spans(span("a1", 1000), called("x"), called("y")), logs(user("a1", 1000))]));
    expect(traces[0]?.calls.map(({ args }) => args)).toEqual([{ id: "x" }, { id: "y" }]);
  });

  it("hold messages as attributes in the newer form, and what an evaluation came to", async () => {
    const part = (type: string, more: object) => ({ type, ...more });
    const input = [
      { role: "user", parts: [part("text", { content: "Find W1" })] },
      { role: "assistant", parts: [part("tool_call", { id: "c1", name: "find", arguments: { id: "W1" } })] },
      { role: "tool", parts: [part("tool_call_response", { id: "c1", response: "sent" })] },
    ];
    const output = [{ role: "assistant", parts: [part("text", { content: "It was sent." })], finish_reason: "stop" }];
    const details = { "gen_ai.input.messages": input, "gen_ai.output.messages": output };
    const evaluation = {
      "gen_ai.evaluation.name": "Relevance",
      "gen_ai.evaluation.score.value": 0.8,
      "gen_ai.evaluation.explanation": "To the point.",
    };
    const { traces, losses } = await read(
      lines([
        spans(span("a1", 1000)),
        logs(
          log("a1", 1001, "gen_ai.client.inference.operation.details", {}, details),
          log("a1", 1002, "gen_ai.evaluation.result", {}, evaluation),
        ),
      ]),
    );
    expect([traces.length, losses]).toEqual([1, {}]);
    expect(traces[0]).toMatchObject({
      ...whole,
      labels: { "score.Relevance": "0.8", "score.Relevance.comment": "To the point." },
    });
  });
});
