import { describe, expect, it } from "vitest";
import { read } from "./kit.ts";

const observation = (id: string, type: string, name: string, second: number, fields: object) => ({
  id,
  traceId: "t1",
  type,
  name,
  startTime: `2026-01-01T00:00:${String(second).padStart(2, "0")}Z`,
  endTime: "2026-01-01T00:00:30Z",
  ...fields,
});
const trace = (observations: object[]) => JSON.stringify({ trace: { id: "t1" }, observations });

// Finding A44.
describe("a model span inside a model span", () => {
  const call = { id: "call_lookup0001", type: "function", function: { name: "search", arguments: '{"q":"news"}' } };
  const history = [{ role: "user", content: "What is new?" }];
  const spans = [
    observation("m1", "GENERATION", "invoke", 1, {
      input: history,
      output: { role: "assistant", content: null, tool_calls: [call] },
      usageDetails: { input: 10, output: 2 },
    }),
    observation("c1", "GENERATION", "chat", 1, {
      parentObservationId: "m1",
      input: "user: What is new?",
      usageDetails: { input: 9, output: 1 },
    }),
    observation("s1", "TOOL", "search", 2, { input: { q: "news" }, output: "Much." }),
    observation("m2", "GENERATION", "invoke", 3, {
      input: [...history, { role: "assistant", content: null, tool_calls: [call] }],
      output: { role: "assistant", content: "Much is new." },
      usageDetails: { input: 20, output: 4 },
    }),
    observation("c2", "GENERATION", "chat", 3, {
      parentObservationId: "m2",
      input: "user: What is new?\nassistant: None\ntool: Much.",
      output: "Much is new.",
      usageDetails: { input: 19, output: 3 },
    }),
  ];

  it("tells of the same request: its words and tokens count once", async () => {
    const { traces, losses } = await read(trace(spans));
    expect(traces[0]?.turns.map(({ role, text }) => [role, text])).toEqual([
      ["user", "What is new?"],
      ["assistant", ""],
      ["assistant", "Much is new."],
    ]);
    expect(traces[0]?.usage).toEqual({ input_tokens: 30, output_tokens: 6 });
    expect(losses).toEqual({ nested_model_span: 2 });
  });

  it("counts where the one around it holds no words", async () => {
    const [outer, inner] = spans as [Record<string, unknown>, object];
    const { traces } = await read(trace([{ ...outer, input: null, output: null }, inner]));
    expect(traces[0]?.request).toBe("user: What is new?");
  });
});

/** A framework that writes each event of a run as a span, as its exporter does: all end with the run. */
const event = (id: string, path: string, second: number, kind: string, attributes: object, parent?: string) =>
  observation(id, kind === "LLM" ? "GENERATION" : "SPAN", `${path}-1`, second, {
    ...(parent === undefined ? {} : { parentObservationId: parent }),
    metadata: JSON.stringify({
      attributes: { target: path, name: path.split(".").at(-1), "openinference.span.kind": kind, ...attributes },
    }),
  });

describe("a framework that writes events as spans", () => {
  const run = [
    observation("root", "SPAN", "run", 0, {
      metadata: JSON.stringify({
        attributes: {
          "openinference.span.kind": "AGENT",
          "input.value": "Sights of Oslo?",
          "output.value": `{'role': 'assistant', 'text': "See the fort. It's old.\\n\\nThen the park.", 'meta': {}}`,
        },
      }),
    }),
    event("l1", "backend.chat.start", 1, "LLM", {
      "llm.input_messages.0.message.role": "user",
      "llm.input_messages.0.message.content": "Sights of Oslo?",
      "llm.model_name": "m",
    }),
    event("u1", "agent.react.update", 2, "AGENT", { "tool.name": "Wikipedia", "tool.parameters": '{"query":"Oslo"}' }),
    event("t1", "tool.search.wikipedia.start", 3, "TOOL", { "tool.parameters": '{"query":"Oslo"}' }, "u1"),
    event("t2", "tool.search.wikipedia.start", 4, "TOOL", { "tool.parameters": '{"query":"Fort"}' }, "u1"),
    event(
      "t3",
      "tool.search.wikipedia.success",
      5,
      "TOOL",
      { "tool.parameters": '{"query":"Fort"}', "output.value": "A fort." },
      "u1",
    ),
    event("t4", "tool.search.wikipedia.finish", 5, "TOOL", {}, "u1"),
    event(
      "t5",
      "tool.search.wikipedia.error",
      6,
      "TOOL",
      { "tool.parameters": '{"query":"Oslo"}', "output.value": "timed out" },
      "u1",
    ),
    event("t6", "tool.search.wikipedia.finish", 6, "TOOL", {}, "u1"),
    event(
      "l2",
      "backend.chat.success",
      9,
      "LLM",
      Object.fromEntries(
        ["Then", " the", " park", "."].flatMap((words, i) => [
          [`llm.output_messages.${i + 7}.message.role`, "assistant"],
          [`llm.output_messages.${i + 7}.message.content`, words],
        ]),
      ),
    ),
  ];

  it("start and success or error of a tool are one call, under the name the agent calls it by", async () => {
    const { traces, losses } = await read(trace(run));
    expect(traces[0]?.calls).toMatchObject([
      { tool: "Wikipedia", args: { query: "Oslo" }, answer_class: "error:timeout", ms: 3000 },
      { tool: "Wikipedia", args: { query: "Fort" }, result: "A fort.", answer_class: "data", ms: 1000 },
    ]);
    expect(losses).toEqual({ streamed_parts_missing: 7 });
  });

  it("streamed parts are one turn, and its whole words are told by the agent's own answer", async () => {
    const { traces } = await read(trace(run));
    const answer = "See the fort. It's old.\n\nThen the park.";
    expect(traces[0]?.turns).toMatchObject([{ role: "user" }, { role: "assistant", text: answer }]);
    expect(traces[0]).toMatchObject({ final_answer: answer, final_answer_class: "answered" });
  });
});

/** A span as CloudWatch's distribution of OpenTelemetry prints it: what went in and out stands in an event's body. */
const told = (id: string, second: number, input: unknown, output: unknown) => {
  const words = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
  return {
    trace_id: "a1",
    span_id: id,
    parent_span_id: null,
    name: "openinference.instrumentation.langchain",
    start_time: 1_700_000_000_000_000_000 + second * 1e9,
    end_time: 1_700_000_001_000_000_000 + second * 1e9,
    attributes: { "event.name": "openinference.instrumentation.langchain" },
    status: { code: "OK" },
    span_events: [
      {
        event_name: "openinference.instrumentation.langchain",
        attributes: { "event.name": "openinference.instrumentation.langchain" },
        body: {
          input: { messages: [{ content: words(input), role: "user" }] },
          output: { messages: [{ content: words(output), role: "assistant" }] },
        },
      },
    ],
  };
};

// Finding A35.
describe("spans whose words stand in the bodies of their events", () => {
  const reply = (text: string, calls?: object[]) => ({
    generations: [[{ text, ...(calls ? { message: { tool_calls: calls } } : {}) }]],
    llm_output: null,
  });
  const human = { content: "Weather in Oslo?", type: "human" };
  const spans = [
    told(
      "m1",
      0,
      "Weather in Oslo?",
      reply("Let me look.", [{ name: "get_weather", args: { city: "Oslo" }, id: "tc_1" }]),
    ),
    told("t1", 1, "{'city': 'Oslo', 'exact': True}", {
      name: "get_weather",
      type: "tool",
      content: "Rain.",
      tool_call_id: "tc_1",
      status: "success",
    }),
    told("m2", 2, "Weather in Oslo?", reply("It rains.")),
    told("n1", 3, { messages: [human], remaining_steps: 10 }, { messages: [{ content: "ok", type: "ai" }] }),
    told("n2", 4, "some input", "__end__"),
    told("a1", 0, { messages: [human] }, { messages: [human, { content: "It rains.", type: "ai" }] }),
  ];

  it("model, tool and agent are told apart by what they hold", async () => {
    const { traces, losses, refused } = await read(JSON.stringify(spans));
    expect(traces).toHaveLength(1);
    expect(traces[0]).toMatchObject({
      request: "Weather in Oslo?",
      turns: [{ role: "user" }, { role: "assistant", text: "Let me look." }, { role: "assistant", text: "It rains." }],
      calls: [
        {
          tool: "get_weather",
          args: { city: "Oslo", exact: true },
          result: "Rain.",
          answer_class: "data",
          is_error: false,
        },
      ],
      final_answer: "It rains.",
    });
    expect([losses, refused]).toEqual([{}, []]);
  });

  it("a tool that failed has failed, and an agent alone is read by its own words", async () => {
    const failed = told("t1", 1, "{'city': 'Oslo'}", {
      name: "get_weather",
      type: "tool",
      content: "no such city",
      tool_call_id: "tc_1",
      status: "error",
    });
    const { traces } = await read(JSON.stringify([spans[0], failed]));
    expect(traces[0]?.calls).toMatchObject([{ is_error: true, answer_class: "error:not_found" }]);
    const alone = await read(JSON.stringify([spans[5]]));
    expect(alone.traces[0]).toMatchObject({ request: "Weather in Oslo?", final_answer: "It rains.", calls: [] });
  });
});

describe("a final answer that is the argument of a tool", () => {
  const tools = (args: object, output: unknown) => [
    observation("m1", "GENERATION", "model", 1, { input: [{ role: "user", content: "Sum of May?" }], output: null }),
    observation("q1", "TOOL", "get_report", 2, {
      input: { month: 5 },
      output: { response_status: "Error", message: "ERROR: No data found for May." },
    }),
    observation("f1", "TOOL", "final_result", 3, { input: args, output }),
  ];

  it("is told where nothing comes of the tool and nothing is said after it; an answer that says Error is one", async () => {
    const given = { input: { comment: "There is no data for May.", status: "NoDataFound", follow_up: ["June?"] } };
    const { traces } = await read(trace(tools(given, "null")));
    expect(traces[0]).toMatchObject({ final_answer: "There is no data for May.", final_answer_class: "said_no_data" });
    expect(traces[0]?.calls).toMatchObject([{ answer_class: "error:not_found" }, { tool: "final_result" }]);
  });

  it("is told of messages too", async () => {
    const made = { id: "c1", type: "function", function: { name: "final_result", arguments: '{"answer":"It is 3."}' } };
    const messages = [
      { role: "user", content: "1 + 2?" },
      { role: "assistant", content: null, tool_calls: [made] },
      { role: "tool", tool_call_id: "c1", content: "Final result processed." },
    ];
    expect((await read([{ messages }])).traces[0]?.final_answer).toBe("It is 3.");
  });

  it("is not where the tool answered something", async () => {
    const { traces } = await read(trace(tools({ comment: "x" }, { id: 7 })));
    expect(traces[0]?.final_answer).toBeNull();
  });
});
