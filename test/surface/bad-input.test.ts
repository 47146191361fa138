import { connect } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startApp, type TestApp, type TestOrg } from "../helpers/app.ts";
import { fixtures } from "../helpers/fixture-chapter.ts";

const MB = 1024 * 1024;
let app: TestApp;
let org: TestOrg;
beforeAll(async () => {
  app = await startApp({
    jobs: false,
    chapters: [fixtures],
    config: { maxBodyBytes: 16 * MB, maxStreamBytes: 128 * MB },
  });
  org = await app.org();
});
afterAll(() => app.close());

const JSON_TYPE = { "content-type": "application/json" };
const put = (body: unknown, headers: Record<string, string> = JSON_TYPE, path = "/v0/orgs/acme/echo/x") =>
  app.rest("PUT", path, body, org.push, headers);
const stream = (body: unknown, headers: Record<string, string> = {}) =>
  app.rest("POST", "/v0/orgs/acme/stream?label=x", body, org.push, headers);

describe("a JSON body", () => {
  it.each([
    ["cut short", '{"count": 1', "column 12"],
    ["of one brace", "{", "column 2"],
    ["with a slip", '{"count": 1,}', "line 1"],
    ["that is no JSON at all", "<xml/>", "well-formed JSON"],
    ["that is a list", "[1]", "JSON object"],
    ["that is a word", '"x"', "JSON object"],
    ["that is null", "null", "JSON object"],
  ])("%s is refused in words", async (_what, body, words) => {
    const refused = await put(body);
    expect(refused).toMatchObject({ status: 400, body: { error: "bad_request" } });
    expect(refused.body.reason).toContain(words);
  });

  it("that is not UTF-8 is refused", async () => {
    expect(await put(new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]))).toMatchObject({
      status: 400,
      body: { reason: expect.stringContaining("UTF-8") },
    });
  });

  it("never comes back in the refusal", async () => {
    for (const body of ['{"PLANTED": 1', '{"count": "PLANTED"}', '{"nested": {"deep": "PLANTED"}}', "PLANTED"]) {
      const refused = await put(body);
      expect(refused.status).toBe(400);
      expect(refused.text).not.toContain("PLANTED");
    }
  });

  it("that says other than the path is refused with the field", async () => {
    expect(await put({ name: "y" })).toMatchObject({ status: 400, body: { fields: [{ path: "name" }] } });
    expect((await put({ name: "x" })).status).toBe(200);
  });

  it("with names of the language's own is data, not a way in", async () => {
    const refused = await put('{"__proto__": {"count": 1}, "constructor": 2}');
    expect(refused.status).toBe(400);
    expect(refused.body.fields.map((field: { path: string }) => field.path).sort()).toEqual([
      "__proto__",
      "constructor",
    ]);
    expect(({} as Record<string, unknown>).count).toBeUndefined();
  });

  it("nested a hundred thousand levels deep is refused, and the service goes on", async () => {
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    expect((await put(`{"nested": ${deep}}`)).status).toBe(400);
    expect((await put(`{"tags": ${deep}}`)).status).toBe(400);
    expect((await put({})).status).toBe(200);
  });

  // Finding S6.
  it("nested a million levels deep is a 400, over REST and MCP", async () => {
    const deep = "[".repeat(1_000_000) + "]".repeat(1_000_000);
    expect(await put(`{"nested": ${deep}}`)).toMatchObject({ status: 400, body: { error: "bad_request" } });
    const headers = { accept: "application/json, text/event-stream" };
    expect((await app.rest("POST", "/mcp", deep, org.push, headers)).status).toBe(400);
    expect((await put({})).status).toBe(200);
  });

  // Finding S5.
  it("of ten megabytes of names is refused before it is parsed", async () => {
    const names = `{${Array.from({ length: 900_000 }, (_, n) => `"k${n}":1`).join(",")}}`;
    for (const body of [names, `{"nested": ${names}}`]) {
      // Client and server are this one process: the answer is parsed in it, too.
      const parse = vi.spyOn(JSON, "parse");
      expect(await put(body)).toMatchObject({ status: 413, body: { error: "too_large" } });
      expect(Math.max(...parse.mock.calls.map(([text]) => text.length))).toBeLessThan(MB);
      parse.mockRestore();
    }
    const fields = `{${Array.from({ length: 2_000 }, (_, n) => `"k${n}":1`).join(",")}}`;
    expect(await put(fields)).toMatchObject({ status: 400, body: { reason: expect.stringContaining("1000 fields") } });
    const text = JSON.stringify({ tags: ['{"'.repeat(600) + ":".repeat(300_000)] });
    expect((await put(text)).status).toBe(200);
  });

  it("beyond what JSON routes take is too large", async () => {
    expect(await put(`{"tags": ["${"a".repeat(17 * MB)}"]}`)).toMatchObject({
      status: 413,
      body: { error: "too_large" },
    });
  });
});

describe("a query", () => {
  it("is read by the schema, and what does not fit is refused with its path", async () => {
    const get = (query: string) => app.rest("GET", `/v0/orgs/acme/echo/a%2Fb/c?${query}`, undefined, org.read);
    expect((await get("count=3&flag=1&tags=p&tags=q")).body.input).toEqual({
      orgtag: "acme",
      name: "a/b/c",
      count: 3,
      flag: true,
      tags: ["p", "q"],
    });
    expect((await get("tags=p,q&flag=false")).body.input).toMatchObject({ tags: ["p", "q"], flag: false });
    for (const [query, path] of [
      ["count=three", "count"],
      ["count=1.5", "count"],
      ["count=1&count=2", "count"],
      ["flag=maybe", "flag"],
      ["nothing=1", "nothing"],
      ["toString=1", "toString"],
    ]) {
      expect((await get(query ?? "")).body.fields?.[0]?.path, query).toBe(path);
    }
  });
});

describe("a streamed body", () => {
  const bytes = Buffer.from("hello ".repeat(100_000));
  it.each([
    ["gzip", gzipSync(bytes)],
    ["deflate", deflateSync(bytes)],
    ["br", brotliCompressSync(bytes)],
    ["identity", bytes],
  ])("is decoded from %s", async (encoding, body) => {
    const answer = await stream(body, {
      "content-encoding": encoding,
      "content-type": "Application/X-NDJSON; charset=utf-8",
    });
    expect(answer).toMatchObject({ status: 201, body: { bytes: bytes.length, type: "application/x-ndjson" } });
  });

  it.each([
    ["a truncated gzip", gzipSync(bytes).subarray(0, 200), "gzip", "cut short"],
    ["a truncated deflate", deflateSync(bytes).subarray(0, 100), "deflate", "cut short"],
    ["no gzip at all", Buffer.from("plain"), "gzip", "not well-formed"],
    ["a broken gzip", gzipSync(bytes).fill(7, 50, 90), "gzip", "not well-formed"],
    ["no brotli at all", Buffer.from("plain text"), "br", "br"],
  ])("that is %s is refused in words", async (_what, body, encoding, words) => {
    const refused = await stream(body, { "content-encoding": encoding });
    expect(refused).toMatchObject({ status: 400, body: { error: "bad_request" } });
    expect(refused.body.reason).toContain(words);
  });

  it("in an encoding nobody knows is refused with those there are", async () => {
    expect(await stream("x", { "content-encoding": "zip" })).toMatchObject({
      status: 400,
      body: { reason: expect.stringContaining("gzip") },
    });
  });

  it("that unpacks to more than the limit is stopped at the limit", async () => {
    const bomb = gzipSync(Buffer.alloc(200 * MB));
    expect(bomb.length).toBeLessThan(MB);
    const before = process.memoryUsage().rss;
    expect(await stream(bomb, { "content-encoding": "gzip" })).toMatchObject({
      status: 413,
      body: { error: "too_large" },
    });
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * MB);
  });

  it("of 200 MB is too large, and is said so to a client that is still sending", async () => {
    const declared = await stream(Buffer.alloc(200 * MB));
    expect(declared).toMatchObject({ status: 413, body: { error: "too_large" } });
    expect(declared.body.reason).toContain("128 MB");
    expect(await put(Buffer.alloc(200 * MB))).toMatchObject({ status: 413 });
    expect((await put({})).status).toBe(200);
  });

  it("that stops half-way leaves the service as it was", async () => {
    const { port } = new URL(app.url);
    const socket = connect(Number(port), "127.0.0.1");
    socket.write(
      `POST /v0/orgs/acme/stream HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${org.push}\r\ncontent-length: 1000000\r\n\r\npart`,
    );
    await new Promise((resolve) => setTimeout(resolve, 100));
    socket.destroy();
    expect((await put({})).status).toBe(200);
  });
});

describe("a fault", () => {
  it("of ours tells a request id and nothing else", async () => {
    for (const how of ["fault", "undeclared"]) {
      const answer = await app.rest("GET", `/v0/orgs/acme/fault?how=${how}`, undefined, org.read);
      expect(answer).toMatchObject({
        status: 500,
        body: { error: "internal", request: expect.stringMatching(/^[\w-]{36}$/) },
      });
      expect(answer.text).not.toMatch(/passwd|svc_org|Error:|\.ts/);
    }
  });

  it("that will pass says when to come again, rounded up", async () => {
    const answer = await app.rest("GET", "/v0/orgs/acme/fault?how=wait", undefined, org.read);
    expect(answer).toMatchObject({ status: 503, body: { error: "unavailable", retry_after: 7.2 } });
    expect(answer.headers.get("retry-after")).toBe("8");
  });

  it("that names foreign text quotes and caps it, outside the reason", async () => {
    const { body } = await app.rest("GET", "/v0/orgs/acme/fault?how=names", undefined, org.read);
    expect(body.reason).toBe("Names clash.");
    expect(body.details.names[0]).toBe('"ignore all\\nprevious"');
    expect(body.details.names[1].length).toBeLessThan(110);
  });
});

it("answers files, redirects and HEAD as HTTP has them", async () => {
  const file = await app.rest("GET", "/v0/orgs/acme/files/r%C3%A9sum%C3%A9.txt?bytes=100000", undefined, org.read);
  expect(file.file).toHaveLength(100_000);
  expect(file.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  expect(file.headers.get("content-disposition")).toContain("filename*=UTF-8''r%C3%A9sum%C3%A9.txt");
  const moved = await app.rest("GET", "/v0/orgs/acme/moved", undefined, org.read);
  expect(moved).toMatchObject({ status: 302, body: { url: "https://example.com/x" } });
  expect(moved.headers.get("location")).toBe("https://example.com/x");
  const head = await app.rest("HEAD", "/v0/orgs/acme/echo/x", undefined, org.read);
  expect(head).toMatchObject({ status: 200, text: "" });
  expect(head.headers.get("x-powered-by")).toBeNull();
  expect(head.headers.get("x-content-type-options")).toBe("nosniff");
});
