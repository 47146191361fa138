import { isIP } from "node:net";
import type { RequestHandler } from "express";
import { forbidden } from "../../chapters/errors.ts";
import { type Config, isLoopback } from "../config.ts";

/**
 * Refuses requests whose Host or Origin names a place this service is not served at: a page that points its own name
 * at this machine (DNS rebinding) then reaches nothing. Addresses pass, since such a page needs a name.
 */
export function hostGuard(config: Config): RequestHandler {
  const names = new Set(["localhost", config.host.toLowerCase(), ...config.allowedHosts]);
  if (config.publicUrl) names.add(new URL(config.publicUrl).hostname.toLowerCase());
  const served = (host: string) =>
    names.has("*") || names.has(host) || isLoopback(host) || isIP(host.replace(/^\[|\]$/g, "")) !== 0;
  return (req, _res, next) => {
    const host = hostname(`http://${req.headers.host ?? ""}`);
    if (host === undefined || !served(host)) {
      throw forbidden("This service is not served under the host name of this request; the operator can allow it.");
    }
    const origin = req.headers.origin;
    if (origin !== undefined) {
      const from = hostname(origin);
      if (from === undefined || !served(from)) {
        throw forbidden("Requests from pages of this origin are not allowed.");
      }
    }
    next();
  };
}

function hostname(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname.toLowerCase() : undefined;
}
