import type { IncomingHttpHeaders, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";

// What agents, and servers of theirs, send through the launcher: it must cost only them whatever they send.

/** Clients in use send the next request on a connection when the last is answered, or a few ahead. */
const AHEAD = 16;
/** Headers of one connection. */
const HOP = new Set("connection proxy-connection keep-alive transfer-encoding upgrade te trailer expect".split(" "));

/** Ends a connection whose request cannot be carried, or that asks for more before it is answered: what waits is kept in memory. */
export function carrying(listener: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, number>();
  return (req, res) => {
    const { socket } = req;
    const count = (waiting.get(socket) ?? 0) + 1;
    if (count > AHEAD) return void socket.destroy();
    waiting.set(socket, count);
    res.once("close", () => waiting.set(socket, (waiting.get(socket) ?? 1) - 1));
    orEnd(res, () => listener(req, res));
  };
}

/** Does what may throw because of what was sent: Node refuses some headers, and statuses below 100, only when they are sent on. */
export function orEnd(res: ServerResponse, work: () => void): void {
  try {
    work();
  } catch {
    res.destroy();
  }
}

/** The headers that go on to the other side. */
export function carried(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP.has(name)));
}
