import type { RequestHandler } from "express";
import type { Caller } from "../../chapters/caller.ts";
import { AppError, unavailable } from "../../chapters/errors.ts";
import { call } from "../../tools/kernel/call.ts";
import type { Registry } from "../../tools/kernel/registry.ts";
import { didYouMean } from "../../tools/kernel/suggest.ts";
import { guides } from "../guides/served.ts";
import type { Ask } from "../guides/values.ts";
import { type Access, refusal, withinCall } from "../http/access.ts";
import { Cancellations } from "../http/cancellations.ts";
import { Estimate } from "../jobs/estimate.ts";
import type { Service } from "../service/service.ts";
import { version } from "../version.ts";
import { Links } from "./answer.ts";
import { confirmQuestion } from "./confirm.ts";
import { GATEWAY_TOOLS, isDestructive, type ReachedCall } from "./core-tools.ts";
import { mcpEndpoint, type ToolCall } from "./mcp-endpoint.ts";
import { rpcBody, sendRpcRefusal } from "./rpc-body.ts";
import type { ToolResult } from "./tool-content.ts";
import { type ToolList, ToolLists } from "./tool-lists.ts";
import { refusedResult, roomFor, toolResult } from "./tool-result.ts";
import { takeView } from "./view.ts";

/** What a request to the tool server brings along: who calls, which tools its URL offers, when it ends. */
interface Session {
  readonly caller: Caller;
  readonly list: ToolList;
  /** Ends the call: with its connection, its time, or a message that cancels it. */
  readonly abort: AbortController;
  /** Tells one client's requests from another's. */
  readonly client: string;
}

/** What all requests share. */
interface Shared {
  readonly cancellations: Cancellations;
  readonly links: Links;
}

const CANCELLED = unavailable("The call was cancelled.");

/** Every operation as a tool, with prompts and resources: the lists are made once, and nothing is kept between requests. */
export function mcpSurface(service: Service, access: Access): RequestHandler {
  const lists = new ToolLists(service.registry);
  const cancellations = new Cancellations();
  const shared = { cancellations, links: new Links(service.registry) };
  const identity = { name: "proving-ground", version, instructions: service.instructions };
  const endpoint = mcpEndpoint((err) => service.log.warn({ err }, "a request to the tool server was refused"));
  return async (req, res) => {
    const caller = await access.enter(req);
    const list = lists.of(queryOf(req.originalUrl), caller.org !== undefined);
    const body = req.method === "POST" ? await rpcBody(req, service.config.maxBodyBytes) : undefined;
    if (body instanceof AppError) return sendRpcRefusal(res, body);
    // By the token's id: two tokens may have the same name.
    const client = `${caller.org?.id ?? ""}/${caller.token ?? caller.kind}/${req.headers["x-svc-client"] ?? ""}`;
    const cancelled = cancelledRequest(body);
    if (cancelled !== undefined) cancellations.cancel(`${client}/${cancelled}`, CANCELLED);
    const serve = (abort: AbortController) => {
      const session = { caller, list, abort, client };
      const served = {
        identity,
        tools: list.tools,
        call: (request: ToolCall) => callTool(service, session, shared, request),
        ask: (request: Pick<ToolCall, "name" | "arguments">) => questionBefore(list, request),
        unlisted: (name: string) => unlistedTool(service.registry, list, name),
        ...guides(list.reachable, { ask: asker(service, session), ofOrg: caller.org !== undefined }),
      };
      return endpoint(req, res, served, body);
    };
    try {
      await withinCall(res, serve);
    } catch (error) {
      // A cancelled call answers by itself, in the protocol's words, once it has ended.
      if (error !== CANCELLED) throw error;
    }
  };
}

async function callTool(
  service: Service,
  session: Session,
  { cancellations: running, links }: Shared,
  request: ToolCall,
): Promise<ToolResult | undefined> {
  const { caller, list, abort, client } = session;
  if (!list.tools.some((tool) => tool.name === request.name)) return undefined;
  const end = running.begin(`${client}/${request.id}`, abort);
  let name = request.name;
  try {
    const wanted = reached(list, request);
    if ("content" in wanted) return wanted;
    const {
      registered: { op },
      arguments: args,
    } = wanted;
    name = op.name;
    const taken = list.whole ? { args, view: { where: [] } } : takeView(op, args);
    const estimate = new Estimate();
    const ask = (given: Readonly<Record<string, unknown>>) =>
      call(service.host, op, {
        credential: { caller },
        args: given,
        signal: abort.signal,
        progress: (progress, total, message) =>
          request.progress?.({
            progress,
            message: estimate.told(message, progress, total),
            ...(total === undefined ? {} : { total }),
          }),
      });
    let outcome = await ask(taken.args);
    const telling = { op, args, view: taken.view, list, links };
    if (!list.whole && op.effect === "read" && "limit" in op.input.shape) {
      // A shorter page instead of a cut one: its cursor goes on where it ends.
      const limit = roomFor(op, outcome, telling);
      if (limit !== undefined && taken.args.limit === undefined) outcome = await ask({ ...taken.args, limit });
    }
    const named = { orgtag: caller.org?.tag, ...taken.args };
    const base = caller.kind === "local" ? undefined : service.address();
    return await toolResult(op, named, outcome, base, list.whole ? "whole" : telling);
  } catch (error) {
    return refusedResult(refusal(abort.signal.aborted ? CANCELLED : error, service.log, name));
  } finally {
    end();
  }
}

/** What a person is to be asked before a destructive call; through `call_operation` only one that names itself in `confirm`. */
function questionBefore(
  { byName, gateway, reachable }: ToolList,
  { name, arguments: args }: Pick<ToolCall, "name" | "arguments">,
): string | undefined {
  const through = gateway && name === GATEWAY_TOOLS.call.name && args.confirm === args.name;
  const registered = through ? reachable.get(String(args.name)) : byName.get(name);
  if (!registered || !isDestructive(registered)) return undefined;
  return confirmQuestion(registered.op.name, registered.op.title, through ? args.arguments : args);
}

/** What to do about a name that this list has not: where the operation is, or which listed ones are near. */
function unlistedTool(registry: Registry, { gateway, reachable, tools }: ToolList, name: string): string {
  const registered = registry.get(name);
  if (!registered) {
    const near = didYouMean(name, gateway ? reachable.keys() : tools.map((tool) => tool.name));
    const search = gateway ? ` ${GATEWAY_TOOLS.find.name} searches all operations.` : "";
    return `this server lists no tool of that name.${near}${search}`.replace(/\.$/, "");
  }
  if (!reachable.has(name)) return `its chapter or scope is left out by this URL: ?chapters=${registered.chapter}`;
  const tool = registered.op.effect === "read" ? GATEWAY_TOOLS.read.name : GATEWAY_TOOLS.call.name;
  return `it is called by ${tool} with this name and its arguments`;
}

/** The operation that a request is for, or the answer of a search. Throws what one of the reaching tools refuses. */
function reached({ byName, gateway }: ToolList, { name, arguments: args }: ToolCall): ReachedCall | ToolResult {
  const registered = byName.get(name);
  if (registered) return { registered, arguments: args };
  if (!gateway) throw new Error(`${name} is not listed`);
  if (name === GATEWAY_TOOLS.find.name) return gateway.find(args);
  return name === GATEWAY_TOOLS.read.name ? gateway.read(args) : gateway.call(args);
}

/** Asks any operation as the session's caller, and ends with the session's call. */
function asker({ registry, host }: Service, { caller, abort: { signal } }: Session): Ask {
  return async (tool, args) => {
    const registered = registry.get(tool);
    if (!registered) throw new Error(`no operation is named ${tool}`);
    return call(host, registered.op, { credential: { caller }, args, signal });
  };
}

function queryOf(url: string): URLSearchParams {
  const start = url.indexOf("?");
  return new URLSearchParams(start < 0 ? "" : url.slice(start));
}

/** The id of the request that this message cancels, where it is such a message. */
function cancelledRequest(body: unknown): string | undefined {
  const message = body as { method?: unknown; params?: { requestId?: unknown } } | undefined;
  if (message?.method !== "notifications/cancelled") return undefined;
  const id = message.params?.requestId;
  return typeof id === "string" || typeof id === "number" ? String(id) : undefined;
}
