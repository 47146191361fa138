import type { JsonObject } from "../../../../worlds/json.ts";
import type { Reading } from "../format.ts";
import { defined, number, object, objects, text } from "../values.ts";
import { anyValue, attributesOf, type Span } from "./span.ts";

/**
 * The GenAI events among an item's OTLP log records, each as a span of its trace and span that holds it alone; other
 * records are counted. Undefined where the item holds none.
 */
export function loggedEvents(value: unknown, reading: Reading): Span[] | undefined {
  const item = object(value);
  const scopes = objects(item?.resourceLogs).flatMap((each) => objects(each.scopeLogs));
  const records = scopes.flatMap((scope) => objects(scope.logRecords));
  const spans = records.flatMap((record) => eventSpan(record) ?? []);
  if (spans.length === 0) return undefined;
  reading.lose("log_record_without_messages", records.length - spans.length);
  return spans;
}

function eventSpan(record: JsonObject): Span | undefined {
  const attributes = attributesOf(record.attributes);
  const name = text(record.eventName) ?? text(attributes["event.name"]);
  const [trace, id] = [text(record.traceId), text(record.spanId)];
  if (!name?.startsWith("gen_ai.") || trace === undefined || id === undefined) return undefined;
  const body = object(anyValue(record.body));
  const at = number(record.timeUnixNano) || number(record.observedTimeUnixNano) || undefined;
  return {
    trace: trace.toLowerCase(),
    id: id.toLowerCase(),
    name: "",
    ...defined({ start: at === undefined ? undefined : at / 1e9 }),
    // What is known of the call where its span is not in the body.
    attributes: { "gen_ai.operation.name": "chat", ...attributes },
    events: [{ name, attributes: { ...attributes, ...body } }],
    failed: false,
    logged: true,
  };
}

/** Spans with the events that were logged of them; events of a span that is not there are one. */
export function withLogged(spans: readonly Span[]): readonly Span[] {
  const logged = spans.filter((span) => span.logged);
  if (logged.length === 0) return spans;
  const byId = new Map(spans.filter((span) => !span.logged).map((span) => [span.id, span]));
  const seen = new Set<string>();
  for (const event of logged.sort((a, b) => (a.start ?? 0) - (b.start ?? 0))) {
    const key = JSON.stringify([event.id, event.start, event.events]);
    if (seen.has(key)) continue;
    seen.add(key);
    const span = byId.get(event.id);
    const end = span?.logged ? event.start : span?.end;
    const events = [...(span?.events ?? []), ...event.events];
    byId.set(event.id, span ? { ...span, events, ...defined({ end }) } : event);
  }
  return [...byId.values()];
}
