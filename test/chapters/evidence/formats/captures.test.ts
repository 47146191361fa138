import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { read } from "./kit.ts";

const SECRET = "planted-credential-7";
const KEY = `ghp_${"a1B2".repeat(9)}`;
const entry = (over: { request?: object; response?: object; [name: string]: unknown } = {}) => ({
  startedDateTime: "2026-01-02T03:04:05.5Z",
  time: 12.5,
  ...over,
  request: { method: "get", url: "https://shop.example/api/orders/7?expand=1", headers: [], ...over.request },
  response: {
    status: 200,
    headers: [{ name: "Content-Type", value: "application/json; charset=utf-8" }],
    content: { mimeType: "application/json", text: '{"id":7}' },
    ...over.response,
  },
});
const har = (...entries: unknown[]) => ({ log: { version: "1.2", creator: { name: "t" }, entries } });

describe("HTTP archives", () => {
  it("are read without the files that pages are made of", async () => {
    const { format, exchanges, losses, refused } = await read(
      har(
        entry(),
        entry({ _resourceType: "script" }),
        entry({ response: { content: { mimeType: "image/png", encoding: "base64", text: "AAAA" } } }),
        entry({ response: { status: 0 } }),
        entry({ request: { url: "data:text/plain,x" } }),
        entry({ response: { content: { mimeType: "text/html", text: "<p>x</p>" } } }),
        { startedDateTime: "x" },
      ),
    );
    expect(format).toBe("har");
    expect(exchanges).toEqual([
      {
        place: 1,
        method: "GET",
        url: "https://shop.example/api/orders/7?expand=1",
        status: 200,
        started_at: Date.parse("2026-01-02T03:04:05.5Z") / 1000,
        ms: 12.5,
        request: { headers: {} },
        response: {
          headers: { "content-type": "application/json; charset=utf-8" },
          type: "application/json",
          body: { id: 7 },
        },
      },
      expect.objectContaining({ place: 6, response: expect.not.objectContaining({ body: expect.anything() }) }),
    ]);
    expect([losses, refused]).toEqual([
      { static_resource: 2, exchange_without_response: 1, other_scheme: 1, page_body: 1 },
      [{ line: 7, reason: "an entry without a request" }],
    ]);
  });

  it("lose every credential: of headers, addresses, forms and JSON, each counted", async () => {
    const header = (name: string) => ({ name, value: SECRET });
    const { exchanges, stripped, refused } = await read(
      har(
        entry({
          request: {
            method: "POST",
            url: `https://ann:${SECRET}@shop.example/login?api_key=${SECRET}&page=2`,
            headers: [
              header("Authorization"),
              header("Cookie"),
              header("X-Shop-Token"),
              { name: "Accept", value: "*/*" },
            ],
            cookies: [{ name: "sid", value: SECRET }],
            postData: { mimeType: "application/x-www-form-urlencoded", text: `user=ann&password=${SECRET}` },
          },
          response: {
            headers: [header("Set-Cookie")],
            content: { mimeType: "application/json", text: JSON.stringify({ access_token: SECRET, user: { id: 7 } }) },
          },
        }),
      ),
    );
    expect(JSON.stringify(exchanges)).not.toContain(SECRET);
    expect(stripped).toBe(8);
    expect(refused).toEqual([]);
    expect(exchanges[0]).toMatchObject({
      url: "https://shop.example/login?api_key=&page=2",
      request: { headers: { accept: "*/*" }, body: { user: "ann", password: "" } },
      response: { body: { access_token: "", user: { id: 7 } } },
    });
  });

  it("refuse the exchange that holds a secret elsewhere, and no other", async () => {
    const bad = entry({ response: { content: { mimeType: "application/json", text: `{"note":"${KEY}"}` } } });
    const { exchanges, refused } = await read(har(entry(), bad));
    expect([exchanges.length, refused]).toEqual([1, [{ line: 2, reason: "holds a secret (github)" }]]);
    expect((await read(har(entry(), bad), { allowSecrets: true })).exchanges).toHaveLength(2);
  });

  it("keep no identifying value when they are anonymized, and none at all as shapes", async () => {
    const mail = "ann.smith@shop.example";
    const body = har(
      entry({
        request: {
          url: `https://shop.example/users/${mail}/orders/W4431?email=${mail}`,
          headers: [{ name: "X-Forwarded-For", value: "10.1.2.3" }],
        },
        response: {
          content: {
            mimeType: "application/json",
            text: JSON.stringify({ email: mail, name: "Ann Smith", total: 31.7 }),
          },
        },
      }),
    );
    const key = "ab".repeat(32);
    const anonymized = await read(body, { privacy: { access: "anonymized", key } });
    expect(JSON.stringify(anonymized.exchanges)).not.toMatch(/ann\.smith|Ann Smith|10\.1\.2\.3/);
    const url = new URL(anonymized.exchanges[0]?.url ?? "");
    expect(url.pathname).toMatch(/^\/users\/[^/]+\/orders\/[^/]+$/);
    const body_ = anonymized.exchanges[0]?.response.body as { email: string; total: number };
    expect([url.searchParams.get("email"), body_.total]).toEqual([body_.email, 31.7]);
    const shapes = await read(body, { privacy: { access: "shapes", key } });
    expect(JSON.stringify(shapes.exchanges)).not.toMatch(/ann|smith|W4431|31\.7|shop\.example/i);
    expect(shapes.exchanges[0]).toMatchObject({
      method: "GET",
      status: 200,
      response: { body: { email: "<email>", total: 0 } },
    });
  });
});

describe("recorded exchanges", () => {
  it("are read from a YAML cassette, compressed bodies and all", async () => {
    const packed = gzipSync('{"id":7}').toString("base64");
    const cassette = `interactions:
- request:
    body: '{"name":"a"}'
    headers:
      authorization: [Bearer ${SECRET}]
      accept: ['*/*']
    method: POST
    uri: https://shop.example/api/orders
  response:
    body:
      string: !!binary |
        ${packed}
    headers:
      Content-Type: [application/json]
      Content-Encoding: [gzip]
    status: {code: 201, message: Created}
version: 1
`;
    const { format, exchanges, stripped } = await read(cassette);
    expect([format, stripped]).toEqual(["http-exchanges", 1]);
    expect(exchanges).toMatchObject([
      {
        method: "POST",
        url: "https://shop.example/api/orders",
        status: 201,
        request: { body: { name: "a" } },
        response: { body: { id: 7 } },
      },
    ]);
  });

  it("are read from JSON of other recorders", async () => {
    const pair = {
      request: { method: "GET", url: "https://a.example/x" },
      response: { status: { code: 404 }, body: "gone" },
    };
    const scope = {
      scope: "https://a.example:443",
      method: "GET",
      path: "/y",
      status: 200,
      response: ["7b7d"],
      rawHeaders: ["Content-Encoding", "identity"],
    };
    const one = await read(pair);
    expect(one.exchanges).toMatchObject([{ status: 404, response: { body: "gone" } }]);
    const two = await read([scope]);
    expect(two.exchanges).toMatchObject([
      { url: "https://a.example:443/y".replace(":443", ""), status: 200, response: { body: {} } },
    ]);
  });

  it("of a model's API are traces", async () => {
    const tool = (id: string) => ({ id, type: "function", function: { name: "get", arguments: '{"id":1}' } });
    const chat = {
      request: {
        method: "POST",
        uri: "https://api.example/v1/chat/completions",
        body: JSON.stringify({ model: "m-1", messages: [{ role: "user", content: "hi" }] }),
      },
      response: {
        status: { code: 200 },
        body: {
          string: JSON.stringify({
            choices: [{ message: { role: "assistant", content: null, tool_calls: [tool("a")] } }],
          }),
        },
      },
    };
    const { format, traces } = await read([chat]);
    expect([format, traces[0]?.request, traces[0]?.labels.model]).toEqual(["openai-chat", "hi", "m-1"]);
    expect(traces[0]?.calls).toMatchObject([{ tool: "get", args: { id: 1 }, answer_class: "pending" }]);
    const messages = {
      request: {
        uri: "https://api.example/v1/messages",
        body: JSON.stringify({
          max_tokens: 5,
          system: "Be kind.",
          messages: [{ role: "user", content: "hi" }],
          tools: [{ name: "get", input_schema: { type: "object" } }],
        }),
      },
      response: {
        body: {
          string: JSON.stringify({
            type: "message",
            role: "assistant",
            content: [{ type: "tool_use", id: "t", name: "get", input: { id: 1 } }],
          }),
        },
      },
    };
    const anthropic = await read([messages]);
    expect([anthropic.format, anthropic.traces[0]?.calls[0]?.tool]).toEqual(["anthropic-messages", "get"]);
  });

  it("that are broken are refused in words", async () => {
    await expect(read("interactions:\n- request: {body: 'x\n")).rejects.toThrow("The recording is not valid YAML.");
    const { refused, exchanges } = await read([
      { request: { url: "https://a.example/" }, response: {} },
      { request: { url: "https://a.example/" }, response: { status: 204 } },
    ]);
    expect([exchanges.length, refused]).toEqual([1, [{ line: 1, reason: "a record without an address or a status" }]]);
  });
});
