import type { JsonObject } from "../../../worlds/json.ts";
import { recordedBody } from "./captured-http.ts";
import type { TraceFormat } from "./format.ts";
import { spanConverter } from "./otlp/converter.ts";
import type { Span } from "./otlp/span.ts";
import { defined, list, number, object, text } from "./values.ts";

/** The observability vendor's LLM spans: answers of its span search, its intake lists, recorded requests to that, and single spans. */
export const obsSpans: TraceFormat = {
  name: "obs-spans",
  kind: "traces",
  assembles: true,
  detect(sample) {
    const first = sample.items[0]?.value;
    const spans = first === undefined ? undefined : obsSpansOf(first);
    return spans && spans.length > 0
      ? { score: 0.96, why: "spans with a kind, start_ns and input or output" }
      : undefined;
  },
  open: (reading) => spanConverter(reading, obsSpansOf),
};

/** Spans of a search answer's element, of an intake event, or a span by itself. */
export function obsSpansOf(value: unknown): Span[] | undefined {
  const item = object(value);
  if (!item) return undefined;
  const sent = object(item.request)?.body;
  if (sent !== undefined) return intakeSpans(sent);
  const attributes = object(item.attributes) ?? object(object(item.data)?.attributes);
  const nested = list(item.spans ?? attributes?.spans);
  const known = nested.length > 0 ? nested : [attributes ?? item];
  const session = text(attributes?.session_id);
  const spans = known.flatMap((each) => {
    const span = object(each);
    return span && span.span_id !== undefined && span.start_ns !== undefined ? [readSpan(span, session)] : [];
  });
  return spans.length > 0 ? spans : undefined;
}

/** Spans of a recorded request to the intake. */
function intakeSpans(body: unknown): Span[] | undefined {
  const read = recordedBody(body);
  const spans = (Array.isArray(read) ? read : [read]).flatMap((each) => obsSpansOf(each) ?? []);
  return spans.length > 0 ? spans : undefined;
}

function readSpan(span: JsonObject, session: string | undefined): Span {
  const meta = object(span.meta) ?? span;
  const kind = text(span.span_kind) ?? text(object(meta.span)?.kind) ?? text(meta.kind) ?? text(span.kind) ?? "";
  const start = number(span.start_ns);
  const metrics = object(span.metrics) ?? {};
  const input = object(meta.input) ?? {};
  const output = object(meta.output) ?? {};
  const parent = text(span.parent_id);
  const tag = tagsOf(span.tags);
  const error = object(meta.error);
  return {
    trace: String(span.trace_id),
    id: String(span.span_id),
    name: text(span.name) ?? "",
    ...defined({
      parent: parent === "undefined" ? undefined : parent,
      start: start === undefined ? undefined : start / 1e9,
      end: start === undefined ? undefined : (start + (number(span.duration) ?? 0)) / 1e9,
      message: text(error?.message),
      service: text(span.ml_app) ?? tag.service,
      version: tag.version,
    }),
    attributes: defined({
      "openinference.span.kind": kind,
      "tool.name": kind === "tool" ? text(span.name) : undefined,
      "session.id": text(span.session_id) ?? session ?? tag.session_id,
      "gen_ai.request.model": text(span.model_name) ?? text(meta.model_name),
      "gen_ai.input.messages": messagesOf(input),
      "gen_ai.output.messages": messagesOf(output),
      "input.value": input.value,
      "output.value": output.value,
      "gen_ai.tool.definitions": span.tool_definitions ?? meta.tool_definitions,
      "gen_ai.usage.input_tokens": metrics.input_tokens,
      "gen_ai.usage.output_tokens": metrics.output_tokens,
    }) as JsonObject,
    events: [],
    failed: span.status === "error" || (error !== undefined && text(error.type ?? error.message) !== undefined),
  };
}

/** Messages with results of tools as messages of their own. */
function messagesOf(side: JsonObject): JsonObject[] | undefined {
  const messages = list(side.messages).flatMap((each) => {
    const message = object(each);
    if (!message) return [];
    const results = list(message.tool_results).flatMap((given) => {
      const result = object(given);
      return result
        ? [
            {
              role: "tool",
              tool_call_id: result.tool_id ?? null,
              name: result.name ?? null,
              content: result.result ?? null,
            },
          ]
        : [];
    });
    return results.length > 0 && (message.content ?? "") === "" ? results : [message, ...results];
  });
  return messages.length > 0 ? messages : undefined;
}

function tagsOf(value: unknown): Record<string, string> {
  const tags: Record<string, string> = {};
  for (const tag of list(value)) {
    const cut = typeof tag === "string" ? tag.indexOf(":") : -1;
    if (cut > 0 && typeof tag === "string") tags[tag.slice(0, cut)] = tag.slice(cut + 1);
  }
  return tags;
}
