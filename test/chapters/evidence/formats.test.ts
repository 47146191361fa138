import { describe, expect, it } from "vitest";
import { AppError } from "../../../chapters/errors.ts";
import type { DocumentContent } from "../../../chapters/evidence/formats/format.ts";
import { type Hints, openEvidence } from "../../../chapters/evidence/reading/evidence.ts";
import { CanonicalTrace } from "../../../chapters/evidence/schema.ts";

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** Opens a value (text as it is, all else as JSON) and reads all of it. */
async function read(value: unknown, hints: Hints = {}) {
  const open = await openEvidence(once(typeof value === "string" ? value : JSON.stringify(value)), hints);
  const traces: CanonicalTrace[] = [];
  if (open.format.kind === "traces")
    for await (const { trace } of open.traces()) traces.push(CanonicalTrace.parse(trace));
  const tools = open.format.kind === "tool_listing" ? await open.tools() : [];
  const document: DocumentContent = open.format.kind === "document" ? await open.document() : { texts: [], tables: [] };
  return {
    format: open.format.name,
    detected: open.detected,
    traces,
    tools,
    document,
    losses: open.tally.losses,
    refused: open.tally.refused,
  };
}

const call = (id: string, name: string, args: unknown) => ({
  id,
  type: "function",
  function: { name, arguments: typeof args === "string" ? args : JSON.stringify(args) },
});
const CHAT = [
  { role: "system", content: "Help." },
  { role: "user", content: "Cancel W1 please" },
  {
    role: "assistant",
    content: "One moment.",
    tool_calls: [call("a", "get_order", { id: "W1" }), call("b", "get_user", { id: 7 })],
  },
  { role: "tool", tool_call_id: "b", content: "Error: user not found" },
  { role: "tool", tool_call_id: "a", content: '{"id":"W1","items":[]}' },
  { role: "assistant", content: "I cannot cancel it." },
];

describe("openai-chat", () => {
  it("reads a bare message list: calls in the order they were made, answers by id", async () => {
    const { format, traces, losses } = await read(CHAT);
    expect(format).toBe("openai-chat");
    expect(traces).toHaveLength(1);
    expect(traces[0]).toMatchObject({
      request: "Cancel W1 please",
      turns: [{ role: "system" }, { role: "user" }, { role: "assistant", text: "One moment." }, { role: "assistant" }],
      calls: [
        {
          tool: "get_order",
          args: { id: "W1" },
          result: '{"id":"W1","items":[]}',
          answer_class: "data",
          is_error: false,
          span: "a",
          turn: 2,
        },
        {
          tool: "get_user",
          args: { id: 7 },
          result: "Error: user not found",
          answer_class: "error:not_found",
          span: "b",
          turn: 2,
        },
      ],
      final_answer: "I cannot cancel it.",
      final_answer_class: "refused",
    });
    expect(losses).toEqual({});
  });

  it("reads records with tools, usage and reward, one a line, and request with response", async () => {
    const record = {
      id: "s1",
      task_id: 4,
      model: "m",
      messages: CHAT,
      reward: 0.5,
      usage: { prompt_tokens: 10, completion_tokens: 3 },
      tools: [
        { type: "function", function: { name: "get_order", description: "Reads.", parameters: { type: "object" } } },
      ],
    };
    const exchange = {
      request: { model: "m", messages: CHAT.slice(0, 2) },
      response: { choices: [{ message: { role: "assistant", content: null, tool_calls: [call("x", "go", "")] } }] },
    };
    const { traces } = await read(`${JSON.stringify(record)}\n${JSON.stringify(exchange)}`);
    expect(traces[0]).toMatchObject({
      session: "s1",
      labels: { task_id: "4", model: "m" },
      usage: { input_tokens: 10, output_tokens: 3 },
      outcome: { reward: 0.5, tier: "deterministic" },
      tools: [{ name: "get_order", description: "Reads.", input_schema: { type: "object" } }],
    });
    expect(traces[1]).toMatchObject({
      calls: [{ tool: "go", args: {}, result: null, answer_class: "pending" }],
      final_answer: null,
      final_answer_class: "none",
    });
  });

  it("keeps arguments that are no JSON, counts what it cannot place, and takes the legacy single call", async () => {
    const { traces, losses, refused } = await read([
      {
        messages: [
          ...CHAT.slice(0, 2),
          { role: "assistant", content: "", tool_calls: [call("a", "go", "{broken")] },
          { role: "tool", tool_call_id: "zz", content: "x" },
          { role: "narrator", content: "x" },
        ],
      },
      {
        messages: [
          {
            role: "user",
            content: [
              { type: "text", text: "See" },
              { type: "image_url", image_url: {} },
            ],
          },
          { role: "assistant", content: null, function_call: { name: "old", arguments: '{"a":1}' } },
          { role: "function", name: "old", content: "[]" },
        ],
      },
      { nothing: true },
    ]);
    expect(traces[0]?.calls[0]).toMatchObject({ args: { _unparsed: "{broken" }, answer_class: "pending" });
    expect(traces[1]).toMatchObject({
      request: "See",
      calls: [{ tool: "old", args: { a: 1 }, result: "[]", answer_class: "empty" }],
    });
    expect(losses).toEqual({
      arguments_not_an_object: 1,
      answer_without_call: 1,
      message_of_unknown_role: 1,
      part_image: 1,
    });
    expect(refused).toEqual([{ line: 3, reason: "not a chat message and no record with messages" }]);
  });
});

describe("anthropic-messages", () => {
  it("reads tool_use and tool_result blocks, the system prompt and the answer", async () => {
    const { format, traces, losses } = await read({
      model: "c",
      system: [{ type: "text", text: "Help." }],
      max_tokens: 9,
      tools: [{ name: "find", input_schema: { type: "object" } }],
      messages: [
        { role: "user", content: "Find it" },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "hm" },
            { type: "text", text: "Looking." },
            { type: "tool_use", id: "t1", name: "find", input: { q: "it" } },
          ],
        },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "t1",
              content: [{ type: "text", text: "denied: no permission" }],
              is_error: true,
            },
          ],
        },
        { role: "assistant", content: [{ type: "text", text: "No results were found." }] },
      ],
    });
    expect(format).toBe("anthropic-messages");
    expect(traces[0]).toMatchObject({
      turns: [
        { role: "system", text: "Help." },
        { role: "user" },
        { role: "assistant", text: "Looking." },
        { role: "assistant" },
      ],
      calls: [
        {
          tool: "find",
          args: { q: "it" },
          is_error: true,
          answer_class: "refused",
          result: [{ type: "text", text: "denied: no permission" }],
        },
      ],
      final_answer_class: "said_no_data",
      tools: [{ name: "find" }],
    });
    expect(losses).toEqual({ part_reasoning: 1 });
  });
});

const SIMULATION = {
  id: "sim-1",
  task_id: "12",
  trial: 1,
  seed: 5,
  start_time: "2025-08-01T16:20:44.5",
  termination_reason: "user_stop",
  agent_cost: 0.02,
  reward_info: { reward: 1, db_check: {} },
  messages: [
    {
      role: "assistant",
      content: "Hi!",
      tool_calls: null,
      turn_idx: 0,
      timestamp: "2025-08-01T16:20:45",
      usage: { prompt_tokens: 5, completion_tokens: 1 },
    },
    { role: "user", content: "My phone is off", tool_calls: null },
    {
      role: "user",
      content: null,
      tool_calls: [{ id: "u1", name: "toggle", arguments: { on: true }, requestor: "user" }],
    },
    { id: "u1", role: "tool", content: "on", requestor: "user", error: false },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "a1", name: "check", arguments: {}, requestor: "assistant" }],
    },
    { id: "a1", role: "tool", content: "Error: line is down", requestor: "assistant", error: true },
    { role: "assistant", content: "Fixed." },
  ],
};

describe("tau2 and tau-bench", () => {
  it("reads simulations with the user's own calls, the error flag, reward, cost and labels of the header", async () => {
    const file = {
      timestamp: "t",
      info: { agent_info: { llm: "m" }, user_info: { llm: "u" }, environment_info: { domain_name: "telecom" } },
      tasks: [{ id: "12" }],
      simulations: [SIMULATION],
    };
    const { format, traces, losses } = await read(file);
    expect(format).toBe("tau2");
    expect(traces[0]).toMatchObject({
      session: "sim-1",
      started_at: Date.parse("2025-08-01T16:20:44.5Z") / 1000,
      request: "My phone is off",
      cost_usd: 0.02,
      usage: { input_tokens: 5, output_tokens: 1 },
      outcome: { reward: 1 },
      labels: {
        task_id: "12",
        trial: "1",
        seed: "5",
        domain: "telecom",
        model: "m",
        user_model: "u",
        termination_reason: "user_stop",
      },
      calls: [
        { tool: "toggle", requestor: "user", is_error: false },
        { tool: "check", requestor: "assistant", is_error: true, answer_class: "error:failed" },
      ],
    });
    expect(losses).toEqual({ reward_details: 1 });
    const bare = await read([SIMULATION, { ...SIMULATION, messages: [] }]);
    expect([bare.format, bare.traces.length, bare.refused]).toEqual(["tau2", 1, [{ line: 2, reason: "no messages" }]]);
    const lines = await read(`${JSON.stringify(file)}\n${JSON.stringify(file)}\n`);
    expect(lines.traces.map((trace) => [trace.session, trace.labels.domain])).toEqual([
      ["sim-1", "telecom"],
      ["sim-1", "telecom"],
    ]);
  });

  it("reads trials of tau-bench", async () => {
    const { format, traces } = await read([{ task_id: 3, trial: 1, reward: 0, info: { source: "user" }, traj: CHAT }]);
    expect(format).toBe("tau-bench");
    expect(traces[0]).toMatchObject({
      session: "task-3-trial-1",
      labels: { task_id: "3", trial: "1" },
      outcome: { reward: 0, tier: "deterministic" },
    });
  });
});

describe("inspect", () => {
  it("reads samples with scores, tool errors and attached texts", async () => {
    const { format, traces, losses } = await read({
      version: 2,
      status: "success",
      eval: { task: "desk", model: "m", created: "2025-05-12T20:27:36-04:00" },
      plan: {},
      samples: [
        {
          id: 1,
          epoch: 2,
          uuid: "u-1",
          target: "x",
          attachments: { "0123456789abcdef": "Long request" },
          scores: { includes: { value: "C" } },
          events: [{ timestamp: "2025-05-12T20:27:37-04:00" }],
          model_usage: { m: { input_tokens: 4, output_tokens: 2 } },
          messages: [
            { role: "user", content: "attachment://0123456789abcdef" },
            { role: "assistant", content: "", tool_calls: [{ id: "1", function: "bash", arguments: { cmd: "ls" } }] },
            {
              role: "tool",
              tool_call_id: "1",
              function: "bash",
              content: "",
              error: { type: "timeout", message: "command timed out" },
            },
            { role: "assistant", content: [{ type: "text", text: "Done." }] },
          ],
        },
        { id: 2, epoch: 1 },
      ],
    });
    expect(format).toBe("inspect");
    expect(traces[0]).toMatchObject({
      session: "u-1",
      started_at: Date.parse("2025-05-12T20:27:37-04:00") / 1000,
      request: "Long request",
      labels: { task_id: "1", trial: "2", task: "desk", model: "m" },
      outcome: { reward: 1 },
      usage: { input_tokens: 4 },
      calls: [
        {
          tool: "bash",
          args: { cmd: "ls" },
          is_error: true,
          result: "command timed out",
          answer_class: "error:timeout",
        },
      ],
    });
    expect(losses).toEqual({ events: 1 });
  });
});

describe("claude-code", () => {
  it("puts sessions together from events over many lines", async () => {
    const event = (session: string, message: unknown, more = {}) =>
      JSON.stringify({
        uuid: "u",
        sessionId: session,
        type: "x",
        timestamp: "2026-01-31T13:00:06.000Z",
        message,
        ...more,
      });
    const { format, traces, losses } = await read(
      [
        event("s1", { role: "user", content: "Read it" }),
        event("s2", { role: "user", content: "Other" }),
        event("s1", {
          role: "assistant",
          model: "m",
          content: [{ type: "tool_use", id: "t", name: "Read", input: { path: "a" } }],
          usage: { input_tokens: 3, output_tokens: 1 },
        }),
        event("s1", { role: "assistant", content: "side" }, { isSidechain: true }),
        event("s1", { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "text" }] }),
        event("s1", { role: "assistant", content: [{ type: "text", text: "It says text." }] }),
        JSON.stringify({ type: "summary", uuid: "u" }),
      ].join("\n"),
    );
    expect(format).toBe("claude-code");
    expect(traces.map((trace) => [trace.session, trace.calls.length, trace.final_answer])).toEqual([
      ["s1", 1, "It says text."],
      ["s2", 0, null],
    ]);
    expect(losses).toEqual({ side_chain_message: 1, event_without_message: 1 });
  });
});

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
      resourceSpans: [{ resource: { attributes: kv({ "service.name": "shop" }) }, scopeSpans: [{ spans: spans() }] }],
    };
    const { format, traces, losses } = await read(body);
    expect(format).toBe("otlp");
    expect(traces).toHaveLength(1);
    expect(traces[0]).toMatchObject({
      ...expected,
      usage: { input_tokens: 12 },
      labels: { service: "shop", agent: "helper", model: "m", trace_id: "ab".repeat(16) },
      started_at: 1700000010,
    });
    expect(traces[0]?.calls).toHaveLength(1);
    expect(losses).toEqual({ nested_tool_span: 1 });
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
      trace: { id: "t", sessionId: "s", scores: [{ name: "x", value: 1 }] },
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
    expect(losses).toEqual({ scores: 1 });
  });
});

describe("tool listings", () => {
  it("reads MCP, OpenAI and Anthropic listings in their frames, and counts what is no tool", async () => {
    const mcp = await read({
      jsonrpc: "2.0",
      id: 1,
      result: {
        tools: [
          {
            name: "a",
            title: "A",
            description: "d",
            inputSchema: { type: "object" },
            annotations: { readOnlyHint: true },
          },
        ],
      },
    });
    expect([mcp.format, mcp.tools]).toEqual([
      "mcp",
      [
        {
          name: "a",
          title: "A",
          description: "d",
          inputSchema: { type: "object" },
          annotations: { readOnlyHint: true },
        },
      ],
    ]);
    const openai = await read([
      { type: "function", function: { name: "a", parameters: { type: "object", required: ["x"] } } },
      { type: "function", name: "b" },
      { type: "function", name: "b" },
    ]);
    expect([openai.format, openai.tools.map((tool) => [tool.name, tool.inputSchema]), openai.losses]).toEqual([
      "openai-tools",
      [
        ["a", { type: "object", required: ["x"] }],
        ["b", { type: "object", properties: {} }],
      ],
      { tool_named_twice: 1 },
    ]);
    const anthropic = await read({ tools: [{ name: "a", input_schema: { type: "object" } }] });
    expect([anthropic.format, anthropic.tools]).toEqual([
      "anthropic-tools",
      [{ name: "a", inputSchema: { type: "object" } }],
    ]);
    const bad = await read(
      [
        { name: "a", inputSchema: { type: "object" } },
        { name: 5, inputSchema: 3 },
      ],
      { format: "mcp" },
    );
    expect([bad.tools.length, bad.refused]).toEqual([
      1,
      [{ line: 2, reason: "a tool without a name or with a schema that is no object" }],
    ]);
  });
});

describe("documents", () => {
  it("reads tables keyed by id, tables of rows, and CSV with quotes, types and broken rows", async () => {
    const { format, document } = await read({
      users: { u1: { name: "Ann" }, u2: { name: "Bob", id: "u2" } },
      data: [{ id: 1 }],
      orders: [{ id: "W1", total: 5 }],
    });
    expect(format).toBe("records");
    expect(document.tables.map(({ name, columns, rows }) => [name, columns, rows])).toEqual([
      [
        "users",
        ["id", "name"],
        [
          { id: "u1", name: "Ann" },
          { id: "u2", name: "Bob" },
        ],
      ],
      ["orders", ["id", "total"], [{ id: "W1", total: 5 }]],
      ["data", ["id"], [{ id: 1 }]],
    ]);
    const csv = await read(
      'id,name,price,zip,ok\r\n1,"Smith, ""Al""",2.50,01234,true\r\n2,"two\nlines",3.5,,false\r\n3,short\r\n',
      { type: "text/csv" },
    );
    expect(csv.document.tables[0]?.rows).toEqual([
      { id: 1, name: 'Smith, "Al"', price: "2.50", zip: "01234", ok: true },
      { id: 2, name: "two\nlines", price: 3.5, zip: null, ok: false },
    ]);
    expect(csv.refused).toEqual([{ line: 4, reason: "a row with another number of fields than the header" }]);
  });

  it("reads Markdown, plain text and lists of documents", async () => {
    expect(await read("# Policy\n\n- be kind")).toMatchObject({
      format: "markdown",
      document: { texts: [{ title: "Policy", text: "# Policy\n\n- be kind" }] },
    });
    expect(await read("Just words.")).toMatchObject({ format: "text", document: { texts: [{ text: "Just words." }] } });
    const lines = await read('{"id":"d1","title":"T","content":"## A\\nb"}\n{"id":"d2","title":"U","content":"c"}');
    expect(lines).toMatchObject({
      format: "markdown",
      document: {
        texts: [
          { id: "d1", title: "T" },
          { id: "d2", text: "c" },
        ],
      },
    });
  });
});

describe("detection", () => {
  it("says what it saw, keeps to a wanted kind, and refuses what is nothing", async () => {
    expect((await read(CHAT)).detected).toBe("openai-chat: chat messages with roles, calls in tool_calls");
    expect((await read(CHAT, { format: "openai-chat" })).detected).toBe("openai-chat: named by the caller");
    await expect(read(CHAT, { kind: "tool_listing" })).rejects.toThrow(
      /no format that can be read here. It is a JSON array. Formats: mcp, openai-tools, anthropic-tools./,
    );
    await expect(read({ a: 1 })).rejects.toThrow(AppError);
    await expect(read(CHAT, { format: "morse" })).rejects.toThrow("no such format");
  });

  it("takes a record whole though one of its members is named as if it held items", async () => {
    const { format, traces } = await read({ messages: CHAT, data: [{ unrelated: 1 }] });
    expect([format, traces.length, traces[0]?.calls.length]).toEqual(["openai-chat", 1, 2]);
  });
});
