import type { RequestHandler } from "express";
import { LRUCache } from "lru-cache";
import type { Caller } from "../../chapters/caller.ts";
import { TOKEN_PREFIX } from "../../chapters/credentials.ts";
import { isRedacted } from "../../chapters/findings/reports/reports.ts";
import { linkOf, openShared, type SharedPage } from "../../chapters/findings/reports/share.ts";
import { ReportLink } from "../../chapters/records/findings/report.ts";
import { lazy } from "../service/lazy.ts";
import type { Service } from "../service/service.ts";

/** Nothing but the page's own style; it is framed by nobody. */
const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  "x-robots-tag": "noindex, nofollow, noarchive",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
} as const;

/** Whoever holds the link. */
const READER: Caller = { kind: "operator", name: "shared link", scope: "read" };
const TOKEN = new RegExp(`^/r/(${TOKEN_PREFIX.share}[\\w-]{43})$`);
/** Pages that are kept rendered: plots take the machine longer than all else. */
const KEPT = 32;

const rendering = lazy(async () => ({
  ...(await import("./render.ts")),
  ...(await import("./html.ts")),
}));

/**
 * Shared reports: each is opened by its link and by nothing else. A link that is off, unknown or malformed answers the
 * same bytes. Nothing is set on the reader's side; an opening is counted on ours.
 */
export function sharedPages(service: Service): RequestHandler {
  const rendered = new LRUCache<string, string, SharedPage>({
    max: KEPT,
    // A reader waits for a page also when others took its place meanwhile.
    ignoreFetchAbort: true,
    fetchMethod: (_key, _old, { context }) => render(context),
  });
  return async (req, res, next) => {
    if (req.method !== "GET" && req.method !== "HEAD") {
      next();
      return;
    }
    const token = TOKEN.exec(req.path)?.[1];
    const shared = token === undefined ? undefined : await found(service, token, req.method === "GET");
    const text =
      shared === undefined
        ? await nothing()
        : await rendered.forceFetch(`${shared.digest} ${shared.owner ?? ""}`, { context: shared });
    for (const [name, value] of Object.entries(HEADERS)) res.setHeader(name, value);
    res.setHeader("content-length", Buffer.byteLength(text));
    res.writeHead(shared === undefined ? 404 : 200);
    res.end(req.method === "HEAD" ? undefined : text);
  };
}

async function found(service: Service, token: string, counts: boolean): Promise<SharedPage | undefined> {
  const { store, host } = service;
  const link = linkOf(token);
  const id = await store.orgOfRecord(ReportLink.kind, link);
  const org = id === undefined ? undefined : await store.orgById(id);
  if (!org) return undefined;
  const { signal } = new AbortController();
  const ctx = host.orgCtx(READER, { id: org.id, tag: org.tag }, { credential: { caller: READER }, args: {}, signal });
  return openShared(ctx, link, counts);
}

async function render({ page, owner }: SharedPage): Promise<string> {
  const { html } = await import("htm/preact");
  const legend = html`
    <section>
      <h2>How to read this</h2>
      <p>This report is shared by its link and stays as it was when it was made. Its trials open for those who can sign in where it was made.</p>
      ${isRedacted(page) && html`<p>Words such as “Xxxx” and numbers such as 0000 stand for names, addresses and ids of people that were taken out: each letter is an x and each digit a 0, so that two that look alike may be of one person or of two. “[removed: …]” says what stood there.</p>`}
      <dl>${WORDS.map(([word, said]) => html`<dt>${word}</dt><dd>${said}</dd>`)}</dl>
    </section>
  `;
  return (await rendering.get()).renderPage(page, { owner, forms: legend });
}

/** What a reader who was only handed the link cannot look up. */
const WORDS = [
  ["Task", "A request to the agent, with checks that decide whether it was met."],
  ["Trial", "One try of an agent at a task, against a fake of the system that its tools call."],
  ["Met, failed", "All checks of the task passed, or one did not."],
  ["Infra, invalid", "The trial could not be carried out or judged: it does not count in a rate."],
  ["Interval", "Where the rate lies with a confidence of 95 %, over tasks like these."],
] as const;

async function nothing(): Promise<string> {
  const { page } = await rendering.get();
  const { html } = await import("htm/preact");
  return page(
    "No such page",
    html`
      <h1>No such page</h1>
      <p>This link shows nothing: it is not one of ours, or it was turned off.</p>
    `,
  );
}
