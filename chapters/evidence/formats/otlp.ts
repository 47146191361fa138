import type { Reading, TraceFormat } from "./format.ts";
import { roleOf } from "./otlp/conventions.ts";
import { spanConverter } from "./otlp/converter.ts";
import { loggedEvents } from "./otlp/logged-events.ts";
import { spansOf } from "./otlp/span.ts";
import { object } from "./values.ts";

/**
 * OpenTelemetry spans with GenAI (new and older shapes) or OpenInference attributes: OTLP JSON, Tempo batches, Jaeger
 * JSON, readable span lists, Phoenix's exports, and log records that hold a span's messages. Traces are put together by
 * trace id over the whole body.
 */
export const otlp: TraceFormat = {
  name: "otlp",
  kind: "traces",
  assembles: true,
  detect(sample) {
    if (sample.shape === "text") return undefined;
    // A collector may write other signals into the same file.
    const holdsNone = ({ value }: { value: unknown }) =>
      object(value)?.resourceMetrics !== undefined ||
      (object(value)?.resourceLogs !== undefined && loggedEvents(value, UNHEARD) === undefined);
    const first = sample.items.find((item) => !holdsNone(item));
    const spans = first && (spansOf(first.value, 1) ?? loggedEvents(first.value, UNHEARD));
    if (first === undefined || spans === undefined) return undefined;
    if (first.member === "resourceSpans" || first.member === "batches")
      return { score: 0.98, why: `export requests with ${first.member}` };
    if (first.member === "data")
      return {
        score: 0.95,
        why: object(first.value)?.traceID === undefined ? "spans under data" : "Jaeger traces under data",
      };
    const speaks = spans.some((span) => roleOf(span) !== "other");
    return speaks ? { score: 0.9, why: "spans with agent attributes" } : { score: 0.7, why: "spans" };
  },
  open: (reading) => spanConverter(reading, (value, place) => spansOf(value, place) ?? loggedEvents(value, reading)),
};

const UNHEARD: Reading = { header: {}, lose() {}, refuse() {}, strip() {} };
