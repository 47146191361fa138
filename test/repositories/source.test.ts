import { expect, it } from "vitest";
import { read, routes, tools } from "./read-source.ts";

it("reads tools that a TypeScript server registers, through names, imports and zod", async () => {
  const reading = await read({
    "src/schemas.ts": `import { z } from "zod";
export const OrderId = z.string().min(3).describe("An order's id");
export const shapes = { find: { id: OrderId, limit: z.number().int().max(50).optional() } };`,
    "src/index.ts": `import { z } from "zod";
import { shapes, OrderId } from "./schemas.js";
const PREFIX = "shop";
server.tool("get_order", "Reads an order", shapes.find, async ({ id }) => ({}));
server.registerTool(\`\${PREFIX}_cancel\`, {
  title: "Cancel", description: "Cancels " + "an order",
  inputSchema: { id: OrderId, why: z.enum(["late", "wrong"]).default("late"), tags: z.array(z.string()) },
  annotations: { destructiveHint: true },
}, async () => ({}));
server.tool("ping", async () => ({}));
const name = process.argv[2];
server.tool(name, "dynamic: not read", async () => ({}));`,
    "src/list.ts": `import { zodToJsonSchema } from "zod-to-json-schema";
const Args = z.object({ q: z.string(), page: z.number().nullish() });
server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: [
  { name: "search", description: "Finds", inputSchema: zodToJsonSchema(Args) },
  { name: "plain", inputSchema: { type: "object", properties: { a: { type: "string" } }, required: ["a"] } },
] }));`,
    "src/index.test.ts": `server.tool("only_in_tests", "x", async () => ({}));`,
    "node_modules/x/index.js": `server.tool("foreign", "x", async () => ({}));`,
  });
  expect(tools(reading)).toEqual({
    get_order: {
      description: "Reads an order",
      inputSchema: {
        type: "object",
        properties: {
          id: { type: "string", minLength: 3, description: "An order's id" },
          limit: { type: "integer", maximum: 50 },
        },
        required: ["id"],
      },
    },
    shop_cancel: {
      title: "Cancel",
      description: "Cancels an order",
      inputSchema: {
        type: "object",
        properties: {
          id: { type: "string", minLength: 3, description: "An order's id" },
          why: { type: "string", enum: ["late", "wrong"], default: "late" },
          tags: { type: "array", items: { type: "string" } },
        },
        required: ["id", "tags"],
      },
      annotations: { destructiveHint: true },
    },
    ping: { inputSchema: { type: "object", properties: {} } },
    search: {
      description: "Finds",
      inputSchema: {
        type: "object",
        properties: { q: { type: "string" }, page: { type: "number" } },
        required: ["q"],
      },
    },
    plain: { inputSchema: { type: "object", properties: { a: { type: "string" } }, required: ["a"] } },
  });
  expect(reading.tools.find(({ tool }) => tool.name === "plain")).toMatchObject({ file: "src/list.ts", line: 5 });
});

it("reads what TypeScript client code asks and takes of its answers", async () => {
  const reading = await read({
    "src/client.ts": `const BASE = process.env.SHOP_API_URL ?? "https://api.shop.example/v1";
export async function request<T>(path: string, init: RequestInit = {}): Promise<T> {
  const res = await fetch(\`\${BASE}\${path}\`, { headers: { authorization: process.env.SHOP_TOKEN! }, ...init });
  if (!res.ok) throw new Error(res.statusText);
  return (await res.json()) as T;
}`,
    "src/orders.ts": `import { request } from "./client.js";
import { format } from "./format.js";
export async function getOrder(id: string) {
  const order = await request<any>(\`/orders/\${encodeURIComponent(id)}?expand=1\`);
  if (order.status === "shipped" || ["open", "late"].includes(order.status)) return order.customer.name;
  const { total, lines: [first] } = order;
  switch (order.kind) { case "gift": return first.sku; }
  return order.lines.map((line) => line.price);
}
export const all = async () => format(await request("/orders"));
export async function remove(id) { const r = await fetch(BASE_OF(id) + "/orders/" + id, { method: "DELETE" }); return r.text(); }`,
    "src/format.ts": `export function format(list) { return list.filter((o) => o.open).map(({ id }) => id); }`,
    "src/app.ts": `const axios = require("axios"); app.get("/health", (req, res) => res.json({ ok: true }));
server.tool("find", "d", {}, async () => { const { data } = await axios.get("https://api.shop.example/v1/find", { params: {} }); return { content: [{ type: "text", text: JSON.stringify(data) }] }; });`,
  });
  expect(routes(reading)).toEqual([
    { route: "DELETE /orders/{}", function: "remove", forms: ["text"], keys: [], unkeyed: [], codes: {} },
    {
      route: "GET /orders",
      function: "all",
      forms: ["keyed", "whole"],
      keys: ["[].id", "[].open"],
      unkeyed: ["format"],
      codes: {},
      base_env: "SHOP_API_URL",
    },
    {
      route: "GET /orders/{}",
      function: "getOrder",
      forms: ["keyed"],
      keys: ["customer.name", "kind", "lines[].price", "lines[].sku", "status", "total"],
      unkeyed: [],
      codes: { kind: ["gift"], status: ["late", "open", "shipped"] },
      base_env: "SHOP_API_URL",
    },
    { route: "GET /v1/find", function: "find", forms: ["whole"], keys: [], unkeyed: ["stringify"], codes: {} },
  ]);
  expect(reading.env).toEqual(["SHOP_API_URL", "SHOP_TOKEN"]);
});

// Finding B9, with its Python half in source-python.test.ts.
it("reads the method that a wrapper is given, and counts requests whose route only a run would tell", async () => {
  const reading = await read({
    "src/api.ts": `const BASE = process.env.API_URL;
async function api(method: string, path: string, body?: unknown) {
  const res = await fetch(\`\${BASE}\${path}\`, { method, body: JSON.stringify(body) });
  return res.json();
}
const send = async (path: string, init: RequestInit = {}) => {
  const res = await fetch(BASE + path, { headers: {}, ...init });
  return res.json();
};
async function kept(verb: string) {
  return fetch(\`\${BASE}/v1/kept\`, { method: verb });
}
export const rename = async (id: string) => (await api("PATCH", \`/v1/items/\${id}\`, { name: "x" })).name;
export const create = async () => (await api("post", "/v1/items", {})).id;
export const list = async () => (await api("GET", "/v1/items")).length;
export const drop = async (id: string) => send(\`/v1/orders/\${id}\`, { method: "DELETE" });
export const one = async (id: string) => (await send(\`/v1/orders/\${id}\`)).total;
export const made = async () => fetch(new Request(BASE + "/v1/made", { method: "PUT" }));`,
  });
  expect(reading.routes.map(({ route }) => route)).toEqual([
    "DELETE /v1/orders/{}",
    "GET /v1/items",
    "GET /v1/orders/{}",
    "PATCH /v1/items/{}",
    "POST /v1/items",
    "PUT /v1/made",
  ]);
  expect(reading.routes.find(({ route }) => route.startsWith("PATCH"))).toMatchObject({
    function: "rename",
    keys: ["name"],
    base_env: "API_URL",
  });
  expect(reading.unread_asks).toBe(1);
});

it("ends on code that calls itself, names itself or nests without end", async () => {
  const reading = await read({
    "a.ts": `const a = b; const b = a; const S = z.object({ self: S });
function f(x) { return f(f(x)); }
server.tool(a, "d", S, () => f(1)); server.tool("t", "d", S, () => f(2));`,
    "deep.py": `x = ${"(".repeat(5_000)}1${")".repeat(5_000)}\n`,
    "deep.ts": `export const x = ${"[".repeat(3_000)}1${"]".repeat(3_000)};`,
  });
  expect(reading.tools.map(({ tool }) => tool.name)).toEqual(["t"]);
  expect(reading.unread).toContain("deep.py");
});
