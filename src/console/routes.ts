import { type Request, type RequestHandler, type Response, Router } from "express";
import { html } from "htm/preact";
import { AppError, forbidden, notFound, unauthenticated } from "../../chapters/errors.ts";
import { endSession } from "../../chapters/organization/sessions.ts";
import { withinCall } from "../http/access.ts";
import { publicError } from "../http/public-error.ts";
import { ISLANDS_PATH, islandFiles } from "../pages/island-files.ts";
import type { Service } from "../service/service.ts";
import { alertPages } from "./alerts/alerts.ts";
import { sendView, sentFrom, whyRefused } from "./answer.ts";
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
import { jobLists } from "./lists/jobs.ts";
import { modeLists } from "./lists/modes.ts";
import { shownTraces } from "./lists/shown-traces.ts";
import { traceLists } from "./lists/traces.ts";
import { allRuns, liveEvents, oneRun } from "./live/events.ts";
import { livePages } from "./live/runs.ts";
import { LIVE_TRIAL, liveTrialPages, oneTrial } from "./live/trial.ts";
import { memberPages } from "./members.ts";
import type { Refused } from "./refused.ts";
import { reportPages } from "./reports.ts";
import type { ConsoleRoute } from "./route.ts";
import { revisionPages } from "./sandbox/revisions.ts";
import { tryCallPages } from "./sandbox/try-call.ts";
import { worldRowPages } from "./sandbox/world-rows.ts";
import { signInPages } from "./sign-in.ts";
import { surfacePages } from "./surfaces.ts";
import { tokenPages } from "./tokens.ts";
import { viewerPages } from "./viewer.ts";
import { type Visit, visitOf } from "./visit.ts";
import { weeklyPages } from "./weekly.ts";
import { agentPages } from "./work/agents.ts";
import { calibratePages } from "./work/calibrate.ts";
import { calibrationPages } from "./work/calibrations.ts";
import { modelPages } from "./work/compare-models.ts";
import { declarePages } from "./work/declare.ts";
import { labelPages } from "./work/label.ts";
import { labelsGiven } from "./work/labels-given.ts";
import { newTaskPages } from "./work/new-task.ts";
import { notePages } from "./work/notes.ts";
import { personaJobPages } from "./work/persona-jobs.ts";
import { proposalPages } from "./work/proposals.ts";
import { readOffPages } from "./work/read-off.ts";
import { reviewLists } from "./work/review-list.ts";
import { sendPages } from "./work/send.ts";
import { startPages } from "./work/start.ts";
import { taskPages } from "./work/task.ts";
import { traceTaskPages } from "./work/trace-tasks.ts";
import { versionPages } from "./work/versions.ts";
import { youPages } from "./you.ts";

/** Every page and act, the more special address before the one that would hold it too. */
export const CONSOLE_ROUTES: readonly ConsoleRoute[] = [
  ...homePages,
  ...trendPages,
  ...agentPages,
  ...versionPages,
  // Before the pages of one group: addresses of lists are below theirs.
  ...groupLists,
  ...jobLists,
  ...startPages,
  ...sendPages,
  ...livePages,
  ...liveTrialPages,
  ...reviewLists,
  ...worldRowPages,
  ...tryCallPages,
  ...revisionPages,
  ...taskPages,
  ...readOffPages,
  ...newTaskPages,
  ...traceTaskPages,
  ...labelsGiven,
  ...labelPages,
  ...calibratePages,
  ...calibrationPages,
  ...declarePages,
  ...personaJobPages,
  ...notePages,
  ...proposalPages,
  ...shownTraces,
  ...traceLists,
  ...modeLists,
  ...findingPages,
  ...modelPages,
  ...viewerPages,
  ...drillDownPages,
  ...reportPages,
  ...surfacePages,
  // Before the channels: its address is below theirs.
  ...weeklyPages,
  ...alertPages,
  ...deliveryPages,
  ...memberPages,
  ...tokenPages,
  ...youPages,
  ...consentPages,
];

/** What everybody does for themselves, whatever their role. */
const OF_ONESELF = /^\/(?:you(?:\/|$)|sign-out$)/;

const PAGES = CONSOLE_ROUTES.filter(({ method }) => method === "GET");

/** What an act leads to; where it is refused, the page that its form was sent from, with the form as it was filled in. */
async function sendAct(req: Request, res: Response, visit: Visit, act: ConsoleRoute["view"]): Promise<void> {
  try {
    await sendView(req, res, visit, await act(visit));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { status, headers, body } = publicError(error, "");
    const from = new URL(sentFrom(req) ?? req.originalUrl, "http://service");
    const refused: Refused = {
      place: req.path,
      form: visit.form,
      fields: body.fields ?? [],
      shown: false,
      labels: new Map(),
    };
    const page = async () => {
      const { view, params } = pageAt(from.pathname.slice(CONSOLE.length));
      const again = { ...visit, refused, form: new URLSearchParams(), query: from.searchParams };
      return view({ ...again, param: (name) => params[name] ?? "" });
    };
    const shown = await page().catch(() => undefined);
    if (!refused.shown || shown === undefined || !("doc" in shown)) throw error;
    const why = whyRefused(body, html` <a href="#refused">To what you wrote</a>`, refused.labels);
    res.set(headers);
    await sendView(req, res, visit, { ...shown, lead: [why, shown.lead] }, status);
  }
}

/** The page at an address below the console's, or the nearest one above it, with the parts that its address names. */
function pageAt(path: string) {
  for (const parts = path.split("/"); ; parts.pop())
    for (const { path: pattern, view } of PAGES) {
      const params = paramsOf(pattern, parts);
      if (params !== undefined || parts.length <= 1) return { path: parts.join("/"), view, params: params ?? {} };
    }
}

function paramsOf(pattern: string, parts: readonly string[]): Record<string, string> | undefined {
  const named = pattern.split("/");
  const fits = named.length === parts.length && named.every((part, i) => part.startsWith(":") || part === parts[i]);
  if (!fits) return undefined;
  return Object.fromEntries(
    named.flatMap((part, i) => (part.startsWith(":") ? [[part.slice(1), decodeURIComponent(parts[i] ?? "")]] : [])),
  );
}

/** Every page and act of the console. What a page refuses is thrown, and shown by `errorPages`. */
export function consoleRoutes(service: Service): RequestHandler {
  const router = Router({ strict: false });
  router.get(ISLANDS_PATH, islandFiles);
  router.get("/groups/:gid/events", liveEvents(service, oneRun));
  router.get(`${LIVE_TRIAL}/events`, liveEvents(service, oneTrial));
  router.get("/live/events", liveEvents(service, allRuns));
  const handle =
    (view: ConsoleRoute["view"], posted: boolean): RequestHandler =>
    (req, res) =>
      withinCall(res, async ({ signal }) => {
        if (posted) sameOrigin(req, service.config);
        const form = posted ? await formOf(req) : new URLSearchParams();
        const visit = await visitOf(service, req, form, signal);
        res.locals.visit = visit;
        await service.limits.enter(visit.ctx.caller, req);
        if (posted && visit.member.role === "viewer" && !OF_ONESELF.test(req.path))
          throw forbidden("Your role may look at everything here and change nothing; an admin can give you another.");
        if (posted && !isFormToken(sessionCookieOf(service, req) ?? "", form.get("token")))
          throw forbidden("This form is not of your session. Open the page again and send it from there.");
        await (posted ? sendAct(req, res, visit, view) : view(visit).then((shown) => sendView(req, res, visit, shown)));
      });
  for (const { method, path, view } of CONSOLE_ROUTES)
    if (method === "GET") router.get(path, handle(view, false));
    else router.post(path, handle(view, true));
  // A browser that opens a tab anew asks for the address of the act that made its page: that is where the act stands.
  for (const { method, path } of CONSOLE_ROUTES)
    if (method === "POST" && !PAGES.some((page) => page.path === path))
      router.get(path, (req, res) => {
        res.redirect(303, CONSOLE + pageAt(req.path).path);
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
  router.use((req, res) =>
    withinCall(res, async ({ signal }) => {
      // Whoever is signed in keeps the menu.
      res.locals.visit = await visitOf(service, req, new URLSearchParams(), signal).catch(() => undefined);
      throw notFound("page");
    }),
  );
  return router;
}
