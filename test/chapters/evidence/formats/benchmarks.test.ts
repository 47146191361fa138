import { describe, expect, it } from "vitest";
import { CHAT, read } from "./kit.ts";

const SIMULATION = {
  id: "sim-1",
  task_id: "12",
  trial: 1,
  seed: 5,
  start_time: "2025-08-01T16:20:44.5",
  termination_reason: "user_stop",
  agent_cost: 0.02,
  reward_info: { reward: 1, db_check: {} },
  messages: [
    {
      role: "assistant",
      content: "Hi!",
      tool_calls: null,
      turn_idx: 0,
      timestamp: "2025-08-01T16:20:45",
      usage: { prompt_tokens: 5, completion_tokens: 1 },
    },
    { role: "user", content: "My phone is off", tool_calls: null },
    {
      role: "user",
      content: null,
      tool_calls: [{ id: "u1", name: "toggle", arguments: { on: true }, requestor: "user" }],
    },
    { id: "u1", role: "tool", content: "on", requestor: "user", error: false },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "a1", name: "check", arguments: {}, requestor: "assistant" }],
    },
    { id: "a1", role: "tool", content: "Error: line is down", requestor: "assistant", error: true },
    { role: "assistant", content: "Fixed." },
  ],
};

describe("tau2 and tau-bench", () => {
  it("reads simulations with the user's own calls, the error flag, reward, cost and labels of the header", async () => {
    const file = {
      timestamp: "t",
      info: { agent_info: { llm: "m" }, user_info: { llm: "u" }, environment_info: { domain_name: "telecom" } },
      tasks: [{ id: "12" }],
      simulations: [SIMULATION],
    };
    const { format, traces, losses } = await read(file);
    expect(format).toBe("tau2");
    expect(traces[0]).toMatchObject({
      session: "sim-1",
      started_at: Date.parse("2025-08-01T16:20:44.5Z") / 1000,
      request: "My phone is off",
      cost_usd: 0.02,
      usage: { input_tokens: 5, output_tokens: 1 },
      outcome: { reward: 1 },
      labels: {
        task_id: "12",
        trial: "1",
        seed: "5",
        domain: "telecom",
        model: "m",
        user_model: "u",
        termination_reason: "user_stop",
      },
      calls: [
        { tool: "toggle", requestor: "user", is_error: false },
        { tool: "check", requestor: "assistant", is_error: true, answer_class: "error:failed" },
      ],
    });
    expect(losses).toEqual({ reward_details: 1 });
    const bare = await read([SIMULATION, { ...SIMULATION, messages: [] }]);
    expect([bare.format, bare.traces.length, bare.refused]).toEqual(["tau2", 1, [{ line: 2, reason: "no messages" }]]);
    const lines = await read(`${JSON.stringify(file)}\n${JSON.stringify(file)}\n`);
    expect(lines.traces.map((trace) => [trace.session, trace.labels.domain])).toEqual([
      ["sim-1", "telecom"],
      ["sim-1", "telecom"],
    ]);
  });

  it("reads trials of tau-bench", async () => {
    const { format, traces } = await read([{ task_id: 3, trial: 1, reward: 0, info: { source: "user" }, traj: CHAT }]);
    expect(format).toBe("tau-bench");
    expect(traces[0]).toMatchObject({
      session: "task-3-trial-1",
      labels: { task_id: "3", trial: "1" },
      outcome: { reward: 0, tier: "deterministic" },
    });
  });
});

describe("inspect", () => {
  it("reads samples with scores, tool errors and attached texts", async () => {
    const { format, traces, losses } = await read({
      version: 2,
      status: "success",
      eval: { task: "desk", model: "m", created: "2025-05-12T20:27:36-04:00" },
      plan: {},
      samples: [
        {
          id: 1,
          epoch: 2,
          uuid: "u-1",
          target: "x",
          attachments: { "0123456789abcdef": "Long request" },
          scores: {
            includes: { value: "C", explanation: "It is in the answer" },
            rubric: { value: { tone: 0.5, facts: 1, notes: [] }, answer: "Done." },
          },
          events: [{ timestamp: "2025-05-12T20:27:37-04:00" }],
          model_usage: {
            judge: { input_tokens: 90, output_tokens: 9 },
            m: { input_tokens: 4, output_tokens: 2, total_cost: 0.25 },
          },
          messages: [
            { role: "user", content: "attachment://0123456789abcdef" },
            { role: "assistant", content: "", tool_calls: [{ id: "1", function: "bash", arguments: { cmd: "ls" } }] },
            {
              role: "tool",
              tool_call_id: "1",
              function: "bash",
              content: "",
              error: { type: "timeout", message: "command timed out" },
            },
            { role: "assistant", content: [{ type: "text", text: "Done." }] },
          ],
        },
        { id: 2, epoch: 1 },
      ],
    });
    expect(format).toBe("inspect");
    expect(traces[0]).toMatchObject({
      session: "u-1",
      started_at: Date.parse("2025-05-12T20:27:37-04:00") / 1000,
      request: "Long request",
      labels: {
        "score.includes": "C",
        "score.includes.comment": "It is in the answer",
        "score.rubric.tone": "0.5",
        "score.rubric.facts": "1",
        task_id: "1",
        trial: "2",
        task: "desk",
        model: "m",
      },
      outcome: { reward: 1 },
      usage: { input_tokens: 4, output_tokens: 2 },
      cost_usd: 0.25,
      calls: [
        {
          tool: "bash",
          args: { cmd: "ls" },
          is_error: true,
          result: "command timed out",
          answer_class: "error:timeout",
        },
      ],
    });
    expect(losses).toEqual({ events: 1, usage_of_other_models: 1, score: 1 });
  });
});
