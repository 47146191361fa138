import { describe, expect, it } from "vitest";
import { read } from "./kit.ts";

describe("ADK", () => {
  const part = (text: string) => ({ parts: [{ text, function_call: null, thought: null }], role: "user" });
  const conversation = [
    {
      invocation_id: "i",
      user_content: part("Where is order 1?"),
      final_response: part("On its way."),
      intermediate_data: {
        tool_uses: [{ id: "u1", name: "get_order", args: { id: "1" } }],
        tool_responses: [{ id: "u1", name: "get_order", response: { status: "sent" } }],
        intermediate_responses: [["agent", [{ text: "Let me look." }]]],
      },
      creation_timestamp: 1747341706.62,
    },
    {
      user_content: part("Thanks"),
      final_response: part("Bye."),
      intermediate_data: { tool_uses: [{ name: "close", args: {} }] },
    },
  ];
  const set = {
    eval_set_id: "set",
    eval_cases: [{ eval_id: "case-1", conversation, session_input: { app_name: "desk" } }],
  };

  it("evaluation sets are read, a trace a case", async () => {
    const { format, traces, losses } = await read({
      ...set,
      eval_cases: [...set.eval_cases, { eval_id: "empty", conversation: [] }],
    });
    expect(format).toBe("adk");
    expect(traces).toMatchObject([
      {
        session: "case-1",
        started_at: 1747341706.62,
        request: "Where is order 1?",
        final_answer: "Bye.",
        labels: { task_id: "case-1", eval_set: "set", agent: "desk" },
        calls: [
          { tool: "get_order", args: { id: "1" }, result: { status: "sent" } },
          { tool: "close", answer_class: "pending" },
        ],
      },
    ]);
    expect(losses).toEqual({ result_not_captured: 1 });
  });

  it("evaluation sets with names in camel case and with events are read alike", async () => {
    const events = [
      { author: "desk", content: { parts: [{ functionCall: { name: "get_order", args: { id: "1" }, id: "u1" } }] } },
      {
        author: "desk",
        content: { parts: [{ functionResponse: { name: "get_order", id: "u1", response: { ok: true } } }] },
      },
    ];
    const { format, traces } = await read({
      evalSetId: "set",
      evalCases: [
        {
          evalId: "c",
          conversation: [
            {
              userContent: part("Where?"),
              finalResponse: part("There."),
              intermediateData: { invocationEvents: events },
            },
          ],
        },
      ],
    });
    expect([format, traces[0]?.request, traces[0]?.final_answer]).toEqual(["adk", "Where?", "There."]);
    expect(traces[0]?.calls).toMatchObject([{ tool: "get_order", args: { id: "1" }, result: { ok: true } }]);
  });

  it("evaluation sets that hold no conversation are refused with why", async () => {
    const scenario = { eval_id: "s", conversation_scenario: { starting_prompt: "hi" } };
    expect((await read({ eval_set_id: "e", eval_cases: [scenario] })).refused).toEqual([
      { line: 1, reason: "a case without a conversation" },
    ]);
    expect((await read({ eval_set_id: "e", eval_cases: [] })).refused).toEqual([
      { line: 1, reason: "an evaluation set without cases" },
    ]);
  });

  it("the older form and recorded sessions are read", async () => {
    const older = [
      { query: "hi", expected_tool_use: [], reference: "Hello!" },
      { query: "roll", expected_tool_use: [{ tool_name: "roll_die", tool_input: { sides: 6 } }], reference: "A 4." },
    ];
    const { format, traces, losses } = await read(older);
    expect([format, traces.length, traces[0]?.calls[0]?.tool, losses]).toEqual([
      "adk",
      1,
      "roll_die",
      { result_not_captured: 1 },
    ]);
    const named = await read([{ name: "dice", data: older, initial_session: {} }]);
    expect([named.format, named.traces[0]?.session]).toEqual(["adk", "dice"]);
    const session = await read({
      id: "s-9",
      app_name: "desk",
      user_id: "u",
      events: [
        { author: "user", content: { role: "user", parts: [{ text: "Roll" }] }, timestamp: 1747341706 },
        {
          author: "desk",
          content: { parts: [{ text: "thinking", thought: true }, { function_call: { name: "roll", args: {} } }] },
        },
        { author: "desk", partial: true, content: { parts: [{ text: "A" }] } },
        { author: "desk", content: { parts: [{ function_response: { name: "roll", response: { n: 4 } } }] } },
        { author: "desk", content: { parts: [{ text: "A 4." }] } },
      ],
    });
    expect([session.format, session.traces[0]?.session, session.traces[0]?.final_answer]).toEqual([
      "adk",
      "s-9",
      "A 4.",
    ]);
    expect(session.traces[0]?.calls).toMatchObject([{ tool: "roll", result: { n: 4 } }]);
    expect(session.losses).toEqual({ part_reasoning: 1, partial_event: 1 });
  });
});

describe("the stream of the Claude agent SDK", () => {
  const events = [
    { type: "user", message: { role: "user", content: "List files" }, session_id: "default" },
    { type: "system", subtype: "init", session_id: "s-1", tools: ["Bash"], model: "m-1" },
    {
      type: "assistant",
      session_id: "s-1",
      message: {
        role: "assistant",
        model: "m-1",
        content: [{ type: "tool_use", id: "t", name: "Bash", input: { command: "ls" } }],
      },
    },
    {
      type: "user",
      session_id: "s-1",
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "a" }] },
    },
    {
      type: "assistant",
      session_id: "s-1",
      parent_tool_use_id: "t",
      message: { role: "assistant", content: [{ type: "text", text: "another agent's words" }] },
    },
    {
      type: "assistant",
      session_id: "s-1",
      message: { role: "assistant", content: [{ type: "text", text: "There is a." }] },
    },
    { type: "result", subtype: "success", session_id: "s-1", total_cost_usd: 0.1 },
  ];

  it("is read line by line and from a recording", async () => {
    const recording = { messages: events.map((message) => ({ direction: "recv", message })) };
    for (const body of [events.map((event) => JSON.stringify(event)).join("\n"), recording]) {
      const { format, traces, losses } = await read(body);
      expect(format).toBe("claude-code");
      expect(traces).toMatchObject([
        {
          session: "s-1",
          request: "List files",
          final_answer: "There is a.",
          cost_usd: 0.1,
          labels: { model: "m-1" },
          calls: [{ tool: "Bash", args: { command: "ls" }, result: "a" }],
        },
      ]);
      expect(losses).toEqual({ event_without_message: 2, side_chain_message: 1 });
    }
  });
});
