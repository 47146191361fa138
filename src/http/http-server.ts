import { createServer, type RequestListener, type Server } from "node:http";

/** How long a request may take to arrive whole, milliseconds: evidence comes as streams of gigabytes, over any line. */
export const ARRIVAL_LIMIT_MS = 4 * 3_600_000;

/** How long the rest of a request may take to arrive once it was answered, milliseconds: nobody reads it any more. */
const REST_LIMIT_MS = 60_000;

/** A server of HTTP that waits for long streams; for a request's headers it waits as Node does. */
export function httpServer(handler: RequestListener, restLimitMs: number = REST_LIMIT_MS): Server {
  return createServer({ requestTimeout: ARRIVAL_LIMIT_MS }, (req, res) => {
    res.once("finish", () => {
      if (req.complete) return;
      const timer = setTimeout(() => req.socket.destroy(), restLimitMs).unref();
      for (const over of ["end", "close"] as const) req.once(over, () => clearTimeout(timer));
    });
    handler(req, res);
  });
}
