import type { IncomingMessage, ServerResponse } from "node:http";

/** Versions whose requests stand for themselves in one POST, with nothing in headers that the body must repeat. */
const PLAIN_VERSIONS = new Set(["2025-06-18", "2025-11-25"]);
/** After this long without a word the answer becomes a stream that is kept alive, so that nothing between cuts it. */
const QUIET_MS = 15_000;

interface Message {
  readonly jsonrpc: "2.0";
  readonly id?: string | number;
  readonly method?: string;
}

/**
 * Whether a POST is one plain request of the 2025 protocol, with every header as that asks: those need none of the web
 * standard objects a general handler makes, which cost more than most calls themselves.
 */
export function isPlainRequest(req: IncomingMessage, body: unknown): boolean {
  const version = req.headers["mcp-protocol-version"];
  const accept = req.headers.accept ?? "";
  const message = body as
    | { jsonrpc?: unknown; id?: unknown; method?: unknown; params?: { _meta?: unknown } }
    | undefined;
  return (
    req.method === "POST" &&
    (version === undefined || (typeof version === "string" && PLAIN_VERSIONS.has(version))) &&
    accept.includes("application/json") &&
    accept.includes("text/event-stream") &&
    /^application\/json *(;|$)/i.test(req.headers["content-type"] ?? "") &&
    message?.jsonrpc === "2.0" &&
    (typeof message.id === "string" || Number.isSafeInteger(message.id)) &&
    (message.method === "tools/call" || message.method === "tools/list") &&
    !JSON.stringify(message.params?._meta ?? null).includes("io.modelcontextprotocol/")
  );
}

/**
 * A transport for one request and its answer, straight onto a response of Node: JSON when the answer is all there is, a
 * stream of events when progress goes before it. `done` resolves when the answer is out.
 */
export class DirectTransport {
  onmessage?: (message: never, extra?: never) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly done: Promise<void>;
  readonly #res: ServerResponse;
  readonly #end: () => void;
  #streaming = false;
  #answered = false;
  #timer: NodeJS.Timeout;

  constructor(res: ServerResponse) {
    this.#res = res;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.done = promise;
    this.#end = resolve;
    this.#timer = setTimeout(() => this.#keepAlive(), QUIET_MS);
    res.once("close", () => {
      if (!this.#answered) void this.close();
    });
  }

  async start(): Promise<void> {}

  /** Hands the request to the connected server. */
  take(body: unknown): void {
    this.onmessage?.(body as never);
  }

  async send(message: Message): Promise<void> {
    // A refusal may have been sent in its place, or the connection may be gone.
    if (this.#answered || this.#res.writableEnded || this.#res.destroyed) return;
    const text = JSON.stringify(message);
    if (message.method !== undefined) {
      this.#event(text);
      return;
    }
    this.#answered = true;
    clearTimeout(this.#timer);
    if (this.#streaming) {
      this.#event(text);
      this.#res.end();
    } else {
      this.#res.writeHead(200, {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(text),
        "cache-control": "no-store",
      });
      this.#res.end(text);
    }
    this.#end();
  }

  /** Gives up the exchange: nothing more is sent. */
  async close(): Promise<void> {
    this.#answered = true;
    clearTimeout(this.#timer);
    this.#end();
    this.onclose?.();
  }

  #event(text: string): void {
    this.#stream();
    this.#res.write(`event: message\ndata: ${text}\n\n`);
  }

  #keepAlive(): void {
    if (this.#answered || this.#res.writableEnded || this.#res.destroyed) return;
    this.#stream();
    this.#res.write(": still at work\n\n");
    this.#timer = setTimeout(() => this.#keepAlive(), QUIET_MS);
  }

  #stream(): void {
    if (this.#streaming) return;
    this.#streaming = true;
    this.#res.writeHead(200, {
      "content-type": "text/event-stream",
      "cache-control": "no-cache",
      "x-accel-buffering": "no",
    });
  }
}
