import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, it } from "vitest";
import type { SourceReading } from "../../chapters/repositories.ts";
import { readPython } from "../../src/repositories/source/python.ts";
import { sourceReading } from "../../src/repositories/source-tools.ts";

const made: string[] = [];
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

async function read(files: Readonly<Record<string, string>>): Promise<SourceReading> {
  const folder = mkdtempSync(join(tmpdir(), "source-"));
  made.push(folder);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return sourceReading(folder);
}

const tools = (reading: SourceReading) =>
  Object.fromEntries(reading.tools.map(({ tool: { name, ...rest } }) => [name, rest]));
const routes = (reading: SourceReading) => reading.routes.map(({ file: _file, line: _line, ...rest }) => rest);

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

it("reads tools that a Python server registers: docstrings, annotations, models and literal listings", async () => {
  const reading = await read({
    "shop/models.py": `from pydantic import BaseModel, Field
class Line[T: (int, str) = int](BaseModel):
    sku: str
    count: int = Field(1, ge=1, description="How many")
`,
    "shop/server.py": `from typing import Annotated, Literal, Optional
from mcp.server.fastmcp import FastMCP, Context
from .models import Line
mcp = FastMCP("shop")

@mcp.tool()
async def get_order(order_id: str, ctx: Context, expand: Optional[bool] = None) -> dict:
    """Reads an order.

    With its lines.
    """
    return {}

@mcp.tool(name="place", description="Places an order", annotations=ToolAnnotations(readOnlyHint=False))
def place_order[S: str](lines: list[Line], ship: Literal["air", "sea"] = "sea", note: Annotated[str, Field(description="For the box")] = "", n: int | None = None):
    match ship:
        case "air": return 1
        case {"a": [x, *_]} if x > 1: return 2
    return {k: v for k, v in {}.items() if (y := k) != "z"}
`,
    "shop/low.py": `@server.list_tools()
async def list_tools():
    return [types.Tool(name="low", description="Low " "level", inputSchema={"type": "object", "properties": {"x": {"type": "number"}}})]
`,
    "shop/broken.py": "def (:\n",
  });
  expect(tools(reading)).toMatchObject({
    get_order: {
      description: "Reads an order.\n\nWith its lines.",
      inputSchema: {
        properties: { order_id: { type: "string" }, expand: { anyOf: [{ type: "boolean" }, { type: "null" }] } },
        required: ["order_id"],
      },
    },
    place: {
      description: "Places an order",
      annotations: { readOnlyHint: false },
      inputSchema: {
        properties: {
          lines: {
            type: "array",
            items: {
              type: "object",
              properties: { sku: { type: "string" }, count: { type: "integer", minimum: 1, description: "How many" } },
              required: ["sku"],
            },
          },
          ship: { enum: ["air", "sea"], default: "sea" },
          note: { type: "string", description: "For the box", default: "" },
          n: { anyOf: [{ type: "integer" }, { type: "null" }] },
        },
        required: ["lines"],
      },
    },
    low: { description: "Low level", inputSchema: { properties: { x: { type: "number" } } } },
  });
  expect(reading.unread).toEqual(["shop/broken.py"]);
  expect(reading.files).toEqual({ typescript: 0, python: 3 });
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

it("reads what Python client code asks and takes of its answers", async () => {
  const reading = await read({
    "client.py": `import os, httpx
class Client:
    def __init__(self):
        self.base = os.environ.get("SHOP_URL", "https://api.shop.example")
        self.http = httpx.AsyncClient()

    async def _get(self, path, params=None):
        response = await self.http.get(f"{self.base}{path}", params=params)
        response.raise_for_status()
        return response.json()

    async def order(self, order_id: str):
        data = await self._get(f"/orders/{order_id}")
        if data["status"] in ("open", "late"):
            return data.get("customer", {}).get("name")
        for line in data["lines"]:
            print(line["sku"])
        return [p["amount"] for p in data["payments"]]

    async def raw(self):
        return await self._get(path="/raw")

    async def create(self, body):
        r = await self.http.request("POST", f"{self.base}/orders", json=body)
        return r.json()["id"]
`,
  });
  expect(routes(reading)).toEqual([
    {
      route: "GET /orders/{}",
      function: "order",
      forms: ["keyed"],
      keys: ["customer.name", "lines[].sku", "payments[].amount", "status"],
      unkeyed: [],
      codes: { status: ["late", "open"] },
      base_env: "SHOP_URL",
    },
    {
      route: "GET /raw",
      function: "raw",
      forms: ["whole"],
      keys: [],
      unkeyed: ["return"],
      codes: {},
      base_env: "SHOP_URL",
    },
    {
      route: "POST /orders",
      function: "create",
      forms: ["keyed"],
      keys: ["id"],
      unkeyed: [],
      codes: {},
      base_env: "SHOP_URL",
    },
  ]);
});

it("reads Python's operators by how tightly they bind", async () => {
  const reading = await read({
    "client.py": `BASE = "https://api.shop.example"
def pages(a, b, c):
    return httpx.get(BASE + "/pages/" + a * b ** c % 2 + "/lines").json()["items"]
def late(r):
    data = httpx.get(BASE + "/orders").json()
    return data["due"] < 3 + data["age"] and data["open"] | data["held"] << 1
`,
  });
  expect(routes(reading).map(({ route, keys }) => [route, keys])).toEqual([
    ["GET /orders", ["age", "due", "held", "open"]],
    ["GET /pages/{}/lines", ["items"]],
  ]);
  const source = readPython("a.py", "x = a < b + c * -d ** e\n");
  const [b, c, d, e] = ["b", "c", "d", "e"].map((name) => ({ t: "name", name }));
  const power = { t: "other", parts: [{ t: "other", parts: [d, e] }] };
  const sum = { t: "template", parts: [b, { t: "other", parts: [c, power] }] };
  expect(source?.body).toMatchObject([{ value: { t: "other", parts: [{ t: "name", name: "a" }, sum] } }]);
});

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

it("reads Python clients that ask through one method, a function or urllib's own request", async () => {
  const reading = await read({
    "client.py": `import os, json, urllib.request, httpx
BASE = os.environ["API_URL"]

class Client:
    def __init__(self):
        self.http = httpx.Client()

    def _request(self, method, path, **more):
        method = method.upper()
        res = self.http.request(method, f"{BASE}{path}", **more)
        return res.json()

    def item(self, id):
        return self._request("GET", f"/items/{id}")["name"]

    def close(self, id):
        return self._request("patch", f"/items/{id}", json={"open": False})["state"]

def api(method, path, body=None):
    return httpx.request(method, BASE + path, json=body).json()

def orders():
    return api("GET", "/orders")[0]["id"]

def stock(sku):
    req = urllib.request.Request(f"{BASE}/stock/{sku}", method="PUT")
    with urllib.request.urlopen(req) as res:
        return json.load(res)["left"]

def note(text):
    req = urllib.request.Request(f"{BASE}/notes", data=text)
    return urllib.request.urlopen(req).read()

def any_verb(verb):
    return httpx.request(verb, f"{BASE}/any").json()
`,
  });
  expect(reading.routes.map(({ route }) => route)).toEqual([
    "GET /items/{}",
    "GET /orders",
    "PATCH /items/{}",
    "POST /notes",
    "PUT /stock/{}",
  ]);
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

it("knows the line of a call in an f-string", () => {
  const source = readPython("a.py", 'x = 1\ny = f"{x} {ask(x)}"\n');
  expect(source?.body[1]).toMatchObject({ value: { parts: [{ t: "name" }, " ", { t: "call", line: 2 }] } });
});

it("reads Python's rarer numbers, signs, names and types", async () => {
  const reading = await read({
    "shop.py": `HALF = 1.e-1
LOW, HIGH = -2., +3
ª·b = 1. if HALF else 0.
def call(*args: *Ts): pass

async def load(id):
    text = f"""first
{id}"""
    return {"name": f"{httpx.get('https://api.shop.example/a')}",
            "rest": f"{httpx.get('https://api.shop.example/b').json()['total']}"}

@mcp.tool()
def find(limit: int = +5, floor: float = -1.5, share: float = 2.e-1, near: float = 1.): pass
`,
  });
  expect(reading.unread).toEqual([]);
  const { find } = tools(reading);
  expect(find?.inputSchema).toMatchObject({
    properties: {
      limit: { default: 5 },
      floor: { default: -1.5 },
      share: { default: 0.2 },
      near: { default: 1 },
    },
  });
  expect(reading.routes.map(({ route, keys }) => [route, keys])).toEqual([
    ["GET /a", []],
    ["GET /b", ["total"]],
  ]);
});

it.each([
  ["not", `x = ${"not ".repeat(50_000)}a`],
  ["minus", `x = ${"-".repeat(50_000)}a`],
  ["await", `x = ${"await ".repeat(50_000)}a`],
  ["targets", `for ${"(".repeat(50_000)}a${")".repeat(50_000)} in b: pass`],
  ["loops", `x = [a ${"for a in b ".repeat(50_000)}]`],
  ["a row of signs", `x = a${"+a".repeat(50_000)}`],
  ["a row of members", `x = a${".a".repeat(50_000)}`],
  ["a row of words", `x = a${" and a".repeat(50_000)}`],
])("leaves a Python file unread that nests too deep by %s, and reads the others", async (_by, text) => {
  const reading = await read({ "deep.py": text, "tools.py": "@mcp.tool()\ndef t(): pass\n" });
  expect(reading.unread).toEqual(["deep.py"]);
  expect(Object.keys(tools(reading))).toEqual(["t"]);
});

it("reads a row of members by name, and is not held by a long one", async () => {
  const gets = (n: number) => `d${'.get("a")'.repeat(n)}.get("last")`;
  const asks = (of: string) => `async def load(id):
    d = httpx.get("https://api.shop.example/a").json()
    return ${of}
`;
  const short = await read({ "shop.py": asks(gets(1)) });
  expect(short.routes[0]?.keys.join()).toContain("a");
  // Read twice at each step they would never end.
  const within = (n: number) => `x = ${"(".repeat(n)}a${" in (b, c))".repeat(n)}`;
  const long = await read({ "shop.py": asks(gets(900)), "within.py": within(40) });
  expect(long.unread).toEqual([]);
});
