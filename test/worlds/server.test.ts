import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Transport1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import express from "express";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { jsonBody } from "../../src/http/request-body.ts";
import { mcpEndpoint } from "../../src/mcp/mcp-endpoint.ts";
import type { Bundle, ToolDefinition } from "../../worlds/bundle.ts";
import type { JsonObject } from "../../worlds/json.ts";
import { type WorldTools, worldTools } from "../../worlds/server.ts";
import { createWorld } from "../../worlds/world.ts";
import { shop, shopRows } from "./fixtures/shop.ts";

const structured: ToolDefinition[] = [
  {
    name: "boxed",
    description: "A number in a box.",
    inputSchema: {},
    outputSchema: { type: "object", properties: { result: { type: "number" } }, required: ["result"] },
    annotations: { readOnlyHint: true, title: "Boxed" },
  },
];
const bundle: Bundle = {
  ...shop,
  tools: [...shop.tools, ...structured],
  behaviours: {
    ...shop.behaviours,
    boxed: {
      ...(shop.behaviours.get_order as NonNullable<Bundle["behaviours"][string]>),
      behaviour: { v: 1, steps: [{ op: "answer", expr: "41 + 1" }] },
    },
  },
};

const served = (): WorldTools => {
  const world = createWorld(bundle, shopRows, { seed: "w" });
  const call = async (tool: string, args: Record<string, unknown>) => world.call(tool, args as JsonObject);
  return worldTools({ name: bundle.name, tools: world.tools, call });
};

const worlds: Record<string, WorldTools> = { "/a": served(), "/b": served() };
const endpoint = mcpEndpoint();
let http: Server;
let url: string;

beforeAll(async () => {
  const app = express();
  app.all("/:world", async (req, res) => {
    const body = req.method === "POST" ? await jsonBody(req, 1e6) : undefined;
    await endpoint(req, res, worlds[req.path] as WorldTools, body);
  });
  http = createServer(app);
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await new Promise((resolve) => http.close(resolve));
});

interface Connected {
  listTools(): Promise<{ tools: unknown[] }>;
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  close(): Promise<void>;
}

const clients: Record<string, (path: string) => Promise<Connected>> = {
  "the 1.x client": async (path) => {
    const client = new Client1({ name: "t", version: "1" });
    await client.connect(new Transport1(new URL(url + path)) as Parameters<typeof client.connect>[0]);
    return client as Connected;
  },
  "the 2.x client, 2025 protocol": async (path) => {
    const client = new Client2({ name: "t", version: "1" }, { versionNegotiation: { mode: "legacy" } });
    await client.connect(new Transport2(new URL(url + path)));
    return client as Connected;
  },
  "the 2.x client, 2026 protocol": async (path) => {
    const client = new Client2({ name: "t", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
    await client.connect(new Transport2(new URL(url + path)));
    return client as Connected;
  },
};

for (const [name, connect] of Object.entries(clients))
  describe(name, () => {
    it("sees the manifest, calls, and meets each kind of refusal", async () => {
      const client = await connect("/a");
      const { tools } = await client.listTools();
      expect(tools).toEqual([...shop.tools, { ...structured[0], inputSchema: { type: "object" } }]);
      const order = Object.keys(shopRows.tables.orders ?? {})[0] as string;
      const read = (await client.callTool({ name: "get_order", arguments: { order_id: order } })) as {
        content: { text: string }[];
      };
      expect(JSON.parse(read.content[0]?.text as string)).toEqual(shopRows.tables.orders?.[order]);
      expect(await client.callTool({ name: "get_order", arguments: { order_id: "#W0" } })).toMatchObject({
        isError: true,
        content: [{ type: "text", text: "Error: order not found" }],
      });
      expect(await client.callTool({ name: "get_order", arguments: {} })).toMatchObject({ isError: true });
      expect(await client.callTool({ name: "boxed", arguments: {} })).toMatchObject({
        structuredContent: { result: 42 },
        content: [{ type: "text", text: "42" }],
      });
      await expect(client.callTool({ name: "nope", arguments: {} })).rejects.toMatchObject({ code: -32602 });
      await client.close();
    });
  });

describe("an endpoint", () => {
  it("keeps worlds apart, and a world's state between clients and protocols", async () => {
    const [one, two, other] = await Promise.all([
      clients["the 1.x client"]?.("/a"),
      clients["the 2.x client, 2026 protocol"]?.("/a"),
      clients["the 1.x client"]?.("/b"),
    ]);
    const customer = Object.keys(shopRows.tables.customers ?? {})[0] as string;
    await one?.callTool({ name: "update_email", arguments: { customer_id: customer, email: "new@x.org" } });
    const get = { name: "get_customer", arguments: { customer_id: customer } };
    expect(JSON.stringify(await two?.callTool(get))).toContain("new@x.org");
    expect(JSON.stringify(await other?.callTool(get))).not.toContain("new@x.org");
    await Promise.all([one?.close(), two?.close(), other?.close()]);
  });

  it("refuses a cursor it never gave, and methods it does not have", async () => {
    const rpc = async (method: string, params: object) => {
      const answer = await fetch(`${url}/a`, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      });
      const text = await answer.text();
      return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) as {
        result?: { tools: unknown[] };
        error?: { code: number };
      };
    };
    expect((await rpc("tools/list", {})).result?.tools).toHaveLength(bundle.tools.length);
    expect((await rpc("tools/list", { cursor: "x" })).error?.code).toBe(-32602);
    expect((await rpc("no/such", {})).error?.code).toBe(-32601);
  });
});
