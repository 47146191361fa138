import { describe, expect, it } from "vitest";
import { call, read } from "./kit.ts";

const lines = (...values: unknown[]) => values.map((value) => JSON.stringify(value)).join("\n");

/** The one trace of a value, and what was not carried over. */
async function one(value: unknown) {
  const { traces, losses, refused } = await read(value);
  expect([traces.length, refused]).toEqual([1, []]);
  return { ...traces[0]!, losses };
}

describe("tokens, counted by hand", () => {
  const cached = {
    input_tokens: 4,
    cache_creation_input_tokens: 100,
    cache_read_input_tokens: 1000,
    output_tokens: 30,
  };
  const used = { input_tokens: 6, cache_creation_input_tokens: 0, cache_read_input_tokens: 1100, output_tokens: 9 };

  it("what a cache held or took in went into the model as well", async () => {
    const said = (id: string, usage: object, content: unknown) => ({
      type: "assistant",
      sessionId: "s1",
      uuid: `${id}-${JSON.stringify(content).length}`,
      message: { id, role: "assistant", model: "m", content, usage },
    });
    const session = await one(
      lines(
        { type: "user", sessionId: "s1", uuid: "u", message: { role: "user", content: "Run the tests" } },
        said("msg_A", cached, [{ type: "text", text: "Running." }]),
        said("msg_A", cached, [{ type: "tool_use", id: "toolu_1", name: "Bash", input: { command: "npm test" } }]),
        said("msg_B", used, [{ type: "text", text: "One fails." }]),
      ),
    );
    expect(session.usage).toEqual({ input_tokens: 2210, output_tokens: 39 });

    const asked = { model: "m", messages: [{ role: "user", content: "Hi" }] };
    const reply = { type: "message", role: "assistant", model: "m", content: [{ type: "text", text: "Hello" }] };
    const pair = { request: asked, response: { id: "msg_1", ...reply, usage: cached } };
    expect((await one(pair)).usage).toEqual({ input_tokens: 1104, output_tokens: 30 });
  });

  it("every kind of a direction counts in the tracing tool's details, and older exports have other names", async () => {
    const observation = (id: string, more: object) => ({
      id,
      traceId: "t",
      type: "GENERATION",
      startTime: "2026-01-02T03:04:05Z",
      input: [{ role: "user", content: "Hi" }],
      output: { role: "assistant", content: "Hello" },
      ...more,
    });
    const of = async (more: object) => (await one({ id: "t", observations: [observation("o", more)] })).usage;
    const details = { input: 20, input_cached_tokens: 80, output: 5, output_reasoning_tokens: 7, total: 112 };
    expect(await of({ usageDetails: details })).toEqual({ input_tokens: 100, output_tokens: 12 });
    const within = { input: 100, input_cached_tokens: 80, output: 5, output_reasoning_tokens: 2, total: 107 };
    expect(await of({ usageDetails: within })).toEqual({ input_tokens: 100, output_tokens: 7 });
    expect(await of({ usageDetails: { ...within, total: 105 } })).toEqual({ input_tokens: 100, output_tokens: 5 });
    expect(await of({ usageDetails: { ...within, total: 106 } })).toEqual({ input_tokens: 100, output_tokens: 5 });
    const odd = { input: 100, max_input_context: 8000, output: 5, output_cost_units: 3 };
    expect(await of({ usageDetails: odd })).toEqual({ input_tokens: 100, output_tokens: 5 });
    const beside = { input: 4, cache_read_input_tokens: 90, cache_creation_input_tokens: 6, output: 5 };
    expect(await of({ usageDetails: beside })).toEqual({ input_tokens: 100, output_tokens: 5 });
    const older = { input: 45, output: 9, total: 54, unit: "TOKENS" };
    expect(await of({ usage: older })).toEqual({ input_tokens: 45, output_tokens: 9 });
    expect(await of({ promptTokens: 3, completionTokens: 2 })).toEqual({ input_tokens: 3, output_tokens: 2 });
  });

  it("tokens that only the sum counts, as of thinking, are told", async () => {
    const observation = (usageDetails: object) => ({
      ...{ id: "o", traceId: "t", type: "GENERATION", startTime: "2026-01-02T03:04:05Z" },
      input: [{ role: "user", content: "Hi" }],
      output: { role: "assistant", content: "Hello" },
      usageDetails,
    });
    const of = (usageDetails: object) => one({ id: "t", observations: [observation(usageDetails)] });
    expect(await of({ input: 5, output: 845, total: 2023 })).toMatchObject({
      usage: { input_tokens: 5, output_tokens: 845 },
      losses: { tokens_in_sum_alone: 1173 },
    });
    expect((await of({ input: 5, output: 845, total: 850 })).losses).toEqual({});
    expect((await of({ input: 5, output: 845 })).losses).toEqual({});
    expect(await of({ total: 99 })).toMatchObject({ losses: { tokens_in_sum_alone: 99 } });
  });

  it("an ADK session's events say what each model call used", async () => {
    const event = (author: string, text: string, used?: object) => ({
      author,
      content: { role: author, parts: [{ text }] },
      ...(used ? { usage_metadata: used } : {}),
    });
    const { usage } = await one({
      id: "s",
      app_name: "desk",
      events: [
        event("user", "Hi"),
        event("desk", "Hel", { promptTokenCount: 60, candidatesTokenCount: 1 }),
        event("desk", "Hello", { prompt_token_count: 90, candidates_token_count: 4, thoughts_token_count: 6 }),
      ],
    });
    expect(usage).toEqual({ input_tokens: 150, output_tokens: 11 });
  });

  it("Weave tells what each model used and cost, MLflow and a run's own sums where no call tells any", async () => {
    const weave = (id: string, parent: string | null, op: string, more: object) => ({
      id,
      op_name: `weave:///e/p/op/${op}:abc`,
      trace_id: "t",
      parent_id: parent,
      started_at: "2026-01-02T03:04:05Z",
      inputs: {},
      ...more,
    });
    const tokens = (n: number) => ({ prompt_tokens: n, completion_tokens: 2, requests: 1 });
    const price = { prompt_tokens_total_cost: 0.25, completion_tokens_total_cost: 0.125 };
    const run = await one(
      lines(
        weave("w1", null, "run", {
          inputs: { question: "Cancel A1" },
          output: "It is locked.",
          summary: { usage: { a: tokens(10), b: tokens(5) }, weave: { costs: { a: price, b: price } } },
        }),
        weave("w2", "w1", "cancel_order", {
          attributes: { weave: { kind: "tool" } },
          inputs: { id: "A1" },
          exception: "ValueError: locked",
        }),
      ),
    );
    expect(run).toMatchObject({
      calls: [{ tool: "cancel_order", args: { id: "A1" }, result: "ValueError: locked", is_error: true }],
      usage: { input_tokens: 15, output_tokens: 4 },
      cost_usd: 0.75,
    });
  });
});

describe("final answers, counted by hand", () => {
  it("what a traced program returned is the answer where its last model call only calls tools, in words alone", async () => {
    const judged = { role: "assistant", tool_calls: [call("c1", "rate", { score: 4 })] };
    const of = async (output: unknown) => {
      const observations = [
        {
          id: "o",
          traceId: "t",
          type: "GENERATION",
          startTime: "2026-01-02T03:04:05Z",
          input: [{ role: "user", content: "Rate this joke" }],
          output: judged,
        },
      ];
      return (await one({ id: "t", output, observations })).final_answer;
    };
    expect(await of("Two bugs walk in.")).toBe("Two bugs walk in.");
    expect(await of(JSON.stringify("Two bugs walk in."))).toBe("Two bugs walk in.");
    for (const none of [{ score: 4 }, '{"score":4}', "[broken", null, ""]) expect(await of(none)).toBeNull();
  });
});

describe("scores, counted by hand", () => {
  it("assessments of an MLflow trace are its scores; what was expected is none", async () => {
    const span = {
      trace_id: "t",
      span_id: "s",
      parent_span_id: null,
      name: "agent",
      start_time_unix_nano: 1_767_000_000_000_000_000,
      attributes: { "mlflow.spanType": '"AGENT"', "mlflow.spanInputs": '"Hi"', "mlflow.spanOutputs": '"Hello"' },
    };
    const assessments = [
      { assessment_name: "correct", feedback: { value: true }, rationale: "fine" },
      { assessment_name: "expected_answer", expectation: { value: "Hello there" } },
    ];
    const { labels } = await one({ info: { trace_id: "t", assessments }, data: { spans: [span] } });
    expect(labels).toMatchObject({ "score.correct": "true", "score.correct.comment": "fine" });
    expect(labels["score.expected_answer"]).toBeUndefined();
  });

  it("promptfoo's named scores stand beside its assertions; a provider without a label is named by its id", async () => {
    const { labels } = await one({
      results: {
        results: [
          {
            prompt: { raw: "Hi" },
            provider: { id: "openai:m4", label: "" },
            response: { output: "Hello" },
            success: true,
            namedScores: { polite: 0.5 },
          },
        ],
      },
    });
    expect(labels).toMatchObject({ "score.polite": "0.5", model: "openai:m4" });
  });
});

describe("calls and answers, counted by hand", () => {
  it("arguments that a Python program wrote down are an object", async () => {
    const run = (id: string, parent: string | null, run_type: string, more: object) => ({
      id,
      trace_id: "r0",
      parent_run_id: parent,
      run_type,
      name: "find",
      start_time: "2026-01-02T03:04:05Z",
      ...more,
    });
    const { calls } = await one(
      lines(
        run("r0", null, "chain", { inputs: { input: "Where is W1?" }, outputs: { output: "Sent." } }),
        run("r1", "r0", "tool", { inputs: { input: "{'id': 'W1', 'deep': True}" }, outputs: { output: "sent" } }),
      ),
    );
    expect(calls).toMatchObject([{ tool: "find", args: { id: "W1", deep: true }, result: "sent" }]);
  });

  it("an older Letta file keeps what came of a call in the message alone", async () => {
    const said = (role: string, text: string, more = {}) => ({ role, content: [{ type: "text", text }], ...more });
    const framed = JSON.stringify({ status: "OK", message: "cancelled" });
    const { calls, losses } = await one({
      agent_type: "memgpt_agent",
      name: "desk",
      system: "Help.",
      messages: [
        said("user", "Cancel A1."),
        said("assistant", "", { tool_calls: [call("c1", "cancel", { id: "A1" })] }),
        said("tool", framed, { tool_call_id: "c1", tool_returns: [{ status: "success", stdout: [], stderr: [] }] }),
        said("assistant", "Cancelled."),
      ],
    });
    expect(calls).toMatchObject([{ tool: "cancel", result: "cancelled", is_error: false }]);
    expect(losses).toEqual({});
  });

  it("a crew's end tells its answer and tokens where no agent's end stands before", async () => {
    const event = (type: string, more: object) => ({ type, timestamp: "2026-01-02T03:04:05Z", ...more });
    const token_usage = { prompt_tokens: 300, completion_tokens: 30, total_tokens: 330 };
    const { final_answer, usage, losses } = await one(
      lines(
        event("crew_kickoff_started", {}),
        event("agent_execution_started", { task_prompt: "Cancel A1." }),
        event("tool_usage_finished", { tool_name: "cancel", tool_args: { id: "A1" }, output: "ok" }),
        event("task_completed", { output: { raw: "Cancelled." } }),
        event("crew_kickoff_completed", { output: { raw: "Cancelled.", token_usage }, total_tokens: 330 }),
      ),
    );
    expect([final_answer, usage, losses]).toEqual(["Cancelled.", { input_tokens: 300, output_tokens: 30 }, {}]);
  });

  it("a crew's batches and doubled events: each call once, and a result that is not logged is none", async () => {
    const event = (type: string, more: object) => ({ type, timestamp: "2026-01-02T03:04:05.123456", ...more });
    const called = event("tool_usage_finished", { tool_name: "cancel", tool_args: { id: "A1" } });
    const events = [
      event("mcp_initialization_started", { mcp_name: "desk" }),
      event("crew_kickoff_started", {}),
      event("task_started", { task_description: "Cancel A1." }),
      called,
      called,
      event("tool_usage_finished", { tool_name: "get", tool_args: { id: "A1" }, output: "A1: sent" }),
      event("crew_kickoff_completed", { output: "Cancelled." }),
    ];
    // As CrewAI's trace_batch_manager.py sends them, and one event a line.
    for (const given of [{ events, batch_metadata: { batch_sequence: 1 } }, lines(...events)]) {
      const { calls, final_answer, losses } = await one(given);
      expect(calls.map(({ tool, answer_class }) => [tool, answer_class])).toEqual([
        ["cancel", "pending"],
        ["get", "data"],
      ]);
      expect([final_answer, losses]).toEqual([
        "Cancelled.",
        { event_mcp_initialization_started: 1, event_repeated: 1, result_not_logged: 1 },
      ]);
    }
  });

  it("what mini-swe-agent handed in is its answer, with the tokens of its replies and commands that failed", async () => {
    const bash = (id: string, command: string, prompt_tokens: number) => ({
      role: "assistant",
      content: "look",
      tool_calls: [call(id, "bash", { command })],
      extra: { response: { usage: { prompt_tokens, completion_tokens: 10 } } },
    });
    const told = await one({
      trajectory_format: "mini-swe-agent-1.1",
      info: { exit_status: "Submitted", submission: "diff --git", model_stats: { instance_cost: 0.07 } },
      messages: [
        { role: "system", content: "S" },
        { role: "user", content: "Fix a.py" },
        bash("a", "ls", 100),
        { role: "tool", tool_call_id: "a", content: "<output>no</output>", extra: { returncode: 1 } },
        bash("b", "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT", 150),
        { role: "exit", content: "diff --git", extra: { exit_status: "Submitted", submission: "diff --git" } },
      ],
    });
    expect(told).toMatchObject({
      calls: [{ is_error: true }, { result: "diff --git", is_error: false }],
      final_answer: "diff --git",
      usage: { input_tokens: 250, output_tokens: 20 },
      cost_usd: 0.07,
      losses: {},
    });
  });

  it("how mini-swe-agent ended is a loss where the exit message alone tells it", async () => {
    const messages = [
      { role: "user", content: "Fix a.py" },
      { role: "assistant", content: "look", tool_calls: [call("a", "bash", { command: "ls" })] },
      { role: "tool", tool_call_id: "a", content: "a.py" },
      { role: "exit", content: "Limits exceeded", extra: { exit_status: "LimitsExceeded" } },
    ];
    const of = async (info: object) =>
      (await one({ trajectory_format: "mini-swe-agent-1.1", messages, ...info })).losses;
    expect(await of({})).toEqual({ exit_message: 1 });
    expect(await of({ info: { model_stats: { instance_cost: 0.07 } } })).toEqual({ exit_message: 1 });
    expect(await of({ info: { exit_status: "LimitsExceeded" } })).toEqual({});
  });
});
