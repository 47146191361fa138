import { describe, expect, it } from "vitest";
import { call, read } from "./kit.ts";

const lines = (...values: unknown[]) => values.map((value) => JSON.stringify(value)).join("\n");
const T = "2026-01-02T03:04:0";

describe("AutoGen", () => {
  /** Messages of autogen_agentchat.messages, as microsoft.github.io/autogen/stable, AgentChat "Messages", prints them. */
  const team = [
    { source: "user", models_usage: null, metadata: {}, content: "Where is W1?", type: "TextMessage" },
    {
      source: "desk",
      models_usage: { prompt_tokens: 10, completion_tokens: 2 },
      content: [
        { id: "c1", name: "find", arguments: '{"id":"W1"}' },
        { id: "c2", name: "find", arguments: '{"id":"W2"}' },
      ],
      type: "ToolCallRequestEvent",
    },
    {
      source: "desk",
      models_usage: null,
      content: [
        { call_id: "c2", name: "find", content: "no such order", is_error: true },
        { call_id: "c1", name: "find", content: "sent", is_error: false },
      ],
      type: "ToolCallExecutionEvent",
    },
    { source: "desk", models_usage: null, content: "It was sent, so …", type: "ThoughtEvent" },
    { source: "desk", models_usage: null, content: "?", type: "MemoryQueryEvent" },
    {
      source: "desk",
      models_usage: { prompt_tokens: 20, completion_tokens: 5 },
      content: "W1 was sent.",
      type: "TextMessage",
    },
  ];

  it("messages of a team, saved as a result or line by line", async () => {
    for (const given of [{ messages: team, stop_reason: "done" }, team, lines(...team)]) {
      const { format, traces, losses } = await read(given);
      expect([format, traces.length, losses]).toEqual(["autogen", 1, { part_reasoning: 1, event_MemoryQueryEvent: 1 }]);
      expect(traces[0]).toMatchObject({
        request: "Where is W1?",
        calls: [
          { tool: "find", args: { id: "W1" }, result: "sent", is_error: false },
          { tool: "find", args: { id: "W2" }, result: "no such order", is_error: true },
        ],
        final_answer: "W1 was sent.",
        usage: { input_tokens: 30, output_tokens: 7 },
        labels: { agent: "desk" },
      });
    }
  });

  /** `ChatResult` of 0.2: the roles are as the owner of the history saw them. */
  it("a chat result of 0.2, whose speakers are told by their names, with its cost", async () => {
    const { format, traces, losses } = await read({
      chat_id: "chat-1",
      chat_history: [
        { content: "Where is W1?", role: "assistant", name: "user_proxy" },
        { content: "", role: "user", name: "desk", tool_calls: [call("c1", "find", { id: "W1" })] },
        {
          content: "sent",
          role: "tool",
          name: "user_proxy",
          tool_responses: [{ tool_call_id: "c1", role: "tool", content: "sent" }],
        },
        { content: "W1 was sent.", role: "user", name: "desk" },
      ],
      cost: {
        usage_including_cached_inference: {
          total_cost: 0.25,
          "m-1": { cost: 0.25, prompt_tokens: 12, completion_tokens: 3 },
        },
      },
    });
    expect([format, traces.length, losses]).toEqual(["autogen", 1, {}]);
    expect(traces[0]).toMatchObject({
      session: "chat-1",
      request: "Where is W1?",
      calls: [{ tool: "find", args: { id: "W1" }, result: "sent" }],
      final_answer: "W1 was sent.",
      usage: { input_tokens: 12, output_tokens: 3 },
      cost_usd: 0.25,
      labels: { model: "m-1", agent: "desk" },
    });
  });

  /** Events of autogen_core.logging: each request repeats the conversation, a result is logged with its call. */
  it("lines of the event log: one session of requests that repeat, the last result from its own line", async () => {
    const ask = { role: "user", content: "Find W1 and W2" };
    const turn = (id: string, order: string) => ({
      role: "assistant",
      content: null,
      tool_calls: [call(id, "find", { id: order })],
    });
    const event = (messages: object[], reply: object) => ({
      type: "LLMCall",
      messages,
      response: { model: "m-2", choices: [{ message: reply }] },
      prompt_tokens: 10,
      completion_tokens: 2,
      agent_id: "desk_a/team-1",
    });
    const result = (answer: string) => ({
      type: "ToolCall",
      tool_name: "find",
      arguments: {},
      result: answer,
      agent_id: "desk_a/team-1",
    });
    const told = { role: "tool", tool_call_id: "c1", content: "sent" };
    const { format, traces, losses, refused } = await read(
      lines(
        event([ask], turn("c1", "W1")),
        result("sent"),
        event([ask, turn("c1", "W1"), told], turn("c2", "W2")),
        result("lost"),
      ),
    );
    expect([format, traces.length, losses, refused]).toEqual(["autogen", 1, {}, []]);
    expect(traces[0]).toMatchObject({
      session: "team-1",
      request: "Find W1 and W2",
      calls: [
        { tool: "find", args: { id: "W1" }, result: "sent" },
        { tool: "find", args: { id: "W2" }, result: "lost" },
      ],
      usage: { input_tokens: 20, output_tokens: 4 },
      labels: { model: "m-2", agent: "desk_a" },
    });
  });

  /** As autogen_ext's clients log: streams in two events, replies as the provider has them or as AutoGen's own result. */
  it("lines of its event log, of streams and of other providers' replies: none is lost, and no result is another's", async () => {
    const agent_id = "desk_a/team-1";
    const log = (type: string, more: object) => ({ type, agent_id, ...more });
    const end = (response: object) => log("LLMStreamEnd", { response, prompt_tokens: 10, completion_tokens: 2 });
    const made = (id: string, order: string) => ({ id, name: "find", arguments: JSON.stringify({ id: order }) });
    const ask = { role: "user", content: "Find W1 and W2" };
    const asked = { role: "assistant", content: "Looking.", tool_calls: [call("c1", "find", { id: "W1" })] };
    const streamed = await read(
      lines(
        log("Message", { payload: "{}", sender: null, receiver: agent_id, kind: "DIRECT", delivery_stage: "SEND" }),
        log("LLMStreamStart", { messages: [ask] }),
        end({ finish_reason: "function_calls", content: [made("c1", "W1")], thought: "Looking.", cached: false }),
        log("ToolCall", { tool_name: "find", arguments: { id: "W1" }, result: "sent" }),
        log("LLMStreamStart", { messages: [ask, asked, { role: "tool", tool_call_id: "c1", content: "sent" }] }),
        end({ finish_reason: "stop", content: "W1 was sent.", cached: false }),
      ),
    );
    expect([streamed.format, streamed.refused, streamed.losses]).toEqual(["autogen", [], { event_Message: 1 }]);
    expect(streamed.traces[0]).toMatchObject({
      calls: [{ tool: "find", args: { id: "W1" }, result: "sent" }],
      final_answer: "W1 was sent.",
      usage: { input_tokens: 20, output_tokens: 4 },
    });
    expect(streamed.traces[0]?.calls).toHaveLength(1);

    const use = (id: string, order: string) => ({ type: "tool_use", id, name: "find", input: { id: order } });
    const called = { role: "assistant", content: [use("toolu_1", "W1")] };
    const answered = { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "sent" }] };
    const reply = (messages: object[], content: object[]) =>
      log("LLMCall", {
        messages,
        response: { model: "m-3", role: "assistant", content },
        prompt_tokens: 10,
        completion_tokens: 2,
        tools: [{ type: "function", function: { name: "find", parameters: { type: "object" } } }],
      });
    const blocks = await read(
      lines(
        reply([ask], [use("toolu_1", "W1")]),
        log("ToolCall", { tool_name: "find", arguments: { id: "W1" }, result: "sent" }),
        reply([ask, called, answered], [use("toolu_2", "W2")]),
        log("ToolCall", { tool_name: "find", arguments: { id: "W2" }, result: "lost" }),
      ),
    );
    expect([blocks.traces.length, blocks.losses]).toEqual([1, {}]);
    expect(blocks.traces[0]).toMatchObject({
      calls: [
        { args: { id: "W1" }, result: "sent" },
        { args: { id: "W2" }, result: "lost" },
      ],
      tools: [{ name: "find" }],
    });
  });
});

/** `output_log_file` as github.com/crewAIInc/crewAI, utilities/file_handler.py writes it; events of events/types. */
describe("CrewAI", () => {
  it("its task log: each run of the crew is a session; that calls are not logged is told", async () => {
    const entry = (second: number, task: string, status: string, more = {}) => ({
      timestamp: `2026-01-02 03:04:0${second}`,
      task_name: task,
      task: `Do ${task}`,
      agent: "Researcher",
      status,
      ...more,
    });
    const run = [
      entry(1, "find", "started"),
      entry(2, "find", "completed", { output: "Found." }),
      entry(3, "write", "started"),
      entry(4, "write", "completed", { output: "Written." }),
    ];
    const { format, traces, losses } = await read([...run, ...run]);
    expect([format, traces.length, losses]).toEqual(["crewai", 2, { calls_not_logged: 4 }]);
    expect(traces[0]).toMatchObject({
      request: "Do find",
      started_at: Date.parse("2026-01-02T03:04:01Z") / 1000,
      turns: [{ role: "user" }, { role: "assistant" }, { role: "user" }, { role: "assistant" }],
      calls: [],
      final_answer: "Written.",
      labels: { agent: "Researcher" },
    });
  });

  it("events of its bus: calls with their results and times", async () => {
    const event = (type: string, n: number, more = {}) => ({
      timestamp: `${T}${n}Z`,
      type,
      event_id: `e${n}`,
      ...more,
    });
    const { format, traces, losses } = await read(
      lines(
        event("crew_kickoff_started", 0),
        event("agent_execution_started", 1, { agent_role: "Desk", task_prompt: "Where is W1?" }),
        event("tool_usage_started", 2, { tool_name: "find", tool_args: { id: "W1" } }),
        event("tool_usage_finished", 4, {
          tool_name: "find",
          tool_args: { id: "W1" },
          started_at: `${T}2Z`,
          finished_at: `${T}4Z`,
          output: "sent",
        }),
        event("tool_usage_error", 5, { tool_name: "ship", tool_args: '{"id":"W1"}', error: "already sent" }),
        event("llm_call_completed", 6, { response: "…" }),
        event("agent_execution_completed", 7, { output: "W1 was sent." }),
        event("crew_kickoff_completed", 8, { output: "All is told: W1 was sent.", total_tokens: 40 }),
      ),
    );
    expect([format, traces.length, losses]).toEqual([
      "crewai",
      1,
      { event_llm_call_completed: 1, tokens_in_one_number: 1 },
    ]);
    expect(traces[0]).toMatchObject({
      session: "e0",
      request: "Where is W1?",
      calls: [
        { tool: "find", args: { id: "W1" }, result: "sent", ms: 2000 },
        { tool: "ship", args: { id: "W1" }, result: "already sent", is_error: true },
      ],
      final_answer: "All is told: W1 was sent.",
      labels: { agent: "Desk" },
    });
  });

  it("an agent alone, with the tokens that its model calls say", async () => {
    const event = (type: string, more = {}) => ({ timestamp: `${T}1Z`, type, event_id: type, ...more });
    const used = { prompt_tokens: 30, completion_tokens: 4, total_tokens: 34 };
    const agent_info = { role: "Desk", goal: "Help" };
    const asked = [
      { role: "system", content: "Help." },
      { role: "user", content: "Where is W1?" },
    ];
    const { traces, losses, refused } = await read(
      lines(
        event("lite_agent_execution_started", { agent_info, messages: asked }),
        event("llm_call_completed", { model: "m-1", response: "…", usage: used }),
        event("tool_usage_finished", { tool_name: "find", tool_args: { id: "W1" }, output: "sent" }),
        event("llm_call_completed", { model: "m-1", response: "W1 was sent.", usage: used }),
        event("lite_agent_execution_completed", { agent_info, output: "W1 was sent." }),
      ),
    );
    expect([traces.length, losses, refused]).toEqual([1, { event_llm_call_completed: 2 }, []]);
    expect(traces[0]).toMatchObject({
      request: "Where is W1?",
      calls: [{ tool: "find", args: { id: "W1" }, result: "sent" }],
      final_answer: "W1 was sent.",
      usage: { input_tokens: 60, output_tokens: 8 },
      labels: { agent: "Desk", model: "m-1" },
    });
  });

  it("events of its traces, which hold what the bus told in a member of their own", async () => {
    const event = (type: string, event_data: object) => ({ timestamp: `${T}1Z`, type, event_id: type, event_data });
    const { traces, losses } = await read([
      event("crew_kickoff_started", { crew_name: "desk", inputs: {} }),
      event("task_started", { task_description: "Where is W1?", task_name: "find", agent_role: "Desk" }),
      event("agent_execution_started", { agent_role: "Desk", agent_goal: "Help", agent_backstory: "x" }),
      event("tool_usage_finished", { tool_name: "find", tool_args: { id: "W1" }, output: "sent" }),
      event("agent_execution_completed", { agent_role: "Desk", agent_goal: "Help", agent_backstory: "x" }),
      event("task_completed", { task_description: "Where is W1?", output_raw: "W1 was sent." }),
    ]);
    expect([traces.length, losses]).toEqual([1, {}]);
    expect(traces[0]).toMatchObject({
      request: "Where is W1?",
      turns: [{ role: "user" }, { role: "assistant", text: "" }, { role: "assistant" }],
      calls: [{ tool: "find", args: { id: "W1" }, result: "sent" }],
      final_answer: "W1 was sent.",
      labels: { agent: "Desk" },
    });
  });
});

it("rows of a table that have some of the names stay a table", async () => {
  const row = (n: number) => ({ id: n, task: "Ship", status: "done", agent: "Ann" });
  expect((await read([row(1), row(2), row(3)])).format).toBe("records");
  const called = (n: number) => ({ id: n, type: "phone_call", call_id: `c${n}`, minutes: n });
  expect((await read([called(1), called(2), called(3)])).format).toBe("records");
});

/** The shape of the files in github.com/letta-ai/agent-file. */
describe("Letta agent files", () => {
  const said = (role: string, text: string, more = {}) => ({
    type: "message",
    role,
    content: text === "" ? [] : [{ type: "text", text }],
    tool_calls: null,
    tool_returns: [],
    created_at: `${T}1.459100+00:00`,
    ...more,
  });
  const framed = (id: string, status: string, message: string) =>
    said("tool", "", {
      tool_call_id: id,
      tool_returns: [{ tool_call_id: id, status, func_response: JSON.stringify({ status: "OK", message, time: "…" }) }],
    });
  const agent = (messages: object[]) => ({
    id: "agent-0",
    name: "Ezra",
    agent_type: "letta_v1_agent",
    system: "Help.",
    llm_config: { model: "m-1" },
    tool_ids: ["tool-0"],
    messages,
  });
  const tools = [
    { id: "tool-0", name: "find", json_schema: { name: "find", parameters: { type: "object" } } },
    { id: "tool-1", name: "other", json_schema: { name: "other" } },
  ];

  it("calls with what came of them, out of its frame; what the system says in the user's name is its own", async () => {
    const file = {
      agents: [
        agent([
          said("system", "Help."),
          said("user", '{"type":"login","last_login":"never"}'),
          said("user", "Where is W1?"),
          said("assistant", "", {
            content: [{ type: "reasoning", reasoning: "Hm" }],
            tool_calls: [call("c1", "find", { id: "W1" })],
          }),
          framed("c1", "success", "sent"),
          said("assistant", "W1 was sent."),
        ]),
        agent([said("system", "Help.")]),
      ],
      tools,
      blocks: [],
    };
    const { format, traces, losses, refused } = await read(file);
    // Some of the published files were written as JSON twice.
    expect(await read(JSON.stringify(JSON.stringify(file)))).toEqual({ ...(await read(file)) });
    expect([format, traces.length, losses]).toEqual(["letta", 1, { part_reasoning: 1 }]);
    expect(refused).toMatchObject([{ reason: "an agent that nobody has spoken to yet" }]);
    expect(traces[0]).toMatchObject({
      session: `Ezra agent-0 ${T}1.459100+00:00`,
      request: "Where is W1?",
      calls: [{ tool: "find", args: { id: "W1" }, result: "sent", is_error: false }],
      final_answer: "W1 was sent.",
      labels: { agent: "Ezra", model: "m-1" },
      tools: [{ name: "find" }],
    });
    expect(traces[0]?.tools).toHaveLength(1);
  });

  it("an agent that speaks by a tool: what it gives the tool is said, what it writes beside is thought", async () => {
    const { traces, losses } = await read({
      agents: [
        agent([
          said("user", '{"type":"user_message","message":"Hello","time":"…"}'),
          said("assistant", "I greet them.", { tool_calls: [call("c1", "send_message", { message: "Hi there." })] }),
          framed("c1", "success", "None"),
        ]),
      ],
      tools: [],
    });
    expect(losses).toEqual({ part_reasoning: 1 });
    expect(traces).toMatchObject([{ request: "Hello", calls: [], final_answer: "Hi there." }]);
  });
});
