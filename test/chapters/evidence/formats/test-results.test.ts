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
});
