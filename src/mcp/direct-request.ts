import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { classifyInboundRequest } from "@modelcontextprotocol/server";
import { LRUCache } from "lru-cache";

/** Revisions whose requests stand for themselves in one POST, with nothing in headers that the body must repeat. */
const PLAIN_REVISIONS = new Set(["2025-06-18", "2025-11-25"]);
/** The revision whose requests carry an envelope, and whose headers repeat what the body says. */
const ENVELOPE_REVISION = "2026-07-28";
/** What the protocol itself puts into `_meta`. */
const RESERVED = "io.modelcontextprotocol/";
const MEMBERS = new Set(["jsonrpc", "id", "method", "params"]);
const PARAMS = new Set(["name", "arguments", "_meta"]);

/** A call or a list that is as its revision asks. */
export interface DirectRequest {
  readonly id: string | number;
  /** Whether it is of the revision of 2026, whose answers carry more. */
  readonly modern: boolean;
  readonly progressToken: string | number | undefined;
  /** Undefined for a list. */
  readonly call: { readonly name: string; readonly arguments: Record<string, unknown> } | undefined;
}

/**
 * The call or list that a POST holds, where headers and body are all that its revision asks: such a request needs none of
 * the objects that a general handler makes of it, which cost more than most calls themselves. Undefined for anything
 * else, and for what is to be refused: the general handler knows why.
 */
export function directRequest({ method, headers }: IncomingMessage, body: unknown): DirectRequest | undefined {
  if (method !== "POST" || !wellSent(headers) || !isRecord(body) || !within(body, MEMBERS)) return undefined;
  const { jsonrpc, id, params = {} } = body;
  if (jsonrpc !== "2.0" || !isToken(id) || !isRecord(params) || !within(params, PARAMS)) return undefined;
  const { name, arguments: args = {}, _meta: meta = {} } = params;
  if (!isRecord(meta) || (meta.progressToken !== undefined && !isToken(meta.progressToken))) return undefined;
  const call =
    body.method === "tools/call" && typeof name === "string" && isRecord(args) ? { name, arguments: args } : undefined;
  if (!call && (body.method !== "tools/list" || name !== undefined || params.arguments !== undefined)) return undefined;
  const revision = headers["mcp-protocol-version"];
  const modern = revision === ENVELOPE_REVISION;
  if (modern) {
    const repeated =
      headers["mcp-method"] === body.method &&
      (!call || (headers["mcp-name"] === call.name && !call.name.startsWith("=?")));
    if (!repeated || !isWellEnveloped(body, meta)) return undefined;
  } else {
    const plain = revision === undefined || (typeof revision === "string" && PLAIN_REVISIONS.has(revision));
    if (!plain || Object.keys(meta).some((key) => key.startsWith(RESERVED))) return undefined;
  }
  return { id, modern, progressToken: meta.progressToken as string | number | undefined, call };
}

function wellSent({ accept = "", "content-type": type = "" }: IncomingHttpHeaders): boolean {
  return (
    accept.includes("application/json") &&
    accept.includes("text/event-stream") &&
    /^application\/json *(;|$)/i.test(type)
  );
}

/** Envelopes that were found well-formed, as text: a client sends the same one with each request. */
const REMEMBERED = { count: 1000, length: 4000 };
const sound = new LRUCache<string, true>({ max: REMEMBERED.count });

function isWellEnveloped(body: Record<string, unknown>, meta: Record<string, unknown>): boolean {
  const envelope = JSON.stringify(Object.entries(meta).filter(([key]) => key.startsWith(RESERVED)));
  if (sound.get(envelope)) return true;
  const route = classifyInboundRequest({ httpMethod: "POST", protocolVersionHeader: ENVELOPE_REVISION, body });
  if (route.kind !== "modern") return false;
  if (envelope.length <= REMEMBERED.length) sound.set(envelope, true);
  return true;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function within(value: Record<string, unknown>, known: ReadonlySet<string>): boolean {
  for (const key of Object.keys(value)) if (!known.has(key)) return false;
  return true;
}

function isToken(value: unknown): value is string | number {
  return typeof value === "string" || Number.isSafeInteger(value);
}
