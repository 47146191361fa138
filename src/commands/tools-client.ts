import { AppError, unavailable } from "../../chapters/errors.ts";
import { LOCAL_HEADER } from "../http/local-header.ts";
import type { ClusterNode } from "../leadership/cluster-node.ts";
import { askLeader } from "../leadership/socket.ts";
import { finalMessage } from "../mcp/rpc-answer.ts";
import type { RpcMessage } from "../mcp/rpc-headers.ts";
import { askService } from "./service-client.ts";

/** A tool as the command line reads it. */
export interface ListedTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema?: { readonly properties?: Record<string, unknown>; readonly required?: readonly string[] };
}

/** A tool's answer. */
export interface ToolAnswer {
  /** Its text, a file's content after it. */
  readonly text: string;
  readonly isError: boolean;
  /** Its data, where the tool gives some. */
  readonly structured?: unknown;
  readonly file?: AnsweredFile;
}

/** A file that a tool answered: its content, or where the same token fetches it. */
export interface AnsweredFile {
  readonly type: string;
  readonly bytes?: Buffer;
  readonly url?: string;
}

/** The tool server as the command line uses it. Both throw AppError when the server refuses the request itself. */
export interface ToolsClient {
  list(): Promise<readonly ListedTool[]>;
  call(name: string, args: Readonly<Record<string, unknown>>): Promise<ToolAnswer>;
}

const HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };

/** The tools of this machine's workspace, through its owner. */
export function localTools(clusterNode: ClusterNode, query: string): ToolsClient {
  return client((body) =>
    clusterNode.ask(async (socket) => {
      const headers = { ...HEADERS, host: "localhost", [LOCAL_HEADER]: "1" };
      const res = await askLeader(socket, { method: "POST", path: `/mcp?${withSchemas(query)}`, headers }, (out) =>
        out.end(body),
      );
      return finalMessage(res);
    }),
  );
}

/** The tools of a service elsewhere. */
export function remoteTools(url: string, token: string | undefined, query: string): ToolsClient {
  return client(async (body) => {
    const address = `${url.replace(/\/+$/, "")}/mcp?${withSchemas(query)}`;
    const res = await askService(address, { method: "POST", headers: HEADERS, body }, token);
    const text = await res.text();
    if (!res.headers.get("content-type")?.startsWith("text/event-stream")) return message(text);
    const events = text.split("\n").filter((line) => line.startsWith("data:"));
    return message(events.at(-1)?.slice(5) ?? "");
  });
}

/** A program reads whole definitions and answers as data; the lean list is for models. */
function withSchemas(query: string): string {
  return query === "" ? "output_schemas=1" : `${query}&output_schemas=1`;
}

function message(text: string): RpcMessage {
  try {
    return Object(JSON.parse(text)) as RpcMessage;
  } catch {
    throw unavailable("What answers at this address is not this service. Check SVC_URL, or run svc doctor.");
  }
}

function client(post: (body: string) => Promise<RpcMessage>): ToolsClient {
  const ask = async (method: string, params: Record<string, unknown>) => {
    const answer = (await post(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }))) as RpcMessage & {
      error?: { message?: string } | string;
      reason?: string;
    };
    if (answer.result) return answer.result;
    const told = typeof answer.error === "object" ? answer.error.message : answer.reason;
    const code = answer.error === "unauthenticated" ? answer.error : "bad_request";
    throw new AppError(code, told ?? "The service gave no answer that could be read.");
  };
  return {
    async list() {
      return (await ask("tools/list", {})).tools as ListedTool[];
    },
    async call(name, args) {
      const { content, isError, structuredContent: structured } = await ask("tools/call", { name, arguments: args });
      const parts = content as readonly ContentPart[];
      const texts = parts.map(({ text, resource, uri }) => text ?? resource?.text ?? resource?.blob ?? uri ?? "");
      const file = parts.map(fileOf).find((found) => found !== undefined);
      const answer = { text: texts.join("\n"), isError: isError === true, structured };
      return file === undefined ? answer : { ...answer, file };
    },
  };
}

interface ContentPart {
  readonly text?: string;
  readonly uri?: string;
  readonly mimeType?: string;
  readonly resource?: { readonly mimeType?: string; readonly text?: string; readonly blob?: string };
}

function fileOf({ resource, uri, mimeType }: ContentPart): AnsweredFile | undefined {
  const type = resource?.mimeType ?? mimeType ?? "application/octet-stream";
  if (resource?.blob !== undefined) return { type, bytes: Buffer.from(resource.blob, "base64") };
  if (resource?.text !== undefined) return { type, bytes: Buffer.from(resource.text) };
  return uri === undefined ? undefined : { type, url: uri };
}
