import { expect, it } from "vitest";
import { read } from "./kit.ts";

const observation = (n: number, type: string, name: string, fields: object) => ({
  id: `o${n}`,
  traceId: "t1",
  type,
  name,
  startTime: `2026-01-01T00:00:0${n}Z`,
  endTime: `2026-01-01T00:00:0${n}Z`,
  ...fields,
});

// Finding A45.
it("scores of a trace stay with it, names, values and what was noted", async () => {
  const scores = [
    { name: "toxicity", value: 0.2, comment: "mild" },
    { name: "kind", stringValue: "billing", value: null },
    { name: "toxicity", value: 1 },
  ];
  const observations = [
    observation(1, "GENERATION", "model", { input: [{ role: "user", content: "hi" }], output: "ho" }),
  ];
  const { traces, losses } = await read(JSON.stringify({ trace: { id: "t1", scores }, observations }));
  expect(traces[0]?.labels).toMatchObject({
    "score.toxicity": "0.2",
    "score.toxicity.comment": "mild",
    "score.kind": "billing",
  });
  expect(losses).toMatchObject({ score: 1 });
});

// Findings A40 and A41.
it("a message whose role is the tool's name is its answer, and a request may stand in args", async () => {
  const call = { id: "call_1", type: "function", function: { name: "get_weather", arguments: '{"city":"Oslo"}' } };
  const history = [
    { role: "user", content: "Weather in Oslo?" },
    { role: "assistant", content: "", tool_calls: [call] },
    { role: "get_weather", content: "It rains." },
  ];
  const observations = [
    observation(1, "GENERATION", "model", { input: history.slice(0, 1), output: history[1] }),
    observation(2, "GENERATION", "model", { input: history, output: { role: "assistant", content: "Rain." } }),
  ];
  const { traces } = await read(JSON.stringify({ trace: { id: "t1" }, observations }));
  expect(traces[0]?.calls).toMatchObject([{ tool: "get_weather", result: "It rains.", answer_class: "data" }]);
  const completion = [
    observation(1, "GENERATION", "complete", { input: { args: ["What is it?"] }, output: "A tool." }),
  ];
  const asked = await read(JSON.stringify({ trace: { id: "t1" }, observations: completion }));
  expect(asked.traces[0]?.request).toBe("What is it?");
});

const span = (n: number, name: string, attributes: object) => ({
  trace_id: "a1",
  span_id: `s${n}`,
  name,
  start_time: `2026-01-01T00:00:0${n}Z`,
  end_time: `2026-01-01T00:00:0${n}Z`,
  attributes,
});

// Finding A36.
it("words under an index, cost and tokens of an agent's span are read; a handoff is no call", async () => {
  const spans = [
    span(1, "agent", {
      "openinference.span.kind": "AGENT",
      "input.value": "Add 1 and 2.",
      "llm.output_messages.0.message.role": "assistant",
      "llm.output_messages.0.message.content.0": "It is 3.",
      "gen_ai.usage.input_tokens": 4,
      "gen_ai.usage.output_tokens": 7,
      "llm.cost.total": 0.07,
    }),
    span(2, "handoff to adder", { "openinference.span.kind": "TOOL", "input.value": "x", "output.value": "adder" }),
    span(3, "add", { "openinference.span.kind": "TOOL", "input.value": '{"a":1,"b":2}', "output.value": "3" }),
  ];
  const { traces } = await read(JSON.stringify(spans));
  expect(traces).toMatchObject([
    {
      request: "Add 1 and 2.",
      final_answer: "It is 3.",
      final_answer_class: "answered",
      usage: { input_tokens: 4, output_tokens: 7 },
      cost_usd: 0.07,
      calls: [{ tool: "add" }],
    },
  ]);
});

// Finding A37.
it("a call that an SDK wrote out as text is no answer", async () => {
  const written = "ResponseFunctionToolCall(arguments='{\"a\":1}', call_id='call_9', name='add', type='function_call')";
  const message = (content: string) => JSON.stringify([{ role: "assistant", parts: [{ type: "text", content }] }]);
  const model = (n: number, output: string) =>
    span(n, "chat", {
      "gen_ai.operation.name": "chat",
      "gen_ai.input.messages": JSON.stringify([{ role: "user", parts: [{ type: "text", content: "Add." }] }]),
      "gen_ai.output.messages": message(output),
    });
  const { traces } = await read(JSON.stringify([model(1, written), model(2, "It is 3.")]));
  expect(traces[0]).toMatchObject({ final_answer: "It is 3.", calls: [{ tool: "add", args: { a: 1 } }] });
});

// Finding A43.
it("a verdict that a model gave is told as a model's", async () => {
  const sample = (scores: object) => ({
    id: "1",
    epoch: 1,
    input: "q",
    target: "t",
    messages: [
      { role: "user", content: "q" },
      { role: "assistant", content: "a" },
    ],
    scores,
  });
  const log = (scores: object) => JSON.stringify({ eval: { task: "x" }, plan: {}, samples: [sample(scores)] });
  const graded = await read(log({ model_graded_fact: { value: "C" } }));
  expect(graded.traces[0]?.outcome).toEqual({ reward: 1, tier: "llm-derived" });
  const matched = await read(log({ match: { value: "C" } }));
  expect(matched.traces[0]?.outcome).toEqual({ reward: 1, tier: "deterministic" });
});

// Finding A44.
it("nothing written out as None is no turn", async () => {
  const call = { id: "c1", type: "function", function: { name: "search", arguments: "{}" } };
  const observations = [
    observation(1, "GENERATION", "model", {
      input: [{ role: "user", content: "Look." }],
      output: { role: "assistant", content: "None", tool_calls: [call] },
    }),
    observation(2, "TOOL", "search", { input: {}, output: "found" }),
  ];
  const { traces } = await read(JSON.stringify({ trace: { id: "t1" }, observations }));
  expect(traces[0]?.turns.map(({ text }) => text)).not.toContain("None");
  expect(traces[0]?.calls).toMatchObject([{ tool: "search", result: "found" }]);
});
