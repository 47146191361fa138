import { describe, expect, it } from "vitest";
import { read } from "./kit.ts";

const lines = (...values: unknown[]) => values.map((value) => JSON.stringify(value)).join("\n");
const T = "2026-01-02T03:04:0";

/** One session in each export: a request, a call with its result, a final answer; counted by hand in the assertions. */
const message = (kind: string, kwargs: object) => ({ lc: 1, type: "constructor", id: ["langchain", kind], kwargs });

describe("exports of tracing tools: steps of runs", () => {
  it("LangSmith runs, the children of a run inside it or beside it", async () => {
    const at = (n: number) => ({ start_time: `${T}${n}`, end_time: `${T}${n + 1}` });
    const root = {
      id: "r0",
      trace_id: "r0",
      name: "agent",
      run_type: "chain",
      ...at(0),
      inputs: { input: "Where is W1?" },
      outputs: { output: "It is on its way." },
      feedback_stats: { correctness: { n: 2, avg: 0.5 } },
      total_cost: 9,
      extra: { metadata: { thread_id: "th-1" } },
    };
    const first = {
      id: "r1",
      trace_id: "r0",
      parent_run_id: "r0",
      name: "ChatOpenAI",
      run_type: "llm",
      ...at(1),
      inputs: { messages: [[message("HumanMessage", { content: "Where is W1?" })]] },
      outputs: {
        generations: [
          [
            {
              text: "",
              message: message("AIMessage", {
                content: "",
                tool_calls: [{ id: "c1", name: "find", args: { id: "W1" } }],
              }),
            },
          ],
        ],
      },
      extra: { metadata: { ls_model_name: "m1" } },
      prompt_tokens: 10,
      completion_tokens: 4,
      total_cost: 0.002,
    };
    const tool = {
      id: "r2",
      trace_id: "r0",
      parent_run_id: "r0",
      name: "find",
      run_type: "tool",
      ...at(2),
      inputs: { input: '{"id":"W1"}' },
      outputs: { output: message("ToolMessage", { content: '{"state":"sent"}', tool_call_id: "c1" }) },
    };
    const last = {
      ...first,
      id: "r3",
      ...at(3),
      inputs: { messages: [[message("HumanMessage", { content: "Where is W1?" })]] },
      outputs: {
        generations: [[{ text: "It is on its way.", message: message("AIMessage", { content: "It is on its way." }) }]],
      },
      total_cost: 0.003,
    };
    for (const given of [lines(root, first, tool, last), { ...root, child_runs: [first, tool, last] }]) {
      const { format, traces, losses, refused } = await read(given);
      expect([format, traces.length, losses, refused]).toEqual(["langsmith", 1, {}, []]);
      expect(traces[0]).toMatchObject({
        session: "th-1",
        request: "Where is W1?",
        calls: [{ tool: "find", args: { id: "W1" }, result: '{"state":"sent"}', is_error: false }],
        final_answer: "It is on its way.",
        usage: { input_tokens: 20, output_tokens: 8 },
        cost_usd: 0.005,
        labels: { model: "m1", "score.correctness": "0.5" },
      });
    }
  });

  it("Braintrust spans, with scores, and what was expected told as a loss", async () => {
    const span = (id: string, type: string, name: string, n: number, rest: object) => ({
      id,
      span_id: id,
      root_span_id: "s0",
      span_parents: id === "s0" ? null : ["s0"],
      span_attributes: { name, type },
      created: `${T}${n}Z`,
      metrics: { start: 1_767_000_000 + n, end: 1_767_000_000.5 + n },
      ...rest,
    });
    const user = { role: "user", content: "Where is W1?" };
    const { format, traces, losses } = await read([
      span("s0", "task", "run", 0, {
        input: "Where is W1?",
        output: "Sent.",
        expected: "Sent",
        scores: { Exact: 0, Safe: null },
      }),
      span("s1", "llm", "chat", 1, {
        input: [user],
        output: [
          {
            message: {
              role: "assistant",
              content: null,
              tool_calls: [{ id: "c1", function: { name: "find", arguments: "{}" } }],
            },
          },
        ],
        metadata: { model: "m2" },
        metrics: {
          start: 1_767_000_001,
          end: 1_767_000_002,
          prompt_tokens: 7,
          completion_tokens: 3,
          estimated_cost: 0.25,
        },
      }),
      span("s2", "tool", "find", 3, { input: { id: "W1" }, output: { state: "sent" }, error: null }),
      span("s3", "tool", "ship", 4, { input: { id: "W1" }, output: null, error: "no such order" }),
      span("s4", "llm", "chat", 5, { input: [user], output: [{ message: { role: "assistant", content: "Sent." } }] }),
    ]);
    expect([format, traces.length, losses]).toEqual(["braintrust", 1, { expected_output: 1 }]);
    expect(traces[0]).toMatchObject({
      calls: [
        { tool: "find", args: { id: "W1" }, result: { state: "sent" }, is_error: false },
        { tool: "ship", result: "no such order", is_error: true },
      ],
      final_answer: "Sent.",
      usage: { input_tokens: 7, output_tokens: 3 },
      cost_usd: 0.25,
      labels: { model: "m2", "score.Exact": "0" },
    });
  });

  it("Weave calls, whose operations name what they are", async () => {
    const one = (id: string, op: string, n: number, rest: object) => ({
      id,
      trace_id: "t0",
      parent_id: id === "w0" ? null : "w0",
      op_name: `weave:///team/project/op/${op}:abc123`,
      started_at: `${T}${n}Z`,
      ended_at: `${T}${n + 1}Z`,
      exception: null,
      ...rest,
    });
    const user = { role: "user", content: "Where is W1?" };
    const { format, traces, losses } = await read(
      lines(
        one("w0", "run_agent", 0, { inputs: { question: "Where is W1?", self: {} }, output: "Sent." }),
        one("w1", "openai.chat.completions.create", 1, {
          inputs: { self: {}, model: "m3", messages: [user] },
          output: { choices: [{ message: { role: "assistant", content: "Sent." } }] },
          summary: {
            usage: { m3: { prompt_tokens: 5, completion_tokens: 2 } },
            weave: { costs: { m3: { prompt_tokens_total_cost: 0.01, completion_tokens_total_cost: 0.02 } } },
          },
        }),
      ),
    );
    expect([format, traces.length, losses]).toEqual(["weave", 1, {}]);
    expect(traces[0]).toMatchObject({
      request: "Where is W1?",
      calls: [],
      final_answer: "Sent.",
      usage: { input_tokens: 5, output_tokens: 2 },
      cost_usd: 0.03,
      labels: { model: "m3" },
    });
  });

  it("MLflow traces, whose attributes are JSON in texts", async () => {
    const span = (id: string, type: string, name: string, n: number, input: unknown, output: unknown, rest = {}) => ({
      trace_id: "abc",
      span_id: id,
      parent_span_id: id === "m0" ? null : "m0",
      name,
      start_time_unix_nano: 1_767_000_000_000_000_000 + n * 1e9,
      end_time_unix_nano: 1_767_000_000_500_000_000 + n * 1e9,
      status: { code: "STATUS_CODE_OK", message: "" },
      attributes: Object.fromEntries(
        Object.entries({
          "mlflow.traceRequestId": "tr-1",
          "mlflow.spanType": type,
          "mlflow.spanInputs": input,
          "mlflow.spanOutputs": output,
          ...rest,
        }).map(([key, value]) => [key, JSON.stringify(value)]),
      ),
    });
    const user = { role: "user", content: "Where is W1?" };
    const reply = (content: string) => ({ choices: [{ message: { role: "assistant", content } }] });
    const { format, traces } = await read({
      info: { trace_id: "tr-1", state: "OK" },
      data: {
        spans: [
          span("m0", "AGENT", "agent", 0, { question: "Where is W1?" }, "Sent."),
          span("m1", "TOOL", "find", 1, { id: "W1" }, { state: "sent" }),
          span("m2", "CHAT_MODEL", "chat", 2, { messages: [user] }, reply("Sent."), {
            "mlflow.chat.tokenUsage": { input_tokens: 9, output_tokens: 1 },
          }),
        ],
      },
    });
    expect([format, traces.length]).toEqual(["mlflow", 1]);
    expect(traces[0]).toMatchObject({
      request: "Where is W1?",
      calls: [{ tool: "find", args: { id: "W1" }, result: { state: "sent" } }],
      final_answer: "Sent.",
      usage: { input_tokens: 9, output_tokens: 1 },
    });
  });
});

describe("sessions of coding agents", () => {
  it("Codex rollouts: items are told once, events that repeat them are not", async () => {
    const item = (payload: object) => ({ timestamp: `${T}1Z`, type: "response_item", payload });
    const { format, traces, losses } = await read(
      lines(
        {
          timestamp: `${T}0Z`,
          type: "session_meta",
          payload: { id: "cx-1", timestamp: `${T}0Z`, cli_version: "0.42.0", cwd: "/w" },
        },
        item({
          type: "message",
          role: "user",
          content: [{ type: "input_text", text: "<environment_context>x</environment_context>" }],
        }),
        item({ type: "message", role: "user", content: [{ type: "input_text", text: "List the files" }] }),
        { timestamp: `${T}1Z`, type: "event_msg", payload: { type: "user_message", message: "List the files" } },
        { timestamp: `${T}1Z`, type: "turn_context", payload: { model: "gpt-5-codex" } },
        item({ type: "reasoning", summary: [], encrypted_content: "x" }),
        item({ type: "function_call", name: "shell", arguments: '{"command":["ls"]}', call_id: "c1" }),
        item({ type: "function_call_output", call_id: "c1", output: '{"output":"a\\n","metadata":{"exit_code":0}}' }),
        item({ type: "custom_tool_call", name: "apply_patch", input: "*** Begin", call_id: "c2" }),
        item({ type: "custom_tool_call_output", call_id: "c2", output: '{"output":"no","metadata":{"exit_code":1}}' }),
        {
          timestamp: `${T}2Z`,
          type: "event_msg",
          payload: { type: "token_count", info: { total_token_usage: { input_tokens: 5, output_tokens: 1 } } },
        },
        {
          timestamp: `${T}3Z`,
          type: "event_msg",
          payload: { type: "token_count", info: { total_token_usage: { input_tokens: 50, output_tokens: 8 } } },
        },
        item({ type: "message", role: "assistant", content: [{ type: "output_text", text: "One file: a" }] }),
      ),
    );
    expect([format, traces.length, losses]).toEqual(["codex", 1, { part_reasoning: 1 }]);
    expect(traces[0]).toMatchObject({
      session: "cx-1",
      request: "List the files",
      calls: [
        { tool: "shell", args: { command: ["ls"] }, is_error: false },
        { tool: "apply_patch", args: { input: "*** Begin" }, is_error: true },
      ],
      final_answer: "One file: a",
      usage: { input_tokens: 50, output_tokens: 8 },
      labels: { model: "gpt-5-codex", agent: "codex", version: "0.42.0" },
    });
    expect(traces[0]?.turns.filter(({ role }) => role === "user")).toHaveLength(1);
  });

  it("Gemini CLI chats: calls and their results stand beside a message's words", async () => {
    const { format, traces, losses } = await read({
      sessionId: "g-1",
      projectHash: "h",
      startTime: `${T}0.000Z`,
      messages: [
        { id: "1", timestamp: `${T}1.000Z`, type: "user", content: "Read a.txt" },
        {
          id: "2",
          timestamp: `${T}2.000Z`,
          type: "gemini",
          content: "",
          thoughts: [{ subject: "s", description: "d" }],
          tokens: { input: 10, output: 2, thoughts: 3, total: 15 },
          model: "gemini-2.5-pro",
          toolCalls: [
            {
              id: "read_file-1",
              name: "read_file",
              args: { path: "a.txt" },
              result: [{ functionResponse: { id: "read_file-1", name: "read_file", response: { output: "hello" } } }],
              status: "success",
            },
            {
              id: "x-2",
              name: "read_file",
              args: { path: "b" },
              result: [{ functionResponse: { name: "read_file", response: { error: "none" } } }],
              status: "error",
            },
          ],
        },
        { id: "3", timestamp: `${T}4.000Z`, type: "info", content: "compressed" },
        {
          id: "4",
          timestamp: `${T}5.000Z`,
          type: "gemini",
          content: "It says hello.",
          tokens: { input: 20, output: 4 },
        },
      ],
    });
    expect([format, traces.length, losses]).toEqual(["gemini-cli", 1, { part_reasoning: 1, message_info: 1 }]);
    expect(traces[0]).toMatchObject({
      session: "g-1",
      request: "Read a.txt",
      calls: [
        { tool: "read_file", args: { path: "a.txt" }, result: "hello", is_error: false },
        { tool: "read_file", result: "none", is_error: true },
      ],
      final_answer: "It says hello.",
      usage: { input_tokens: 30, output_tokens: 9 },
      labels: { model: "gemini-2.5-pro" },
    });
  });
});
