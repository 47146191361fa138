import type { Converted, Converter, Item, Reading } from "../format.ts";
import { object } from "../values.ts";
import { withLogged } from "./logged-events.ts";
import type { Span } from "./span.ts";
import { traceOfSpans } from "./trace.ts";

/** How many spans wait for the rest of their trace before the trace untouched longest is told as it is. */
const SPANS_HELD = 200_000;

interface OpenSpans {
  readonly place: number;
  readonly spans: Span[];
}

/** Puts traces together by trace id over all items. `read` answers an item's spans, or undefined when it holds none. */
export function spanConverter(
  reading: Reading,
  read: (value: unknown, place: number) => Span[] | undefined,
): Converter {
  const traces = new Map<string, OpenSpans>();
  let held = 0;
  return {
    *item({ value, place }: Item) {
      const spans = read(value, place);
      if (spans === undefined) {
        const other = object(value);
        if (other?.resourceMetrics !== undefined || other?.resourceLogs !== undefined)
          reading.lose("record_of_another_signal");
        else reading.refuse(place, "no spans");
        return;
      }
      for (const span of spans) {
        const known = traces.get(span.trace) ?? { place, spans: [] };
        known.spans.push(span);
        traces.delete(span.trace);
        traces.set(span.trace, known);
      }
      held += spans.length;
      while (held > SPANS_HELD && traces.size > 1) {
        const [oldest, trace] = traces.entries().next().value as [string, OpenSpans];
        traces.delete(oldest);
        held -= trace.spans.length;
        reading.lose("trace_told_before_the_end");
        yield* told(trace, reading);
      }
    },
    *end() {
      for (const trace of traces.values()) yield* told(trace, reading);
    },
  };
}

function* told({ spans: given, place }: OpenSpans, reading: Reading): Iterable<Converted> {
  const spans = withLogged(onceEach(given));
  const trace = traceOfSpans(spans, reading);
  if (trace) {
    yield { trace, place };
    return;
  }
  reading.lose("span_of_refused_trace", spans.length);
  reading.refuse(place, "a trace without model, tool or agent spans that hold messages");
}

/** A span that was sent or listed again is one: the last of them counts. */
function onceEach(spans: readonly Span[]): Span[] {
  const isNamed = ({ id, logged }: Span) => !logged && id !== "" && id !== "undefined" && id !== "null";
  const last = new Map(spans.filter(isNamed).map((span) => [span.id, span]));
  const first = new Set<string>();
  return spans.flatMap((span) => {
    if (!isNamed(span)) return [span];
    if (first.has(span.id)) return [];
    first.add(span.id);
    return [last.get(span.id) ?? span];
  });
}
