import { createServer, type RequestListener, type Server } from "node:http";
import { type AddressInfo, createServer as createNetwork } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterEach, expect, it } from "vitest";
import { WorldRelay } from "../../src/agents/world-relay.ts";
import { UNAVAILABLE } from "../../worlds/unavailable.ts";
import { startApp } from "../helpers/app.ts";
import { mintWorld } from "../helpers/world.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function endpoint(listener: RequestListener): Promise<{ url: string; server: Server }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/worlds/b/w/mcp`, server };
}

async function passage(url: string, stalledMs?: number) {
  const relay = new WorldRelay(stalledMs);
  closing.push(() => relay.close());
  const way = await relay.open(url);
  if (!way) throw new Error("no way");
  return way;
}

const post = (url: string, body = '{"jsonrpc":"2.0","id":1,"method":"tools/call"}', init: RequestInit = {}) =>
  fetch(url, { method: "POST", body, headers: { "content-type": "application/json" }, ...init });

it("a client of the protocol finds its world behind it, and nothing is lost", async () => {
  const app = await startApp();
  closing.push(() => app.close());
  const org = await app.org();
  const world = await mintWorld(app, org);
  const way = await passage(world.url);
  const client = new Client({ name: "test", version: "1" });
  const requestInit = { headers: { authorization: `Bearer ${world.token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(way.url), { requestInit }) as never);
  const { tools } = await client.listTools();
  expect(tools.length).toBeGreaterThan(2);
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => client.callTool({ name: "no_such_tool", arguments: {} }).catch(() => "refused")),
  );
  expect(answers).toHaveLength(30);
  await client.close();
  expect((await post(way.url)).status).toBe(401);
  expect((await fetch(new URL("/elsewhere", way.url))).status).toBe(404);
  expect(way.close()).toBe(0);
  expect((await post(way.url)).status).toBe(404);
});

it.each([500, 429, 400, 404, 413])("an answer of %i is the endpoint's own", async (status) => {
  const { url } = await endpoint((_req, res) => res.writeHead(status).end("no"));
  const way = await passage(url);
  expect((await post(way.url)).status).toBe(status);
  expect(way.close()).toBe(0);
});

it("gateways' answers, broken connections and an address where nobody is are lost calls", async () => {
  let n = 0;
  const { url } = await endpoint((req, res) => {
    n += 1;
    if (n <= 3) res.writeHead([502, 503, 504][n - 1] ?? 500).end();
    else if (n === 4) req.socket.destroy();
    else {
      res.writeHead(200, { "content-length": 100 }).write("half");
      setTimeout(() => res.destroy(), 20);
    }
  });
  const way = await passage(url);
  const seen: unknown[] = [];
  for (let i = 0; i < 5; i++)
    seen.push(
      await post(way.url)
        .then(
          (res) => res.text().then(() => res.status),
          () => "broken",
        )
        .catch(() => "broken"),
    );
  expect(seen).toEqual([502, 503, 504, 502, "broken"]);
  expect(way.close()).toBe(5);
  const nobody = await passage("http://127.0.0.1:1/worlds/b/w/mcp");
  expect((await post(nobody.url)).status).toBe(502);
  expect(nobody.close()).toBe(1);
  expect(await new WorldRelay().open("/worlds/b/w/mcp")).toBeUndefined();
});

it("a call that could not be stored is lost, and words like its own are not", async () => {
  const said = (result: object) => JSON.stringify({ result, jsonrpc: "2.0", id: 1 });
  const answers = [
    said({ content: [{ type: "text", text: UNAVAILABLE }], isError: true }),
    `event: message\ndata: ${said({ content: [{ type: "text", text: UNAVAILABLE }], isError: true })}\n\n`,
    said({ content: [{ type: "text", text: UNAVAILABLE }] }),
    said({ content: [{ type: "text", text: `Error: no order ${UNAVAILABLE}` }], isError: true }),
    said({ content: [{ type: "text", text: "x" }], structuredContent: { note: UNAVAILABLE } }),
  ];
  const { url } = await endpoint((_req, res) => res.end(answers.shift()));
  const way = await passage(url);
  for (let i = 0; i < 5; i++) await (await post(way.url)).text();
  expect(way.close()).toBe(2);
});

it("a call that the agent breaks off is its own doing, unless nobody answered it for long", async () => {
  let asked = 0;
  const { url } = await endpoint(() => {
    asked += 1;
  });
  const arrived = async (n: number) => {
    while (asked < n) await sleep(5);
    await sleep(60);
  };
  const broken = async (stalledMs: number | undefined) => {
    const way = await passage(url, stalledMs);
    const abort = new AbortController();
    const call = post(way.url, "{}", { signal: abort.signal }).catch(() => undefined);
    await arrived(asked + 1);
    abort.abort();
    await call;
    await sleep(50);
    return way.close();
  };
  // A limit that no machine is late for, and one that has passed wherever the call waited.
  expect(await broken(600_000)).toBe(0);
  expect(await broken(50)).toBe(1);
  const way = await passage(url, 50);
  void post(way.url, "{}").catch(() => undefined);
  await arrived(asked + 1);
  expect(way.close()).toBe(1);
});

it("the way of a trial with a network of its own takes that network's connections alone", async () => {
  const { url } = await endpoint((_, res) => res.end("world"));
  const relay = new WorldRelay();
  closing.push(() => relay.close());
  // The network of each trial, as a port of this machine.
  const trials = await Promise.all(
    [0, 1].map(async () => {
      const way = await relay.open(url, 1);
      const network = createNetwork((socket) => way?.take(socket));
      await new Promise<void>((resolve) => network.listen(0, "127.0.0.1", resolve));
      closing.push(() => network.close());
      return { path: new URL(way?.url ?? "").pathname, port: (network.address() as AddressInfo).port };
    }),
  );
  const machine = { path: "", port: Number(new URL((await relay.open(url))?.url ?? "").port) };
  const said = async (from: { port: number }, to: { path: string }) => {
    const answer = await post(`http://127.0.0.1:${from.port}${to.path}`, "{}", { headers: { connection: "close" } });
    return answer.status;
  };
  const [one, other] = trials as [(typeof trials)[0], (typeof trials)[0]];
  expect([await said(one, one), await said(other, other)]).toEqual([200, 200]);
  expect([await said(one, other), await said(other, one), await said(machine, one)]).toEqual([404, 404, 404]);
});
