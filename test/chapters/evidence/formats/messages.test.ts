import { describe, expect, it } from "vitest";
import { CHAT, call, read } from "./kit.ts";

describe("openai-chat", () => {
  it("reads a bare message list: calls in the order they were made, answers by id", async () => {
    const { format, traces, losses } = await read(CHAT);
    expect(format).toBe("openai-chat");
    expect(traces).toHaveLength(1);
    expect(traces[0]).toMatchObject({
      request: "Cancel W1 please",
      turns: [{ role: "system" }, { role: "user" }, { role: "assistant", text: "One moment." }, { role: "assistant" }],
      calls: [
        {
          tool: "get_order",
          args: { id: "W1" },
          result: '{"id":"W1","items":[]}',
          answer_class: "data",
          is_error: false,
          span: "a",
          turn: 2,
        },
        {
          tool: "get_user",
          args: { id: 7 },
          result: "Error: user not found",
          answer_class: "error:not_found",
          span: "b",
          turn: 2,
        },
      ],
      final_answer: "I cannot cancel it.",
      final_answer_class: "refused",
    });
    expect(losses).toEqual({});
  });

  it("reads records with tools, usage and reward, one a line, and request with response", async () => {
    const record = {
      id: "s1",
      task_id: 4,
      model: "m",
      messages: CHAT,
      reward: 0.5,
      usage: { prompt_tokens: 10, completion_tokens: 3 },
      tools: [
        { type: "function", function: { name: "get_order", description: "Reads.", parameters: { type: "object" } } },
      ],
    };
    const exchange = {
      request: { model: "m", messages: CHAT.slice(0, 2) },
      response: { choices: [{ message: { role: "assistant", content: null, tool_calls: [call("x", "go", "")] } }] },
    };
    const { traces } = await read(`${JSON.stringify(record)}\n${JSON.stringify(exchange)}`);
    expect(traces[0]).toMatchObject({
      session: "s1",
      labels: { task_id: "4", model: "m" },
      usage: { input_tokens: 10, output_tokens: 3 },
      outcome: { reward: 0.5, tier: "deterministic" },
      tools: [{ name: "get_order", description: "Reads.", input_schema: { type: "object" } }],
    });
    expect(traces[1]).toMatchObject({
      calls: [{ tool: "go", args: {}, result: null, answer_class: "pending" }],
      final_answer: null,
      final_answer_class: "none",
    });
  });

  it("keeps arguments that are no JSON, counts what it cannot place, and takes the legacy single call", async () => {
    const { traces, losses, refused } = await read([
      {
        messages: [
          ...CHAT.slice(0, 2),
          { role: "assistant", content: "", tool_calls: [call("a", "go", "{broken")] },
          { role: "tool", tool_call_id: "zz", content: "x" },
          { role: "narrator", content: "x" },
        ],
      },
      {
        messages: [
          {
            role: "user",
            content: [
              { type: "text", text: "See" },
              { type: "image_url", image_url: {} },
            ],
          },
          { role: "assistant", content: null, function_call: { name: "old", arguments: '{"a":1}' } },
          { role: "function", name: "old", content: "[]" },
        ],
      },
      { nothing: true },
    ]);
    expect(traces[0]?.calls[0]).toMatchObject({ args: { _unparsed: "{broken" }, answer_class: "pending" });
    expect(traces[1]).toMatchObject({
      request: "See",
      calls: [{ tool: "old", args: { a: 1 }, result: "[]", answer_class: "empty" }],
    });
    expect(losses).toEqual({
      arguments_not_an_object: 1,
      answer_without_call: 1,
      message_of_unknown_role: 1,
      part_image: 1,
    });
    expect(refused).toEqual([{ line: 3, reason: "not a chat message and no record with messages" }]);
  });
});

describe("anthropic-messages", () => {
  it("reads tool_use and tool_result blocks, the system prompt and the answer", async () => {
    const { format, traces, losses } = await read({
      model: "c",
      system: [{ type: "text", text: "Help." }],
      max_tokens: 9,
      tools: [{ name: "find", input_schema: { type: "object" } }],
      messages: [
        { role: "user", content: "Find it" },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "hm" },
            { type: "text", text: "Looking." },
            { type: "tool_use", id: "t1", name: "find", input: { q: "it" } },
          ],
        },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "t1",
              content: [{ type: "text", text: "denied: no permission" }],
              is_error: true,
            },
          ],
        },
        { role: "assistant", content: [{ type: "text", text: "No results were found." }] },
      ],
    });
    expect(format).toBe("anthropic-messages");
    expect(traces[0]).toMatchObject({
      turns: [
        { role: "system", text: "Help." },
        { role: "user" },
        { role: "assistant", text: "Looking." },
        { role: "assistant" },
      ],
      calls: [
        {
          tool: "find",
          args: { q: "it" },
          is_error: true,
          answer_class: "refused",
          result: [{ type: "text", text: "denied: no permission" }],
        },
      ],
      final_answer_class: "said_no_data",
      tools: [{ name: "find" }],
    });
    expect(losses).toEqual({ part_reasoning: 1 });
  });
});

describe("claude-code", () => {
  it("puts sessions together from events over many lines", async () => {
    const event = (session: string, message: unknown, more = {}) =>
      JSON.stringify({
        uuid: "u",
        sessionId: session,
        type: "x",
        timestamp: "2026-01-31T13:00:06.000Z",
        message,
        ...more,
      });
    const { format, traces, losses } = await read(
      [
        event("s1", { role: "user", content: "Read it" }),
        event("s2", { role: "user", content: "Other" }),
        event("s1", {
          role: "assistant",
          model: "m",
          content: [{ type: "tool_use", id: "t", name: "Read", input: { path: "a" } }],
          usage: { input_tokens: 3, output_tokens: 1 },
        }),
        event("s1", { role: "assistant", content: "side" }, { isSidechain: true }),
        event("s1", { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "text" }] }),
        event("s1", { role: "assistant", content: [{ type: "text", text: "It says text." }] }),
        JSON.stringify({ type: "summary", uuid: "u" }),
      ].join("\n"),
    );
    expect(format).toBe("claude-code");
    expect(traces.map((trace) => [trace.session, trace.calls.length, trace.final_answer])).toEqual([
      ["s1", 1, "It says text."],
      ["s2", 0, null],
    ]);
    expect(losses).toEqual({ side_chain_message: 1, event_without_message: 1 });
  });

  /** The shape of github.com/simonw/claude-code-transcripts, tests/sample_session.json: events that name no session. */
  it("reads the loglines of an export as one session", async () => {
    const line = (type: string, content: unknown, more = {}) => ({
      type,
      timestamp: "2025-12-24T10:00:00.000Z",
      message: { role: type, content },
      ...more,
    });
    const { format, traces, losses } = await read({
      loglines: [
        line("user", "Run the tests"),
        line("assistant", [
          { type: "thinking", thinking: "…" },
          { type: "tool_use", id: "toolu_1", name: "Bash", input: { command: "npm test" } },
        ]),
        line("user", [{ type: "tool_result", tool_use_id: "toolu_1", content: "1 failed", is_error: true }]),
        line("assistant", [{ type: "text", text: "One fails." }]),
        { type: "summary", summary: "Tests" },
      ],
    });
    expect([format, traces.length, losses]).toEqual([
      "claude-code",
      1,
      { part_reasoning: 1, event_without_message: 1 },
    ]);
    expect(traces[0]).toMatchObject({
      session: "item-1",
      started_at: Date.parse("2025-12-24T10:00:00.000Z") / 1000,
      request: "Run the tests",
      calls: [{ tool: "Bash", args: { command: "npm test" }, result: "1 failed", is_error: true }],
      final_answer: "One fails.",
    });
  });

  it("counts the tokens of a message once, though each of its parts is an event", async () => {
    const part = (uuid: string, content: object, output_tokens: number) =>
      JSON.stringify({
        uuid,
        sessionId: "s1",
        type: "assistant",
        message: { id: "msg_1", role: "assistant", content: [content], usage: { input_tokens: 7, output_tokens } },
      });
    const { traces } = await read(
      [
        part("a", { type: "text", text: "Let me look." }, 2),
        part("b", { type: "tool_use", id: "toolu_2", name: "Read", input: {} }, 30),
      ].join("\n"),
    );
    expect(traces).toMatchObject([{ usage: { input_tokens: 7, output_tokens: 30 }, calls: [{ tool: "Read" }] }]);
  });

  it("a transcript as it is printed is refused with where the whole one lies", async () => {
    const { traces, refused } = await read("> run the tests\n\n⏺ Bash(npm test)\n  ⎿  1 failed\n     … +12 lines\n");
    expect(traces).toEqual([]);
    expect(refused).toMatchObject([{ line: 1, reason: expect.stringContaining("~/.claude/projects") }]);
  });

  it("a reply in words beside the messages is the answer, one that a program printed is counted; costs add up", async () => {
    const asked = { role: "user", content: "Which?" };
    for (const name of ["response", "completion", "output"]) {
      const { traces, losses } = await read({ messages: [asked], [name]: "The blue one.", cost: 0.25 });
      expect([traces[0]?.final_answer, traces[0]?.cost_usd, losses]).toEqual(["The blue one.", 0.25, {}]);
    }
    const whole = { messages: [asked, { role: "assistant", content: "Blue." }], output: "Blue." };
    expect((await read(whole)).traces[0]?.turns).toHaveLength(2);
    const logged = (messages: object[], response: string) => ({
      request: { model: "m", messages },
      response,
      cost: 0.25,
    });
    const grown = [asked, { role: "assistant", content: "Blue." }, { role: "user", content: "Sure?" }];
    const { traces } = await read([logged([asked], "Blue."), logged(grown, "Yes.")]);
    expect(traces).toMatchObject([{ final_answer: "Yes.", cost_usd: 0.5 }]);
    // As AutoGen 0.2's file_logger.py writes a completion: its response is what Python prints.
    const { losses } = await read([logged([asked], "ChatCompletion(id='c', choices=[])")]);
    expect(losses).toEqual({ reply_as_printed_object: 1 });
  });
});
