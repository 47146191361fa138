import { toNodeHandler } from "@modelcontextprotocol/node";
import {
  createMcpHandler,
  type McpServerFactory,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from "@modelcontextprotocol/server";
import type { Request, RequestHandler, Response } from "express";
import type { Caller } from "../chapters/caller.ts";
import { AppError } from "../chapters/errors.ts";
import { call } from "../tools/kernel/call.ts";
import { Cancellations } from "./cancellations.ts";
import { DirectTransport, isPlainRequest } from "./direct-transport.ts";
import { type Access, refusal, withinCall } from "./exchange.ts";
import { rpcBody, sendRpcRefusal } from "./rpc-body.ts";
import type { Service } from "./service.ts";
import { type ToolList, ToolLists } from "./tool-lists.ts";
import { refusedResult, toolResult } from "./tool-result.ts";
import { version } from "./version.ts";

/** What a request to the tool server brings along: who calls, which tools its URL offers, when it ends. */
interface Session {
  readonly caller: Caller;
  readonly list: ToolList;
  /** Ends the call: with its connection, its time, or a message that cancels it. */
  readonly abort: AbortController;
  /** Tells one client's requests from another's. */
  readonly client: string;
}

const CANCELLED = new AppError("unavailable", "The call was cancelled.");

/** A streamable HTTP endpoint over any server: its JSON body read within our limits, and handed over parsed. */
export function mcpEndpoint(factory: McpServerFactory, onerror?: (error: Error) => void) {
  const handler = toNodeHandler(createMcpHandler(factory, onerror ? { onerror } : {}), onerror ? { onerror } : {});
  return async (req: Request, res: Response, extra: Record<string, unknown>, body: unknown): Promise<void> => {
    const authInfo = { token: "", clientId: "", scopes: [], extra };
    if (!isPlainRequest(req, body)) return handler(Object.assign(req, { auth: authInfo }), res, body);
    const server = await factory({ era: "legacy", authInfo });
    const transport = new DirectTransport(res);
    await server.connect(transport as never);
    transport.take(body);
    await transport.done;
  };
}

/** Every operation as a tool: one low-level server per request over a list made once. */
export function mcpSurface(service: Service, access: Access): RequestHandler {
  const lists = new ToolLists(service.registry);
  const cancellations = new Cancellations();
  const endpoint = mcpEndpoint(
    (context) => toolServer(service, context.authInfo?.extra?.session as Session, cancellations),
    (error) => service.log.warn({ err: error }, "a request to the tool server was refused"),
  );
  return async (req, res) => {
    const caller = await access.enter(req);
    const list = lists.of(new URL(req.originalUrl, "http://service").searchParams);
    const body = req.method === "POST" ? await rpcBody(req, service.config.maxBodyBytes) : undefined;
    if (body instanceof AppError) return sendRpcRefusal(res, body);
    const client = `${caller.org?.id ?? ""}/${caller.name}/${req.headers["x-svc-client"] ?? ""}`;
    const cancelled = cancelledRequest(body);
    if (cancelled !== undefined) cancellations.cancel(`${client}/${cancelled}`, CANCELLED);
    try {
      await withinCall(res, (abort) => endpoint(req, res, { session: { caller, list, abort, client } }, body));
    } catch (error) {
      // A cancelled call answers by itself, in the protocol's words, once it has ended.
      if (error !== CANCELLED) throw error;
    }
  };
}

function toolServer(service: Service, { caller, list, abort, client }: Session, running: Cancellations): Server {
  const server = new Server(
    { name: "proving-ground", version },
    { capabilities: { tools: {} }, instructions: service.instructions },
  );
  server.setRequestHandler("tools/list", ({ params }) => {
    if (params?.cursor !== undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Unknown cursor: the list has one page.");
    return { tools: list.tools as never };
  });
  server.setRequestHandler("tools/call", async ({ params }, ctx) => {
    const registered = list.byName.get(params.name);
    if (!registered)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Unknown tool: this URL lists no tool of that name.");
    const { op } = registered;
    const args = params.arguments ?? {};
    const end = running.begin(`${client}/${ctx.mcpReq.id}`, abort);
    const token = ctx.mcpReq._meta?.progressToken;
    try {
      const outcome = await call(service.host, op, {
        credential: { caller },
        args,
        signal: abort.signal,
        progress: (progress, total, message) => {
          if (token === undefined) return;
          const sent = { progressToken: token, progress, message, ...(total === undefined ? {} : { total }) };
          void ctx.mcpReq.notify({ method: "notifications/progress", params: sent }).catch(() => {});
        },
      });
      const named = { orgtag: caller.org?.tag, ...args };
      return (await toolResult(op, named, outcome, caller.kind === "local" ? undefined : service.address())) as never;
    } catch (error) {
      return refusedResult(refusal(abort.signal.aborted ? CANCELLED : error, service.log, op.name)) as never;
    } finally {
      end();
    }
  });
  return server;
}

/** The id of the request that this message cancels, where it is such a message. */
function cancelledRequest(body: unknown): string | undefined {
  const message = body as { method?: unknown; params?: { requestId?: unknown } } | undefined;
  if (message?.method !== "notifications/cancelled") return undefined;
  const id = message.params?.requestId;
  return typeof id === "string" || typeof id === "number" ? String(id) : undefined;
}
