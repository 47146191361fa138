import { describe, expect, it } from "vitest";
import { read } from "./kit.ts";

describe("results of test runners", () => {
  it("promptfoo: assertions are scores, success is the outcome, by a model where one is a rubric", async () => {
    const row = (testIdx: number, success: boolean, kind: string) => ({
      id: `p${testIdx}`,
      testIdx,
      promptIdx: 0,
      prompt: { raw: '[{"role":"system","content":"Help."},{"role":"user","content":"Hi"}]', label: "a" },
      provider: { id: "openai:m4", label: "" },
      vars: { x: 1 },
      response: { output: "Hello", tokenUsage: { prompt: 6, completion: 2, total: 8 }, cost: 0.5 },
      success,
      score: Number(success),
      gradingResult: {
        pass: success,
        reason: "r",
        componentResults: [{ pass: success, score: Number(success), reason: "because", assertion: { type: kind } }],
      },
    });
    const { format, traces } = await read({
      evalId: "e",
      results: { version: 3, results: [row(0, true, "contains"), row(1, false, "llm-rubric")] },
    });
    expect([format, traces.length]).toEqual(["promptfoo", 2]);
    expect(traces).toMatchObject([
      {
        request: "Hi",
        final_answer: "Hello",
        usage: { input_tokens: 6, output_tokens: 2 },
        cost_usd: 0.5,
        labels: { "score.contains": "1", "score.contains.comment": "because" },
        outcome: { reward: 1, tier: "deterministic" },
      },
      { outcome: { reward: 0, tier: "llm-derived" } },
    ]);
  });

  it("DeepEval: tools that were called, metrics with their reasons, what was expected told as a loss", async () => {
    const { format, traces, losses } = await read({
      testCases: [
        {
          name: "t1",
          input: "Where is W1?",
          actualOutput: "Sent.",
          expectedOutput: "Sent",
          toolsCalled: [{ name: "find", inputParameters: { id: "W1" }, output: { state: "sent" } }, { name: "log" }],
          metricsData: [
            {
              name: "Tool Correctness",
              score: 0.5,
              reason: "one more",
              success: false,
              evaluationModel: "m5",
              evaluationCost: 0.1,
            },
          ],
          success: false,
        },
      ],
    });
    expect([format, traces.length]).toEqual(["deepeval", 1]);
    expect(losses).toEqual({ expected_output: 1, result_not_captured: 1, grading_cost: 1 });
    expect(traces[0]).toMatchObject({
      session: "t1",
      request: "Where is W1?",
      calls: [
        { tool: "find", args: { id: "W1" }, result: { state: "sent" } },
        { tool: "log", args: {} },
      ],
      final_answer: "Sent.",
      labels: { "score.Tool Correctness": "0.5", "score.Tool Correctness.comment": "one more" },
      outcome: { reward: 0, tier: "llm-derived" },
    });
  });

  // As providers of agents report what was called.
  it("promptfoo: calls that a provider lists, assertions of one kind, and a provider that failed", async () => {
    const part = (score: number, value: string) => ({
      pass: score === 1,
      score,
      reason: value,
      assertion: { type: "contains", value },
    });
    const row = { prompt: { raw: "Where is W1?", label: "a" }, provider: { id: "agent" }, vars: {}, success: false };
    const toolCalls = [
      { id: "t1", name: "find", input: { id: "W1" }, output: [{ type: "text", text: "sent" }], is_error: false },
      { id: "t2", name: "log", input: {}, output: "no right", is_error: true, parentToolUseId: null },
      { id: "t3", name: "wait", input: {} },
    ];
    const { traces, losses } = await read({
      results: {
        version: 3,
        results: [
          {
            ...row,
            response: { output: "Sent.", metadata: { toolCalls, numTurns: 4 } },
            gradingResult: { pass: false, reason: "b", componentResults: [part(1, "a"), part(0, "b")] },
          },
          { ...row, error: "Call failed: timeout", response: { error: "timeout" } },
        ],
      },
    });
    expect(losses).toEqual({ result_not_captured: 1 });
    expect(traces).toMatchObject([
      {
        calls: [
          { tool: "find", args: { id: "W1" }, result: "sent" },
          { tool: "log", result: "no right", answer_class: "error:failed" },
          { tool: "wait" },
        ],
        final_answer: "Sent.",
        labels: { "score.contains": "1", "score.contains.comment": "a", "score.contains 2": "0" },
      },
      { final_answer: null, labels: { comment: "Call failed: timeout" } },
    ]);
    expect(traces[1]?.turns).toHaveLength(1);
  });

  it("DeepEval: a traced test case has the calls, tokens and cost of its spans, and says what it does not take", async () => {
    const metricsData = [{ name: "Tool Correctness", score: 1, success: true }];
    const model = (inputTokenCount: number, outputTokenCount: number, priced = true) => ({
      ...{ name: "answer", type: "llm", status: "SUCCESS", model: "m6", inputTokenCount, outputTokenCount },
      ...(priced ? { costPerInputToken: 0.01, costPerOutputToken: 0.1 } : {}),
    });
    const trace = {
      startTime: "2026-01-02T03:04:05.000Z",
      endTime: "2026-01-02T03:04:06.500Z",
      agentSpans: [{ name: "desk", type: "agent", status: "SUCCESS" }],
      llmSpans: [model(100, 10), model(50, 0)],
      retrieverSpans: [{ name: "look_up", type: "retriever", status: "SUCCESS", input: "W1", output: ["a"] }],
      toolSpans: [
        { name: "second", status: "ERRORED", startTime: "2026-01-02T03:04:06.000Z", input: {}, error: "No right." },
        {
          name: "first",
          status: "SUCCESS",
          startTime: "2026-01-02T03:04:05.100Z",
          input: { id: 1 },
          output: { n: 2 },
          metricsData,
        },
      ],
    };
    const one = { name: "t1", input: "Hi", actualOutput: "Done.", success: true, metricsData: [], trace };
    const { traces, losses } = await read({ testCases: [one], conversationalTestCases: [] });
    expect(traces).toMatchObject([
      {
        calls: [
          { tool: "first", args: { id: 1 }, result: { n: 2 } },
          { tool: "second", result: "No right.", answer_class: "error:failed" },
        ],
        usage: { input_tokens: 150, output_tokens: 10 },
        cost_usd: 2.5,
        labels: { model: "m6" },
        started_at: 1767323045,
        ended_at: 1767323046.5,
      },
    ]);
    expect(losses).toEqual({ retriever_span: 1, span_of_model: 2, score_of_step: 1 });
    const partly = { ...one, trace: { ...trace, llmSpans: [model(100, 10), model(50, 5, false)] } };
    const other = await read({ testCases: [partly] });
    expect(other.traces[0]).not.toHaveProperty("cost_usd");
    expect(other.losses).toMatchObject({ cost_of_some_models: 1 });
  });

  it("DeepEval: conversations are sessions of their own, with the calls of each turn", async () => {
    const { format, traces, losses } = await read({
      testCases: [],
      conversationalTestCases: [
        {
          name: "c1",
          success: false,
          expectedOutcome: "It is found",
          metricsData: [
            { name: "Completeness", score: 0.2, reason: "left open", success: false, evaluationModel: "m5" },
          ],
          turns: [
            { role: "user", content: "Where is W1?", order: 0 },
            {
              ...{ role: "assistant", content: "Sent.", order: 1 },
              toolsCalled: [{ name: "find", inputParameters: { id: "W1" }, output: "sent" }],
            },
            { role: "user", content: "When?", order: 2 },
            { role: "assistant", content: "Today.", order: 3 },
          ],
        },
      ],
    });
    expect([format, losses]).toEqual(["deepeval", { expected_output: 1 }]);
    expect(traces).toMatchObject([
      {
        session: "c1",
        request: "Where is W1?",
        calls: [{ tool: "find", args: { id: "W1" }, result: "sent" }],
        final_answer: "Today.",
        labels: { "score.Completeness": "0.2", "score.Completeness.comment": "left open" },
        outcome: { reward: 0, tier: "llm-derived" },
      },
    ]);
    expect(traces[0]?.turns.map(({ text }) => text)).toEqual(["Where is W1?", "", "Sent.", "When?", "Today."]);
  });
});
