import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Pool } from "undici";
import type { TestWorld } from "../test/helpers/world.ts";
import { against, type BenchLine, median } from "./harness.ts";
import type { Ask } from "./surface-server.ts";

const AT_ONCE = 16;
const ROUNDS = 5;

interface Work {
  readonly origin: string;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly calls: number;
}

interface Served {
  readonly port: number;
  readonly floor: number;
  readonly token: string;
  readonly world: TestWorld;
}

/**
 * Processor time of the serving process per call, 16 at once, over MCP, REST and a world's own endpoint, each against
 * a bare `node:http` server that answers as many bytes in the same run; and how long calls take while a compile runs.
 */
export async function bench(): Promise<BenchLine[]> {
  const child = fork(fileURLToPath(new URL("./surface-server.ts", import.meta.url)), {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  try {
    const [{ port, floor, token, world }] = (await once(child, "message")) as [Served];
    const origin = `http://127.0.0.1:${port}`;
    const auth = { authorization: `Bearer ${token}`, host: `127.0.0.1:${port}` };
    const mcp = { ...auth, "content-type": "application/json", accept: "application/json, text/event-stream" };
    const modern = { ...mcp, "mcp-protocol-version": "2026-07-28" };
    const meta = {
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { name: "b", version: "1" },
      },
    };
    const rpc = (method: string, params: unknown) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const callParams = { name: "org_tokens_list", arguments: {} };
    const post = { origin, method: "POST", path: "/mcp" } as const;
    const worldAuth = { authorization: `Bearer ${world.token}` };
    const worldCall = { name: "get_product", arguments: { product_id: "P-4100" } };
    const ofWorld = { ...post, path: new URL(world.url, origin).pathname, headers: { ...mcp, ...worldAuth } };
    const works: Record<string, Work> = {
      "REST call": { origin, method: "GET", path: "/v0/orgs/bench/tokens", headers: auth, calls: 1500 },
      "tools/call, 2025": { ...post, headers: mcp, body: rpc("tools/call", callParams), calls: 1000 },
      "tools/call, 2026": {
        ...post,
        headers: { ...modern, "mcp-method": "tools/call", "mcp-name": "org_tokens_list" },
        body: rpc("tools/call", { ...callParams, ...meta }),
        calls: 1000,
      },
      "a world's tools/call, 2025": { ...ofWorld, body: rpc("tools/call", worldCall), calls: 500 },
      "a world's tools/call, 2026": {
        ...ofWorld,
        headers: { ...modern, ...worldAuth, "mcp-method": "tools/call", "mcp-name": worldCall.name },
        body: rpc("tools/call", { ...worldCall, ...meta }),
        calls: 500,
      },
      "tools/list, 2025": { ...post, headers: mcp, body: rpc("tools/list", {}), calls: 60 },
      "tools/list, 2026": {
        ...post,
        headers: { ...modern, "mcp-method": "tools/list" },
        body: rpc("tools/list", meta),
        calls: 60,
      },
    };
    const all: Record<string, Work> = {};
    for (const [name, work] of Object.entries(works)) {
      const bytes = (await once1(work)).byteLength;
      all[name] = work;
      all[`floor of ${name}`] = { ...work, origin: `http://127.0.0.1:${floor}`, path: `/${bytes}` };
    }
    const cost = await costs(child, all);
    const lines = Object.keys(works).map((name) =>
      against(name, cost(name), "µs CPU", { name: "bare node:http", value: cost(`floor of ${name}`) }),
    );
    for (const name of ["tools/call, 2025", "tools/call, 2026"]) {
      lines.push(
        against(`${name}, of the same REST call`, cost(name), "µs CPU", {
          name: "REST call",
          value: cost("REST call"),
        }),
      );
    }
    const rest = works["REST call"] as Work;
    const quiet = await latencies(rest, () => false);
    const compiled = once(child, "message");
    let running = true;
    void compiled.then(() => {
      running = false;
    });
    child.send({ ask: "compile" } satisfies Ask);
    const busy = await latencies(rest, () => running);
    lines.push(
      against("p99 of a REST call while one compiles", percentile(busy, 0.99), "ms", {
        name: "quiet",
        value: percentile(quiet, 0.99),
      }),
    );
    return lines;
  } finally {
    child.send({ ask: "end" } satisfies Ask);
    await once(child, "exit");
  }
}

/** Medians over interleaved rounds, µs of the server's processor time per call. */
async function costs(child: ChildProcess, works: Record<string, Work>): Promise<(name: string) => number> {
  const seen = new Map<string, number[]>();
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, work] of Object.entries(works)) {
      const before = await cpu(child);
      await load(work, work.calls);
      const each = ((await cpu(child)) - before) / work.calls;
      // The first round warms up.
      if (round > 0) seen.set(name, [...(seen.get(name) ?? []), each]);
    }
  }
  return (name) => median(seen.get(name) ?? []);
}

async function cpu(child: ChildProcess): Promise<number> {
  child.send({ ask: "cpu" } satisfies Ask);
  const [{ user, system }] = (await once(child, "message")) as [NodeJS.CpuUsage];
  return user + system;
}

async function load(work: Work, calls: number): Promise<void> {
  const pool = new Pool(work.origin, { connections: AT_ONCE, pipelining: 1 });
  let left = calls;
  const one = async () => {
    while (left-- > 0) await ask(pool, work);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  await pool.close();
}

async function once1(work: Work): Promise<ArrayBuffer> {
  const pool = new Pool(work.origin);
  const body = await ask(pool, work);
  await pool.close();
  return body;
}

async function ask(pool: Pool, { method, path, headers, body }: Work): Promise<ArrayBuffer> {
  const res = await pool.request({ method, path, headers, ...(body === undefined ? {} : { body }) });
  if (res.statusCode !== 200) throw new Error(`${path} answered ${res.statusCode}: ${await res.body.text()}`);
  return res.body.arrayBuffer();
}

/** Milliseconds of calls one after another: at least 500, and as many more as `more` asks for. */
async function latencies(work: Work, more: () => boolean): Promise<number[]> {
  const pool = new Pool(work.origin, { connections: 1 });
  const taken: number[] = [];
  while (taken.length < 500 || more()) {
    const started = performance.now();
    await ask(pool, work);
    taken.push(performance.now() - started);
  }
  await pool.close();
  return taken;
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
