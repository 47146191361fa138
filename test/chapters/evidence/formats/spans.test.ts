import { describe, expect, it } from "vitest";
import { read } from "./kit.ts";

describe("otlp", () => {
  const kv = (fields: Record<string, unknown>) =>
    Object.entries(fields).map(([key, value]) => ({
      key,
      value: typeof value === "number" ? { intValue: String(value) } : { stringValue: value },
    }));
  let at = 0;
  const span = (id: string, parent: string | undefined, attributes: Record<string, unknown>, more = {}) => ({
    traceId: "AB".repeat(16),
    spanId: id,
    ...(parent === undefined ? {} : { parentSpanId: parent }),
    name: `span ${id}`,
    startTimeUnixNano: `17000000${String(10 + at++)}000000000`,
    endTimeUnixNano: `17000000${String(10 + at)}500000000`,
    attributes: kv(attributes),
    ...more,
  });
  const spans = () => {
    at = 0;
    const ask = [{ role: "user", parts: [{ type: "text", content: "Weather?" }] }];
    const turn = [
      {
        role: "assistant",
        parts: [
          { type: "text", content: "Checking." },
          { type: "tool_call", id: "c1", name: "weather", arguments: { city: "Paris" } },
        ],
        finish_reason: "tool_call",
      },
    ];
    return [
      span("01", undefined, {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "helper",
        "gen_ai.conversation.id": "conv",
        "gen_ai.output.messages": JSON.stringify([{ role: "assistant", parts: [{ type: "text", content: "Rainy." }] }]),
      }),
      span("02", "01", {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "m",
        "gen_ai.input.messages": JSON.stringify(ask),
        "gen_ai.output.messages": JSON.stringify(turn),
        "gen_ai.usage.input_tokens": 7,
        "gen_ai.system_instructions": '[{"type":"text","content":"Be short."}]',
      }),
      span("03", "01", {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "weather",
        "gen_ai.tool.call.id": "c1",
        "gen_ai.tool.call.result": '{"sky":"rain"}',
      }),
      span(
        "04",
        "03",
        { "mcp.method.name": "tools/call", "gen_ai.tool.name": "weather" },
        { status: { code: 2, message: "late" } },
      ),
      span("05", "01", {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": JSON.stringify([
          ...ask,
          ...turn,
          { role: "tool", parts: [{ type: "tool_call_response", id: "c1", response: "x" }] },
        ]),
        "gen_ai.output.messages": JSON.stringify([{ role: "assistant", parts: [{ type: "text", content: "Rainy." }] }]),
        "gen_ai.usage.input_tokens": 5,
      }),
    ];
  };
  const expected = {
    session: "conv",
    request: "Weather?",
    turns: [
      { role: "system", text: "Be short." },
      { role: "user", text: "Weather?" },
      { role: "assistant", text: "Checking." },
      { role: "assistant", text: "Rainy." },
    ],
    calls: [{ tool: "weather", args: { city: "Paris" }, result: '{"sky":"rain"}', answer_class: "data", span: "c1" }],
    final_answer: "Rainy.",
  };

  it("reads GenAI spans: repeated histories once, arguments from the message where the span has none, nested tool spans once", async () => {
    const body = {
      resourceSpans: [
        {
          resource: { attributes: kv({ "service.name": "shop", "service.version": "2.1" }) },
          scopeSpans: [{ spans: spans() }],
        },
      ],
    };
    const { format, traces, losses } = await read(body);
    expect(format).toBe("otlp");
    expect(traces).toHaveLength(1);
    expect(traces[0]).toMatchObject({
      ...expected,
      usage: { input_tokens: 12 },
      labels: { service: "shop", version: "2.1", agent: "helper", model: "m", trace_id: "ab".repeat(16) },
      started_at: 1700000010,
      ended_at: 1700000015.5,
    });
    expect(traces[0]?.calls).toHaveLength(1);
    expect(losses).toEqual({ nested_tool_span: 1 });
    const brief = spans().map((each) => ({
      ...each,
      startTimeUnixNano: "1795007680200000000",
      endTimeUnixNano: "1795007680520000000",
    }));
    expect((await read({ resourceSpans: [{ scopeSpans: [{ spans: brief }] }] })).traces[0]?.calls[0]?.ms).toBe(320);
    const tempo = await read({ batches: [{ instrumentationLibrarySpans: [{ spans: spans() }] }] });
    expect(tempo.traces[0]).toMatchObject(expected);
    const [first, ...rest] = spans();
    const lines = [
      { resourceSpans: [{ scopeSpans: [{ spans: [first] }] }] },
      { resourceSpans: [{ scopeSpans: [{ spans: rest }] }] },
    ]
      .map((each) => JSON.stringify(each))
      .join("\n");
    expect((await read(lines)).traces[0]).toMatchObject(expected);
  });

  it("reads OpenInference attributes in Jaeger and readable lists", async () => {
    const attributes = {
      "openinference.span.kind": "LLM",
      "llm.model_name": "m",
      "llm.input_messages.0.message.role": "user",
      "llm.input_messages.0.message.content": "Weather?",
      "llm.output_messages.0.message.role": "assistant",
      "llm.output_messages.0.message.tool_calls.0.tool_call.id": "c1",
      "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "weather",
      "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": '{"city":"Paris"}',
      "llm.tools.0.tool.json_schema": '{"type":"function","function":{"name":"weather","parameters":{}}}',
    };
    const tool = {
      "openinference.span.kind": "TOOL",
      "tool.name": "weather",
      "tool.id": "c1",
      "input.value": '{"city":"Paris"}',
      "output.value": "rain",
    };
    const readable = await read([
      {
        trace_id: "t1",
        span_id: "1",
        name: "llm",
        start_time: 1700000000000000000,
        end_time: 1700000001000000000,
        attributes,
        status: { code: "OK" },
      },
      {
        trace_id: "t1",
        span_id: "2",
        parent_span_id: "1",
        name: "weather",
        start_time: 1700000001000000000,
        end_time: 1700000002000000000,
        attributes: tool,
        status: { code: "ERROR" },
      },
    ]);
    expect(readable.traces[0]).toMatchObject({
      request: "Weather?",
      calls: [{ tool: "weather", args: { city: "Paris" }, result: "rain", is_error: true, ms: 1000 }],
      tools: [{ name: "weather" }],
      labels: { model: "m" },
    });
    const tags = (fields: Record<string, unknown>) =>
      Object.entries(fields).map(([key, value]) => ({ key, type: "string", value }));
    const jaeger = await read({
      data: [
        {
          traceID: "t2",
          spans: [
            {
              traceID: "t2",
              spanID: "2",
              operationName: "weather",
              references: [],
              startTime: 1700000001000000,
              duration: 2500,
              tags: tags(tool),
              logs: [],
              processID: "p",
            },
          ],
          processes: { p: { serviceName: "shop" } },
        },
      ],
    });
    expect(jaeger.traces[0]).toMatchObject({
      session: "t2",
      labels: { service: "shop" },
      calls: [{ tool: "weather", result: "rain", ms: expect.closeTo(2.5, 1) }],
    });
  });

  it("reads older shapes: flat prompts, message events, span lists without content", async () => {
    const flat = await read([
      {
        trace_id: "t",
        span_id: "1",
        attributes: {
          "llm.request.type": "chat",
          "gen_ai.prompt.0.role": "user",
          "gen_ai.prompt.0.content": "Hi",
          "gen_ai.completion.0.role": "assistant",
          "gen_ai.completion.0.content": "Hello",
        },
      },
    ]);
    expect(flat.traces[0]).toMatchObject({ request: "Hi", final_answer: "Hello" });
    const events = await read([
      {
        trace_id: "t",
        span_id: "1",
        attributes: { "gen_ai.operation.name": "chat" },
        events: [
          { name: "gen_ai.user.message", attributes: { content: "Hi" } },
          { name: "gen_ai.choice", attributes: { message: '{"role":"assistant","content":"Hello"}' } },
        ],
      },
    ]);
    expect(events.traces[0]).toMatchObject({ request: "Hi", final_answer: "Hello" });
    const bare = await read([
      { trace_id: "t", span_id: "1", attributes: { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "x" } },
    ]);
    expect([bare.traces[0]?.calls[0]?.answer_class, bare.losses]).toEqual([
      "pending",
      { arguments_not_captured: 1, result_not_captured: 1 },
    ]);
    const http = await read([{ trace_id: "t", span_id: "1", attributes: { "http.method": "GET" } }]);
    expect([http.traces, http.refused.length, http.losses]).toEqual([[], 1, { span_of_refused_trace: 1 }]);
  });
});

describe("vendors' spans", () => {
  it("reads the observability vendor's search answer and intake list", async () => {
    const attributes = (id: string, kind: string, more: object) => ({
      trace_id: "9",
      span_id: id,
      parent_id: "undefined",
      name: "weather",
      span_kind: kind,
      ml_app: "shop",
      start_ns: 1700000000000000000 + Number(id),
      duration: 5e6,
      status: "ok",
      tags: ["session_id:s9"],
      ...more,
    });
    const search = {
      data: [
        {
          id: "1",
          type: "span",
          attributes: attributes("1", "llm", {
            model_name: "m",
            input: { messages: [{ role: "user", content: "Weather?" }] },
            output: {
              messages: [
                {
                  role: "assistant",
                  content: "",
                  tool_calls: [{ name: "weather", arguments: { city: "Paris" }, tool_id: "c" }],
                },
              ],
            },
            metrics: { input_tokens: 6 },
          }),
        },
        {
          id: "2",
          type: "span",
          attributes: attributes("2", "tool", { input: { value: '{"city":"Paris"}' }, output: { value: "rain" } }),
        },
      ],
      meta: { page: {} },
    };
    const { format, traces } = await read(search);
    expect(format).toBe("obs-spans");
    expect(traces[0]).toMatchObject({
      session: "s9",
      request: "Weather?",
      calls: [{ tool: "weather", args: { city: "Paris" }, result: "rain" }],
      usage: { input_tokens: 6 },
      labels: { service: "shop", model: "m" },
    });
    const intake = await read([
      {
        "_dd.stage": "raw",
        event_type: "span",
        spans: [
          {
            span_id: "3",
            trace_id: "8",
            parent_id: "",
            name: "n",
            start_ns: 1,
            duration: 1,
            status: "error",
            meta: { span: { kind: "tool" }, input: { value: "{}" }, output: { value: "" }, error: { message: "late" } },
          },
        ],
      },
    ]);
    expect([intake.format, intake.traces[0]?.calls[0]]).toEqual([
      "obs-spans",
      expect.objectContaining({ tool: "n", is_error: true }),
    ]);
  });

  it("reads the tracing tool's export, with inputs as JSON texts encoded twice", async () => {
    const observation = (id: string, type: string, more: object) => ({
      id,
      traceId: "t",
      type,
      startTime: `2025-01-01T00:00:0${id}.000Z`,
      endTime: `2025-01-01T00:00:0${id}.500Z`,
      level: "DEFAULT",
      ...more,
    });
    const { format, traces, losses } = await read({
      trace: { id: "t", sessionId: "s", release: "2.1", scores: [{ name: "x", value: 1 }] },
      observations: [
        observation("1", "GENERATION", {
          model: "m",
          input: JSON.stringify(JSON.stringify([{ role: "user", content: "Weather?" }])),
          output: { role: "assistant", content: "Rain." },
          usageDetails: { input: 3, output: 1 },
        }),
        observation("2", "TOOL", { name: "weather", input: '{"city":"Paris"}', output: '"rain"', level: "ERROR" }),
      ],
    });
    expect(format).toBe("trace_store");
    expect(traces[0]).toMatchObject({
      session: "s",
      request: "Weather?",
      usage: { input_tokens: 3, output_tokens: 1 },
      calls: [{ tool: "weather", args: { city: "Paris" }, result: "rain", is_error: true, ms: 500 }],
    });
    expect(losses).toEqual({});
    expect(traces[0]).toMatchObject({
      labels: { version: "2.1" },
      ended_at: Date.UTC(2025, 0, 1, 0, 0, 2) / 1000 + 0.5,
    });
    expect(Object.keys(traces[0]?.labels ?? {}).some((name) => name.startsWith("score."))).toBe(true);
  });
});
