import type { CapturedHttp, HttpMessage } from "../formats/format.ts";

/** What becomes of the parts of an exchange that can hold values. */
export interface HttpChange {
  /** A body, or the value of a parameter. */
  value(value: unknown): unknown;
  /** One segment of the path: a name of the interface, or a value. */
  segment(segment: string): string;
  host(host: string): string;
}

/** Headers that say how a body is written, and of nobody. */
const KEPT_HEADERS = new Set(["accept", "content-type", "content-encoding", "allow", "retry-after"]);

/** The exchange with its values changed: method, status, times and the names of parameters stay, other headers do not. */
export function changedHttp(capturedHttp: CapturedHttp, change: HttpChange): CapturedHttp {
  return {
    ...capturedHttp,
    url: changedUrl(capturedHttp.url, change),
    request: changedPart(capturedHttp.request, change),
    response: changedPart(capturedHttp.response, change),
  };
}

function changedPart(part: HttpMessage, change: HttpChange): HttpMessage {
  const headers = Object.fromEntries(Object.entries(part.headers).filter(([name]) => KEPT_HEADERS.has(name)));
  return { ...part, headers, ...(part.body === undefined ? {} : { body: change.value(part.body) }) };
}

function changedUrl(given: string, change: HttpChange): string {
  if (!URL.canParse(given)) return change.segment(given);
  const url = new URL(given);
  const path = url.pathname
    .split("/")
    .map((segment) => (segment === "" ? "" : encodeURIComponent(change.segment(decoded(segment)))))
    .join("/");
  const query = queryOf(url).map(([name, value]): [string, string] => {
    const made = change.value({ [name]: value }) as Readonly<Record<string, unknown>>;
    return [Object.keys(made)[0] ?? name, String(Object.values(made)[0] ?? "")];
  });
  const asked = query.length === 0 ? "" : `?${new URLSearchParams(query)}`;
  return `${url.protocol}//${change.host(url.host)}${path}${asked}`;
}

/** Everything in the exchanges that values are learned from. */
export function valuesOf(exchanges: readonly CapturedHttp[]): unknown[] {
  return exchanges.flatMap(({ url, request, response }) => [
    ...(URL.canParse(url) ? [Object.fromEntries(queryOf(new URL(url)))] : []),
    request.body,
    response.body,
  ]);
}

function queryOf(url: URL): [name: string, value: string][] {
  return [...url.searchParams];
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
