import { describe, expect, it } from "vitest";
import { read } from "./kit.ts";

/** What the makers' documents show in files of these formats beside calls and answers: kept, or counted as lost. */
const passing = { id: "r", testIdx: 0, promptIdx: 0, prompt: { raw: "Hi", label: "Hi" }, provider: { id: "p" } };

it("promptfoo: a score between none and all is kept beside whether the test passed", async () => {
  const row = (success: boolean, score: number) => ({ ...passing, success, score, response: { output: "Hello" } });
  const { traces } = await read({ evalId: "e", results: { version: 3, results: [row(false, 0.5), row(true, 1)] } });
  expect(traces.map(({ labels, outcome }) => [labels?.score, outcome?.reward])).toEqual([
    ["0.5", 0],
    [undefined, 1],
  ]);
});

it("promptfoo: how long the provider took is kept", async () => {
  const row = (more: object) => ({ ...passing, success: true, response: { output: "Hello" }, ...more });
  const results = [row({ latencyMs: 1250 }), row({})];
  const { traces } = await read({ evalId: "e", results: { version: 3, results } });
  expect(traces.map(({ labels }) => labels?.latency_ms)).toEqual(["1250", undefined]);
});

describe("what happened during a span", () => {
  const stack = { "exception.type": "NotFound", "exception.stacktrace": "Traceback" };
  const exception = (message: string) => ({
    name: "exception",
    attributes: { "exception.message": message, ...stack },
  });
  const other = { name: "mlflow.chunk.item.0", attributes: { "mlflow.chunk.value": '"Se"' } };

  it("MLflow: an exception is the result of the call that it ended, every other event is told as lost", async () => {
    const span = (id: string, type: string, more: object) => ({
      ...{ trace_id: "dA==", span_id: id, parent_span_id: id === "root" ? null : "root", name: id },
      ...{ start_time_unix_nano: 1_767_000_000_000_000_000, end_time_unix_nano: 1_767_000_001_000_000_000 },
      ...more,
      attributes: {
        "mlflow.spanType": JSON.stringify(type),
        "mlflow.spanInputs": '{"id":"W1"}',
        ...(type === "AGENT" ? { "mlflow.spanOutputs": '"Not there."' } : {}),
      },
    });
    const failed = { status: { code: "STATUS_CODE_ERROR", message: "" } };
    const { traces, losses } = await read({
      info: { trace_id: "tr-1", state: "OK" },
      data: {
        spans: [
          span("root", "AGENT", { events: [other, exception("seen and caught")] }),
          span("find", "TOOL", { ...failed, events: [exception("no W1")] }),
          span("look", "TOOL", {
            status: { code: "STATUS_CODE_ERROR", message: "no way" },
            events: [exception("no way"), other],
          }),
        ],
      },
    });
    expect(traces[0]?.calls).toMatchObject([
      { tool: "find", result: "no W1", is_error: true },
      { tool: "look", result: "no way", is_error: true },
    ]);
    expect(losses).toEqual({ span_event: 3 });
  });

  it("OpenTelemetry: the same of a tool's span that names no message", async () => {
    const span = (id: string, attributes: object, more: object = {}) => ({
      ...{ name: id, context: { trace_id: "0x1", span_id: id }, parent_id: null, ...more },
      attributes,
    });
    const { traces, losses } = await read([
      span("0x2", {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": JSON.stringify([{ role: "user", content: "Where is W1?" }]),
      }),
      span(
        "0x3",
        { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "find", "gen_ai.tool.call.arguments": "{}" },
        { status: { status_code: "ERROR" }, events: [exception("no W1"), { name: "retry", attributes: {} }] },
      ),
    ]);
    expect(traces[0]?.calls).toMatchObject([{ tool: "find", result: "no W1", is_error: true }]);
    expect(losses).toEqual({ span_event: 1 });
  });

  it("LangSmith: what is more than the beginning and the end of a run", async () => {
    const message = { role: "assistant", content: "Sent." };
    const { traces, losses } = await read([
      {
        ...{ id: "r1", trace_id: "r1", run_type: "llm", name: "Chat", start_time: "2026-01-02T03:04:05.000Z" },
        inputs: { messages: [{ role: "user", content: "Where is W1?" }] },
        outputs: { choices: [{ message }] },
        events: [{ name: "start" }, { name: "new_token", kwargs: { token: "Se" } }, { name: "end" }],
      },
    ]);
    expect(traces).toMatchObject([{ final_answer: "Sent." }]);
    expect(losses).toEqual({ span_event: 1 });
  });
});

it("DeepEval: what was retrieved for an answer is told as lost", async () => {
  const one = { name: "c", input: "Hi", actualOutput: "Hello", retrievalContext: ["a", "b"], context: ["c"] };
  const { losses } = await read({
    testCases: [{ ...one, success: true, metricsData: [] }],
    conversationalTestCases: [],
  });
  expect(losses).toEqual({ retrieval_context: 3 });
});

it("MLflow: a function's one argument is the request, whatever the function calls it", async () => {
  const attributes = {
    "mlflow.spanType": '"AGENT"',
    "mlflow.spanInputs": '{"q":"Where is W1?"}',
    "mlflow.spanOutputs": '"Sent."',
  };
  const { traces } = await read({
    info: { trace_id: "tr-1", state: "OK" },
    data: { spans: [{ trace_id: "dA==", span_id: "AAE=", parent_span_id: null, name: "agent", attributes }] },
  });
  expect(traces).toMatchObject([{ request: "Where is W1?", final_answer: "Sent." }]);
});

it("Braintrust: comments of people and tags are told as lost", async () => {
  const { format, losses } = await read([
    {
      ...{
        id: "r",
        span_id: "r",
        root_span_id: "r",
        span_parents: null,
        span_attributes: { name: "eval", type: "eval" },
      },
      ...{ input: "Hi", output: "Hello", tags: ["a", "b"], comments: [{ id: "c", comment: { text: "Good" } }] },
    },
  ]);
  expect([format, losses]).toEqual(["braintrust", { comments: 1, tags: 2 }]);
});

it("Letta: what a tool logged and what an agent remembers is told as lost", async () => {
  const calls = [{ id: "c1", type: "function", function: { name: "find", arguments: '{"id":"W1"}' } }];
  const { traces, losses } = await read({
    agents: [
      {
        ...{ name: "a", id: "agent-0", agent_type: "memgpt_v2_agent", system: "Help.", block_ids: ["block-0"] },
        messages: [
          { role: "user", content: [{ type: "text", text: "Where is W1?" }] },
          { role: "assistant", content: [], tool_calls: calls },
          {
            ...{ role: "tool", name: "find", tool_call_id: "c1", content: [{ type: "text", text: "sent" }] },
            tool_returns: [
              { tool_call_id: "c1", status: "success", func_response: "sent", stdout: ["looked"], stderr: null },
            ],
          },
          { role: "assistant", content: [{ type: "text", text: "It was sent." }] },
        ],
      },
    ],
    blocks: [{ id: "block-0", label: "human", value: "Ada" }],
  });
  expect(traces).toMatchObject([{ calls: [{ tool: "find", result: "sent" }], final_answer: "It was sent." }]);
  expect(losses).toEqual({ memory_block: 1, tool_log: 1 });
});
