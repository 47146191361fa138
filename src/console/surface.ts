import type { ErrorRequestHandler, RequestHandler } from "express";
import { lazy } from "../service/lazy.ts";
import type { Service } from "../service/service.ts";

/** The built-in console, loaded at its first page: most callers of the service are programs. */
export function consoleSurface(service: Service): RequestHandler {
  const routes = lazy(async () => (await import("./routes.ts")).consoleRoutes(service));
  return async (req, res, next) => (await routes.get())(req, res, next);
}

/** Whatever is refused below the console's address, as a page. */
export function consoleErrors(service: Service): ErrorRequestHandler {
  const pages = lazy(async () => (await import("./answer.ts")).errorPages(service));
  return async (error, req, res, next) => (await pages.get())(error, req, res, next);
}
