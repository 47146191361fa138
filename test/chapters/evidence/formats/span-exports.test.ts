import { describe, expect, it } from "vitest";
import { read } from "./kit.ts";

const at = (second: number) => `2026-01-02T03:04:0${second}.000Z`;
const user = { role: "user", content: "Where is W1?" };
const calling = (name: string) => ({
  role: "assistant",
  content: null,
  tool_calls: [{ function: { name, arguments: '{"id":"W1"}' } }],
});

/** Shapes that the makers publish in their test data and in the constants of their sources. */
describe("exports of tracing tools", () => {
  it("LangSmith: what the SDK's wrappers say was used stands in the outputs", async () => {
    const message = { role: "assistant", content: "Sent.", tool_calls: null };
    const { format, traces } = await read([
      {
        ...{ id: "r1", trace_id: "r1", run_type: "llm", name: "ChatOpenAI", start_time: at(0), end_time: at(1) },
        inputs: { messages: [user], model: "m" },
        outputs: { choices: [{ message }], usage_metadata: { input_tokens: 9, output_tokens: 4, total_tokens: 13 } },
      },
    ]);
    expect(format).toBe("langsmith");
    expect(traces).toMatchObject([{ final_answer: "Sent.", usage: { input_tokens: 9, output_tokens: 4 } }]);
  });

  it("Braintrust: an answer of its interface holds the spans as events", async () => {
    const span = (id: string, type: string, n: number, more: object) => ({
      ...{
        id: `e-${id}`,
        project_id: "p",
        span_id: id,
        root_span_id: "root",
        span_parents: id === "root" ? [] : ["root"],
      },
      ...{ span_attributes: { name: id, type }, metrics: { start: 1_785_000_000 + n, end: 1_785_000_001 + n } },
      ...more,
    });
    const events = [
      span("find", "tool", 2, { input: { id: "W1" }, output: { state: "sent" } }),
      span("root", "task", 0, { input: { messages: [user] }, output: { role: "assistant", content: "Sent." } }),
    ];
    const { format, traces, losses } = await read({ events, cursor: null });
    expect([format, losses]).toEqual(["braintrust", {}]);
    expect(traces).toMatchObject([
      { request: "Where is W1?", calls: [{ tool: "find", result: { state: "sent" } }], final_answer: "Sent." },
    ]);
    const { refused, traces: none } = await read({ events: [...events, 7], cursor: null }, { format: "braintrust" });
    expect([none.length, refused.length]).toEqual([0, 1]);
  });

  const mlflow = (info: object, ...spans: object[]) => ({ info: { trace_id: "tr-1", ...info }, data: { spans } });
  const span = (id: string, type: string, attributes: object) => ({
    ...{ name: id, context: { trace_id: "0x1", span_id: id }, parent_id: id === "root" ? null : "root" },
    ...{ start_time: 1_767_000_000_000_000_000, end_time: 1_767_000_001_000_000_000, status_code: "OK" },
    attributes: Object.fromEntries(
      Object.entries({ "mlflow.spanType": type, ...attributes }).map(([key, value]) => [key, JSON.stringify(value)]),
    ),
  });
  const kept = {
    trace_metadata: {
      "mlflow.trace.tokenUsage": '{"input_tokens":11,"output_tokens":3,"total_tokens":14}',
      "mlflow.trace.cost": '{"input_cost":0.1,"output_cost":0.2,"total_cost":0.3}',
      "mlflow.trace.session": "s-9",
    },
  };
  const words = { "mlflow.spanInputs": { prompt: "What is it?" }, "mlflow.spanOutputs": { answer: 42 } };

  it("MLflow: tokens, cost and session of the whole trace, and an answer that is a number", async () => {
    const { traces } = await read(mlflow(kept, span("root", "LLM", words)));
    expect(traces).toMatchObject([
      { session: "s-9", final_answer: "42", usage: { input_tokens: 11, output_tokens: 3 }, cost_usd: 0.3 },
    ]);
  });

  it("MLflow: what spans tell of themselves counts before the sum of the whole", async () => {
    const used = {
      "mlflow.chat.tokenUsage": { input_tokens: 5, output_tokens: 1, total_tokens: 6 },
      "mlflow.llm.cost": { input_cost: 0.25, output_cost: 0.25, total_cost: 0.5 },
    };
    const { traces } = await read(
      mlflow(kept, span("root", "LLM", {}), span("m1", "CHAT_MODEL", { ...words, ...used })),
    );
    expect(traces).toMatchObject([{ usage: { input_tokens: 5, output_tokens: 1 }, cost_usd: 0.5 }]);
  });

  const weave = (id: string, op: string, n: number, more: object) => ({
    ...{ id, trace_id: "t", parent_id: id === "a" ? null : "a", op_name: `weave:///team/desk/op/${op}:v1` },
    ...{ started_at: at(n), ended_at: at(n + 1), exception: null, summary: {}, ...more },
  });
  const asked = weave("b", "openai.chat.completions.create", 1, {
    inputs: { messages: [user] },
    output: { choices: [{ message: calling("get_order") }] },
  });
  const root = weave("a", "answer", 0, { inputs: { question: "Where is W1?" }, output: "Sent." });
  const order = weave("c", "get_order", 3, { inputs: { id: "W1" }, output: { state: "sent" } });

  it("Weave: a step of no kind that bears the name of a called tool is that tool's", async () => {
    const other = weave("d", "format", 5, { inputs: { text: "x" }, output: "y" });
    const { traces, losses } = await read([root, asked, order, other]);
    expect(losses).toEqual({});
    expect(traces[0]?.calls).toMatchObject([{ tool: "get_order", args: { id: "W1" }, result: { state: "sent" } }]);
    const failed = { ...order, output: null, exception: "NotFound: W1" };
    const { traces: again } = await read([root, asked, failed]);
    expect(again[0]?.calls).toMatchObject([{ tool: "get_order", result: "NotFound: W1", is_error: true }]);
  });

  it("Weave: where no model called it, a step of no kind is no call", async () => {
    const { traces } = await read([root, { ...asked, output: { choices: [{ message: user }] } }, order]);
    expect(traces[0]?.calls).toEqual([]);
  });
});
