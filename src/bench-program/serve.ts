import { appendFileSync, closeSync, openSync, readFileSync, truncateSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import type { JsonObject } from "../../worlds/json.ts";
import { type WorldTools, worldTools } from "../../worlds/server.ts";
import { createWorld } from "../../worlds/world.ts";
import { type DrawnWorld, journalOf } from "./journal.ts";

const VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;
/** Longest request, bytes. */
const LONGEST = 8_000_000;
const ERRORS = { parse: -32700, request: -32600, method: -32601, params: -32602 } as const;

/** Serves the world of an exported task as MCP at /mcp of loopback and keeps every call. */
export function serve([
  folder = "/opt/world",
  journal = "/var/lib/world/calls.jsonl",
  port = "8765",
]: readonly string[]): void {
  const served = opened(folder, journal);
  createServer((req, res) => {
    handle(served, req, res).catch((error: unknown) => {
      console.error(error);
      if (!res.headersSent) send(res, 500);
      else res.destroy();
    });
  }).listen(Number(port), "127.0.0.1");
}

function opened(folder: string, journal: string): WorldTools {
  const { bundle, base, seed } = JSON.parse(readFileSync(join(folder, "world.json"), "utf8")) as DrawnWorld;
  const world = createWorld(bundle, base, { seed });
  // What an earlier process of this container answered is played again; a line that it left unfinished is taken away.
  closeSync(openSync(journal, "a", 0o600));
  for (const { tool, args } of journalOf(journal)) world.call(tool, args as JsonObject);
  const kept = readFileSync(journal);
  truncateSync(journal, kept.lastIndexOf("\n") + 1);

  return worldTools({
    name: bundle.name,
    tools: world.tools,
    call: async (tool, args) => {
      appendFileSync(journal, `${JSON.stringify({ tool, args })}\n`);
      return world.call(tool, args as JsonObject);
    },
  });
}

interface Rpc {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: Record<string, unknown>;
}

/** The answer to a message; undefined where it asks for none. */
async function answer(served: WorldTools, { id, method, params = {} }: Rpc): Promise<object | undefined> {
  const result = (value: object) => ({ jsonrpc: "2.0", id, result: value });
  if (id === undefined) return undefined;
  switch (method) {
    case "initialize": {
      const protocolVersion = VERSIONS.find((version) => version === params.protocolVersion) ?? VERSIONS[0];
      return result({ protocolVersion, capabilities: { tools: {} }, serverInfo: served.identity });
    }
    case "ping":
      return result({});
    case "tools/list":
      return result({ tools: served.tools });
    case "tools/call": {
      const { name, arguments: args = {} } = params;
      if (typeof name !== "string" || typeof args !== "object" || args === null || Array.isArray(args))
        return refusal(id, ERRORS.params, "A call has a name and an object of arguments.");
      const called = await served.call({ name, arguments: args as Record<string, unknown> });
      return called ? result(called) : refusal(id, ERRORS.params, `There is no tool ${name}.`);
    }
    default:
      return refusal(id, ERRORS.method, "This server has tools alone.");
  }
}

function refusal(id: unknown, code: number, message: string): object {
  return { jsonrpc: "2.0", id, error: { code, message } };
}

async function bodyOf(req: IncomingMessage): Promise<string | undefined> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of req as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > LONGEST) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

function send(res: ServerResponse, status: number, body?: object): void {
  res.writeHead(status, { "content-type": "application/json" });
  res.end(body === undefined ? undefined : JSON.stringify(body));
}

async function handle(served: WorldTools, req: IncomingMessage, res: ServerResponse): Promise<void> {
  if (req.url?.split("?")[0] !== "/mcp") return send(res, 404);
  if (req.method !== "POST") return send(res, 405);
  const body = await bodyOf(req);
  if (body === undefined) return send(res, 413, refusal(null, ERRORS.request, "The request is too long."));
  let message: unknown;
  try {
    message = JSON.parse(body);
  } catch {
    return send(res, 400, refusal(null, ERRORS.parse, "The request is no JSON."));
  }
  if (typeof message !== "object" || message === null || Array.isArray(message))
    return send(res, 400, refusal(null, ERRORS.request, "A request is one JSON-RPC message."));
  const said = await answer(served, message as Rpc);
  send(res, said === undefined ? 202 : 200, said);
}
