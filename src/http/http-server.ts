import { createServer, type RequestListener, type Server } from "node:http";

/** How long a request may take to arrive whole, milliseconds: evidence comes as streams of gigabytes, over any line. */
export const ARRIVAL_LIMIT_MS = 4 * 3_600_000;

/** A server of HTTP that waits for long streams; for a request's headers it waits as Node does. */
export function httpServer(handler: RequestListener): Server {
  return createServer({ requestTimeout: ARRIVAL_LIMIT_MS }, handler);
}
