import { unprocessable } from "../../chapters/errors.ts";
import type { PulledBodies, PullTarget } from "../../chapters/ports/source-vendor.ts";
import { type HttpResponse, objectOf, type Requester } from "./guarded-request.ts";

/** Pages of one answer at most: a source that always names another is not followed for ever. */
const PAGES = 1000;
const CURSORS = ["next", "next_cursor", "nextCursor", "cursor"];

/**
 * What an address answers, page by page: a `next` that is a URL of the same place is followed, a cursor is sent back
 * under the parameter that the source's scope names. An answer that has not changed since it was seen is not read again.
 */
export async function httpJsonBodies(
  ask: Requester,
  target: PullTarget,
  seen: string | undefined,
  options: { readonly signal: AbortSignal; readonly now: () => number },
): Promise<PulledBodies | undefined> {
  const { signal } = options;
  const { scope, external_id, auth } = target;
  const secret = auth.headers ?? (auth.token === undefined ? {} : { authorization: `Bearer ${auth.token}` });
  const known = seen === undefined ? undefined : (JSON.parse(seen) as { etag?: string; since: number });
  const begun = Math.floor(options.now());
  const first = new URL(external_id);
  if (scope.since_param !== undefined && known) first.searchParams.set(scope.since_param, String(known.since));
  const get = (url: URL, headers: Record<string, string> = {}) =>
    ask(
      { url, secret, headers: { accept: "application/json, application/x-ndjson", ...headers }, also: [304] },
      signal,
    );
  const httpResponse = await get(first, known?.etag === undefined ? {} : { "if-none-match": known.etag });
  if (httpResponse.status === 304) return undefined;
  const etag = httpResponse.headers.etag;
  async function* bodies() {
    let page: HttpResponse = httpResponse;
    let at = first;
    for (let n = 1; n <= PAGES; n++) {
      if (page.text.trim() !== "") {
        const { format, evidence_kind: kind } = scope;
        yield {
          name: n === 1 ? "answer" : `answer ${n}`,
          bytes: Buffer.from(page.text),
          ...(format === undefined ? {} : { format }),
          ...(kind === undefined ? {} : { kind }),
        };
      }
      const next = nextOf(page, at, scope.cursor_param);
      if (next === undefined || next.href === at.href) return;
      at = next;
      page = await get(next);
    }
    throw unprocessable(`The source named more than ${PAGES} pages, so it was not read to its end.`);
  }
  return {
    bodies: bodies(),
    seen: () => JSON.stringify({ ...(typeof etag === "string" ? { etag } : {}), since: begun }),
  };
}

function nextOf(page: HttpResponse, at: URL, cursorParam: string | undefined): URL | undefined {
  const link = /<([^>]+)>\s*;[^,]*\brel="?next"?/i.exec(String(page.headers.link ?? ""))?.[1];
  const cursor = link ?? cursorIn(page.text);
  if (cursor === undefined) return undefined;
  const url = URL.canParse(cursor, at.href) && /^https?:\/\/|^\/|^\?/.test(cursor) ? new URL(cursor, at) : undefined;
  // The next page stands where the first does: an answer cannot send the credential, or us, to another place.
  if (url) return url.origin === at.origin ? url : undefined;
  if (cursorParam === undefined) return undefined;
  const next = new URL(at);
  next.searchParams.set(cursorParam, cursor);
  return next;
}

function cursorIn(text: string): string | undefined {
  if (text.trimStart()[0] !== "{") return undefined;
  let answer: Readonly<Record<string, unknown>>;
  try {
    answer = objectOf(JSON.parse(text));
  } catch {
    return undefined;
  }
  const places = [
    answer,
    objectOf(answer.links),
    objectOf(answer.meta),
    objectOf(answer.page),
    objectOf(answer.pagination),
  ];
  for (const place of places) {
    const found = CURSORS.map((name) => place[name]).find((value) => typeof value === "string" && value !== "");
    if (typeof found === "string") return found;
  }
  return undefined;
}
