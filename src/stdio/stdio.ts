import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { LOCAL_HEADER } from "../http/local-header.ts";
import type { ClusterNode } from "../leadership/cluster-node.ts";
import { askLeader, LeaderUnreachable } from "../leadership/socket.ts";
import { eventData, finalMessage } from "../mcp/rpc-answer.ts";
import { type RpcMessage, rpcHeaders } from "../mcp/rpc-headers.ts";
import { Asks, type ListedTool } from "./asks.ts";

/** After the client closed its end, calls under way are ended only if they hang: a client that will not wait sends SIGTERM. */
const DRAIN_MS = 600_000;

/**
 * A pipe between a client's stdio and the tool server of the data folder's owner, be that another process or this one.
 * Ends when the input ends. When the owner dies, reads are asked again of the next; a write that was under way answers
 * that its outcome is unknown.
 */
export async function pipeStdio(
  clusterNode: ClusterNode,
  query: string,
  input: Readable,
  output: Writable,
): Promise<void> {
  const pipe = new StdioPipe(clusterNode, query, output);
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  const ended = new Promise<void>((resolve) => {
    lines.once("close", resolve);
    output.once("error", () => resolve());
  });
  lines.on("line", (line) => {
    if (line.trim() !== "") pipe.take(line);
  });
  await ended;
  await pipe.drain();
}

class StdioPipe {
  readonly #member: ClusterNode;
  readonly #path: string;
  readonly #output: Writable;
  readonly #client = randomUUID();
  readonly #running = new Map<string | number, AbortController>();
  readonly #ends = new Set<Promise<void>>();
  readonly #asks = new Asks(
    (message) => this.#write(message),
    () => this.#tools(),
  );
  #agreed: string | undefined;

  constructor(clusterNode: ClusterNode, query: string, output: Writable) {
    this.#member = clusterNode;
    this.#path = query === "" ? "/mcp" : `/mcp?${query}`;
    this.#output = output;
  }

  take(line: string): void {
    const end = this.#serve(line).finally(() => this.#ends.delete(end));
    this.#ends.add(end);
  }

  async drain(): Promise<void> {
    const late = setTimeout(() => {
      for (const abort of this.#running.values()) abort.abort();
    }, DRAIN_MS);
    await Promise.allSettled([...this.#ends]);
    clearTimeout(late);
  }

  async #serve(line: string): Promise<void> {
    const message = parsed(line);
    if (!message)
      return this.#write({ id: null, error: { code: -32700, message: "This line is not a JSON-RPC message." } });
    if (this.#asks.take(message)) return;
    if (message.method === "notifications/cancelled") {
      // Over HTTP a call is cancelled by hanging up, in every version.
      this.#running.get(message.params?.requestId as string | number)?.abort();
      return;
    }
    const { id } = message;
    const abort = new AbortController();
    if (id !== undefined && id !== null && message.method !== undefined) this.#running.set(id, abort);
    try {
      const refused = await this.#asks.refusal(message, abort.signal);
      if (abort.signal.aborted) return;
      if (refused) return this.#write({ id, result: refused });
      await this.#forward(line, message, abort.signal);
    } catch (error) {
      if (abort.signal.aborted) return;
      if (id !== undefined && id !== null) this.#write(failure(message, error));
    } finally {
      if (id !== undefined && id !== null) this.#running.delete(id);
    }
  }

  async #forward(line: string, message: RpcMessage, signal: AbortSignal): Promise<void> {
    for (;;) {
      const place = this.#member.place;
      try {
        return await this.#member.ask(async (socket) =>
          this.#relay(await this.#post(socket, line, message, signal), message),
        );
      } catch (error) {
        if (signal.aborted || error instanceof LeaderUnreachable) throw error;
        // It broke off half-way: the owner may be gone, and may have done it or not.
        await this.#member.rejoin(place);
        if (message.method === undefined || !(await this.#repeatable(message))) throw error;
      }
    }
  }

  #post(socket: string, body: string, message: RpcMessage, signal: AbortSignal): Promise<IncomingMessage> {
    const headers = {
      host: "localhost",
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(body)),
      accept: "application/json, text/event-stream",
      [LOCAL_HEADER]: "1",
      "x-svc-client": this.#client,
      ...rpcHeaders(message, this.#agreed),
    };
    return askLeader(socket, { method: "POST", path: this.#path, headers, signal }, (out) => out.end(body));
  }

  async #relay(res: IncomingMessage, message: RpcMessage): Promise<void> {
    if (res.headers["content-type"]?.startsWith("text/event-stream")) {
      for await (const data of eventData(res)) this.#send(data, message);
      return;
    }
    let text = "";
    for await (const chunk of res.setEncoding("utf8")) text += chunk;
    if (text === "") return;
    const body = JSON.parse(text) as Record<string, unknown>;
    if (Array.isArray(body) || body.jsonrpc === "2.0") return this.#send(text, message);
    // A refusal of the HTTP surface, such as unknown chapters.
    if (message.id !== undefined && message.id !== null) {
      this.#write({
        id: message.id,
        error: { code: -32600, message: String(body.reason ?? "The request was refused."), data: body },
      });
    }
  }

  #send(data: string, asked: RpcMessage): void {
    if (asked.method === "initialize") {
      const version = (JSON.parse(data) as RpcMessage).result?.protocolVersion;
      if (typeof version === "string") this.#agreed = version;
    }
    this.#output.write(`${data.includes("\n") ? JSON.stringify(JSON.parse(data)) : data}\n`);
  }

  #write(message: Record<string, unknown>): void {
    this.#output.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  /** Whether asking twice does no more than asking once: everything but calls of tools that write. */
  async #repeatable(message: RpcMessage): Promise<boolean> {
    if (message.method !== "tools/call") return true;
    const tools = await this.#tools();
    return tools.find((tool) => tool.name === message.params?.name)?.annotations?.readOnlyHint === true;
  }

  async #tools(): Promise<readonly ListedTool[]> {
    const ask: RpcMessage & { jsonrpc: string } = { jsonrpc: "2.0", id: 0, method: "tools/list" };
    const body = JSON.stringify(ask);
    const answer = await this.#member.ask(async (socket) => {
      const headers = {
        host: "localhost",
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        [LOCAL_HEADER]: "1",
      };
      return finalMessage(
        await askLeader(socket, { method: "POST", path: this.#path, headers }, (out) => out.end(body)),
      );
    });
    return (answer.result?.tools ?? []) as readonly ListedTool[];
  }
}

function parsed(line: string): RpcMessage | undefined {
  try {
    const message: unknown = JSON.parse(line);
    return typeof message === "object" && message !== null && !Array.isArray(message)
      ? (message as RpcMessage)
      : undefined;
  } catch {
    return undefined;
  }
}

/** What a client is told when its call cannot be answered: in a tool's words for a tool. */
function failure(message: RpcMessage, error: unknown): Record<string, unknown> {
  const sent = !(error instanceof LeaderUnreachable);
  const reason = sent
    ? "The service ended while this call was under way; whether it took effect is unknown. Look before you call it again."
    : "The service cannot be reached; nothing was done.";
  if (message.method !== "tools/call") return { id: message.id, error: { code: -32603, message: reason } };
  const text = JSON.stringify({ error: "unavailable", reason });
  return { id: message.id, result: { content: [{ type: "text", text }], isError: true, resultType: "complete" } };
}
