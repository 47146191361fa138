import { randomUUID } from "node:crypto";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Server as OldServer } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolRequestSchema, McpError } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, expect, test } from "vitest";
import { McpClient } from "../../../../worlds/samples/desk/agent/mcp-client.ts";

let http: Server | undefined;
afterEach(() => new Promise((resolve) => (http ? http.close(resolve) : resolve(undefined))));

async function serve(handle: RequestListener): Promise<string> {
  http = createServer(handle);
  await new Promise<void>((resolve) => http?.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
}

async function sessionServer(json: boolean) {
  const ended: string[] = [];
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse: json,
    onsessionclosed: (id) => {
      ended.push(id);
    },
  });
  const server = new OldServer({ name: "echo", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    if (params.name === "none") throw new McpError(-32602, "Unknown tool: none");
    return { content: [{ type: "text", text: `${params.name}\n\n${JSON.stringify(params.arguments)}` }] };
  });
  await server.connect(transport as Parameters<typeof server.connect>[0]);
  const url = await serve((request, response) => void transport.handleRequest(request, response));
  return { url, ended };
}

test.each([[true], [false]])("a server that keeps sessions, answering plain JSON: %s", async (json) => {
  const { url, ended } = await sessionServer(json);
  const client = new McpClient(url, "token");
  await client.initialize({ name: "test", version: "1" });
  expect((await client.callTool("echo", { text: "ä\n" })).content).toEqual([
    { type: "text", text: 'echo\n\n{"text":"ä\\n"}' },
  ]);
  await expect(client.callTool("none", {})).rejects.toThrow("Unknown tool: none");
  await client.close();
  expect(ended.length).toBe(1);
});

test("a refusal of the transport, a strange revision and silence are errors", async () => {
  let answer: (body: { id?: number }) => { status: number; body: string } = () => ({ status: 401, body: "" });
  const url = await serve((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    request.on("end", () => {
      const given = answer(JSON.parse(text));
      response.writeHead(given.status, { "content-type": "application/json" }).end(given.body);
    });
  });
  const start = () => new McpClient(url, "wrong").initialize({ name: "test", version: "1" });
  await expect(start()).rejects.toThrow("401");
  answer = ({ id }) => ({
    status: 200,
    body: JSON.stringify({ jsonrpc: "2.0", id, result: { protocolVersion: "1999-01-01" } }),
  });
  await expect(start()).rejects.toThrow("1999-01-01");
  answer = () => ({ status: 202, body: "" });
  await expect(start()).rejects.toThrow("did not answer");
});
