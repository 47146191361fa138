import { type RequestHandler, Router } from "express";
import { forbidden, notFound, unauthenticated } from "../../chapters/errors.ts";
import { endSession } from "../../chapters/organization/sessions.ts";
import { withinCall } from "../http/access.ts";
import { ISLANDS_PATH, islandFiles } from "../pages/island-files.ts";
import type { Service } from "../service/service.ts";
import { sendView } from "./answer.ts";
import { consentPages } from "./consent.ts";
import { dropSession, isFormToken, sessionCookieOf } from "./cookie.ts";
import { deliveryPages } from "./delivery.ts";
import { drillDownPages } from "./drill-down.ts";
import { findingPages } from "./findings.ts";
import { CONSOLE } from "./frame.ts";
import { formOf, sameOrigin } from "./guard.ts";
import { homePages } from "./home/home.ts";
import { trendPages } from "./home/trends.ts";
import { groupLists } from "./lists/groups.ts";
import { traceLists } from "./lists/traces.ts";
import { memberPages } from "./members.ts";
import { reportPages } from "./reports.ts";
import type { ConsoleRoute } from "./route.ts";
import { signInPages } from "./sign-in.ts";
import { surfacePages } from "./surfaces.ts";
import { tokenPages } from "./tokens.ts";
import { viewerPages } from "./viewer.ts";
import { visitOf } from "./visit.ts";
import { weeklyPages } from "./weekly.ts";
import { calibratePages } from "./work/calibrate.ts";
import { declarePages } from "./work/declare.ts";
import { labelPages } from "./work/label.ts";
import { livePages } from "./work/live.ts";
import { liveEvents } from "./work/live-events.ts";
import { notePages } from "./work/notes.ts";
import { proposalPages } from "./work/proposals.ts";
import { reviewLists } from "./work/review-list.ts";
import { startPages } from "./work/start.ts";
import { taskPages } from "./work/task.ts";
import { youPages } from "./you.ts";

/** Every page and act, the more special address before the one that would hold it too. */
export const CONSOLE_ROUTES: readonly ConsoleRoute[] = [
  ...homePages,
  ...trendPages,
  // Before the pages of one group: addresses of lists are below theirs.
  ...groupLists,
  ...startPages,
  ...livePages,
  ...reviewLists,
  ...taskPages,
  ...labelPages,
  ...calibratePages,
  ...declarePages,
  ...notePages,
  ...proposalPages,
  ...traceLists,
  ...findingPages,
  ...viewerPages,
  ...drillDownPages,
  ...reportPages,
  ...surfacePages,
  // Before the channels: its address is below theirs.
  ...weeklyPages,
  ...deliveryPages,
  ...memberPages,
  ...tokenPages,
  ...youPages,
  ...consentPages,
];

/** The nearest page above the address of an act. */
function pageAbove(path: string, shown: ReadonlySet<string>): string {
  const parts = path.split("/").slice(0, -1);
  while (parts.length > 1 && ![...shown].some((each) => isAt(each, parts))) parts.pop();
  return parts.join("/");
}

function isAt(path: string, parts: readonly string[]): boolean {
  const named = path.split("/");
  return named.length === parts.length && named.every((part, i) => part.startsWith(":") || part === parts[i]);
}

/** Every page and act of the console. What a page refuses is thrown, and shown by `errorPages`. */
export function consoleRoutes(service: Service): RequestHandler {
  const router = Router({ strict: false });
  router.get(ISLANDS_PATH, islandFiles);
  router.get("/groups/:gid/events", liveEvents(service));
  const handle =
    (view: ConsoleRoute["view"], posted: boolean): RequestHandler =>
    (req, res) =>
      withinCall(res, async ({ signal }) => {
        if (posted) sameOrigin(req, service.config);
        const form = posted ? await formOf(req) : new URLSearchParams();
        const visit = await visitOf(service, req, form, signal);
        res.locals.visit = visit;
        await service.limits.enter(visit.ctx.caller, req);
        if (posted && !isFormToken(sessionCookieOf(service, req) ?? "", form.get("token")))
          throw forbidden("This form is not of your session. Open the page again and send it from there.");
        await sendView(req, res, visit, await view(visit));
      });
  for (const { method, path, view } of CONSOLE_ROUTES)
    if (method === "GET") router.get(path, handle(view, false));
    else router.post(path, handle(view, true));
  // A browser that opens a tab anew asks for the address of the act that made its page: that is where the act stands.
  const shown = new Set(CONSOLE_ROUTES.flatMap(({ method, path }) => (method === "GET" ? [path] : [])));
  for (const { method, path } of CONSOLE_ROUTES)
    if (method === "POST" && !shown.has(path))
      router.get(path, (req, res) => {
        res.redirect(303, CONSOLE + pageAbove(req.path, shown));
      });

  router.post(
    "/sign-out",
    handle(async ({ ctx, session }) => {
      await endSession(ctx, session.id);
      return { to: "/console/signed-out" };
    }, true),
  );
  router.get("/signed-out", (_req, res) => {
    dropSession(service, res);
    throw unauthenticated("You are signed out.");
  });
  signInPages(service, router);
  router.use(() => {
    throw notFound("page");
  });
  return router;
}
