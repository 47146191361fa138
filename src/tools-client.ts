import { AppError } from "../chapters/errors.ts";
import { LOCAL_HEADER } from "./exchange-headers.ts";
import type { Member } from "./member.ts";
import { finalMessage } from "./rpc-answer.ts";
import type { RpcMessage } from "./rpc-headers.ts";
import { askOwner } from "./socket.ts";

/** A tool as the command line reads it. */
interface ListedTool {
  readonly name: string;
  readonly title?: string;
  readonly inputSchema?: { readonly properties?: Record<string, unknown> };
}

/** The tool server as the command line uses it. Both throw AppError when the server refuses the request itself. */
export interface ToolsClient {
  list(): Promise<readonly ListedTool[]>;
  /** The text of the answer, a file's content after it, and the answer's data where the tool gives some. */
  call(
    name: string,
    args: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly text: string; readonly isError: boolean; readonly structured?: unknown }>;
}

const HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };

/** The tools of this machine's workspace, through its owner. */
export function localTools(member: Member, query: string): ToolsClient {
  return client((body) =>
    member.ask(async (socket) => {
      const headers = { ...HEADERS, host: "localhost", [LOCAL_HEADER]: "1" };
      const res = await askOwner(socket, { method: "POST", path: `/mcp?${query}`, headers }, (out) => out.end(body));
      return finalMessage(res);
    }),
  );
}

/** The tools of a service elsewhere. */
export function remoteTools(url: string, token: string | undefined, query: string): ToolsClient {
  return client(async (body) => {
    const headers = { ...HEADERS, ...(token ? { authorization: `Bearer ${token}` } : {}) };
    const res = await fetch(`${url.replace(/\/+$/, "")}/mcp?${query}`, { method: "POST", headers, body });
    const text = await res.text();
    if (!res.headers.get("content-type")?.startsWith("text/event-stream")) return JSON.parse(text) as RpcMessage;
    const events = text.split("\n").filter((line) => line.startsWith("data:"));
    return JSON.parse(events.at(-1)?.slice(5) ?? "null") as RpcMessage;
  });
}

function client(post: (body: string) => Promise<RpcMessage>): ToolsClient {
  const ask = async (method: string, params: Record<string, unknown>) => {
    const answer = (await post(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }))) as RpcMessage & {
      error?: { message?: string } | string;
      reason?: string;
    };
    if (answer.result) return answer.result;
    const told = typeof answer.error === "object" ? answer.error.message : answer.reason;
    throw new AppError("bad_request", told ?? "The service gave no answer that could be read.");
  };
  return {
    async list() {
      return (await ask("tools/list", {})).tools as ListedTool[];
    },
    async call(name, args) {
      const { content, isError, structuredContent: structured } = await ask("tools/call", { name, arguments: args });
      const parts = (content as { text?: string; uri?: string; resource?: { text?: string; blob?: string } }[]).map(
        (part) => part.text ?? part.resource?.text ?? part.resource?.blob ?? part.uri ?? "",
      );
      return { text: parts.join("\n"), isError: isError === true, structured };
    },
  };
}
