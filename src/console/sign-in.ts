import type { Request, Response, Router } from "express";
import { html } from "htm/preact";
import { acceptInvite, readInvite } from "../../chapters/organization/invites.ts";
import { endSession, sessionOf } from "../../chapters/organization/sessions.ts";
import { withinCall } from "../http/access.ts";
import { page } from "../pages/html.ts";
import type { Service } from "../service/service.ts";
import { sendPage } from "./answer.ts";
import { holdSession, sessionCookieOf } from "./cookie.ts";
import { sameOrigin } from "./guard.ts";
import { isThisMachine } from "./this-machine.ts";
import { consoleCtx } from "./visit.ts";

/**
 * The way in by a one-time link. Looking at it signs nobody in and uses nothing up, since programs look at links too; the
 * button on its page does. The session is always a new one, and the one the browser held before ends.
 */
export function signInPages(service: Service, router: Router): void {
  router.get("/invite/:invite", (req, res) =>
    withinCall(res, async ({ signal }) => {
      await service.limits.tryIn(req.socket.remoteAddress ?? "");
      const { org, name } = await readInvite(consoleCtx(service, signal), req.params.invite, useOf(req));
      askFor(res, org, name);
    }),
  );
  router.post("/invite/:invite", (req, res) =>
    withinCall(res, async ({ signal }) => {
      sameOrigin(req, service.config);
      await service.limits.tryIn(req.socket.remoteAddress ?? "");
      const across = consoleCtx(service, signal);
      const session = await acceptInvite(across, req.params.invite, useOf(req));
      const before = sessionCookieOf(service, req);
      const old = before === undefined ? undefined : await sessionOf(across, before);
      if (old) await endSession(across.inOrg(old.org), old.session.id);
      holdSession(service, res, session);
      res.set("cache-control", "no-store").redirect(303, "/console");
    }),
  );
}

function useOf(req: Request) {
  return { onThisMachine: isThisMachine(req) };
}

function askFor(res: Response, org: string, name: string): void {
  const title = `Sign in to ${org}`;
  const children = html`
    <h1>${title}</h1>
    <p>This link signs ${name} in, once, on this browser. Go on only if that is you.</p>
    <form method="post"><button type="submit">Sign in as ${name}</button></form>
  `;
  sendPage(res, 200, page(title, children));
}
