import type { JsonObject } from "../../../worlds/json.ts";
import { capturedHttpOf, wrappedBody } from "./captured-http.ts";
import type { CapturedHttp, CaptureFormat, Reading } from "./format.ts";
import { list, number, object, seconds, text } from "./values.ts";

/** Recordings of test recorders: pairs of `request` and `response` (JSON or YAML), or scopes with `method`, `path`, `response`. */
export const exchanges: CaptureFormat = {
  name: "http-exchanges",
  kind: "http_capture",
  detect(sample) {
    const records = sample.items.flatMap(({ value }) => recordsOf(value));
    if (records.length === 0 || !records.every((record) => urlOf(record) !== undefined)) return undefined;
    return { score: 0.55, why: "records of a request with its response" };
  },
  capture: (items, reading) =>
    items.flatMap(({ value, place }) =>
      recordsOf(value).flatMap((record, i, all): CapturedHttp[] => {
        const exchange = read(record, all.length > 1 ? i + 1 : place, reading);
        return exchange ? [exchange] : [];
      }),
    ),
};

/** The records that an item holds: itself, or those of a recording of several. */
function recordsOf(value: unknown): JsonObject[] {
  const record = object(value);
  if (!record) return objects(value);
  const inner = list(record.interactions ?? record.http_interactions);
  return inner.length > 0 ? objects(inner) : [record];
}

function objects(value: unknown): JsonObject[] {
  return list(value)
    .map(object)
    .filter((each) => each !== undefined);
}

function urlOf(record: JsonObject): string | undefined {
  const request = object(record.request);
  if (request && object(record.response)) return text(request.url) ?? text(request.uri);
  const scope = text(record.scope);
  const path = text(record.path);
  return scope !== undefined && path !== undefined && record.method !== undefined ? `${scope}${path}` : undefined;
}

function read(record: JsonObject, place: number, reading: Reading): CapturedHttp | undefined {
  const url = urlOf(record);
  const pair = object(record.request);
  const request = pair ?? {
    headers: record.reqheaders ?? {},
    body: record.body ?? null,
    method: record.method ?? null,
  };
  const response = pair
    ? (object(record.response) as JsonObject)
    : { status: record.status ?? null, headers: headersOf(record), body: record.response ?? null };
  const status = number(object(response.status)?.code) ?? number(response.status) ?? number(response.status_code);
  if (url === undefined || status === undefined) {
    reading.refuse(place, "a record without an address or a status");
    return undefined;
  }
  const at = seconds(record.recorded_at) ?? seconds(record.timestamp);
  return capturedHttpOf(
    {
      place,
      method: request.method,
      url,
      status,
      startedAt: at,
      request: { headers: request.headers, body: wrappedBody(request.body) },
      response: { headers: response.headers, body: wrappedBody(response.body) },
    },
    reading,
  );
}

function headersOf(record: JsonObject): JsonObject {
  const raw = list(record.rawHeaders);
  const pairs = Array.from({ length: Math.floor(raw.length / 2) }, (_, i) => [String(raw[2 * i]), raw[2 * i + 1]]);
  return (object(record.headers) ?? Object.fromEntries(pairs)) as JsonObject;
}
