import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { jsonBody } from "../../src/http/request-body.ts";
import { mcpEndpoint, Refused, type ServedTools, type ToolCall } from "../../src/mcp/mcp-endpoint.ts";
import { HANGS_MS } from "../hangs.ts";

const calls: ToolCall[] = [];
const faults: string[] = [];

async function called(asked: ToolCall): Promise<object | undefined> {
  calls.push(asked);
  switch (asked.name) {
    case "is not there":
      return undefined;
    case "breaks":
      throw new Error("the password is hunter2");
    case "fails":
      return { content: [{ type: "text", text: "sorry" }], isError: true };
    case "steps":
      for (const progress of [1, 2]) asked.progress?.({ progress, total: 2, message: `step ${progress}` });
      return { content: [] };
    case "waits":
      await new Promise((resolve) => setTimeout(resolve, 40_000));
      return { content: [] };
    default:
      return { content: [{ type: "text", text: "é\u2028 ok" }], structuredContent: { given: asked.arguments } };
  }
}

const tool = (name: string, more: object = {}) => ({ name, inputSchema: { type: "object" }, ...more });
const served: ServedTools = {
  identity: { name: "t", version: "3", instructions: "Use it." },
  tools: [tool("answers"), tool("shaped", { outputSchema: { type: "object", properties: {} } })],
  call: called,
};
/** A list that each revision has to be shown in its own way. */
const uneven: ServedTools = {
  ...served,
  tools: [tool("a", { execution: { taskSupport: "forbidden" } }), tool("b", { outputSchema: { type: "array" } })],
};
/** Prompts and resources of which some refuse, and some break. */
async function offered(name: string): Promise<object | undefined> {
  if (name === "is not there") return undefined;
  if (name === "breaks") throw new Error("the password is hunter2");
  if (name === "refuses") throw new Refused("request", "Not now.", { error: "conflict" });
  return name.startsWith("test:")
    ? { contents: [{ uri: name, mimeType: "text/plain", text: "read" }] }
    : { messages: [{ role: "user", content: { type: "text", text: "said" } }] };
}
const full: ServedTools = {
  ...served,
  prompts: { prompts: [{ name: "says" }], get: offered },
  resources: {
    templates: [{ uriTemplate: "test://{x}", name: "x" }],
    list: async () => [{ uri: "test://a", name: "a" }],
    read: (uri) => offered(uri === "test://a" ? uri : uri.slice("test://".length).replaceAll("-", " ")),
  },
  complete: async ({ typed }) => (typed === "x" ? undefined : Array.from({ length: 150 }, (_, i) => `${typed}${i}`)),
};

let http: Server;
let url: string;
beforeAll(async () => {
  const endpoint = mcpEndpoint((error) => faults.push(error.message));
  const app = express();
  app.all("/:which", async (req, res) => {
    const body = req.method === "POST" ? await jsonBody(req, 1e6) : undefined;
    await endpoint(req, res, req.path === "/uneven" ? uneven : req.path === "/full" ? full : served, body);
  });
  http = createServer(app);
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => http.close(resolve)));
afterEach(() => {
  calls.length = 0;
  faults.length = 0;
});

type Headers = Record<string, string>;
interface Sent {
  readonly status: number;
  readonly headers: globalThis.Headers;
  readonly messages: readonly Record<string, unknown>[];
}

const BOTH = "application/json, text/event-stream";
const ENVELOPE = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/clientInfo": { name: "c", version: "1" },
};

async function send(body: unknown, headers: Headers, path = "/even"): Promise<Sent> {
  const answer = await fetch(url + path, {
    method: "POST",
    headers: { "content-type": "application/json", accept: BOTH, ...headers },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  const events = text.split("\n").filter((line) => line.startsWith("data: "));
  const texts = text.startsWith("{") ? [text] : events.map((line) => line.slice(6));
  return { status: answer.status, headers: answer.headers, messages: texts.map((data) => JSON.parse(data)) };
}

const rpc = (method: string, params: object = {}, id: unknown = 7) => ({ jsonrpc: "2.0", id, method, params });
/** How each revision sends a call or list so that it is answered directly, and so that the library answers it. */
const revisions: Record<string, (params: { name?: string }, method: string) => { direct: Headers; library: Headers }> =
  {
    "2025-11-25": () => ({
      direct: { "mcp-protocol-version": "2025-11-25" },
      library: { "mcp-protocol-version": "2025-03-26" },
    }),
    "2026-07-28": ({ name }, method) => {
      const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": method };
      if (name === undefined) return { direct: headers, library: { ...headers, accept: "application/json" } };
      const encoded = `=?base64?${Buffer.from(name).toString("base64")}?=`;
      return { direct: { ...headers, "mcp-name": name }, library: { ...headers, "mcp-name": encoded } };
    },
  };
const isDirect = (sent: Sent) => sent.headers.get("cache-control") === "no-store";

describe.each(Object.entries(revisions))("of %s, directly and through the library alike", (revision, headersOf) => {
  const envelope = revision === "2026-07-28" ? ENVELOPE : {};
  it.each(["answers", "fails", "is not there", "breaks"])("a call that %s", async (name) => {
    const params = { name, arguments: { a: [1, "ü"] }, _meta: { ...envelope } };
    const { direct, library } = headersOf(params, "tools/call");
    const [one, other] = [
      await send(rpc("tools/call", params), direct),
      await send(rpc("tools/call", params), library),
    ];
    expect([isDirect(one), isDirect(other)]).toEqual([true, false]);
    expect(one.status).toBe(other.status);
    expect(one.messages).toEqual(other.messages);
    expect(one.messages).toHaveLength(1);
    expect(calls[0]).toEqual(calls[1]);
    expect(JSON.stringify(one.messages)).not.toContain("hunter2");
    expect(faults).toEqual(name === "breaks" ? Array(2).fill("the password is hunter2") : []);
  });

  it("a call without arguments, under an id of text", async () => {
    const params = { name: "answers", _meta: { ...envelope } };
    const { direct, library } = headersOf(params, "tools/call");
    const body = rpc("tools/call", params, 'a"b');
    expect((await send(body, direct)).messages).toEqual((await send(body, library)).messages);
    expect(calls.map((call) => call.arguments)).toEqual([{}, {}]);
  });

  it("a call that tells its progress", async () => {
    const params = { name: "steps", arguments: {}, _meta: { ...envelope, progressToken: "p" } };
    const { direct, library } = headersOf(params, "tools/call");
    const [one, other] = [
      await send(rpc("tools/call", params), direct),
      await send(rpc("tools/call", params), library),
    ];
    expect(one.headers.get("content-type")).toContain("text/event-stream");
    expect(one.messages).toEqual(other.messages);
    expect(one.messages.map(({ method }) => method)).toEqual([
      "notifications/progress",
      "notifications/progress",
      undefined,
    ]);
  });

  it("the list", async () => {
    const params = { _meta: { ...envelope } };
    const { direct, library } = headersOf(params as { name?: string }, "tools/list");
    const [one, other] = [
      await send(rpc("tools/list", params), direct),
      await send(rpc("tools/list", params), library),
    ];
    expect([isDirect(one), isDirect(other)]).toEqual([true, false]);
    expect(one.messages).toEqual(other.messages);
    expect(one.messages[0]).toMatchObject({ id: 7, result: { tools: served.tools } });
    const shown = await send(rpc("tools/list", params), direct, "/uneven");
    expect(isDirect(shown)).toBe(false);
    expect(shown.messages).toEqual((await send(rpc("tools/list", params), library, "/uneven")).messages);
  });
});

describe("what is not as its revision asks", () => {
  const call = { name: "answers", arguments: {} };
  const modern = {
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": "answers",
  };
  const claimed = { ...call, _meta: ENVELOPE };
  const cases: Record<string, [body: unknown, headers: Headers, status: number, code: number]> = {
    "a member too many": [{ ...rpc("tools/call", call), more: 1 }, {}, 400, -32600],
    "params that are no object": [{ ...rpc("tools/call"), params: 5 }, {}, 400, -32600],
    "an id that is no whole number": [rpc("tools/call", call, 1.5), {}, 400, -32600],
    "a name that is no text": [rpc("tools/call", { name: 5 }), {}, 200, -32602],
    "arguments that are a list": [rpc("tools/call", { name: "answers", arguments: [] }), {}, 200, -32602],
    "a cursor it never gave": [rpc("tools/list", { cursor: "x" }), {}, 200, -32602],
    "an envelope under an older header": [
      rpc("tools/call", claimed),
      { "mcp-protocol-version": "2025-11-25" },
      400,
      -32020,
    ],
    "a header without its envelope": [rpc("tools/call", call), modern, 400, -32602],
    "an envelope without its header": [
      rpc("tools/call", claimed),
      { "mcp-method": "tools/call", "mcp-name": "answers" },
      400,
      -32020,
    ],
    "another method in the header": [
      rpc("tools/call", claimed),
      { ...modern, "mcp-method": "tools/list" },
      400,
      -32020,
    ],
    "another name in the header": [rpc("tools/call", claimed), { ...modern, "mcp-name": "fails" }, 400, -32020],
    "an envelope that is not well-formed": [
      rpc("tools/call", { ...call, _meta: { ...ENVELOPE, "io.modelcontextprotocol/clientInfo": { name: 5 } } }),
      modern,
      400,
      -32602,
    ],
    "a revision that is not served": [
      rpc("tools/call", {
        ...call,
        _meta: { ...ENVELOPE, "io.modelcontextprotocol/protocolVersion": "2031-01-01" },
      }),
      { ...modern, "mcp-protocol-version": "2031-01-01" },
      400,
      -32022,
    ],
  };
  it.each(Object.entries(cases))("%s is refused and reaches no tool", async (_name, [body, headers, status, code]) => {
    const sent = await send(body, headers);
    expect([sent.status, (sent.messages[0]?.error as { code?: unknown } | undefined)?.code]).toEqual([status, code]);
    expect(calls).toEqual([]);
  });

  it("another method than calls and lists is the library's", async () => {
    expect((await send(rpc("ping"), {})).messages).toMatchObject([{ id: 7, result: {} }]);
    expect((await send({ jsonrpc: "2.0", method: "notifications/initialized" }, {})).status).toBe(202);
  });
});

describe("prompts, resources and completions", () => {
  const asked = async (method: string, params: object, path = "/full") => {
    const { messages } = await send(rpc(method, params), { "mcp-protocol-version": "2025-11-25" }, path);
    return messages[0] as {
      result?: Record<string, unknown>;
      error?: { code: number; message: string; data?: object };
    };
  };

  it("are lists of one page, and what is asked of them", async () => {
    expect((await asked("prompts/list", {})).result).toMatchObject({ prompts: [{ name: "says" }] });
    expect((await asked("prompts/get", { name: "says" })).result).toHaveProperty("messages");
    expect((await asked("resources/list", {})).result).toMatchObject({ resources: [{ uri: "test://a" }] });
    expect((await asked("resources/templates/list", {})).result).toMatchObject({ resourceTemplates: [{ name: "x" }] });
    expect((await asked("resources/read", { uri: "test://a" })).result).toHaveProperty("contents");
    for (const method of ["prompts/list", "resources/list", "resources/templates/list"])
      expect((await asked(method, { cursor: "x" })).error?.code).toBe(-32602);
    const ref = { type: "ref/prompt", name: "says" };
    const complete = (value: string) => asked("completion/complete", { ref, argument: { name: "a", value } });
    const { completion } = (await complete("v")).result as { completion: { values: string[]; total: number } };
    expect(completion).toMatchObject({ total: 150, hasMore: true });
    expect(completion.values).toHaveLength(100);
    expect((await complete("x")).error?.code).toBe(-32602);
  });

  it.each([
    ["prompts/get", (what: string) => ({ name: what })],
    ["resources/read", (what: string) => ({ uri: `test://${what.replaceAll(" ", "-")}` })],
  ])("%s says what it refuses, and of a fault nothing but that", async (method, params) => {
    expect((await asked(method, params("is not there"))).error?.code).toBe(-32602);
    expect((await asked(method, params("refuses"))).error).toEqual({
      code: -32600,
      message: "Not now.",
      data: { error: "conflict" },
    });
    const broken = await asked(method, params("breaks"));
    expect(broken.error).toEqual({ code: -32603, message: "Internal error" });
    expect(faults).toEqual(["the password is hunter2"]);
  });

  it("are offered only where they are given", async () => {
    const hello = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } };
    const offers = async (path: string) => (await asked("initialize", hello, path)).result?.capabilities;
    expect(await offers("/full")).toEqual({ tools: {}, prompts: {}, resources: {}, completions: {} });
    expect(await offers("/even")).toEqual({ tools: {} });
    for (const method of ["prompts/list", "resources/list"])
      expect((await asked(method, {}, "/even")).error?.code).toBe(-32601);
  });
});

describe("a call that takes long", () => {
  it("becomes a stream that is kept alive, and ends in its answer", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const text = new Promise<string>((resolve, reject) => {
        const headers = { "content-type": "application/json", accept: BOTH };
        const asked = request(`${url}/even`, { method: "POST", headers }, (res) => {
          let all = "";
          res.on("data", (chunk) => {
            all += chunk;
          });
          res.on("end", () => resolve(all));
        });
        asked.on("error", reject);
        asked.end(JSON.stringify(rpc("tools/call", { name: "waits" })));
      });
      await vi.waitUntil(() => calls.length === 1, { interval: 1, timeout: HANGS_MS });
      await vi.advanceTimersByTimeAsync(41_000);
      const lines = (await text).split("\n");
      expect(lines.filter((line) => line === ": still at work")).toHaveLength(2);
      expect(JSON.parse(lines.find((line) => line.startsWith("data: "))?.slice(6) ?? "")).toMatchObject({ id: 7 });
    } finally {
      vi.useRealTimers();
    }
  });
});
