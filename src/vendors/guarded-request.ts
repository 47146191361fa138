import { setTimeout as sleep } from "node:timers/promises";
import type { Agent } from "undici";
import { AppError, forbidden, tooLarge, unavailable, unprocessable } from "../../chapters/errors.ts";
import { lazy } from "../service/lazy.ts";

/** A request to an outside system. */
export interface Ask {
  readonly method?: "GET" | "POST" | "PATCH";
  readonly url: URL;
  /** What is known to this address alone: it follows no redirect to another. */
  readonly secret: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The operator set this address: it may be a private one. */
  readonly trusted?: boolean;
  /** Statuses that are answers too, beside those of 200 to 299. */
  readonly also?: readonly number[];
  /** It writes what may not stand there twice: it is asked again only when the answer is that it was not taken (429). */
  readonly once?: boolean;
  /** Who is asked, at the beginning of a sentence; `The source` when absent. */
  readonly who?: string;
}

/** What came back. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Asks an outside system. Refusals are AppErrors, as `SourceVendor` says. */
export type Requester = (ask: Ask, signal: AbortSignal) => Promise<HttpResponse>;

const REDIRECTS = 5;
const TIMEOUT_MS = 60_000;
const LARGEST = 64 * 1024 * 1024;
/** How often a busy source is asked again, and the longest that is waited between, seconds. */
const TRIES = 4;
const LONGEST_WAIT = 15;
const FIRST_WAIT = 0.25;

/**
 * Requests to addresses that orgs give: never to a private address unless the workspace allows that, checked as names
 * resolve and on every redirect; in time and size bounds; asked again after a short wait where the source is busy.
 */
export function guardedRequester(privateAllowed: boolean): Requester & { close(): Promise<void> } {
  const guarded = lazy(async () => (await net.get()).guardedDispatcher(privateAllowed));
  const trusted = lazy(async () => (await net.get()).guardedDispatcher(true));
  const requester = async (ask: Ask, signal: AbortSignal) => {
    const ways = { guarded: await guarded.get(), trusted: await trusted.get(), privateAllowed };
    for (let attempt = 1; ; attempt++) {
      const got = await once(ask, signal, ways).catch((cause: unknown) => {
        if (signal.aborted || cause instanceof AppError) throw cause;
        return undefined;
      });
      if (got && ((got.status >= 200 && got.status < 300) || ask.also?.includes(got.status))) return got;
      const { who = "The source" } = ask;
      if (got && got.status !== 429 && got.status < 500) throw refused(who, got.status);
      const asked = got && retryAfterSeconds(got.headers);
      const wait = asked ?? FIRST_WAIT * 2 ** attempt;
      const last = attempt >= TRIES || wait > LONGEST_WAIT || (ask.once === true && got?.status !== 429);
      if (last) throw busy(who, got?.status, Math.max(1, Math.ceil(asked ?? 60)), attempt);
      // Several pulls that were refused at once do not come back at once.
      await sleep(wait * 1000 + Math.random() * 100, undefined, { signal });
    }
  };
  const close = async () => {
    for (const each of [guarded, trusted]) await (await each.made())?.close();
  };
  return Object.assign(requester, { close });
}

/** Loaded at the first request: the service starts without it. */
const net = lazy(async () => ({ ...(await import("undici")), ...(await import("../agents/addresses.ts")) }));

interface Ways {
  readonly guarded: Agent;
  readonly trusted: Agent;
  readonly privateAllowed: boolean;
}

async function once(ask: Ask, signal: AbortSignal, ways: Ways): Promise<HttpResponse> {
  const { request, checkLiteralHost, AddressRefused } = await net.get();
  let { url } = ask;
  for (let hop = 0; hop <= REDIRECTS; hop++) {
    const home = url.origin === ask.url.origin;
    const own = home ? ask.secret : {};
    // Trust is in the operator's address, not in where that sends us.
    const free = home && ask.trusted === true;
    try {
      if (!free && !ways.privateAllowed) checkLiteralHost(url);
      const response = await request(url, {
        method: ask.method ?? "GET",
        headers: { "user-agent": "svc", ...ask.headers, ...own },
        ...(ask.body === undefined ? {} : { body: ask.body }),
        dispatcher: free ? ways.trusted : ways.guarded,
        headersTimeout: TIMEOUT_MS,
        bodyTimeout: TIMEOUT_MS,
        signal,
      });
      const { statusCode: status, headers, body } = response;
      const location = headers.location;
      if (status > 300 && status < 400 && status !== 304 && typeof location === "string") {
        await body.dump();
        const next = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
        // What was posted to one address is not posted to another.
        if (!next || !/^https?:$/.test(next.protocol) || (ask.body !== undefined && next.origin !== url.origin))
          throw unprocessable("The source redirected to an address that cannot be used.");
        url = next;
        continue;
      }
      return { status, headers, text: await capped(body) };
    } catch (cause) {
      if (cause instanceof AddressRefused)
        throw forbidden("The source's address lies in a range that this workspace does not call.");
      throw cause;
    }
  }
  throw unprocessable(`The source redirected more than ${REDIRECTS} times.`);
}

async function capped(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > LARGEST) throw tooLarge(`The source answered more than ${LARGEST / 1024 / 1024} MiB at once.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** The seconds that a busy source asks for: `Retry-After` in seconds or as a date, or when its limit is reset. */
function retryAfterSeconds(headers: HttpResponse["headers"]): number | undefined {
  const given = headers["retry-after"] ?? headers["x-ratelimit-reset"];
  const text = Array.isArray(given) ? given[0] : given;
  if (text === undefined) return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, (at - Date.now()) / 1000);
}

function busy(who: string, status: number | undefined, retryAfter: number, tries: number): AppError {
  if (status === 429) return new AppError("rate_limited", `${who} asks to be called less often.`, { retryAfter });
  const what = status === undefined ? "could not be reached" : `answered HTTP ${status}`;
  return unavailable(`${who} ${what}${tries > 1 ? ", again and again" : ""}.`, { retryAfter });
}

function refused(who: string, status: number): AppError {
  if (status === 401 || status === 403) return unprocessable(`${who} refused the credential. Give it again.`);
  if (status === 404) return unprocessable(`${who} holds nothing at its address.`);
  return unprocessable(`${who} refused the request with HTTP ${status}.`);
}

/** A JSON answer; 422 for what is none. */
export function jsonOf(httpResponse: HttpResponse): unknown {
  try {
    return JSON.parse(httpResponse.text) as unknown;
  } catch {
    throw unprocessable("The source answered no JSON.");
  }
}

/** An object of an answer; an empty one for anything else. */
export function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
