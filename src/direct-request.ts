import type { IncomingMessage } from "node:http";
import { classifyInboundRequest, isJSONRPCRequest } from "@modelcontextprotocol/server";

/** Revisions whose requests stand for themselves in one POST, with nothing in headers that the body must repeat. */
const PLAIN_REVISIONS = new Set(["2025-06-18", "2025-11-25"]);
/** The revision whose requests carry an envelope, and whose headers repeat what the body says. */
const ENVELOPE_REVISION = "2026-07-28";
const MEMBERS = new Set(["name", "arguments", "cursor", "_meta"]);

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
  const accept = headers.accept ?? "";
  const wellSent =
    method === "POST" &&
    accept.includes("application/json") &&
    accept.includes("text/event-stream") &&
    /^application\/json *(;|$)/i.test(headers["content-type"] ?? "");
  if (!wellSent || !isJSONRPCRequest(body)) return undefined;
  const { id, params = {} } = body;
  if (Object.keys(params).some((member) => !MEMBERS.has(member)) || params.cursor !== undefined) return undefined;
  const { name, arguments: args = {}, _meta: meta = {} } = params;
  const isCall = body.method === "tools/call" && typeof name === "string" && isRecord(args);
  if (!isCall && (body.method !== "tools/list" || name !== undefined)) return undefined;
  const revision = headers["mcp-protocol-version"];
  const modern = revision === ENVELOPE_REVISION;
  if (modern) {
    const said = { protocolVersionHeader: revision, mcpMethodHeader: body.method, body };
    const repeated =
      headers["mcp-method"] === body.method && (!isCall || (headers["mcp-name"] === name && !name.startsWith("=?")));
    if (!repeated || classifyInboundRequest({ httpMethod: method, ...said }).kind !== "modern") return undefined;
  } else {
    const plain = revision === undefined || (typeof revision === "string" && PLAIN_REVISIONS.has(revision));
    if (!plain || Object.keys(meta).some((key) => key.startsWith("io.modelcontextprotocol/"))) return undefined;
  }
  return {
    id,
    modern,
    progressToken: meta.progressToken as string | number | undefined,
    call: isCall ? { name: name as string, arguments: args as Record<string, unknown> } : undefined,
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
