import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startApp, type TestApp, type TestMcp, type TestOrg } from "../helpers/app.ts";
import { fixtures, slowCalls } from "../helpers/fixture-chapter.ts";

let app: TestApp;
let org: TestOrg;
let mcp: TestMcp;
beforeAll(async () => {
  const { chapters } = await import("../../tools/index.ts");
  app = await startApp({ jobs: false, chapters: [fixtures, ...chapters] });
  org = await app.org();
  mcp = await app.mcp(org.push);
});
afterAll(() => app.close());

const rpc = (method: string, params: unknown, query = "", headers: Record<string, string> = {}) =>
  app.rest("POST", `/mcp${query}`, { jsonrpc: "2.0", id: 7, method, params }, org.push, {
    accept: "application/json, text/event-stream",
    ...headers,
  });
/** The last message of an answer, which may be JSON or a stream of events. */
const message = (text: string) =>
  JSON.parse(
    text.startsWith("{")
      ? text
      : (text
          .split("\n")
          .filter((line) => line.startsWith("data:"))
          .at(-1)
          ?.slice(5) ?? ""),
  );

/** What a tool answered as JSON text. */
// biome-ignore lint/suspicious/noExplicitAny: fields of many answers.
const inText = (result: any) => JSON.parse(result.content[0].text);

describe("the list", () => {
  it("is in the registry's order, whole on one page, and the same each time", async () => {
    const { tools, nextCursor } = await mcp.client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual(app.service.registry.operations.map(({ op }) => op.name));
    expect(nextCursor).toBeUndefined();
    expect((await mcp.client.listTools()).tools).toEqual(tools);
    const plain = tools.find((tool) => tool.name === "echo_get");
    expect(plain?.title).toBe("Echo a query");
    expect(plain?.annotations).toEqual({ readOnlyHint: true, openWorldHint: false });
    expect(tools.every((tool) => tool.outputSchema === undefined)).toBe(true);
  });

  it("is narrowed by chapters, shaped, scope and output schemas", async () => {
    const names = async (query: Record<string, string>) =>
      (await (await app.mcp(org.push, query)).list()).map((tool) => tool.name);
    expect(await names({ chapters: "fixtures" })).toEqual(fixtures.operations.map((op) => op.name));
    expect(await names({ chapters: "fixtures", shaped: "1" })).toEqual(["verdict_get"]);
    expect(await names({ chapters: "fixtures", scope: "read" })).not.toContain("echo_put");
    expect(await names({ chapters: "organization,fixtures" })).toEqual(
      app.service.registry.list({ chapters: ["organization", "fixtures"] }).map(({ op }) => op.name),
    );
    const withSchemas = await (await app.mcp(org.push, { chapters: "fixtures", output_schemas: "1" })).list();
    expect(withSchemas.find((tool) => tool.name === "echo_get")?.outputSchema).toMatchObject({
      required: ["status", "body"],
    });
    expect(withSchemas.find((tool) => tool.name === "file_get")?.outputSchema).toBeUndefined();
    expect(withSchemas.find((tool) => tool.name === "verdict_get")?.outputSchema).toMatchObject({ type: "object" });
  });

  it("of unknown chapters or scopes is a 400", async () => {
    const refused = await rpc("tools/list", {}, "?chapters=fixtures,nonsense");
    expect(refused).toMatchObject({ status: 400, body: { error: "bad_request", details: { names: ['"nonsense"'] } } });
    expect(refused.body.reason).toContain("fixtures");
    expect((await rpc("tools/list", {}, "?scope=root")).status).toBe(400);
  });

  it("takes no cursor but its own", async () => {
    expect(message((await rpc("tools/list", { cursor: "x" })).text).error.code).toBe(-32602);
  });
});

describe("a call", () => {
  it("of a plain tool answers the route's status and body as text, to a program as data too", async () => {
    const asked = { name: "echo_put", arguments: { name: "a/b", count: 2 } };
    const answer = { status: 200, body: { input: { name: "a/b", count: 2 } } };
    const result = await mcp.client.callTool(asked);
    expect(JSON.parse((result.content as { text: string }[])[0]?.text ?? "")).toEqual(answer);
    expect(result.structuredContent).toBeUndefined();
    const program = await app.mcp(org.push, { output_schemas: "1" });
    const whole = await program.client.callTool(asked);
    expect(whole.structuredContent).toEqual(answer);
    expect(JSON.parse((whole.content as { text: string }[])[0]?.text ?? "")).toEqual(answer);
  });

  it("of a shaped tool answers its verdict first, then each count with how it was made", async () => {
    const result = await mcp.client.callTool({ name: "verdict_get", arguments: { met: 1, of: 2 } });
    const text = (result.content as { text: string }[])[0]?.text.split("\n");
    expect(text?.slice(0, 3)).toEqual([
      "Some failed.",
      "met: 1 of 2 (deterministic: counted)",
      "Next: echo_get to see why",
    ]);
    expect(Object.keys(result.structuredContent as object)[0]).toBe("verdict");
    expect(JSON.parse(text?.at(-1) ?? "")).toEqual((result.structuredContent as { body: unknown }).body);
  });

  it("fits the output schema when the URL asked for it", async () => {
    const client = await app.mcp(org.push, { output_schemas: "1", chapters: "fixtures,organization" });
    await client.list();
    // The client itself checks the answer against the listed schema.
    expect((await client.call("echo_get", { name: "x" })).status).toBe(200);
    expect((await client.call("verdict_get", { met: 2, of: 2 })).verdict).toBe("All met.");
    expect((await client.call("whoami")).status).toBe(200);
    expect((await client.call("echo_get", {})).status).toBe(400);
  });

  it("with wrong arguments is a tool error that names the path, in text only", async () => {
    const result = await mcp.client.callTool({
      name: "echo_put",
      arguments: { name: "x", nested: { deep: { n: "1" } }, other: 1 },
    });
    expect(result.isError).toBe(true);
    expect(result.structuredContent).toBeUndefined();
    const body = JSON.parse((result.content as { text: string }[])[0]?.text ?? "");
    expect(body).toMatchObject({ error: "bad_request" });
    expect(body.fields.map((field: { path: string }) => field.path)).toEqual(["nested.deep.n", "other"]);
  });

  it("that the token may not make is refused with the route's 403", async () => {
    const reader = await app.mcp(org.read);
    const over = await app.rest("PUT", "/v0/orgs/acme/echo/x", {}, org.read);
    expect((await reader.call("echo_put", { name: "x" })).body).toEqual(over.body);
    expect((await mcp.call("echo_put", { name: "x", orgtag: "beta" })).status).toBe(403);
  });

  it("of an unknown tool, or of one outside the chapters, is -32602", async () => {
    await expect(mcp.client.callTool({ name: "nope" })).rejects.toMatchObject({ code: -32602 });
    const narrow = await app.mcp(org.push, { chapters: "organization" });
    await expect(narrow.client.callTool({ name: "echo_get", arguments: { name: "x" } })).rejects.toMatchObject({
      code: -32602,
    });
  });

  it("that meets a fault of ours tells a request id and nothing else", async () => {
    const { body } = await mcp.call("fault_get", { how: "fault" });
    expect(body).toEqual({ error: "internal", reason: expect.any(String), request: expect.any(String) });
    expect(JSON.stringify(body)).not.toContain("passwd");
  });

  it("answers a small file inside, and links to a large one that the same token can fetch", async () => {
    const small = await mcp.client.callTool({ name: "file_get", arguments: { name: "a.txt", bytes: 5 } });
    expect((small.content as unknown[])[1]).toMatchObject({
      type: "resource",
      resource: { text: "aaaaa", mimeType: "text/plain" },
    });
    const binary = await mcp.client.callTool({
      name: "file_get",
      arguments: { name: "a.zip", bytes: 3, type: "application/zip" },
    });
    expect((binary.content as unknown[])[1]).toMatchObject({
      resource: { blob: Buffer.from("aaa").toString("base64") },
    });
    const large = await mcp.client.callTool({ name: "file_get", arguments: { name: "b.txt", bytes: 300_000 } });
    const link = (large.content as { type: string; uri: string }[])[1];
    expect(link?.type).toBe("resource_link");
    const fetched = await fetch(link?.uri ?? "", { headers: { authorization: `Bearer ${org.push}` } });
    expect((await fetched.text()).length).toBe(300_000);
    expect((await fetch(link?.uri ?? "")).status).toBe(401);
  });

  it("reports progress to a client that asked for it", async () => {
    const seen: unknown[] = [];
    const result = await mcp.client.callTool({ name: "slow_start", arguments: { steps: 3, ms: 5 } }, undefined, {
      onprogress: (progress) => seen.push(progress),
    });
    expect(inText(result)).toMatchObject({ body: { steps: 3 } });
    expect(seen).toEqual([1, 2, 3].map((n) => ({ progress: n, total: 3, message: `step ${n}` })));
  });

  it("ends when a legacy client cancels it", async () => {
    const { begun, aborted } = { ...slowCalls };
    const abort = new AbortController();
    const call = mcp.client.callTool({ name: "slow_start", arguments: { steps: 1, ms: 60_000 } }, undefined, {
      signal: abort.signal,
    });
    await expect.poll(() => slowCalls.begun).toBe(begun + 1);
    abort.abort();
    await expect(call).rejects.toThrow();
    await expect.poll(() => slowCalls.aborted).toBe(aborted + 1);
  });

  it("that was cancelled still answers as the protocol has it", async () => {
    const { begun } = { ...slowCalls };
    const call = app.rest(
      "POST",
      "/mcp",
      {
        jsonrpc: "2.0",
        id: "only",
        method: "tools/call",
        params: { name: "slow_start", arguments: { steps: 1, ms: 60_000 } },
      },
      org.push,
      { accept: "application/json, text/event-stream" },
    );
    await expect.poll(() => slowCalls.begun).toBe(begun + 1);
    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "only" } };
    const noted = await app.rest("POST", "/mcp", cancel, org.push, { accept: "application/json, text/event-stream" });
    expect(noted.status).toBe(202);
    const answer = await call;
    expect(answer.status).toBe(200);
    expect(message(answer.text)).toMatchObject({ id: "only", result: { isError: true } });
    expect(message(answer.text).result.content[0].text).toContain("cancelled");
  });

  it("is not cancelled by another client of the same token that uses the same id", async () => {
    const { begun, aborted } = { ...slowCalls };
    const calls = [1, 2].map(() => rpc("tools/call", { name: "slow_start", arguments: { steps: 1, ms: 400 } }));
    await expect.poll(() => slowCalls.begun).toBe(begun + 2);
    await app.rest(
      "POST",
      "/mcp",
      { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } },
      org.push,
      {
        accept: "application/json, text/event-stream",
      },
    );
    for (const call of calls) expect(inText(message((await call).text).result).body).toEqual({ steps: 1 });
    expect(slowCalls.aborted).toBe(aborted);
  });

  // Finding S9.
  it("is not cancelled by another token that bears the same name", async () => {
    const { begun, aborted } = { ...slowCalls };
    const made = await Promise.all(
      ["read", "push"].map((scope) => app.rest("POST", "/v0/orgs/acme/tokens", { name: "twin", scope }, org.admin)),
    );
    const [reader, pusher] = made.map(({ body }) => body.token as string);
    const headers = { accept: "application/json, text/event-stream" };
    const params = { name: "slow_start", arguments: { steps: 1, ms: 400 } };
    const call = app.rest("POST", "/mcp", { jsonrpc: "2.0", id: 777, method: "tools/call", params }, pusher, headers);
    await expect.poll(() => slowCalls.begun).toBe(begun + 1);
    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 777 } };
    expect((await app.rest("POST", "/mcp", cancel, reader, headers)).status).toBe(202);
    expect(inText(message((await call).text).result).body).toEqual({ steps: 1 });
    expect(slowCalls.aborted).toBe(aborted);
  });

  it("ends when its connection does", async () => {
    const { begun, aborted } = { ...slowCalls };
    const abort = new AbortController();
    const gone = fetch(`${app.url}/mcp`, {
      method: "POST",
      signal: abort.signal,
      headers: {
        authorization: `Bearer ${org.push}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 99,
        method: "tools/call",
        params: { name: "slow_start", arguments: { steps: 1, ms: 60_000 } },
      }),
    }).then((res) => res.text());
    await expect.poll(() => slowCalls.begun).toBe(begun + 1);
    abort.abort();
    await expect(gone).rejects.toThrow();
    await expect.poll(() => slowCalls.aborted).toBe(aborted + 1);
  });
});

describe("the protocol", () => {
  it.each(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])("is spoken as of %s", async (protocolVersion) => {
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: "t", version: "1" } };
    const { result } = message((await rpc("initialize", params)).text);
    expect(result).toMatchObject({
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "proving-ground" },
    });
    expect(result.instructions.length).toBeLessThan(2048);
    expect(result.capabilities).not.toHaveProperty("logging");
    const headers = { "mcp-protocol-version": protocolVersion };
    expect(message((await rpc("tools/list", {}, "", headers)).text).result.tools.length).toBeGreaterThan(5);
  });

  it("is spoken as of 2026-07-28, without a handshake, with private cache hints", async () => {
    const client = new ModernClient(
      { name: "modern", version: "1" },
      { versionNegotiation: { mode: { pin: "2026-07-28" } } },
    );
    const transport = new ModernTransport(new URL(`${app.url}/mcp?chapters=fixtures`), {
      requestInit: { headers: { authorization: `Bearer ${org.push}` } },
    });
    await client.connect(transport);
    try {
      const listed = await client.listTools();
      expect(listed.tools).toHaveLength(fixtures.operations.length);
      expect(listed).toMatchObject({ cacheScope: "private" });
      const result = await client.callTool({ name: "echo_get", arguments: { name: "x" } });
      expect(inText(result)).toEqual({ status: 200, body: { input: { name: "x" } } });
      const refused = await client.callTool({ name: "echo_get", arguments: {} });
      expect(refused.isError).toBe(true);
      const seen: number[] = [];
      await client.callTool(
        { name: "slow_start", arguments: { steps: 2, ms: 5 } },
        { onprogress: ({ progress }) => seen.push(progress) },
      );
      expect(seen).toEqual([1, 2]);
    } finally {
      await client.close();
    }
  });

  it("refuses a body that is no JSON as JSON-RPC does", async () => {
    const broken = await app.rest("POST", "/mcp", '{"jsonrpc": "2.0"', org.push, {
      "content-type": "application/json",
    });
    expect(broken).toMatchObject({ status: 400, body: { jsonrpc: "2.0", id: null, error: { code: -32700 } } });
    const large = await app.rest("POST", "/mcp", `"${"x".repeat(17 * 1024 * 1024)}"`, org.push);
    expect(large).toMatchObject({ status: 413, body: { jsonrpc: "2.0" } });
  });

  it("has no session to open a stream on or to end", async () => {
    for (const method of ["GET", "DELETE"])
      expect((await app.rest(method, "/mcp", undefined, org.push)).status).toBe(405);
  });
});
