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
  const own = spans.filter(({ logged }) => !logged);
  if (own.length === spans.length) return spans;
  const sent = spans.filter(({ logged }) => logged).map((event) => [JSON.stringify(event), event] as const);
  const once = [...new Map(sent).values()].sort((a, b) => (a.start ?? 0) - (b.start ?? 0));
  const byId = Map.groupBy(once, ({ id }) => id);
  const eventsOf = (id: string) => (byId.get(id) ?? []).flatMap(({ events }) => events);
  const ids = new Set(own.map(({ id }) => id));
  const alone = [...byId].flatMap(([id, [first, ...more]]) =>
    first === undefined || ids.has(id)
      ? []
      : [{ ...first, events: eventsOf(id), ...defined({ end: more.at(-1)?.start }) }],
  );
  return [...own.map((span) => ({ ...span, events: [...span.events, ...eventsOf(span.id)] })), ...alone];
}
