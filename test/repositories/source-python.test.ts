import { expect, it } from "vitest";
import { readPython } from "../../src/repositories/source/python.ts";
import { read, routes, tools } from "./read-source.ts";

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

// Finding B9.
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
