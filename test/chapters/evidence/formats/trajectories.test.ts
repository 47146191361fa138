import { describe, expect, it } from "vitest";
import { call, read } from "./kit.ts";

describe("ATIF", () => {
  const STEPS = [
    { step_id: 1, timestamp: "2026-01-02T03:04:05Z", source: "system", message: "Be kind." },
    {
      step_id: 2,
      source: "user",
      message: [
        { type: "text", text: "Cancel W1" },
        { type: "image", source: {} },
      ],
    },
    {
      step_id: 3,
      source: "agent",
      message: "One moment.",
      reasoning_content: "hm",
      tool_calls: [
        { tool_call_id: "a", function_name: "get_order", arguments: { id: "W1" } },
        { tool_call_id: "b", function_name: "get_user", arguments: { id: 7 } },
      ],
      observation: {
        results: [
          { source_call_id: "b", content: "user not found", extra: { is_error: true } },
          { source_call_id: "a", content: [{ type: "text", text: '{"id":"W1"}' }] },
        ],
      },
      metrics: { prompt_tokens: 10, completion_tokens: 2, cost_usd: 0.25 },
    },
    { step_id: 4, source: "agent", message: "Copied.", is_copied_context: true },
    { step_id: 5, source: "agent", message: "Done." },
  ];
  const agent = {
    name: "helper",
    version: "2",
    model_name: "m-1",
    tool_definitions: [{ type: "function", function: { name: "get_order", parameters: { type: "object" } } }],
  };

  it.each(["ATIF-v1.4", "ATIF-v1.7", "ATIF-v2.0"])("is read in %s", async (schema_version) => {
    const { format, traces, losses } = await read({ schema_version, session_id: "s-1", agent, steps: STEPS });
    expect(format).toBe("atif");
    expect(traces).toMatchObject([
      {
        session: "s-1",
        started_at: Date.parse("2026-01-02T03:04:05Z") / 1000,
        request: "Cancel W1",
        final_answer: "Done.",
        labels: { agent: "helper", agent_version: "2", model: "m-1" },
        usage: { input_tokens: 10, output_tokens: 2 },
        cost_usd: 0.25,
        tools: [{ name: "get_order" }],
        calls: [
          { tool: "get_order", args: { id: "W1" }, result: '{"id":"W1"}', answer_class: "data" },
          { tool: "get_user", answer_class: "error:not_found" },
        ],
      },
    ]);
    expect(losses).toEqual({ part_image: 1, part_reasoning: 1, copied_context_step: 1 });
  });

  it("counts commands that stand in words, other agents' parts and steps it cannot place", async () => {
    const steps = [
      { source: "user", message: "list" },
      { source: "agent", message: '{"commands":[]}', observation: { results: [{ content: "a.txt" }] } },
      { source: "robot", message: "?" },
    ];
    const { traces, losses } = await read({
      schema_version: "ATIF-v1.5",
      agent: { name: "t" },
      steps,
      continued_trajectory_ref: "t.cont-1.json",
    });
    expect(traces[0]?.turns.map((turn) => [turn.role, turn.text])).toEqual([
      ["user", "list"],
      ["assistant", '{"commands":[]}'],
      ["tool", "a.txt"],
    ]);
    expect(losses).toEqual({ commands_in_words: 1, step_of_unknown_source: 1, continued_elsewhere: 1 });
    const several = await read(`${JSON.stringify({ steps })}\n${JSON.stringify({ steps: [] })}\n`);
    expect([several.format, several.traces.length, several.refused]).toEqual([
      "atif",
      1,
      [{ line: 2, reason: "a trajectory without steps" }],
    ]);
  });
});

describe("AgentDojo", () => {
  const text = (content: string) => [{ type: "text", content }];
  const run = {
    suite_name: "bank",
    pipeline_name: "m-1",
    user_task_id: "user_task_0",
    injection_task_id: "injection_task_2",
    attack_type: "important",
    injections: { slot: "ignore all" },
    messages: [
      { role: "system", content: text("Be kind.") },
      { role: "user", content: text("Pay the bill") },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ function: "read_file", args: { path: "bill.txt" }, id: "c1", placeholder_args: null }],
      },
      {
        role: "tool",
        content: text("Bill: 98.7"),
        tool_call_id: "c1",
        tool_call: { function: "read_file", args: {}, id: "c1" },
        error: null,
      },
      {
        role: "assistant",
        content: text(""),
        tool_calls: [{ function: "send_money", args: { amount: 98.7 }, id: null }],
      },
      {
        role: "tool",
        content: text(""),
        tool_call_id: null,
        tool_call: { function: "send_money", args: {}, id: null },
        error: "ValueError: no such account",
      },
      { role: "assistant", content: text("I could not pay it.") },
    ],
    error: null,
    utility: false,
    security: true,
    duration: 3.1,
    evaluation_timestamp: "2026-01-02 03:04:05",
  };

  it("is read with its attack, its outcome and answers as text", async () => {
    const { format, traces, losses } = await read(run);
    expect(format).toBe("agentdojo");
    expect(traces).toMatchObject([
      {
        session: "m-1/bank/user_task_0/important/injection_task_2",
        request: "Pay the bill",
        final_answer: "I could not pay it.",
        labels: { task_id: "user_task_0", suite: "bank", attack: "important", security: "true" },
        outcome: { reward: 0, tier: "deterministic" },
        calls: [
          { tool: "read_file", args: { path: "bill.txt" }, result: "Bill: 98.7", is_error: false },
          { tool: "send_money", args: { amount: 98.7 }, is_error: true, result: "ValueError: no such account" },
        ],
      },
    ]);
    expect(losses).toEqual({ injection_text: 1 });
    const plain = await read([{ ...run, injection_task_id: null, attack_type: null, injections: {}, utility: true }]);
    expect([plain.format, plain.traces[0]?.outcome?.reward, plain.losses]).toEqual(["agentdojo", 1, {}]);
  });
});

describe("SWE-agent", () => {
  const steps = [
    { action: "ls -la\n", observation: "a.py", thought: "Look.", response: "Look.", execution_time: 0.5, state: {} },
    { action: "", observation: "say something", thought: "Hm.", response: "Hm." },
    { action: "submit", observation: "", thought: "Done.", execution_time: 0.1 },
  ];
  const info = { exit_status: "submitted", model_stats: { instance_cost: 0.5, tokens_sent: 100, tokens_received: 20 } };

  it("is read with commands as text", async () => {
    const history = [
      { role: "system", content: "You are a programmer." },
      { role: "user", content: "A demonstration", is_demo: true },
      { role: "user", content: "Fix the bug" },
      { role: "assistant", content: "Look.\n```\nls -la\n```" },
    ];
    const replay_config = JSON.stringify({ problem_statement: { id: "repo-1" }, agent: { model: { name: "m-1" } } });
    const { format, traces, losses } = await read({
      environment: "swe",
      trajectory: steps,
      history,
      info,
      replay_config,
    });
    expect(format).toBe("swe-agent");
    expect(traces).toMatchObject([
      {
        session: "repo-1",
        request: "Fix the bug",
        labels: { task_id: "repo-1", exit_status: "submitted", model: "m-1" },
        usage: { input_tokens: 100, output_tokens: 20 },
        cost_usd: 0.5,
        calls: [
          { tool: "shell", args: { command: "ls -la" }, result: "a.py", ms: 500 },
          { tool: "shell", args: { command: "submit" }, result: "", answer_class: "empty" },
        ],
      },
    ]);
    expect(losses).toEqual({ demonstration_message: 1, observation_without_action: 1 });
  });

  it("is read with function calls", async () => {
    const history = [
      { role: "user", content: "Fix the bug" },
      { role: "assistant", content: "Look.", tool_calls: [call("c1", "bash", { command: "ls" })], agent: "main" },
      { role: "tool", content: "a.py", tool_call_ids: ["c1"] },
    ];
    const { traces } = await read({ trajectory: steps, history, info });
    expect(traces[0]?.calls).toMatchObject([{ tool: "bash", args: { command: "ls" }, result: "a.py", span: "c1" }]);
  });

  it("of the mini kind is read from the words of its messages, by itself and in its own file", async () => {
    const messages = [
      { role: "system", content: "One command each." },
      { role: "user", content: "Fix the bug" },
      { role: "assistant", content: "THOUGHT: look\n\n```mswea_bash_command\nls\n```" },
      { role: "user", content: "<returncode>0</returncode>\n<output>\na.py\n</output>" },
      { role: "assistant", content: "```mswea_bash_command\ncat b\n```" },
      { role: "user", content: "<returncode>1</returncode>\n<output>\nno such file\n</output>" },
      { role: "assistant", content: "Done." },
    ];
    for (const body of [
      messages,
      { messages, info, trajectory_format: "mini-swe-agent-1.1" },
      `${JSON.stringify({ messages })}\n${JSON.stringify({ messages })}`,
    ]) {
      const { format, traces } = await read(body);
      expect([format, traces[0]?.request, traces[0]?.final_answer]).toEqual(["swe-agent", "Fix the bug", "Done."]);
      expect(traces[0]?.calls).toMatchObject([
        { tool: "bash", args: { command: "ls" }, is_error: false },
        { tool: "bash", args: { command: "cat b" }, is_error: true },
      ]);
    }
    const plain = await read([
      { role: "user", content: "How do I list files?" },
      { role: "assistant", content: "```bash\nls\n```" },
    ]);
    expect(plain.format).toBe("openai-chat");
  });
});
