import { describe, expect, it } from "vitest";
import { read } from "./kit.ts";

const lines = (...values: unknown[]) => values.map((value) => JSON.stringify(value)).join("\n");
const T = "2026-02-05T11:24:4";

/** Event names and attributes of github.com/google-gemini/gemini-cli, docs/cli/telemetry.md and src/telemetry/types.ts. */
describe("Gemini CLI's telemetry", () => {
  const record = (name: string, at: number, attributes: object) => ({
    hrTime: [1_770_000_000 + at, 0],
    resource: { attributes: {} },
    attributes: { "session.id": "g-1", "event.name": name, "event.timestamp": `${T}${at}.000Z`, ...attributes },
    _body: "x",
  });
  const prompt = record("gemini_cli.user_prompt", 1, { prompt_length: 10, prompt: "Read a.txt" });
  const response = (at: number, more: object) =>
    record("gemini_cli.api_response", at, {
      model: "gemini-3-pro",
      role: "main",
      input_token_count: 10,
      output_token_count: 2,
      thoughts_token_count: 3,
      ...more,
    });
  const call = (at: number, more: object) =>
    record("gemini_cli.tool_call", at, {
      function_name: "read_file",
      function_args: '{\n  "path": "a.txt"\n}',
      duration_ms: 12,
      success: true,
      ...more,
    });
  const aside = response(3, { role: "utility_router", input_token_count: 900, response_text: '"simple"' });

  it("without messages: prompts, calls and replies; that results were not captured is told", async () => {
    const text = JSON.stringify([
      { candidates: [{ content: { parts: [{ text: "Hm", thought: true }, { text: "It says " }] } }] },
      { candidates: [{ content: { parts: [{ text: "hello." }] } }] },
    ]);
    const records = [
      record("gemini_cli.config", 0, { model: "gemini-3-pro" }),
      prompt,
      aside,
      response(2, { response_text: JSON.stringify({ candidates: [{ content: { parts: [] } }] }) }),
      call(4, {}),
      call(5, { success: false, error: "File not found", function_args: '{"path":"b"}' }),
      response(6, { response_text: text }),
      { resource: {}, scopeMetrics: [] },
    ];
    // The program writes each record over several lines, one after the other.
    const { format, traces, losses } = await read(records.map((each) => JSON.stringify(each, null, 2)).join("\n"));
    expect([format, traces.length]).toEqual(["gemini-telemetry", 1]);
    expect(losses).toEqual({
      event_config: 1,
      model_call_beside: 1,
      result_not_captured: 1,
      part_reasoning: 1,
      record_of_another_signal: 1,
    });
    expect(traces[0]).toMatchObject({
      session: "g-1",
      request: "Read a.txt",
      calls: [
        { tool: "read_file", args: { path: "a.txt" }, answer_class: "pending" },
        { tool: "read_file", args: { path: "b" }, result: "File not found", is_error: true, ms: 12 },
      ],
      final_answer: "It says hello.",
      usage: { input_tokens: 20, output_tokens: 10 },
      labels: { model: "gemini-3-pro", agent: "gemini-cli" },
    });
  });

  it("with messages: calls with their results, of the requests that repeat the conversation", async () => {
    const said = (role: string, ...parts: object[]) => ({ role, parts });
    const words = (content: string) => ({ type: "text", content });
    const first = said("user", words("Read a.txt"));
    // The program gives the model's own messages the role `system`.
    const asked = said("system", { type: "tool_call", name: "read_file", arguments: '{"path":"a.txt"}' });
    const answered = said("user", { type: "tool_call_response", response: '{"output":"hello"}' });
    const details = (at: number, input: object[], output: object[]) =>
      record("gen_ai.client.inference.operation.details", at, {
        "gen_ai.input.messages": JSON.stringify(input),
        "gen_ai.output.messages": JSON.stringify(output),
      });
    const kv = (attributes: object) =>
      Object.entries(attributes).map(([key, value]) => ({ key, value: { stringValue: String(value) } }));
    const records = [
      prompt,
      response(2, {}),
      details(2, [first], [asked]),
      aside,
      details(3, [said("user", words("Is it simple?"))], [said("system", words("simple"))]),
      call(4, {}),
      response(5, {}),
      details(5, [first, asked, answered], [said("system", words("It says hello."))]),
    ];
    const exported = {
      resourceLogs: [
        { scopeLogs: [{ logRecords: records.map(({ attributes }) => ({ attributes: kv(attributes) })) }] },
      ],
    };
    for (const given of [lines(...records), exported]) {
      const { format, traces, losses } = await read(given);
      expect([format, traces.length, losses]).toEqual(["gemini-telemetry", 1, { model_call_beside: 1 }]);
      expect(traces[0]).toMatchObject({
        request: "Read a.txt",
        calls: [{ tool: "read_file", args: { path: "a.txt" }, result: "hello", is_error: false }],
        final_answer: "It says hello.",
        usage: { input_tokens: 20, output_tokens: 10 },
      });
      expect(traces[0]?.turns.filter(({ role }) => role === "user")).toHaveLength(1);
    }
  });

  // As version 0.61 writes it: a call that starts has a record without a reply, ids lose their tool's name in the history.
  it("tells no call twice whose id is another in the history, and no request of the user twice", async () => {
    const words = (content: string) => ({ type: "text", content });
    const made = (id: string, path: string) => ({
      type: "tool_call",
      name: "read_file",
      id,
      arguments: JSON.stringify({ path }),
    });
    const told = (id: string, response: object) => ({
      type: "tool_call_response",
      id,
      response: JSON.stringify(response),
    });
    const context = words("<session_context>\nThe folder holds two files.\n</session_context>");
    const first = { role: "user", parts: [context, words("Read a.txt and b.txt")] };
    const apart = [
      { role: "user", parts: [context] },
      { role: "user", parts: [words("Read a.txt and b.txt")] },
    ];
    const asked = (prefix: string) => ({
      role: "system",
      parts: [made(`${prefix}read_file_1_0`, "a.txt"), made(`${prefix}read_file_1_1`, "b.txt")],
    });
    const answers = [
      told("read_file_1_0", { output: "hi" }),
      told("read_file_1_1", { error: "File not found: b.txt" }),
    ];
    const history = [first, asked(""), { role: "user", parts: answers }];
    const details = (at: number, input: object[], output?: object[]) =>
      record("gen_ai.client.inference.operation.details", at, {
        "gen_ai.input.messages": JSON.stringify(input),
        ...(output ? { "gen_ai.output.messages": JSON.stringify(output) } : {}),
      });
    const records = [
      prompt,
      details(1, apart),
      aside,
      details(3, apart, [{ role: "system", parts: [words("simple")] }]),
      details(4, [first]),
      response(5, {}),
      details(5, [first], [asked("read_file__")]),
      details(6, history),
      record("gemini_cli.api_error", 7, { role: "main", error: "overloaded", model: "gemini-3-pro" }),
      details(7, history),
    ];
    const { traces, losses } = await read(lines(...records));
    expect(losses).toEqual({ model_call_beside: 1, event_api_error: 1 });
    expect(traces[0]?.turns.map(({ role, text }) => [role, text.slice(0, 20)])).toEqual([
      ["system", "<session_context>\nTh"],
      ["user", "Read a.txt and b.txt"],
      ["assistant", ""],
    ]);
    expect(traces[0]).toMatchObject({
      request: "Read a.txt and b.txt",
      calls: [
        { args: { path: "a.txt" }, result: "hi", is_error: false },
        { args: { path: "b.txt" }, result: "File not found: b.txt", is_error: true },
      ],
      final_answer: null,
    });
    expect(traces[0]?.calls).toHaveLength(2);
  });
});
