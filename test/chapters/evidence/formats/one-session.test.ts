import { describe, expect, it } from "vitest";
import { once } from "../../../../chapters/evidence/reading/bytes.ts";
import { openEvidence } from "../../../../chapters/evidence/reading/evidence.ts";
import { Sessions } from "../../../../chapters/evidence/traces/one-session.ts";
import type { CanonicalTrace } from "../../../../chapters/records/evidence/evidence.ts";

async function read(items: readonly unknown[]): Promise<CanonicalTrace[]> {
  const open = await openEvidence(once(items.map((item) => JSON.stringify(item)).join("\n")));
  const traces: CanonicalTrace[] = [];
  for await (const { trace } of open.traces()) traces.push(trace);
  expect([open.tally.refused, open.tally.losses]).toEqual([[], {}]);
  return traces;
}
const counts = (traces: readonly CanonicalTrace[]) =>
  traces.map(({ turns, calls }) => [turns.length, calls.map(({ tool, result }) => [tool, result])]);

const id = (n: number) => `toolu_01A09q90qw90lq91778${n}`;
const asks = { role: "user", content: "Where is order W1, and where is W2?" };
const anthropicUse = (n: number) => ({
  role: "assistant",
  content: [{ type: "tool_use", id: id(n), name: "get_order", input: { id: `W${n}` } }],
});
const anthropicResult = (n: number) => ({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: id(n), content: `open ${n}` }],
});
const openaiUse = (n: number) => ({
  role: "assistant",
  content: null,
  tool_calls: [
    { id: `call_9pw1QnhbKHMhMCoz${n}`, type: "function", function: { name: "get_order", arguments: `{"id":"W${n}"}` } },
  ],
});
const openaiResult = (n: number) => ({ role: "tool", tool_call_id: `call_9pw1QnhbKHMhMCoz${n}`, content: `open ${n}` });
const ends = { role: "assistant", content: "Both are open." };
const told = [
  ["get_order", "open 1"],
  ["get_order", "open 2"],
];

/** The three exchanges of one conversation with a model, each with all that was said before. */
const anthropic = [
  [],
  [anthropicUse(1), anthropicResult(1)],
  [anthropicUse(1), anthropicResult(1), anthropicUse(2), anthropicResult(2)],
].map((before, i) => ({
  request: { model: "m", max_tokens: 9, system: "Be kind.", messages: [asks, ...before] },
  response: {
    id: `msg_${i}`,
    type: "message",
    usage: { input_tokens: 10, output_tokens: 1 },
    ...[anthropicUse(1), anthropicUse(2), { role: "assistant", content: [{ type: "text", text: "Both are open." }] }][
      i
    ],
  },
}));
const openai = [
  [],
  [openaiUse(1), openaiResult(1)],
  [openaiUse(1), openaiResult(1), openaiUse(2), openaiResult(2)],
].map((before, i) => ({
  request: { model: "m", messages: [asks, ...before] },
  response: {
    id: `chatcmpl_${i}`,
    choices: [{ message: [openaiUse(1), openaiUse(2), ends][i] }],
    usage: { prompt_tokens: 10, completion_tokens: 1 },
  },
}));

describe("requests of one conversation are one session", () => {
  it.each([
    ["Anthropic", anthropic, 5],
    ["OpenAI", openai, 4],
  ])("%s: each request repeats the ones before", async (_name, exchanges, turns) => {
    const [trace, ...rest] = await read(exchanges);
    expect(rest).toEqual([]);
    expect(trace && counts([trace])).toEqual([[turns, told]]);
    expect(trace?.usage).toEqual({ input_tokens: 30, output_tokens: 3 });
    // In another order, and with each of them logged twice.
    expect(counts(await read([...exchanges, ...exchanges]))).toEqual([[turns, told]]);
  });

  it("raw requests without replies, among those of another conversation", async () => {
    const other = { model: "m", messages: [{ role: "user", content: "Cancel my order W9 please, I do not need it." }] };
    const bodies = openai.map(({ request }) => request);
    const traces = await read([
      bodies[0],
      other,
      bodies[1],
      { ...other, messages: [...other.messages, openaiUse(9)] },
      bodies[2],
    ]);
    expect(counts(traces)).toEqual([
      [3, told],
      [2, [["get_order", null]]],
    ]);
  });

  it("two sessions that only begin alike stay two", async () => {
    const again = (words: string) => ({
      model: "m",
      messages: [
        { role: "user", content: "Hi" },
        { role: "assistant", content: words },
      ],
    });
    expect(await read([again("Hello."), again("Good day."), again("Hello.")])).toHaveLength(3);
  });

  // Finding A21.
  it("spans: histories repeat, and spans are listed twice", async () => {
    const span = (n: number, name: string, attributes: Record<string, unknown>) => ({
      trace_id: "5b8efff798038103d269b633813fc60c",
      span_id: `eee19b7ec3c1b17${n}`,
      name,
      start_time: `2026-01-02T03:04:0${n}Z`,
      end_time: `2026-01-02T03:04:0${n}.5Z`,
      attributes,
    });
    const chat = (n: number, input: readonly unknown[], output: unknown) =>
      span(n, "chat m", {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": JSON.stringify(input),
        "gen_ai.output.messages": JSON.stringify([output]),
      });
    const spans = openai.map(({ request, response }, i) => chat(i + 1, request.messages, response.choices[0]?.message));
    const twice = await read([...spans, ...spans]);
    expect(counts(twice)).toEqual([[4, told]]);
  });
});

it("a tool_use that is told twice is one call; an id that a model uses again is another", async () => {
  const event = (n: number, message: unknown, type = "assistant") => ({
    type,
    sessionId: "s1",
    uuid: `u${n}`,
    message,
  });
  const use = { id: "msg_1", ...anthropicUse(1) };
  const events = [
    event(1, asks, "user"),
    event(2, { ...use, content: [{ type: "text", text: "I look." }] }),
    event(3, { ...use, content: [{ type: "text", text: "I look." }, ...use.content] }),
    event(4, use),
    event(5, anthropicResult(1), "user"),
    event(6, { ...anthropicUse(1) }),
    event(7, anthropicResult(1), "user"),
    event(8, ends),
  ];
  const [trace] = await read([...events, ...events]);
  expect(trace?.calls.map(({ tool, result }) => [tool, result])).toEqual([["get_order", "open 1"]]);
  const again = [asks, openaiUse(1), openaiResult(1), openaiUse(1), openaiResult(1), ends];
  expect((await read([{ id: "s2", messages: again }]))[0]?.calls).toHaveLength(2);
});

it("a session that arrives again, whole or grown, stands once in its longest form", async () => {
  const [first] = await read(anthropic.slice(0, 2));
  const [whole] = await read(anthropic);
  const [named] = await read([{ session_id: "s7", messages: [asks, ends] }]);
  const [grown] = await read([{ session_id: "s7", messages: [asks, ends, { role: "user", content: "Thanks." }] }]);
  const [otherwise] = await read([{ session_id: "s7", messages: [asks, { role: "assistant", content: "No." }] }]);
  const all = [first, named, whole, grown, structuredClone(whole), otherwise].flatMap((trace) => trace ?? []);
  expect(standing(all).values).toEqual([whole, grown, otherwise]);
  expect(standing([...all].reverse()).values).toEqual([otherwise, whole, grown]);
});

it("of sessions that are told again nothing is made, nor kept of those that grew", async () => {
  const [first] = await read(anthropic.slice(0, 2));
  const [whole] = await read(anthropic);
  const copies = [first, whole, ...Array.from({ length: 50 }, () => structuredClone(whole))];
  const { made, values } = standing(copies.flatMap((trace) => trace ?? []));
  expect([made, values]).toEqual([2, [whole]]);
});

function standing(traces: readonly CanonicalTrace[]) {
  const sessions = new Sessions<CanonicalTrace>();
  let made = 0;
  for (const trace of traces)
    sessions.add(trace, () => {
      made += 1;
      return trace;
    });
  return { made, values: sessions.values };
}
