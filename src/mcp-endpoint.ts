import { toNodeHandler } from "@modelcontextprotocol/node";
import {
  createMcpHandler,
  ProtocolError,
  ProtocolErrorCode,
  SERVER_INFO_META_KEY,
  Server,
} from "@modelcontextprotocol/server";
import type { Request, Response } from "express";
import { DirectAnswer } from "./direct-answer.ts";
import { type DirectRequest, directRequest } from "./direct-request.ts";

/** What a server calls itself towards its clients. */
export interface Identity {
  readonly name: string;
  readonly version: string;
  readonly instructions?: string;
}

/** One call as its tools see it. */
export interface ToolCall {
  readonly id: string | number;
  readonly name: string;
  readonly arguments: Record<string, unknown>;
  /** Tells the client how far the work is; absent when it did not ask. */
  readonly progress?: (params: { progress: number; total?: number; message?: string }) => void;
}

/** The tools that one request is offered. */
export interface ServedTools {
  readonly identity: Identity;
  /** The listing as sent, on one page. Give the same array each time: its text is kept with it. */
  readonly tools: readonly object[];
  /** The result of a call, undefined when no tool of that name is listed. Refusals are results: what it throws is a fault. */
  call(request: ToolCall): Promise<object | undefined>;
}

/** Answers one request to a tool server; `body` is its JSON body where it has one. */
export type McpEndpoint = (req: Request, res: Response, served: ServedTools, body: unknown) => Promise<void>;

/**
 * A streamable HTTP endpoint for tools, of every revision from 2024-10-07 to 2026-07-28, with nothing kept between
 * requests. Calls and lists that are sent as their revision asks, nearly all there are, are answered directly; the
 * library's handler answers everything else, and both say the same.
 */
export function mcpEndpoint(onerror: (error: Error) => void = () => {}): McpEndpoint {
  const handler = toNodeHandler(
    createMcpHandler(({ authInfo }) => toolServer(authInfo?.extra as unknown as ServedTools, onerror), { onerror }),
    { onerror },
  );
  return async (req, res, served, body) => {
    const direct = directRequest(req, body);
    if (direct && (direct.call || listText(served.tools))) return answerDirectly(res, direct, served, onerror);
    const auth = { token: "", clientId: "", scopes: [], extra: served as unknown as Record<string, unknown> };
    const library = Object.assign(req, { auth }) as unknown as Parameters<typeof handler>[0];
    return handler(library, res, body);
  };
}

/** The result of a call. Throws what the protocol has for an unknown tool, and for a fault, whose cause only we are told. */
async function called({ call }: ServedTools, request: ToolCall, onerror: (error: Error) => void): Promise<object> {
  let result: object | undefined;
  try {
    result = await call(request);
  } catch (fault) {
    onerror(fault instanceof Error ? fault : new Error(String(fault)));
    throw new ProtocolError(ProtocolErrorCode.InternalError, "Internal error");
  }
  if (result) return result;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Unknown tool: this server lists no tool of that name.");
}

function toolServer(served: ServedTools, onerror: (error: Error) => void): Server {
  const { instructions, ...info } = served.identity;
  const options = { capabilities: { tools: {} }, ...(instructions === undefined ? {} : { instructions }) };
  const server = new Server(info, options);
  server.setRequestHandler("tools/list", ({ params }) => {
    if (params?.cursor !== undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Unknown cursor: the list has one page.");
    return { tools: served.tools as never };
  });
  server.setRequestHandler("tools/call", async ({ params }, ctx) => {
    const { id, _meta: meta, notify } = ctx.mcpReq;
    const progress = progressOf(
      meta?.progressToken,
      (method, params) => void notify({ method, params }).catch(() => {}),
    );
    const request = { id, name: params.name, arguments: params.arguments ?? {}, ...progress };
    return (await called(served, request, onerror)) as never;
  });
  return server;
}

type Notify = (method: "notifications/progress", params: { progressToken: string | number; progress: number }) => void;

function progressOf(progressToken: string | number | undefined, notify: Notify): Pick<ToolCall, "progress"> {
  if (progressToken === undefined) return {};
  return { progress: (params) => notify("notifications/progress", { progressToken, ...params }) };
}

async function answerDirectly(
  res: Response,
  { id, modern, progressToken, call }: DirectRequest,
  served: ServedTools,
  onerror: (error: Error) => void,
): Promise<void> {
  const answer = new DirectAnswer(res);
  const { name, version } = served.identity;
  const stamp = modern ? { resultType: "complete", _meta: { [SERVER_INFO_META_KEY]: { name, version } } } : {};
  const tail = `,"jsonrpc":"2.0","id":${JSON.stringify(id)}}`;
  if (!call) {
    const cache = modern ? `,"ttlMs":0,"cacheScope":"private",${JSON.stringify(stamp).slice(1, -1)}` : "";
    return answer.end('{"result":{"tools":', listText(served.tools) ?? "[]", `${cache}}${tail}`);
  }
  try {
    const progress = progressOf(progressToken, (method, params) => answer.notify(method, params));
    const result = await called(served, { id, ...call, ...progress }, onerror);
    answer.end(`{"result":${JSON.stringify({ ...result, ...stamp })}${tail}`);
  } catch (refused) {
    const { code, message } = refused as ProtocolError;
    answer.end(`{"error":${JSON.stringify({ code, message })}${tail}`);
  }
}

const listTexts = new WeakMap<readonly object[], Buffer | null>();

/** The tools as JSON, made once; undefined where a revision has to be shown another listing than the next. */
function listText(tools: readonly object[]): Buffer | undefined {
  let text = listTexts.get(tools);
  if (text === undefined) {
    text = tools.every(sameInEveryRevision) ? Buffer.from(JSON.stringify(tools)) : null;
    listTexts.set(tools, text);
  }
  return text ?? undefined;
}

function sameInEveryRevision(tool: { readonly execution?: unknown; readonly outputSchema?: unknown }): boolean {
  const { execution, outputSchema } = tool;
  return (
    execution === undefined &&
    (outputSchema === undefined || (outputSchema as { type?: unknown } | null)?.type === "object")
  );
}
