import { toNodeHandler } from "@modelcontextprotocol/node";
import {
  CLIENT_CAPABILITIES_META_KEY,
  createMcpHandler,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  SERVER_INFO_META_KEY,
  Server,
} from "@modelcontextprotocol/server";
import type { Request, Response } from "express";
import { CONFIRM_SCHEMA, DECLINED, isConfirmed } from "./confirm.ts";
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

/** Texts to begin with. A list has one page. */
export interface ServedPrompts {
  readonly prompts: readonly object[];
  /** A prompt with its arguments filled in; undefined when none of that name is listed. Throws `Refused`. */
  get(name: string, args: Readonly<Record<string, string>>): Promise<object | undefined>;
}

/** What can be read by its address. A list has one page. */
export interface ServedResources {
  readonly templates: readonly object[];
  list(): Promise<readonly object[]>;
  /** The contents of a resource; undefined when no resource has such an address. Throws `Refused`. */
  read(uri: string): Promise<object | undefined>;
}

/** What a client asks while somebody types a value. */
export interface CompletionRequest {
  /** The prompt's name, or the template of the resource's address. */
  readonly of: { readonly prompt: string } | { readonly template: string };
  readonly argument: string;
  readonly typed: string;
  /** Values of the other arguments that stand already. */
  readonly given: Readonly<Record<string, string>>;
}

/** Values that an argument could have, the likeliest first; undefined when there is no such prompt or template. */
export type Complete = (asked: CompletionRequest) => Promise<readonly string[] | undefined>;

/** A refusal in the protocol's own words; anything else that is thrown is a fault. `data` goes along. */
export class Refused extends Error {
  readonly kind: "params" | "request";
  readonly data: object;
  constructor(kind: "params" | "request", reason: string, data: object = {}) {
    super(reason);
    this.kind = kind;
    this.data = data;
  }
}

/** What one request is offered: tools, and the rest where it is given. */
export interface ServedTools {
  readonly identity: Identity;
  /** The listing as sent, on one page. Give the same array each time: its text is kept with it. */
  readonly tools: readonly object[];
  /** The result of a call, undefined when no tool of that name is listed. Refusals are results: what it throws is a fault. */
  call(request: ToolCall): Promise<object | undefined>;
  /** What a person is to be asked before this call, where their client can ask; undefined for most. */
  ask?(call: Pick<ToolCall, "name" | "arguments">): string | undefined;
  /** What to do about a name that is not listed, as the end of a sentence; what every server can say when absent. */
  unlisted?(name: string): string;
  readonly prompts?: ServedPrompts;
  readonly resources?: ServedResources;
  readonly complete?: Complete;
}

/** Answers one request to a tool server; `body` is its JSON body where it has one. */
export type McpEndpoint = (req: Request, res: Response, served: ServedTools, body: unknown) => Promise<void>;

/**
 * A streamable HTTP endpoint for tools, prompts and resources, of every revision from 2024-10-07 to 2026-07-28, with
 * nothing kept between requests. Calls and lists that are sent as their revision asks, nearly all there are, are answered directly; the
 * library's handler answers everything else, and both say the same.
 */
export function mcpEndpoint(onerror: (error: Error) => void = () => {}): McpEndpoint {
  const handler = toNodeHandler(
    createMcpHandler(({ authInfo }) => toolServer(authInfo?.extra as unknown as ServedTools, onerror), { onerror }),
    { onerror },
  );
  return async (req, res, served, body) => {
    const direct = directRequest(req, body);
    const asks = direct?.modern === true && direct.call !== undefined && served.ask?.(direct.call) !== undefined;
    if (direct && !asks && (direct.call || listText(served.tools))) return answerDirectly(res, direct, served, onerror);
    const auth = { token: "", clientId: "", scopes: [], extra: served as unknown as Record<string, unknown> };
    const library = Object.assign(req, { auth }) as unknown as Parameters<typeof handler>[0];
    return handler(library, res, body);
  };
}

/** The result of a call. Throws what the protocol has for an unknown tool, and for a fault, whose cause only we are told. */
async function called(
  { call, unlisted }: ServedTools,
  request: ToolCall,
  onerror: (error: Error) => void,
): Promise<object> {
  let result: object | undefined;
  try {
    result = await call(request);
  } catch (error) {
    throw fault(error, onerror);
  }
  if (result) return result;
  throw unknown("tool", unlisted?.(request.name) ?? "this server lists no tool of that name");
}

function toolServer(served: ServedTools, onerror: (error: Error) => void): Server {
  const { instructions, ...info } = served.identity;
  const { prompts, resources, complete } = served;
  const capabilities = {
    tools: {},
    ...(prompts ? { prompts: {} } : {}),
    ...(resources ? { resources: {} } : {}),
    ...(complete ? { completions: {} } : {}),
  };
  const server = new Server(info, { capabilities, ...(instructions === undefined ? {} : { instructions }) });
  server.setRequestHandler("tools/list", ({ params }) => {
    onePage(params);
    return { tools: served.tools as never };
  });
  server.setRequestHandler("tools/call", async ({ params }, ctx) => {
    const { id, _meta: meta, notify, envelope, inputResponses } = ctx.mcpReq;
    const question = served.ask?.({ name: params.name, arguments: params.arguments ?? {} });
    const can = (envelope as Readonly<Record<string, unknown>> | undefined)?.[CLIENT_CAPABILITIES_META_KEY];
    if (question !== undefined && (Object(can) as { elicitation?: object }).elicitation) {
      const given = inputResponses?.confirm;
      if (given === undefined) return inputRequired({ inputRequests: { confirm: confirmRequest(question) } }) as never;
      if (!isConfirmed(given)) return DECLINED as never;
    }
    const progress = progressOf(
      meta?.progressToken,
      (method, params) => void notify({ method, params }).catch(() => {}),
    );
    const request = { id, name: params.name, arguments: params.arguments ?? {}, ...progress };
    return (await called(served, request, onerror)) as never;
  });
  const told = <T>(work: () => Promise<T>) => inWords(work, onerror);
  if (prompts) offerPrompts(server, prompts, told);
  if (resources) offerResources(server, resources, told);
  if (complete) offerCompletions(server, complete, told);
  return server;
}

function confirmRequest(message: string) {
  return inputRequired.elicit({ message, requestedSchema: CONFIRM_SCHEMA });
}

/** Does work and says what went wrong as the protocol does. */
type WithProtocolErrors = <T>(work: () => Promise<T>) => Promise<T>;

function offerPrompts(server: Server, { prompts, get }: ServedPrompts, withProtocolErrors: WithProtocolErrors): void {
  server.setRequestHandler("prompts/list", ({ params }) => {
    onePage(params);
    return { prompts: prompts as never };
  });
  server.setRequestHandler("prompts/get", async ({ params }) => {
    const prompt = await withProtocolErrors(() => get(params.name, params.arguments ?? {}));
    if (!prompt) throw unknown("prompt", "this server lists no prompt of that name");
    return prompt as never;
  });
}

function offerResources(
  server: Server,
  { templates, list, read }: ServedResources,
  withProtocolErrors: WithProtocolErrors,
): void {
  server.setRequestHandler("resources/list", async ({ params }) => {
    onePage(params);
    return { resources: (await withProtocolErrors(list)) as never };
  });
  server.setRequestHandler("resources/templates/list", ({ params }) => {
    onePage(params);
    return { resourceTemplates: templates as never };
  });
  server.setRequestHandler("resources/read", async ({ params: { uri } }) => {
    const contents = await withProtocolErrors(() => read(uri));
    if (!contents) throw new ResourceNotFoundError(uri, "Unknown resource: nothing here has this address.");
    return contents as never;
  });
}

/** How many values one answer may have, as the protocol says. */
const COMPLETIONS = 100;

function offerCompletions(server: Server, complete: Complete, withProtocolErrors: WithProtocolErrors): void {
  server.setRequestHandler("completion/complete", async ({ params: { ref, argument, context } }) => {
    const values = await withProtocolErrors(() =>
      complete({
        of: ref.type === "ref/prompt" ? { prompt: ref.name } : { template: ref.uri },
        argument: argument.name,
        typed: argument.value,
        given: context?.arguments ?? {},
      }),
    );
    if (!values) throw unknown("reference", "this server lists no such prompt or template");
    const [total, hasMore] = [values.length, values.length > COMPLETIONS];
    return { completion: { values: values.slice(0, COMPLETIONS), total, hasMore } };
  });
}

function onePage(params: { readonly cursor?: string | undefined } | undefined): void {
  if (params?.cursor !== undefined)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Unknown cursor: the list has one page.");
}

function unknown(what: string, why: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown ${what}: ${why}.`);
}

async function inWords<T>(work: () => Promise<T>, onerror: (error: Error) => void): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refused)) throw fault(error, onerror);
    const code = error.kind === "params" ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InvalidRequest;
    throw new ProtocolError(code, error.message, error.data);
  }
}

/** What a client is told of a fault: nothing. We are told its cause. */
function fault(error: unknown, onerror: (error: Error) => void): ProtocolError {
  onerror(error instanceof Error ? error : new Error(String(error)));
  return new ProtocolError(ProtocolErrorCode.InternalError, "Internal error");
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
