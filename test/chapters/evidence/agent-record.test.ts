import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { once } from "../../../chapters/evidence/reading/bytes.ts";
import { type Hints, openEvidence } from "../../../chapters/evidence/reading/evidence.ts";

/** Reads a body to its end; what it was kept as, or the reason of its refusal. */
async function readAs(body: unknown, hints: Hints = {}): Promise<{ as: string; warnings: readonly string[] }> {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  try {
    const open = await openEvidence(once(bytes), hints);
    if (open.format.kind === "document") await open.document();
    else if (open.format.kind === "tool_listing") await open.tools();
    else if (open.format.kind === "http_capture") await open.capture();
    return { as: open.format.kind, warnings: open.warnings };
  } catch (cause) {
    return { as: (cause as { reason?: string }).reason ?? String(cause), warnings: [] };
  }
}

const lines = (rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row)).join("\n");
const asked = { role: "user", content: "Where is order W1?" };
const call = { id: "call_1", type: "function", function: { name: "get_order", arguments: '{"id":"W1"}' } };
const calls = { role: "assistant", content: null, tool_calls: [call] };
const said = { role: "assistant", content: "It is open." };
const at = "2026-01-02T03:04:05Z";
const chat = [asked, calls, { role: "tool", tool_call_id: "call_1", content: '{"status":"open"}' }, said];
const renamed = (from: string, to: string) => JSON.parse(JSON.stringify(chat).replaceAll(`"${from}":`, `"${to}":`));
const pretty = JSON.stringify({ id: "s1", messages: chat }, null, 2);

/** Records of agents in shapes that nothing here reads as traces. */
const RECORDS: readonly (readonly [name: string, body: unknown])[] = [
  ["a conversation under another name", { id: "s1", dialogue: chat }],
  ["conversations two levels down", { export: { sessions: [{ id: "s1", log: chat }] } }],
  ["a renamed role", { log: renamed("role", "who") }],
  ["a renamed content", { log: renamed("content", "what") }],
  [
    "human and gpt",
    [
      {
        conversations: [
          { from: "human", value: "Where is it?" },
          { from: "gpt", value: "Here." },
        ],
      },
    ],
  ],
  [
    "messages of a chain",
    {
      history: [
        { type: "human", data: { content: "Where?" } },
        { type: "ai", data: { content: "Here.", tool_calls: [] } },
      ],
    },
  ],
  [
    "runs of a chain",
    lines([
      { run: "r1", run_type: "llm", trace_id: "t1", dotted_order: "1", start_time: at, inputs: {}, outputs: {} },
      { run: "r2", run_type: "tool", trace_id: "t1", dotted_order: "2", start_time: at, inputs: {}, outputs: {} },
    ]),
  ],
  [
    "parts of a user interface",
    { rows: [{ parts: [{ type: "tool-invocation", toolInvocation: { toolName: "find", args: {} } }] }] },
  ],
  [
    "steps of an agent",
    {
      steps: [
        { thought: "Look it up.", action: "get_order", action_input: { id: "W1" }, observation: "open" },
        { tool: "get_order", tool_input: { id: "W1" }, observation: "open" },
      ],
    },
  ],
  [
    "items of a rollout",
    lines([
      { timestamp: at, type: "session_opened", payload: { id: "s1" } },
      {
        timestamp: at,
        type: "rollout_item",
        payload: { type: "function_call", name: "shell", arguments: "{}", call_id: "c1" },
      },
      { timestamp: at, type: "rollout_item", payload: { type: "function_call_output", call_id: "c1", output: "ok" } },
    ]),
  ],
  [
    "calls over a protocol",
    lines([
      { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "find", arguments: {} } },
      { jsonrpc: "2.0", id: 1, result: { content: [] } },
    ]),
  ],
  [
    "blocks with toolUse",
    { turns_of: [{ role: "assistant", content: [{ toolUse: { toolUseId: "t1", name: "find", input: {} } }] }] },
  ],
  [
    "a span on its own",
    { export: [{ context: { trace_id: "0x5b8e", span_id: "0xeee1" }, name: "chat", start_time: at, attributes: {} }] },
  ],
  ["rows of a chat", "session,role,content\ns1,user,Where is it?\ns1,assistant,Here.\n"],
  ["rows of calls", "session,tool_name,arguments,result\ns1,find,{},open\ns1,find,{},open\n"],
  ["the end of a file", pretty.slice(Math.floor(pretty.length * 0.3))],
  ["a log with JSON in it", chat.map((message) => `2026-01-02 INFO agent ${JSON.stringify({ message })}`).join("\n")],
  [
    "printed objects",
    "session = [{'role': 'user', 'content': 'Where?'},\n {'role': 'assistant', 'content': None, 'tool_calls': [{'id': 'c1'}]}]",
  ],
  [
    "YAML",
    "session: s1\nmessages:\n  - role: user\n    content: Where?\n  - role: assistant\n    tool_calls:\n      - id: c1\n        name: find\n",
  ],
  [
    "rows whose cells hold conversations",
    `id,log\n1,"${JSON.stringify(chat).replaceAll('"', '""')}"\n2,"${JSON.stringify(chat).replaceAll('"', '""')}"\n`,
  ],
];

/** What no agent did, though some of its words stand in it. */
const DOCUMENTS: readonly (readonly [name: string, body: unknown])[] = [
  [
    "a policy",
    "# Policy\n\n- The agent verifies the user first.\n- role: the assistant answers, the tool calls are logged.\n",
  ],
  [
    "a manual with an example",
    `# Chat API\n\nSend the messages like this, and the service answers with calls of tools:\n\n\`\`\`json\n${pretty}\n\`\`\`\n\nEach message has a role.\n`,
  ],
  [
    "rows of users",
    [
      { id: 1, name: "Ann", role: "user" },
      { id: 2, name: "Bob", role: "assistant" },
    ],
  ],
  [
    "tables of a shop",
    {
      users: [{ id: "u1", role: "user", email: "a@b.example" }],
      orders: [{ id: "W1", type: "order", data: { n: 1 } }],
    },
  ],
  [
    "rows of events",
    {
      events: [
        { id: 1, type: "order.created", data: { id: 1 } },
        { id: 2, type: "user.signed_up", data: { id: 2 } },
        { id: 3, type: "session.start", data: {} },
      ],
    },
  ],
  ["rows of tools in a shed", "tool_name,price,stock\nhammer,12.5,3\nsaw,20,1\n"],
  ["rows of an order", "order_id,role,total\nW1,user,12\nW2,admin,13\n"],
  [
    "a package",
    {
      name: "x",
      version: "1.0.0",
      scripts: { build: "tsc" },
      dependencies: { a: "1" },
      engines: { node: ">=22" },
      input: { a: { b: 1 } },
    },
  ],
  [
    "settings of servers",
    { mcpServers: { files: { command: "npx", args: ["-y", "server"], env: { role: { a: 1 } } } } },
  ],
  [
    "records with words",
    lines([
      { id: 1, title: "Returns", content: "# Returns\n\n- Within 30 days." },
      { id: 2, title: "Fees", content: "- None." },
    ]),
  ],
  [
    "a chart of roles",
    "apiVersion: v1\nkind: Role\nmetadata:\n  name: agent\nrules:\n  - role: user\n    verbs: [get]\n  - role: system\n    verbs: [get]\n",
  ],
  [
    "a task",
    '[task]\nname = "find"\n[agent]\ntimeout_sec = 60\nuser = "root"\n[[environment.mcp_servers]]\nname = "x"\n',
  ],
  [
    "a listing of tools",
    {
      tools: [
        {
          name: "find",
          description: "d",
          inputSchema: { type: "object", properties: { role: { enum: ["user", "assistant"] } } },
        },
      ],
    },
  ],
  [
    "OpenAPI of a chat",
    {
      openapi: "3.0.0",
      info: { title: "x", version: "1" },
      paths: {
        "/chat": {
          post: {
            operationId: "chat",
            requestBody: {
              content: { "application/json": { schema: { type: "object" }, example: { messages: chat } } },
            },
            responses: {},
          },
        },
      },
    },
  ],
  [
    "exchanges of a service",
    [
      {
        request: { method: "GET", url: "https://shop.example/orders/1" },
        response: { status: 200, body: '{"id":1,"messages":["hi"]}' },
      },
    ],
  ],
];

describe("a file of an agent's record is never kept as something else", () => {
  it.each(RECORDS)("refused with what comes nearest: %s", async (_name, body) => {
    const { as } = await readAs(body);
    expect(as).toMatch(
      /^The content looks like an agent's record \(.+Nearest: .+ Send it whole in one of these, or with kind=/,
    );
    const packed = await readAs(gzipSync(typeof body === "string" ? body : JSON.stringify(body)));
    expect(packed.as).toBe(as);
  });

  it.each(RECORDS)("kept with a warning where that is asked for: %s", async (_name, body) => {
    const { as, warnings } = await readAs(body, { kind: "document" });
    // Not all of it is rows or texts.
    if (as !== "document") return expect(as).toMatch(/no format that can be read|nothing to take/);
    expect(warnings).toEqual([expect.stringMatching(/looks like an agent's record .* no trace is read/)]);
  });

  it.each(DOCUMENTS)("what is no agent's record stays what it is: %s", async (_name, body) => {
    const { as, warnings } = await readAs(body);
    // Some of them are in no format, or are taken for broken JSON; none for an agent's record.
    expect(as).toMatch(/^(document|tool_listing|http_capture|The content is (in no format|not valid JSON).*)$/);
    expect(warnings).toEqual([]);
  });

  it("a capture of calls of a model is no capture of a service", async () => {
    const exchange = (body: unknown) => ({
      request: { method: "POST", url: "https://model.example/v1/responses", body: JSON.stringify(body) },
      response: {
        status: 200,
        body: JSON.stringify({ output: [{ type: "function_call", name: "find", call_id: "c1", arguments: "{}" }] }),
      },
    });
    const body = [exchange({ model: "m", input: [{ type: "message", text: "Where?" }] })];
    expect((await readAs(body)).as).toContain("kind=http_capture");
    const kept = await readAs(body, { kind: "http_capture" });
    expect([kept.as, kept.warnings.length]).toEqual(["http_capture", 1]);
  });
});
