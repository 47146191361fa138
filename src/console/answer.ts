import type { ErrorRequestHandler, Request, Response } from "express";
import { html } from "htm/preact";
import type { ComponentChild, ComponentChildren } from "preact";
import { orgInvented } from "../../chapters/findings/modes/invented.ts";
import { cut } from "../../chapters/findings/pages/words.ts";
import { Member } from "../../chapters/records/organization/organization.ts";
import { refusal } from "../http/access.ts";
import type { PublicError } from "../http/public-error.ts";
import { page, SCRIPT_POLICY } from "../pages/html.ts";
import { islandsScript } from "../pages/island-files.ts";
import { renderPage } from "../pages/render.ts";
import type { Service } from "../service/service.ts";
import { CONSOLE, entryAt, navigation, pathOf } from "./frame.ts";
import type { View, Visit } from "./visit.ts";

/**
 * Nothing but the page's own style, scripts of this service and forms to this service; kept by nobody. The referrer
 * is told to this service alone, since browsers that tell it to nobody tell no origin with a form either.
 */
const HEADERS = {
  "content-security-policy": `${SCRIPT_POLICY}; frame-ancestors 'none'`,
  "x-robots-tag": "noindex, nofollow, noarchive",
  "referrer-policy": "same-origin",
  "cache-control": "no-store",
} as const;

/** Sends a page of the console that is whole already. */
export function sendPage(res: Response, status: number, html: string): void {
  res.status(status).set(HEADERS).type("html").send(html);
}

/** Pages that are not of an org's systems as a whole: of people, settings and money, or of one record that says itself. */
const OTHERS = /^\/(?:members|tokens|you|delivery|consent|spend|reports|traces|evidence|label)(?:\/|$)/;

/** Sends what a visit shows; where every system of the org stands on made-up traces, each page of their data says so. */
export async function sendView(req: Request, res: Response, visit: Visit, view: View, status = 200): Promise<void> {
  if ("to" in view) {
    res.status(303).set(HEADERS).location(view.to).end();
    return;
  }
  if ("file" in view) {
    const { name, type, content } = view.file;
    res
      .status(200)
      .attachment(name)
      .set({ ...HEADERS, "content-type": type })
      .send(content);
    return;
  }
  const { doc, lead, filter, below, forms, search, owner = visit.org.tag } = view;
  const invented = doc.invented ?? (!OTHERS.test(req.path) && (await orgInvented(visit.ctx)));
  const around = { navigation: navigation(visit, req.path), script: islandsScript(CONSOLE) };
  const frame = { link: pathOf, ...around, lead, filter, below, forms, owner, search };
  sendPage(res, status, await renderPage({ ...doc, invented }, frame));
}

/** What a page of the console could not do, as a page: why, and where to go on. */
export function errorPages({ log }: Service): ErrorRequestHandler {
  return async (error, req, res, next) => {
    if (res.headersSent) {
      next(error);
      return;
    }
    const known = refusal(error, log, `console ${req.method}`);
    const visit = res.locals.visit as Visit | undefined;
    const { error: code, request } = known.body;
    const title = TITLES[code] ?? "That did not work";
    const from = req.method === "POST" && visit ? sentFrom(req) : undefined;
    const said = html`
      <h1>${title}</h1>
      ${whyRefused(known.body)}
      ${request !== undefined && html`<p class="soft">Request ${request}</p>`}
      ${code === "forbidden" && visit && (await adminsOf(visit))}
      ${code === "unauthenticated" && html`<p>At the machine that runs the service, <code>svc console</code> prints a link.</p>`}
      ${(visit || code === "not_found") && waysOn(visit, req.path, from)}
    `;
    if (known.headers["retry-after"] !== undefined) res.set("retry-after", known.headers["retry-after"]);
    sendPage(res, known.status, page(title, said, visit && { navigation: navigation(visit, undefined) }));
  };
}

/** The ways on from a page that shows nothing: where a form was sent from, the list that its address is of, the first page. */
function waysOn(visit: Visit | undefined, path: string, from: string | undefined): ComponentChild {
  const place = visit && entryAt(visit, path);
  return html`
    <p class="ways">
      ${from !== undefined && html`<a href=${from}>Back to the page that it was sent from</a> `}
      ${place !== undefined && place.href !== CONSOLE && html`<a href=${place.href}>${place.name}</a> `}
      <a href=${CONSOLE}>The first page</a>
    </p>
  `;
}

/** Members whose names are looked through for admins. */
const LOOKED_AT = 200;

/** Who can do what a member may not: the admins by name. */
async function adminsOf({ ctx: { store }, member }: Visit): Promise<ComponentChild> {
  const { items } = await store.records.list(Member, { limit: LOOKED_AT });
  const names = items.filter(({ role, id }) => role === "admin" && id !== member.id).map(({ name }) => cut(name, 60));
  return (
    names.length > 0 &&
    html`<p>${names.length === 1 ? "The admin" : "Admins"} of this workspace: ${names.join(", ")}.</p>`
  );
}

/** Why something was not done: the reason, the fields that it is of as the form labels them, and what it names. */
export function whyRefused(
  { reason, fields = [], details }: PublicError["body"],
  way?: ComponentChild,
  labels?: ReadonlyMap<string, string>,
): ComponentChildren {
  const named = (path: string) => labels?.get(path.split(".")[0] ?? "") ?? path;
  return html`
    <p role="alert" class="verdict is-warn">${reason.replace("; see fields.", ".")}${way}</p>
    ${fields.length > 0 && html`<ul>${fields.map(({ path, message }) => html`<li>${named(path)}: ${message}</li>`)}</ul>`}
    ${details && html`<p class="soft">${details.names.flatMap((name, i) => [i > 0 && ", ", namedIn(name)])}</p>`}
  `;
}

/** The console's own page that a form was sent from; undefined where the browser does not tell, or tells another site's. */
export function sentFrom({ headers: { referer, host } }: Request): string | undefined {
  const url = URL.parse(referer ?? "");
  const own = url?.host === host?.toLowerCase() && url?.pathname.startsWith(`${CONSOLE}/`);
  return own ? `${url?.pathname}${url?.search}` : undefined;
}

/** What a refusal names: what has a page as a link, another name as it is, without the quotes that programs are given. */
function namedIn(quoted: string): ComponentChild {
  const name = /^"[^"\\]*"$/.test(quoted) ? quoted.slice(1, -1) : quoted;
  const [, prefix = ""] = /^([a-z]+)_\w+$/.exec(name) ?? [];
  const named = NAMED[prefix];
  return named === undefined ? name : html`<a href="${CONSOLE}/${named.place}/${name}">${named.text}</a>`;
}

/** Where things are opened that refusals name, by how their ids begin. */
const NAMED: Readonly<Record<string, { readonly place: string; readonly text: string }>> = {
  job: { place: "jobs", text: "the job" },
  rg: { place: "groups", text: "the run" },
  run: { place: "jobs", text: "the run" },
  env: { place: "sandboxes", text: "the sandbox" },
  ag: { place: "agents", text: "the agent" },
  ev: { place: "evidence", text: "the evidence" },
  fm: { place: "failure-modes", text: "the failure mode" },
};

const TITLES: Readonly<Record<string, string>> = {
  unauthenticated: "Not signed in",
  forbidden: "Not allowed",
  not_found: "Not found",
  conflict: "Not as things stand",
  bad_request: "That cannot be used",
  rate_limited: "Too many tries",
  internal: "Something failed",
};
