import type { Json, JsonObject } from "../../../../worlds/json.ts";
import { defined, list, number, object, seconds, text } from "../values.ts";
import { bodyAttributes, holdsMessages } from "./event-bodies.ts";
import { phoenixSpan } from "./phoenix.ts";

/** One span of any container, times in unix seconds. */
export interface Span {
  readonly trace: string;
  readonly id: string;
  readonly parent?: string;
  readonly name: string;
  readonly start?: number;
  readonly end?: number;
  readonly attributes: JsonObject;
  readonly events: readonly { readonly name: string; readonly attributes: JsonObject }[];
  readonly failed: boolean;
  readonly message?: string;
  readonly service?: string;
  /** The version of what ran: its service's, its app's or its release's. */
  readonly version?: string;
  /** Whether it is no span, but an event that was logged of one. */
  readonly logged?: boolean;
}

/**
 * The spans that an item holds: an export request, a `resourceSpans` or Tempo `batches` element, a Jaeger trace, a
 * readable span, or a bare map of span attributes. Undefined when it is none of them.
 */
export function spansOf(value: unknown, place: number): Span[] | undefined {
  const item = object(value);
  if (!item) return undefined;
  const exported = item.resourceSpans ?? item.resource_spans ?? item.batches;
  if (Array.isArray(exported)) return exported.flatMap((each) => spansOf(each, place) ?? []);
  const scopes = item.scopeSpans ?? item.scope_spans ?? item.instrumentationLibrarySpans;
  if (Array.isArray(scopes)) return resourceSpans(item, scopes);
  if (Array.isArray(item.spans) && text(item.traceID) !== undefined) return jaegerSpans(item);
  if (Array.isArray(item.spans)) return item.spans.flatMap((each) => spansOf(each, place) ?? []);
  if (item.traceId !== undefined && item.spanId !== undefined) return [protocolSpan(item, {})];
  if (item.trace_id !== undefined && item.start_time_unix_nano !== undefined && Array.isArray(item.attributes))
    return [protocolSpan(item, {})];
  const phoenix = phoenixSpan(item);
  if (phoenix) return [phoenix];
  const context = object(item.context) ?? object(item.span_context) ?? item;
  if (context.trace_id !== undefined && item.attributes !== undefined) return [readableSpan(item, context)];
  return isAttributeMap(item) ? [attributeSpan(item, place)] : undefined;
}

const SEMANTIC = /^(?:gen_ai|llm|openinference|tool|mcp)\./;

function isAttributeMap(item: JsonObject): boolean {
  return Object.keys(item).some((key) => SEMANTIC.test(key));
}

function attributeSpan(attributes: JsonObject, place: number): Span {
  return {
    trace: `item-${place}`,
    id: `item-${place}`,
    name: "",
    attributes,
    events: [],
    failed: attributes["error.type"] !== undefined,
  };
}

function resourceSpans(item: JsonObject, scopes: readonly unknown[]): Span[] {
  const source = sourceOf(attributesOf(object(item.resource)?.attributes));
  return scopes.flatMap((scope) =>
    list(object(scope)?.spans).flatMap((each) => {
      const span = object(each);
      return span ? [protocolSpan(span, source)] : [];
    }),
  );
}

/** What a resource says of what its spans come from. */
function sourceOf(resource: JsonObject): Pick<Span, "service" | "version"> {
  return defined({ service: text(resource["service.name"]), version: text(resource["service.version"]) });
}

function protocolSpan(span: JsonObject, source: Pick<Span, "service" | "version">): Span {
  const status = object(span.status);
  const parent = text(span.parentSpanId ?? span.parent_span_id);
  return {
    trace: String(span.traceId ?? span.trace_id).toLowerCase(),
    id: String(span.spanId ?? span.span_id).toLowerCase(),
    name: text(span.name) ?? "",
    ...defined({
      parent: parent?.replace(/^0+$/, "") ? parent.toLowerCase() : undefined,
      start: nanos(span.startTimeUnixNano ?? span.start_time_unix_nano),
      end: nanos(span.endTimeUnixNano ?? span.end_time_unix_nano),
      message: text(status?.message),
      ...source,
    }),
    attributes: attributesOf(span.attributes),
    events: eventsOf(span.events),
    failed: status?.code === 2 || status?.code === "STATUS_CODE_ERROR" || status?.code === "ERROR",
  };
}

/** Unix seconds of nanoseconds as a decimal text or a number. */
function nanos(value: unknown): number | undefined {
  const n = number(value);
  return n === undefined || n <= 0 ? undefined : n / 1e9;
}

function eventsOf(value: unknown) {
  return list(value).flatMap((each) => {
    const event = object(each);
    const name = text(event?.name) ?? text(event?.event_name);
    return event && name !== undefined ? [{ name, attributes: attributesOf(event.attributes ?? event.body) }] : [];
  });
}

/** Attributes as a flat object, from a list of keys and typed values or from an object. */
export function attributesOf(value: unknown): JsonObject {
  if (!Array.isArray(value)) return object(value) ?? {};
  const attributes: JsonObject = {};
  for (const each of value) {
    const entry = object(each);
    if (typeof entry?.key === "string") attributes[entry.key] = anyValue(entry.value) as JsonObject[string];
  }
  return attributes;
}

/** The value of a typed value of the protocol; any other as it is. */
export function anyValue(value: unknown): unknown {
  const typed = object(value);
  if (!typed) return value ?? null;
  if (typed.stringValue !== undefined) return typed.stringValue;
  if (typed.intValue !== undefined) return number(typed.intValue) ?? null;
  if (typed.doubleValue !== undefined) return typed.doubleValue;
  if (typed.boolValue !== undefined) return typed.boolValue;
  if (typed.arrayValue !== undefined) return list(object(typed.arrayValue)?.values).map(anyValue);
  if (typed.kvlistValue !== undefined) return attributesOf(list(object(typed.kvlistValue)?.values));
  if (typed.bytesValue !== undefined) return typed.bytesValue;
  // Protobuf's own names, as some interfaces answer them, with null for what a value is not.
  const [name, given] = Object.entries(typed).find(([key, each]) => key.endsWith("_value") && each !== null) ?? [];
  return name === undefined ? null : anyValue({ [name.replace("_v", "V")]: given as Json });
}

function jaegerSpans(trace: JsonObject): Span[] {
  const processes = object(trace.processes) ?? {};
  return list(trace.spans).flatMap((each) => {
    const span = object(each);
    if (!span) return [];
    const parent = list(span.references)
      .map(object)
      .find((reference) => reference?.refType === "CHILD_OF");
    const start = number(span.startTime);
    const tags = tagsOf(span.tags);
    const process = object(processes[String(span.processID)]);
    return [
      {
        trace: String(span.traceID ?? trace.traceID).toLowerCase(),
        id: String(span.spanID).toLowerCase(),
        name: text(span.operationName) ?? "",
        ...defined({
          parent: text(parent?.spanID)?.toLowerCase(),
          start: start === undefined ? undefined : start / 1e6,
          end: start === undefined ? undefined : (start + (number(span.duration) ?? 0)) / 1e6,
          message: text(tags["otel.status_description"]),
          service: text(process?.serviceName),
          version: text(tagsOf(process?.tags)["service.version"]),
        }),
        attributes: tags,
        events: list(span.logs).flatMap((log) => {
          const fields = tagsOf(object(log)?.fields);
          const name = text(fields.event) ?? text(fields.name);
          return name === undefined ? [] : [{ name, attributes: fields }];
        }),
        failed: tags.error === true || tags["otel.status_code"] === "ERROR",
      },
    ];
  });
}

function tagsOf(value: unknown): JsonObject {
  const tags: JsonObject = {};
  for (const each of list(value)) {
    const tag = object(each);
    if (typeof tag?.key === "string") tags[tag.key] = tag.value ?? null;
  }
  return tags;
}

function readableSpan(span: JsonObject, context: JsonObject): Span {
  const status = object(span.status);
  const code = String(status?.code ?? status?.status_code ?? span.status_code ?? "");
  const parent = text(span.parent_span_id) ?? text(span.parent_id) ?? text(object(span.parent)?.span_id);
  const said = list(span.span_events).find(holdsMessages);
  return {
    trace: String(context.trace_id).replace(/^0x/, "").toLowerCase(),
    id: String(context.span_id).replace(/^0x/, "").toLowerCase(),
    name: text(span.name) ?? "",
    ...defined({
      parent: parent?.replace(/^0x/, "").toLowerCase(),
      start: seconds(span.start_time),
      end: seconds(span.end_time),
      message: text(status?.message) ?? text(status?.description),
      ...sourceOf(attributesOf(object(span.resource)?.attributes)),
    }),
    attributes: { ...attributesOf(span.attributes), ...bodyAttributes(span.span_events) },
    events: eventsOf(list(span.span_events ?? span.events).filter((event) => event !== said)),
    failed: /ERROR$/.test(code) || code === "2",
  };
}
