import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

/** A request as a vendor saw it. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly raw: Buffer;
}

/** What a vendor answers; bytes and text go as they are, any other body as JSON. */
export interface VendorAnswer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

/** A vendor on a free loopback port. */
export interface VendorServer {
  readonly url: string;
  readonly seen: Seen[];
  /** The next `n` requests are refused with 429 and this many seconds to wait. */
  limit(n: number, retryAfter: number): void;
  /** The next `n` requests are answered with this status and no JSON. */
  fail(n: number, status: number): void;
  close(): Promise<void>;
}

/** Starts a vendor that answers by a function of what it sees. */
export async function startVendor(answer: (seen: Seen) => VendorAnswer | Promise<VendorAnswer>): Promise<VendorServer> {
  const seen: Seen[] = [];
  let limited = { n: 0, retryAfter: 0 };
  let failing = { n: 0, status: 500 };
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const { pathname, searchParams } = new URL(req.url ?? "/", "http://vendor");
    const { method = "GET", headers } = req;
    const raw = Buffer.concat(chunks);
    const request = { method, path: pathname, query: searchParams, headers, body: raw.toString(), raw };
    seen.push(request);
    if (limited.n > 0) {
      limited = { ...limited, n: limited.n - 1 };
      res.writeHead(429, { "retry-after": String(limited.retryAfter) }).end();
      return;
    }
    if (failing.n > 0) {
      failing = { ...failing, n: failing.n - 1 };
      res.writeHead(failing.status).end("<html>sorry</html>");
      return;
    }
    const { status = 200, headers: own = {}, body } = await answer(request);
    const plain = typeof body === "string" || Buffer.isBuffer(body);
    res.writeHead(status, { "content-type": plain ? "text/plain" : "application/json", ...own });
    res.end(body === undefined ? "" : plain ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    limit: (n, retryAfter) => {
      limited = { n, retryAfter };
    },
    fail: (n, status) => {
      failing = { n, status };
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
