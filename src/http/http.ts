import express, { type ErrorRequestHandler, type Express } from "express";
import helmet from "helmet";
import { AppError, notFound } from "../../chapters/errors.ts";
import { CHAT_EVENTS_PATH } from "../../chapters/organization/chat.ts";
import { LOCAL_LINK_PATH, localLink } from "../console/local-link.ts";
import { consoleErrors, consoleSurface } from "../console/surface.ts";
import { mcpSurface } from "../mcp/mcp.ts";
import { worldSurface } from "../mcp/world-surface.ts";
import { operatorSurface } from "../operator/surface.ts";
import { sharedPages } from "../pages/shared.ts";
import { METADATA_PATH } from "../service/oauth.ts";
import type { Service } from "../service/service.ts";
import { Access, type LocalPeer, RESOURCE_METADATA, refusal, sendJson, sendRefusal } from "./access.ts";
import { chatEvents } from "./chat-events.ts";
import { doorSurface } from "./doors.ts";
import { hostGuard } from "./guards.ts";
import { restSurface } from "./rest.ts";

/**
 * The whole service over HTTP: REST under /v0, the operator's acts under /v0/operator, MCP at /mcp, worlds at their
 * own endpoints, shared reports under /r, the console under /console. With `local`, requests that carry the local
 * header, with its secret, are who it tells: only for a socket that no one else can reach.
 */
export function createApp(service: Service, local?: LocalPeer): Express {
  const access = new Access(service.auth, service.limits, local);
  const app = express();
  app.disable("x-powered-by").set("etag", false).set("query parser", false);
  app.use(helmet({ contentSecurityPolicy: { directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } } }));
  app.use(hostGuard(service.config));
  app.get("/healthz", (_req, res) => sendJson(res, 200, { status: "ok" }));
  // Browsers ask for it whatever a page says: that there is none is no error.
  app.get("/favicon.ico", (_req, res) => res.set("cache-control", "public, max-age=86400").status(204).end());
  const { oauth } = service.auth;
  if (oauth) {
    app.get([METADATA_PATH, `${METADATA_PATH}/mcp`], (_req, res) => sendJson(res, 200, oauth.metadata));
    app.use(["/mcp", "/v0"], (_req, res, next) => {
      res.locals[RESOURCE_METADATA] = oauth.metadataUrl;
      next();
    });
  }
  app.all("/mcp", mcpSurface(service, access));
  app.all(CHAT_EVENTS_PATH, chatEvents(service));
  app.all("/v0/operator/{*path}", operatorSurface(service, access));
  app.all("/v0/{*path}", restSurface(service, access));
  app.all("/worlds/:bundle/:world/mcp", worldSurface(service));
  app.all("/d/{*path}", doorSurface(service));
  app.all("/r/{*path}", sharedPages(service));
  app.use("/console", consoleSurface(service));
  if (local) app.all(LOCAL_LINK_PATH, localLink(service, access));
  app.get("/", (_req, res) => res.redirect(303, "/console"));
  app.use(() => {
    throw notFound("page");
  });
  app.use("/console", consoleErrors(service));
  app.use(errors(service));
  return app;
}

function errors({ log }: Service): ErrorRequestHandler {
  return (error, req, res, _next) => {
    // A path that does not decode makes the router itself throw.
    const known = error instanceof URIError ? new AppError("not_found", "There is no such route.") : error;
    sendRefusal(req, res, refusal(known, log, res.locals.operation as string | undefined));
  };
}
