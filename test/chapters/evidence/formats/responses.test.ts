import { describe, expect, it } from "vitest";
import { openaiChat } from "../../../../chapters/evidence/formats/openai-chat.ts";
import { Tally } from "../../../../chapters/evidence/reading/tally.ts";
import { read } from "./kit.ts";

const TOOLS = [{ type: "function", name: "get_weather", description: "Tells it.", parameters: { type: "object" } }];
const asked = {
  type: "function_call",
  id: "fc_1",
  call_id: "call_weather01",
  name: "get_weather",
  arguments: '{"city":"Oslo"}',
};
const said = (text: string) => ({
  type: "message",
  id: "msg_1",
  role: "assistant",
  content: [{ type: "output_text", text }],
});
const first = {
  request: { model: "m", input: "Weather in Oslo?", instructions: "Be short.", tools: TOOLS },
  response: {
    id: "resp_1",
    object: "response",
    output: [{ type: "reasoning", summary: [] }, asked],
    usage: { input_tokens: 7, output_tokens: 2 },
  },
};
const answered = { type: "function_call_output", call_id: "call_weather01", output: "It rains." };

const whole = {
  request: "Weather in Oslo?",
  turns: [
    { role: "system", text: "Be short." },
    { role: "user" },
    { role: "assistant", text: "" },
    { role: "assistant", text: "Rain." },
  ],
  calls: [{ tool: "get_weather", args: { city: "Oslo" }, result: "It rains.", answer_class: "data" }],
  final_answer: "Rain.",
  usage: { input_tokens: 16, output_tokens: 5 },
};
const usage = { input_tokens: 9, output_tokens: 3 };

// Finding A46.
describe("requests and responses of the Responses interface", () => {
  it("a call in the output is a call", async () => {
    const { format, traces, losses } = await read([first]);
    expect(format).toBe("openai-chat");
    expect(traces).toMatchObject([
      {
        request: "Weather in Oslo?",
        calls: [{ tool: "get_weather", args: { city: "Oslo" }, result: null, answer_class: "pending" }],
        final_answer: null,
        usage: { input_tokens: 7, output_tokens: 2 },
        labels: { model: "m" },
        tools: [{ name: "get_weather", description: "Tells it.", input_schema: { type: "object" } }],
      },
    ]);
    expect(losses).toEqual({ part_reasoning: 1 });
  });

  it("a request that repeats the items so far goes on with the same session", async () => {
    const input = [{ role: "user", content: "Weather in Oslo?" }, asked, answered];
    const next = {
      request: { model: "m", instructions: "Be short.", input },
      response: { id: "resp_2", object: "response", output: [said("Rain.")], usage },
    };
    expect((await read([first, next])).traces).toMatchObject([whole]);
  });

  it("a request that names the response before it goes on with the same session", async () => {
    const next = {
      request: { model: "m", instructions: "Be short.", previous_response_id: "resp_1", input: [answered] },
      response: { id: "resp_2", object: "response", output: [said("Rain.")], usage },
    };
    expect((await read([first, next])).traces).toMatchObject([whole]);
    const alone = await read([next]);
    expect(alone.traces).toHaveLength(1);
    expect(alone.losses).toMatchObject({ response_before_not_sent: 1 });
  });

  it("a recording of them is read as sessions, not as traffic", async () => {
    const exchange = {
      request: { method: "POST", uri: "https://api.example/v1/responses", body: JSON.stringify(first.request) },
      response: { status: { code: 200 }, body: { string: JSON.stringify(first.response) } },
    };
    const { format, traces } = await read(`interactions:\n- ${JSON.stringify(exchange)}\n`);
    expect([format, traces.length, traces[0]?.calls.length]).toEqual(["openai-chat", 1, 1]);
  });

  it("other records with an input and an output are none", async () => {
    const other = { request: { input: "2 + 2", model: "calc" }, response: { output: [{ value: 4 }] } };
    expect(await read([other])).toMatchObject({ format: "records", traces: [] });
  });
});

/** The object as https://platform.openai.com/docs/api-reference/responses/object documents it. */
describe("responses by themselves", () => {
  const response = (id: string, before: string | null, output: object[]) => ({
    id,
    object: "response",
    created_at: 1_767_000_000,
    status: "completed",
    model: "gpt-5",
    instructions: null,
    previous_response_id: before,
    output,
    tools: TOOLS,
    usage: { input_tokens: 10, output_tokens: 4, total_tokens: 14 },
  });
  const one = response("resp_1", null, [{ type: "reasoning", id: "rs_1", summary: [] }, asked]);
  const two = response("resp_2", "resp_1", [said("Rain.")]);

  it("those that go on from each other are one session; that nobody knows what was asked is told", async () => {
    for (const given of [[one, two], `${JSON.stringify(one)}\n${JSON.stringify(two)}`]) {
      const { format, traces, losses, refused } = await read(given);
      expect([format, traces.length, refused]).toEqual(["openai-chat", 1, []]);
      expect(losses).toEqual({ part_reasoning: 1, request_not_captured: 2 });
      expect(traces[0]).toMatchObject({
        session: "resp_1",
        started_at: 1_767_000_000,
        request: "",
        calls: [{ tool: "get_weather", args: { city: "Oslo" }, answer_class: "pending" }],
        final_answer: "Rain.",
        usage: { input_tokens: 20, output_tokens: 8 },
        labels: { model: "gpt-5" },
        tools: [{ name: "get_weather" }],
      });
    }
  });

  /** As the API answered in the recordings of github.com/vercel/ai, packages/openai/src/responses/__fixtures__. */
  it("calls of the provider's own tools are calls; a result that their item leaves out is told", async () => {
    const search = (id: string, action: object) => ({ type: "web_search_call", id, status: "completed", action });
    const sources = [{ type: "url", url: "https://example.com/a" }];
    const shown = [{ outcome: { type: "exit", exit_code: 0 }, stdout: "a.txt", stderr: "" }];
    const { traces, losses, refused } = await read([
      response("resp_1", null, [
        search("ws_1", { type: "search", query: "rain", sources }),
        search("ws_2", { type: "open_page", url: "https://example.com/a" }),
        { type: "file_search_call", id: "fs_1", queries: ["rain"], results: [{ filename: "a.pdf", text: "Rain" }] },
        { type: "code_interpreter_call", id: "ci_1", code: "1 + 1", container_id: "c", outputs: null },
        { type: "shell_call", id: "sh_1", call_id: "c1", action: { commands: ["ls"] } },
        { type: "shell_call_output", id: "sho_1", call_id: "c1", output: shown },
        { type: "apply_patch_call", id: "ap_1", call_id: "c2", operation: { type: "delete_file", path: "a.txt" } },
        { type: "custom_tool_call", id: "ct_1", call_id: "c3", name: "write_sql", input: "SELECT 1" },
        said("It rains."),
      ]),
    ]);
    expect([losses, refused]).toEqual([{ request_not_captured: 1, result_not_captured: 2 }, []]);
    expect(traces[0]).toMatchObject({
      calls: [
        { tool: "web_search", args: { type: "search", query: "rain" }, result: sources },
        { tool: "web_search", args: { type: "open_page", url: "https://example.com/a" }, answer_class: "pending" },
        { tool: "file_search", args: { queries: ["rain"] }, result: [{ filename: "a.pdf", text: "Rain" }] },
        { tool: "code_interpreter", args: { code: "1 + 1" }, answer_class: "pending" },
        { tool: "shell", args: { commands: ["ls"] }, result: shown },
        { tool: "apply_patch", args: { type: "delete_file", path: "a.txt" }, answer_class: "pending" },
        { tool: "write_sql", args: { input: "SELECT 1" }, answer_class: "pending" },
      ],
      final_answer: "It rains.",
    });
  });

  it("an item of a type that is not known takes nothing else away; what an answer of one holds is told", async () => {
    const answer = { type: "computer_call_output", call_id: "c9", output: { type: "computer_screenshot" } };
    const given = response("resp_1", null, [{ type: "program", code: "x", call_id: "c1" }, asked]);
    for (const input of [undefined, null, [], [answer]]) {
      const { traces, losses, refused } = await read([{ ...given, input }]);
      expect([traces.length, refused]).toEqual([1, []]);
      const told = input?.length ? { item_computer_call_output: 1 } : { request_not_captured: 1 };
      expect(losses).toEqual({ item_program: 1, ...told });
      expect(traces[0]?.calls).toMatchObject([{ tool: "get_weather", args: { city: "Oslo" } }]);
    }
  });

  it("one whose tools look like a listing is a trace, and one alone names its session", async () => {
    const { format, traces } = await read(two);
    expect([format, traces.length]).toEqual(["openai-chat", 1]);
    expect(traces[0]).toMatchObject({ session: "resp_2", calls: [], final_answer: "Rain." });
  });

  it("a list of items beside messages is a session; one that an interface lists newest first is refused", async () => {
    const items = [
      { role: "user", content: "Weather?" },
      { type: "reasoning", summary: [] },
      asked,
      answered,
      said("Rain."),
    ];
    const { format, traces, losses } = await read(items);
    expect([format, traces.length, losses]).toEqual(["openai-chat", 1, { part_reasoning: 1 }]);
    expect(traces[0]).toMatchObject({
      request: "Weather?",
      calls: [{ tool: "get_weather", args: { city: "Oslo" }, result: "It rains.", answer_class: "data" }],
      final_answer: "Rain.",
    });
    await expect(read({ object: "list", data: [...items].reverse(), has_more: false })).rejects.toThrow(/no format/);
  });

  it("what is refused is the answer, in a response and in a chat message", async () => {
    const content = [{ type: "refusal", refusal: "I cannot help with that." }];
    const response = { id: "r", object: "response", output: [{ type: "message", role: "assistant", content }] };
    const message = { role: "assistant", content: null, refusal: "I cannot help with that." };
    const chat = { messages: [{ role: "user", content: "Do it." }, message] };
    for (const given of [{ request: { input: "Do it." }, response }, chat]) {
      const { traces, losses } = await read(given);
      expect([traces.map((trace) => trace.final_answer), losses]).toEqual([["I cannot help with that."], {}]);
    }
  });

  it("events of a stream are read by the response that ends it; one that does not end is counted", async () => {
    const event = (type: string, more: object) => JSON.stringify({ type: `response.${type}`, ...more });
    const whole = (id: string, output: unknown[]) => ({ id, object: "response", output });
    const stream = (id: string, output: readonly unknown[]) => [
      event("created", { response: whole(id, []) }),
      event("in_progress", { response: whole(id, []) }),
      event("output_item.done", { item: output[0] }),
      event("output_text.delta", { delta: "Ra" }),
    ];
    const ended = event("completed", { response: whole("r1", [asked]) });
    const { format, traces, losses, refused } = await read([...stream("r1", [asked]), ended].join("\n"));
    expect([format, traces.length, losses, refused]).toEqual(["openai-chat", 1, { request_not_captured: 1 }, []]);
    expect(traces[0]?.calls).toMatchObject([{ tool: "get_weather", args: { city: "Oslo" } }]);
    const two = [...stream("r1", [asked]), ended, ...stream("r2", [said("Rain.")])].join("\n");
    expect((await read(two)).losses).toEqual({ request_not_captured: 1, response_not_ended: 1 });
  });

  it("memory for responses is made for a body that holds one", () => {
    const before = process.memoryUsage();
    const converters = Array.from({ length: 200 }, () => openaiChat.open(new Tally({})));
    const after = process.memoryUsage();
    expect(converters).toHaveLength(200);
    expect(after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers).toBeLessThan(4_000_000);
  });
});
