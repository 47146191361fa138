import type { ServerResponse } from "node:http";

/** After this long without a word the answer becomes a stream that is kept alive, so that nothing between cuts it. */
const QUIET_MS = 15_000;

/**
 * The answer to one JSON-RPC request, straight onto a response of Node: JSON when the answer is all there is, a stream of
 * events when notifications go before it. Nothing is sent once the connection is gone or something else has answered.
 */
export class DirectAnswer {
  readonly #res: ServerResponse;
  #streaming = false;
  #timer: NodeJS.Timeout;

  constructor(res: ServerResponse) {
    this.#res = res;
    this.#timer = setTimeout(() => this.#keepAlive(), QUIET_MS);
    res.once("close", () => clearTimeout(this.#timer));
  }

  /** Sends a message ahead of the answer. */
  notify(method: string, params: object): void {
    if (!this.#open) return;
    this.#stream();
    this.#res.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", method, params })}\n\n`);
  }

  /** Sends the answer, a JSON text in parts, and ends. */
  end(...parts: readonly (string | Buffer)[]): void {
    if (!this.#open) return;
    clearTimeout(this.#timer);
    const res = this.#res;
    if (this.#streaming) {
      res.end(`event: message\ndata: ${parts.join("")}\n\n`);
      return;
    }
    let bytes = 0;
    for (const part of parts) bytes += Buffer.byteLength(part);
    res.writeHead(200, {
      "content-type": "application/json",
      "content-length": bytes,
      "cache-control": "no-store",
    });
    const last = parts.length - 1;
    for (let i = 0; i < last; i++) res.write(parts[i]);
    res.end(parts[last]);
  }

  get #open(): boolean {
    // A refusal may have been sent in its place.
    return !this.#res.writableEnded && !this.#res.destroyed && (this.#streaming || !this.#res.headersSent);
  }

  #keepAlive(): void {
    if (!this.#open) return;
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
