import { expect, it } from "vitest";
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
