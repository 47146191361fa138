import { describe, expect, it } from "vitest";
import { read } from "./kit.ts";

const lines = (...values: unknown[]) => values.map((value) => JSON.stringify(value)).join("\n");
const T = "2026-01-02T03:04:0";

/** GET /v1/projects/{id}/spans of github.com/Arize-ai/phoenix, and rows of its data frame of spans. */
describe("Phoenix", () => {
  const span = (
    id: string,
    kind: string,
    n: number,
    attributes: object,
    more: { annotations?: object[]; status_code?: string; status_message?: string } = {},
  ) => ({
    id: `U3Bhbjo${id}`,
    name: kind === "TOOL" ? "find" : "chat",
    context: { trace_id: "T1", span_id: id },
    span_kind: kind,
    parent_id: id === "s0" ? null : "s0",
    start_time: `${T}${n}+00:00`,
    end_time: `${T}${n + 1}+00:00`,
    status_code: "OK",
    status_message: "",
    attributes,
    events: [],
    ...more,
  });
  const model = (words: string, more = {}) => ({
    "llm.model_name": "m-1",
    "llm.token_count.prompt": 10,
    "llm.token_count.completion": 2,
    "llm.input_messages.0.message.role": "user",
    "llm.input_messages.0.message.content": "Where is W1?",
    "llm.output_messages.0.message.role": "assistant",
    "llm.output_messages.0.message.content": words,
    ...more,
  });
  const spans = [
    span("s3", "LLM", 4, model("W1 was sent.", { "llm.cost.total": 0.5 }), {
      annotations: [{ name: "helpful", result: { score: 0.5, label: "so", explanation: "short" } }],
    }),
    span("s2", "TOOL", 2, { "input.value": '{"id":"W2"}' }, { status_code: "ERROR", status_message: "no such order" }),
    span("s1", "TOOL", 1, { "tool.name": "find", "input.value": '{"id":"W1"}', "output.value": "sent" }),
    span("s0", "AGENT", 0, { "session.id": "se-1" }),
  ];
  const whole = {
    session: "se-1",
    request: "Where is W1?",
    calls: [
      { tool: "find", args: { id: "W1" }, result: "sent", is_error: false },
      { tool: "find", args: { id: "W2" }, result: "no such order", is_error: true },
    ],
    final_answer: "W1 was sent.",
    usage: { input_tokens: 10, output_tokens: 2 },
    cost_usd: 0.5,
  };

  it("spans of its interface, whose kind stands beside the attributes, with annotations as scores", async () => {
    const { format, traces, losses } = await read({ data: spans, next_cursor: null });
    expect([format, traces.length, losses]).toEqual(["otlp", 1, {}]);
    expect(traces[0]).toMatchObject({
      ...whole,
      labels: { model: "m-1", "score.helpful": "0.5", "score.helpful.comment": "short" },
    });
  });

  it("rows of its data frame, with nested messages", async () => {
    const rows = spans.map(({ context, attributes, annotations: _, ...rest }) => ({
      ...rest,
      "context.trace_id": context.trace_id,
      "context.span_id": context.span_id,
      "attributes.output.value": null,
      ...Object.fromEntries(
        Object.entries(attributes)
          .filter(([key]) => !key.includes("_messages"))
          .map(([key, value]) => [`attributes.${key}`, value]),
      ),
      ...("llm.model_name" in attributes
        ? {
            "attributes.llm.input_messages": [{ "message.role": "user", "message.content": "Where is W1?" }],
            "attributes.llm.output_messages": [{ "message.role": "assistant", "message.content": "W1 was sent." }],
          }
        : {}),
    }));
    const { format, traces } = await read(lines(...rows));
    expect([format, traces.length]).toEqual(["otlp", 1]);
    expect(traces[0]).toMatchObject(whole);
  });

  it("spans in the protocol's own names", async () => {
    const kv = (attributes: object) =>
      Object.entries(attributes).map(([key, value]) => ({
        key,
        value: typeof value === "number" ? { string_value: null, double_value: value } : { string_value: value },
      }));
    const { traces } = await read({
      data: spans.slice(0, 3).map(({ context, span_kind, attributes, start_time, ...rest }, i) => ({
        name: rest.name,
        trace_id: "dDE=",
        span_id: `c${i}=`,
        attributes: kv({ ...attributes, "openinference.span.kind": span_kind }),
        start_time_unix_nano: String(Date.parse(start_time) * 1e6),
        end_time_unix_nano: String(Date.parse(rest.end_time) * 1e6),
        status: { code: rest.status_code === "ERROR" ? 2 : 1, message: rest.status_message },
      })),
    });
    const { session: _, ...said } = whole;
    expect(traces).toMatchObject([said]);
  });
});
