import type { JsonObject } from "../../../worlds/json.ts";
import { capturedHttpOf } from "./captured-http.ts";
import type { CapturedHttp, CaptureFormat, Item, Reading } from "./format.ts";
import { list, number, object, seconds, text } from "./values.ts";

/** What a page is made of, and says nothing of an API. */
const STATIC_TYPE = /^(?:image|font|audio|video)\/|^text\/css$|javascript|ecmascript|wasm|font-woff/i;
const STATIC_RESOURCE = new Set(["stylesheet", "image", "media", "font", "script", "texttrack", "manifest", "ping"]);

/** HTTP archives of browsers and proxies (HAR 1.1 and 1.2). Files that pages are made of are left out and counted. */
export const har: CaptureFormat = {
  name: "har",
  kind: "http_capture",
  detect(sample) {
    const first = sample.items[0]?.value;
    const log = logOf(first) ?? logOf(sample.header);
    return log ? { score: 0.97, why: "a log with entries of requests and responses" } : undefined;
  },
  capture(items, reading) {
    const kept: CapturedHttp[] = [];
    let place = 0;
    for (const log of logsOf(items, reading))
      for (const each of list(log.entries)) {
        const exchange = readEntry(object(each), ++place, reading);
        if (exchange) kept.push(exchange);
      }
    return kept;
  },
};

function logOf(value: unknown): JsonObject | undefined {
  const log = object(object(value)?.log);
  if (!log || !Array.isArray(log.entries)) return undefined;
  const first = object(log.entries[0]);
  return first === undefined || object(first.request) !== undefined ? log : undefined;
}

function logsOf(items: readonly Item[], reading: Reading): JsonObject[] {
  return [...items.map(({ value }) => logOf(value)), logOf(reading.header)].filter((log) => log !== undefined);
}

function readEntry(entry: JsonObject | undefined, place: number, reading: Reading): CapturedHttp | undefined {
  const request = object(entry?.request);
  const response = object(entry?.response);
  const url = text(request?.url);
  if (!entry || !request || url === undefined) {
    reading.refuse(place, "an entry without a request");
    return undefined;
  }
  if (!/^https?:/i.test(url)) {
    reading.lose("other_scheme");
    return undefined;
  }
  const content = object(response?.content);
  const type = text(content?.mimeType);
  if (STATIC_TYPE.test(type ?? "") || STATIC_RESOURCE.has(String(entry._resourceType))) {
    reading.lose("static_resource");
    return undefined;
  }
  const status = number(response?.status) ?? 0;
  if (!response || status <= 0) {
    reading.lose("exchange_without_response");
    return undefined;
  }
  const sent = object(request.postData);
  const fields = list(sent?.params);
  const body = text(sent?.text) ?? (fields.length > 0 ? formText(fields) : undefined);
  return capturedHttpOf(
    {
      place,
      method: request.method,
      url,
      status,
      startedAt: seconds(entry.startedDateTime),
      ms: number(entry.time),
      request: { headers: request.headers, type: sent?.mimeType, body },
      response: {
        headers: response.headers,
        type,
        body: content?.encoding === "base64" ? { base64_string: content.text ?? "" } : content?.text,
      },
    },
    reading,
  );
}

function formText(fields: readonly unknown[]): string {
  const form = new URLSearchParams();
  for (const each of fields) {
    const field = object(each);
    if (field && typeof field.name === "string") form.append(field.name, String(field.value ?? ""));
  }
  return form.toString();
}
