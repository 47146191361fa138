import { describe, expect, it } from "vitest";
import { read } from "./kit.ts";

const lines = (...values: unknown[]) => values.map((value) => JSON.stringify(value)).join("\n");
const T = "2026-02-05T11:24:4";

/** The fields that github.com/All-Hands-AI/OpenHands, openhands/events/serialization/event.py writes. */
describe("OpenHands events", () => {
  const meta = (id: string, name: string, args: object) => ({
    tool_call_id: id,
    function_name: name,
    model_response: {
      model: "m1",
      choices: [{ message: { tool_calls: [{ id, function: { name, arguments: JSON.stringify(args) } }] } }],
    },
  });
  const events = [
    { id: 0, timestamp: `${T}0`, source: "user", action: "message", args: { content: "Count the files" } },
    { id: 1, source: "environment", observation: "agent_state_changed", content: "", extras: {} },
    {
      id: 2,
      source: "agent",
      action: "run",
      args: { command: "ls | wc -l", thought: "I count them.", blocking: false },
      tool_call_metadata: meta("call_1", "execute_bash", { command: "ls | wc -l" }),
      llm_metrics: { accumulated_cost: 0.25, accumulated_token_usage: { prompt_tokens: 10, completion_tokens: 2 } },
    },
    {
      id: 3,
      source: "agent",
      cause: 2,
      observation: "run",
      content: "3",
      extras: { metadata: { exit_code: 0 } },
      tool_call_metadata: meta("call_1", "execute_bash", {}),
    },
    { id: 4, source: "agent", action: "read", args: { path: "x", thought: "" } },
    { id: 5, source: "agent", cause: 4, observation: "error", content: "No such file", extras: {} },
    {
      id: 6,
      source: "agent",
      action: "finish",
      args: { final_thought: "There are 3." },
      llm_metrics: { accumulated_cost: 0.5, accumulated_token_usage: { prompt_tokens: 30, completion_tokens: 5 } },
    },
  ];
  const whole = {
    request: "Count the files",
    calls: [
      { tool: "execute_bash", args: { command: "ls | wc -l" }, result: "3", is_error: false },
      { tool: "read", args: { path: "x" }, result: "No such file", is_error: true },
    ],
    final_answer: "There are 3.",
    usage: { input_tokens: 30, output_tokens: 5 },
    cost_usd: 0.5,
    labels: { model: "m1", agent: "openhands" },
  };

  it("as a list, as lines and as a row of an evaluation with its outcome", async () => {
    for (const given of [events, lines(...events), { trajectory: events }]) {
      const { format, traces, losses } = await read(given);
      expect([format, traces.length, losses]).toEqual(["openhands", 1, { event_agent_state_changed: 1 }]);
      expect(traces[0]).toMatchObject(whole);
    }
    const rows = [false, true].map((resolved, i) => ({
      instance_id: `repo-${i}`,
      history: events,
      test_result: { report: { resolved } },
    }));
    const { traces } = await read(lines(...rows));
    expect(traces).toMatchObject(
      rows.map(({ instance_id, test_result }) => ({
        ...whole,
        session: instance_id,
        labels: { task_id: instance_id },
        outcome: { reward: Number(test_result.report.resolved), tier: "deterministic" },
      })),
    );
  });

  it("an event in a file of its own is refused, with what to do", async () => {
    const { traces, refused } = await read(events[0]);
    expect(traces).toEqual([]);
    expect(refused).toMatchObject([{ reason: expect.stringContaining("into one file") }]);
  });

  /** Events of github.com/OpenHands/software-agent-sdk, openhands-sdk/openhands/sdk/event. */
  it("of its SDK: actions with their observations, an answer that ends the session, errors", async () => {
    const said = (text: string) => [{ type: "text", text, cache_prompt: false }];
    const action = (id: string, name: string, args: object, thought: string) => ({
      id: `e-${id}`,
      timestamp: `${T}7.142819`,
      source: "agent",
      kind: "ActionEvent",
      thought: thought === "" ? [] : said(thought),
      action: { ...args, kind: "SomeAction" },
      tool_name: name,
      tool_call_id: id,
      tool_call: { id, name, arguments: JSON.stringify(args), origin: "completion" },
    });
    const observed = (id: string, text: string, more: object) => ({
      source: "environment",
      kind: "ObservationEvent",
      tool_call_id: id,
      observation: { content: said(text), is_error: false, ...more },
    });
    const { format, traces, losses } = await read([
      {
        source: "agent",
        kind: "SystemPromptEvent",
        system_prompt: { type: "text", text: "Help." },
        tools: [{ title: "terminal", description: "Runs a command." }],
      },
      { source: "user", kind: "MessageEvent", llm_message: { role: "user", content: said("Where am I?") } },
      action("c1", "terminal", { command: "pwd" }, "I look."),
      observed("c1", "/home", { exit_code: 0 }),
      action("c2", "terminal", { command: "false" }, ""),
      observed("c2", "", { exit_code: 1 }),
      action("c3", "terminal", { command: 7 }, ""),
      {
        source: "agent",
        kind: "AgentErrorEvent",
        tool_name: "terminal",
        tool_call_id: "c3",
        error: "command: not a text",
      },
      {
        source: "environment",
        kind: "ConversationStateUpdateEvent",
        key: "stats",
        value: {
          usage_to_metrics: {
            agent: {
              model_name: "m2",
              accumulated_cost: 0.125,
              accumulated_token_usage: { prompt_tokens: 40, completion_tokens: 8 },
            },
          },
        },
      },
      { source: "environment", kind: "PauseEvent" },
      action("c4", "finish", { message: "In /home." }, ""),
      observed("c4", "In /home.", {}),
    ]);
    expect([format, traces.length, losses]).toEqual(["openhands", 1, { event_PauseEvent: 1 }]);
    expect(traces[0]).toMatchObject({
      request: "Where am I?",
      calls: [
        { tool: "terminal", args: { command: "pwd" }, result: "/home", is_error: false },
        { tool: "terminal", args: { command: "false" }, is_error: true },
        { tool: "terminal", result: "command: not a text", is_error: true },
      ],
      final_answer: "In /home.",
      usage: { input_tokens: 40, output_tokens: 8 },
      cost_usd: 0.125,
      labels: { model: "m2" },
      tools: [{ name: "terminal" }],
    });
  });
});

/** Lines as github.com/google-gemini/gemini-cli, packages/core/src/services/chatRecordingService.ts, appends them. */
describe("Gemini CLI's chats, line by line", () => {
  const at = (second: number) => `${T}${second}.000Z`;
  const header = { sessionId: "g-1", projectHash: "h", startTime: at(0), lastUpdated: at(0), kind: "main" };
  const message = (id: string, type: string, content: unknown, more: object = {}) => ({
    ...{ id, timestamp: at(1), type, content },
    ...more,
  });
  const used = { input: 10, output: 2, cached: 0, thoughts: 1, total: 13 };
  const result = { functionResponse: { id: "c1", name: "read_file", response: { output: "hello" } } };
  const called = { id: "c1", name: "read_file", args: { path: "a.txt" }, status: "success", result: [result] };

  it("a message that changes is written again, and what was taken back is told", async () => {
    const { format, traces, losses, refused } = await read(
      lines(
        header,
        message("u1", "user", [{ text: "Read a.txt" }]),
        { $set: { lastUpdated: at(1) } },
        message("a1", "gemini", "Reading.", { model: "gemini-3", tokens: null, thoughts: [] }),
        message("a1", "gemini", "Reading.", { model: "gemini-3", tokens: used, thoughts: [] }),
        message("a1", "gemini", "Reading.", { model: "gemini-3", tokens: used, toolCalls: [called] }),
        message("a2", "gemini", "It is empty."),
        { $rewindTo: "a2" },
        message("a3", "gemini", "It says hello.", { tokens: used }),
        { nothing: "known" },
      ),
    );
    expect([format, losses]).toEqual(["gemini-cli", { message_taken_back: 1 }]);
    expect(refused).toMatchObject([{ line: 10 }]);
    expect(traces).toMatchObject([
      {
        session: "g-1",
        request: "Read a.txt",
        calls: [{ tool: "read_file", args: { path: "a.txt" }, result: "hello", is_error: false }],
        final_answer: "It says hello.",
        usage: { input_tokens: 20, output_tokens: 6 },
        labels: { model: "gemini-3", agent: "gemini-cli" },
      },
    ]);
    expect(traces[0]?.turns.map(({ text }) => text)).toEqual(["Read a.txt", "Reading.", "It says hello."]);
  });

  it("a compressed history replaces all messages; its results stand with their calls", async () => {
    const call = { functionCall: { id: "c1", name: "read_file", args: { path: "a.txt" } } };
    const { traces, losses } = await read(
      lines(
        header,
        message("u0", "user", "Old words"),
        {
          $set: {
            messages: [
              message("s", "user", [{ text: "Summary" }]),
              message("a1", "gemini", [{ text: "Reading." }, call], { toolCalls: [called] }),
              message("r1", "user", [result]),
            ],
          },
        },
        message("a2", "gemini", "It says hello."),
        { ...header, sessionId: "g-2" },
        message("u1", "user", "Hi"),
        message("a1", "gemini", "Hello"),
        { ...header, sessionId: "g-3" },
      ),
    );
    expect(losses).toEqual({});
    expect(traces.map(({ session, final_answer }) => [session, final_answer])).toEqual([
      ["g-1", "It says hello."],
      ["g-2", "Hello"],
    ]);
    expect(traces[0]?.turns.map(({ text }) => text)).toEqual(["Summary", "Reading.", "It says hello."]);
    expect(traces[0]?.calls).toMatchObject([{ result: "hello" }]);
  });
});

/** Shapes of github.com/openai/codex, codex-rs/core/src/tools, and of rollouts that people publish. */
describe("Codex rollouts", () => {
  const item = (payload: object) => ({ timestamp: `${T}1Z`, type: "response_item", payload });
  const said = (role: string, words: string) =>
    item({ type: "message", role, content: [{ type: "input_text", text: words }] });

  it("instructions of a project are no request, and a command's exit status is read from the lines before its output", async () => {
    const outputs = [
      "Chunk ID: 4c\nWall time: 0.1 seconds\nProcess exited with code 1\nOriginal token count: 2\nOutput:\nno such file",
      "Chunk ID: 4d\nWall time: 0.1 seconds\nProcess exited with code 0\nOriginal token count: 2\nOutput:\nhi",
      "Exit code: 2\nWall time: 0.1 seconds\nOutput:\nbad flag",
      "Exit code: 0\nWall time: 0.1 seconds\nOutput:\nProcess exited with code 1\n",
      "The log says:\nProcess exited with code 1\n",
    ];
    const { traces } = await read(
      lines(
        { timestamp: `${T}0Z`, type: "session_meta", payload: { id: "cx-1" } },
        said("user", "# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nBe brief.\n</INSTRUCTIONS>"),
        said("user", "List the files"),
        ...outputs.flatMap((output, n) => [
          item({ type: "function_call", name: "exec_command", arguments: `{"cmd":"ls ${n}"}`, call_id: `c${n}` }),
          item({ type: "function_call_output", call_id: `c${n}`, output }),
        ]),
        said("assistant", "Done."),
      ),
    );
    expect(traces[0]?.request).toBe("List the files");
    expect(traces[0]?.calls.map(({ is_error }) => is_error)).toEqual([true, false, true, false, false]);
  });
});
