import type { TraceFormat } from "./format.ts";
import { roleOf } from "./otlp/conventions.ts";
import { spanConverter } from "./otlp/converter.ts";
import { spansOf } from "./otlp/span.ts";
import { object } from "./values.ts";

/**
 * OpenTelemetry spans with GenAI (new and older shapes) or OpenInference attributes: OTLP JSON, Tempo batches, Jaeger
 * JSON, readable span lists, Phoenix's exports. Traces are put together by trace id over the whole body.
 */
export const otlp: TraceFormat = {
  name: "otlp",
  kind: "traces",
  assembles: true,
  detect(sample) {
    const first = sample.items[0];
    if (first === undefined || sample.shape === "text") return undefined;
    const spans = spansOf(first.value, 1);
    if (spans === undefined) return undefined;
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
  open: (reading) => spanConverter(reading, spansOf),
};
