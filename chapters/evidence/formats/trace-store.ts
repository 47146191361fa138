import type { JsonObject } from "../../../worlds/json.ts";
import type { Reading, TraceFormat } from "./format.ts";
import { spanConverter } from "./otlp/converter.ts";
import { attributesOf, type Span } from "./otlp/span.ts";
import { defined, fromJson, label, list, number, object, seconds, sumOf, text } from "./values.ts";

/** The tracing tool's exports: a trace with its observations, and lists of observations. */
export const traceStore: TraceFormat = {
  name: "trace_store",
  kind: "traces",
  assembles: true,
  detect(sample) {
    const first = sample.items[0];
    const record = object(first?.value);
    const observation = object(list(record?.observations)[0]) ?? record;
    const known =
      observation !== undefined &&
      text(observation.traceId) !== undefined &&
      observation.startTime !== undefined &&
      observation.type !== undefined;
    if (!known) return undefined;
    return Array.isArray(record?.observations)
      ? { score: 0.96, why: "a trace with its observations" }
      : { score: 0.9, why: "observations with traceId, type and startTime" };
  },
  open: (reading) =>
    spanConverter(reading, (value) => {
      const record = object(value);
      if (!record) return undefined;
      const observations = Array.isArray(record.observations) ? record.observations : [record];
      const trace = object(record.trace) ?? (Array.isArray(record.observations) ? record : undefined);
      const said = scoresOf(list(object(record.trace)?.scores ?? record.scores), reading);
      const spans = observations.flatMap((each) => {
        const observation = object(each);
        return observation && text(observation.traceId ?? trace?.id) !== undefined
          ? [readObservation(observation, trace)]
          : [];
      });
      const [first, ...rest] = spans;
      const returned = defined({ "langfuse.trace.output": text(unwrapped(trace?.output)) });
      return first && [{ ...first, attributes: { ...first.attributes, ...returned, ...said } }, ...rest];
    }),
};

/** Scores as labels of the trace: `score.<name>` and what was noted; a second one of a name is counted as lost. */
function scoresOf(scores: readonly unknown[], reading: Reading): JsonObject {
  const said: JsonObject = {};
  for (const each of scores) {
    const score = object(each);
    const name = text(score?.name);
    const value = label(score?.value) ?? label(score?.stringValue);
    if (!score || name === undefined || value === undefined || said[`score.${name}`] !== undefined) {
      reading.lose("score");
      continue;
    }
    said[`score.${name}`] = value;
    const note = text(score.comment);
    if (note !== undefined) said[`score.${name}.comment`] = note.slice(0, 2000);
  }
  return said;
}

function readObservation(observation: JsonObject, trace: JsonObject | undefined): Span {
  const metadata = object(unwrapped(observation.metadata)) ?? {};
  const resource = object(unwrapped(metadata.resourceAttributes)) ?? {};
  const recorded = attributesOf(unwrapped(metadata.attributes));
  const details = object(unwrapped(observation.usageDetails)) ?? {};
  const [input, output] = tokensOf(details);
  // Exports of before usage had details.
  const before = object(unwrapped(observation.usage)) ?? {};
  const cost = object(unwrapped(observation.costDetails)) ?? {};
  const type = (text(observation.type) ?? "").toLowerCase();
  const name = text(observation.name) ?? "";
  return {
    trace: String(observation.traceId ?? trace?.id),
    id: String(observation.id),
    name,
    ...defined({
      parent: text(observation.parentObservationId),
      start: seconds(observation.startTime),
      end: seconds(observation.endTime),
      message: text(observation.statusMessage),
      service: text(resource["service.name"]),
      version:
        text(trace?.version) ?? text(trace?.release) ?? text(observation.version) ?? text(resource["service.version"]),
    }),
    attributes: {
      ...recorded,
      ...(defined({
        "langfuse.observation.type": type === "span" || type === "event" || type === "" ? undefined : type,
        "langfuse.observation.input": unwrapped(observation.input) ?? undefined,
        "langfuse.observation.output": unwrapped(observation.output) ?? undefined,
        "tool.name": type === "tool" ? (recorded["gen_ai.tool.name"] ?? name) : undefined,
        "gen_ai.request.model": observation.model ?? observation.providedModelName ?? undefined,
        "session.id": text(trace?.sessionId) ?? text(observation.sessionId),
        "gen_ai.usage.input_tokens": input ?? number(before.input) ?? number(observation.promptTokens),
        "gen_ai.usage.output_tokens": output ?? number(before.output) ?? number(observation.completionTokens),
        "llm.token_count.total": number(details.total) ?? number(before.total),
        "llm.cost.total":
          number(cost.total) ?? number(observation.calculatedTotalCost) ?? number(observation.totalCost),
      }) as unknown as JsonObject),
    },
    events: [],
    failed: observation.level === "ERROR",
  };
}

/** What tokens of a direction are called: all of them, kinds that stand beside these, and kinds that are parts of them. */
const INPUT = /^(input(_\w+_tokens|_cache_\w+)?|cache_\w+_input_tokens)$/;
const OUTPUT = /^output(_\w+_tokens|_reasoning)?$/;

/** The tokens of each direction. Kinds are added to `input` or `output`, unless the total says that they are within it. */
function tokensOf(usage: JsonObject): readonly (number | undefined)[] {
  const waysOf = (name: string, kinds: RegExp) => {
    const all = sumOf(...Object.entries(usage).flatMap(([kind, n]) => (kinds.test(kind) ? [n] : [])));
    return [all, number(usage[name]) ?? all];
  };
  const inputs = waysOf("input", INPUT);
  const ways = waysOf("output", OUTPUT).flatMap((output) => inputs.map((input) => [input, output]));
  const total = number(usage.total) ?? Number.POSITIVE_INFINITY;
  const sums = ways.map((way) => sumOf(...way) ?? 0);
  const fits = ways[sums.indexOf(total)];
  return fits ?? ((sums[0] as number) > total ? ways.at(-1) : ways[0]) ?? [];
}

/** The value under one or two layers of JSON text. */
function unwrapped(value: unknown): unknown {
  return fromJson(fromJson(value));
}
