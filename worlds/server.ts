import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, ProtocolError, ProtocolErrorCode, Server, type Tool } from "@modelcontextprotocol/server";
import type { ToolDefinition } from "./bundle.ts";
import { isObject, type Json } from "./json.ts";
import type { WorldAnswer } from "./world-api.ts";

/** A world as its endpoint sees it. */
export interface ServedWorld {
  /** What the server calls itself towards a client. */
  readonly name: string;
  readonly tools: readonly ToolDefinition[];
  call(tool: string, args: Record<string, unknown>): Promise<WorldAnswer>;
}

interface Listing {
  readonly tools: Tool[];
  /** Tools that promise structured content: whether a value that is no object goes under `result`. */
  readonly structured: ReadonlyMap<string, boolean>;
}

const listings = new WeakMap<readonly ToolDefinition[], Listing>();

/** The tools as a client may be shown them: the manifest as it is, with the object type that the protocol demands of schemas. */
function listingOf(tools: readonly ToolDefinition[]): Listing {
  const known = listings.get(tools);
  if (known) return known;
  const structured = new Map<string, boolean>();
  for (const { name, outputSchema } of tools) {
    if (outputSchema === undefined) continue;
    const properties = Object.keys(isObject(outputSchema.properties) ? outputSchema.properties : {});
    structured.set(name, properties.length === 1 && properties[0] === "result");
  }
  const made: Listing = {
    tools: tools.map((tool) => ({ ...tool, inputSchema: { ...tool.inputSchema, type: "object" } }) as Tool),
    structured,
  };
  listings.set(tools, made);
  return made;
}

function structuredOf(value: Json, wrapped: boolean): Record<string, unknown> | undefined {
  if (wrapped && !(isObject(value) && Object.hasOwn(value, "result"))) return { result: value };
  return isObject(value) ? value : undefined;
}

/** A server over one world, for one request. Its list is the manifest; a call that the world refuses is a tool error, an unknown tool is -32602. */
export function worldServer(world: ServedWorld): Server {
  const listing = listingOf(world.tools);
  const server = new Server({ name: world.name, version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", ({ params }) => {
    if (params?.cursor !== undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Unknown cursor: the list has one page.");
    return { tools: listing.tools };
  });
  server.setRequestHandler("tools/call", async ({ params }) => {
    const answer = await world.call(params.name, params.arguments ?? {});
    if (answer.answerClass === "error:unknown_tool")
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Unknown tool: this server lists no tool of that name.");
    const content = [{ type: "text" as const, text: answer.text }];
    if (answer.isError) return { content, isError: true };
    const wrapped = listing.structured.get(params.name);
    const structuredContent = wrapped === undefined ? undefined : structuredOf(answer.value, wrapped);
    return { content, ...(structuredContent === undefined ? {} : { structuredContent }) };
  });
  return server;
}

type NodeHandler = ReturnType<typeof toNodeHandler>;

/** Node's IncomingMessage and ServerResponse, named by what tells them; the library's own types differ from Node's in optional fields. */
interface NodeRequest {
  readonly headers: object;
  readonly socket: object;
}
interface NodeResponse {
  readonly headersSent: boolean;
  setHeader(name: string, value: string): unknown;
}

/** A streamable HTTP endpoint for any number of worlds, in web-standard and Node form. Who may reach which world is decided before it. */
export interface WorldEndpoint {
  fetch(world: ServedWorld, request: Request): Promise<Response>;
  /** `body` is the parsed JSON body where it was read already. */
  node(world: ServedWorld, request: NodeRequest, response: NodeResponse, body?: unknown): Promise<void>;
  close(): Promise<void>;
}

/** One endpoint for all worlds of a process: a fresh server for each request, nothing kept between requests. Serves clients of 2024-10-07 to 2025-11-25 and of 2026-07-28. */
export function worldEndpoint(options: { readonly onerror?: (error: Error) => void } = {}): WorldEndpoint {
  const handler = createMcpHandler((context) => worldServer(context.authInfo?.extra?.world as ServedWorld), options);
  const node = toNodeHandler(handler, options);
  const authFor = (world: ServedWorld) => ({ token: "", clientId: "", scopes: [], extra: { world } });
  return {
    fetch: (world, request) => handler.fetch(request, { authInfo: authFor(world) }),
    node: async (world, request, response, body) => {
      const [req, res] = [
        Object.assign(request, { auth: authFor(world) }),
        response,
      ] as unknown as Parameters<NodeHandler>;
      await node(req, res, body);
    },
    close: () => handler.close(),
  };
}
