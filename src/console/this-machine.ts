import { isIP } from "node:net";
import type { Request } from "express";
import { isLoopback } from "../config.ts";

/** Headers by which a proxy tells that a request came through it. */
const PROXIED = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"];

/**
 * Whether a request comes straight from a browser on this machine: over loopback, to a loopback name, and through no
 * proxy that says so. One that another process passes on over the owner's socket has no address and is not.
 */
export function isThisMachine(req: Request): boolean {
  const from = req.socket.remoteAddress?.replace(/^::ffff:/, "") ?? "";
  const host = URL.canParse(`http://${req.headers.host ?? ""}`) ? new URL(`http://${req.headers.host}`).hostname : "";
  const direct = PROXIED.every((name) => req.headers[name] === undefined);
  return isIP(from) !== 0 && isLoopback(from) && isLoopback(host) && direct;
}
