import type { Json, JsonObject } from "../../../../worlds/json.ts";
import type { Reading, Sample, TraceFormat } from "../format.ts";
import { spanConverter } from "../otlp/converter.ts";
import type { Span } from "../otlp/span.ts";
import {
  defined,
  fromJson,
  inputTokensOf,
  label,
  list,
  number,
  object,
  objects,
  seconds,
  sumOf,
  text,
} from "../values.ts";
import { argumentsOf, contentOf, resultOf } from "./words.ts";

/** A step of a run as an export tells it, whatever it names its fields. */
interface Step {
  readonly trace: unknown;
  readonly id: unknown;
  readonly parent: unknown;
  readonly name: unknown;
  /** `llm`, `tool`, or anything else. */
  readonly kind: string;
  readonly start: unknown;
  readonly end: unknown;
  readonly input: unknown;
  readonly output: unknown;
  readonly error: unknown;
  /** What happened during the step, each with a name. */
  readonly events?: readonly JsonObject[];
  readonly model?: unknown;
  readonly session?: unknown;
  readonly tokens?: { readonly input: unknown; readonly output: unknown };
  readonly cost?: unknown;
  readonly scores?: JsonObject | undefined;
}

/** How one export names what a step is: the whole difference between them. */
interface Export {
  readonly name: string;
  /** What tells a record of it, and the words for that. */
  readonly fits: (record: JsonObject) => boolean;
  readonly why: string;
  /** The records that an item holds. */
  readonly records: (item: JsonObject) => readonly JsonObject[];
  readonly step: (record: JsonObject, reading: Reading) => Step;
}

const itself = (item: JsonObject) => [item];

const EXPORTS: readonly Export[] = [
  {
    name: "langsmith",
    why: "runs with run_type, inputs and trace_id",
    fits: (run) => text(run.run_type) !== undefined && run.inputs !== undefined && run.id !== undefined,
    records: (item) => [item, ...list(item.child_runs).flatMap((each) => runsBelow(object(each)))],
    step: (run) => {
      const extra = object(run.extra);
      const metadata = object(extra?.metadata);
      const outputs = object(run.outputs);
      const usage = object(outputs?.usage_metadata) ?? object(object(outputs?.llm_output)?.token_usage);
      return {
        trace: run.trace_id ?? run.session_trace_id ?? run.id,
        id: run.id,
        parent: run.parent_run_id,
        name: run.name,
        kind: String(run.run_type),
        start: run.start_time,
        end: run.end_time,
        input: run.inputs,
        output: run.outputs,
        error: run.error,
        // When it began and ended stands in the run as well.
        events: objects(run.events).filter(({ name }) => name !== "start" && name !== "end"),
        model: metadata?.ls_model_name ?? object(extra?.invocation_params)?.model,
        session: metadata?.session_id ?? metadata?.thread_id ?? metadata?.conversation_id,
        tokens: {
          input: run.prompt_tokens ?? usage?.input_tokens ?? usage?.prompt_tokens,
          output: run.completion_tokens ?? usage?.output_tokens ?? usage?.completion_tokens,
        },
        cost: run.total_cost,
        scores: averages(object(run.feedback_stats)),
      };
    },
  },
  {
    name: "braintrust",
    why: "spans with root_span_id and span_attributes",
    fits: (item) => loggedSpans(item).length > 0 && loggedSpans(item).every(isLoggedSpan),
    records: loggedSpans,
    step: (span, reading) => {
      const metrics = object(span.metrics);
      const attributes = object(span.span_attributes);
      const metadata = object(span.metadata);
      if (span.expected !== undefined && span.expected !== null) reading.lose("expected_output");
      for (const name of ["comments", "tags"])
        if (list(span[name]).length > 0) reading.lose(name, list(span[name]).length);
      return {
        trace: span.root_span_id,
        id: span.span_id,
        parent: list(span.span_parents)[0],
        name: attributes?.name,
        kind: String(attributes?.type ?? ""),
        start: metrics?.start ?? span.created,
        end: metrics?.end,
        input: span.input,
        output: span.output,
        error: span.error,
        model: metadata?.model,
        session: metadata?.session_id,
        tokens: { input: metrics?.prompt_tokens, output: metrics?.completion_tokens },
        cost: metrics?.estimated_cost ?? metrics?.cost,
        scores: object(span.scores),
      };
    },
  },
  {
    name: "weave",
    why: "calls with op_name, started_at and inputs",
    fits: (call) => text(call.op_name) !== undefined && call.started_at !== undefined && call.trace_id !== undefined,
    records: itself,
    step: (call) => {
      const name = /(?:\/op\/)?([^/:]+)(?::[^/:]*)?$/.exec(String(call.op_name))?.[1];
      const summary = object(call.summary);
      const told = object(summary?.weave);
      const [model] = Object.keys(object(summary?.usage) ?? {});
      const counts = objects(Object.values(object(summary?.usage) ?? {}));
      const costs = objects(Object.values(object(told?.costs) ?? {}));
      const attributes = object(call.attributes);
      const kind = text(object(attributes?.weave)?.kind) ?? text(attributes?.kind);
      return {
        trace: call.trace_id,
        id: call.id,
        parent: call.parent_id,
        name,
        // A call of a provider's library is known by what it reports to have used, and by having no call below it.
        kind:
          kind ??
          (/(?:completions|messages|responses|generate_content)(?:\.|$)/.test(name ?? "")
            ? "llm"
            : isTool(call)
              ? "tool"
              : ""),
        start: call.started_at,
        end: call.ended_at,
        input: withoutSelf(call.inputs),
        output: call.output,
        error: call.exception,
        model: model ?? object(call.inputs)?.model,
        session: call.thread_id,
        tokens: {
          input: sumOf(...counts.map(inputTokensOf)),
          output: sumOf(...counts.map((used) => used.completion_tokens ?? used.output_tokens)),
        },
        cost: sumOf(...costs.flatMap((each) => [each.prompt_tokens_total_cost, each.completion_tokens_total_cost])),
      };
    },
  },
  {
    name: "mlflow",
    why: "spans with mlflow.spanType",
    fits: (item) => mlflowSpans(item).length > 0,
    records: mlflowSpans,
    step: (span) => {
      const raw = object(span.attributes) ?? {};
      const a = Object.fromEntries(Object.entries(raw).map(([key, value]) => [key, fromJson(value)]));
      const context = object(span.context);
      const status = object(span.status);
      const type = String(a["mlflow.spanType"] ?? span.span_type ?? "").toLowerCase();
      const usage = object(a["mlflow.chat.tokenUsage"] ?? fromJson(span.total_usage));
      const cost = object(a["mlflow.llm.cost"] ?? fromJson(span.total_cost));
      return {
        trace: a["mlflow.traceRequestId"] ?? span.trace_id ?? context?.trace_id,
        id: span.span_id ?? context?.span_id,
        parent: span.parent_span_id ?? span.parent_id,
        name: span.name,
        kind: type === "chat_model" ? "llm" : type,
        start: span.start_time_unix_nano ?? span.start_time,
        end: span.end_time_unix_nano ?? span.end_time,
        input: a["mlflow.spanInputs"] ?? span.inputs,
        output: a["mlflow.spanOutputs"] ?? span.outputs,
        error: /ERROR$/.test(String(status?.code ?? span.status_code ?? ""))
          ? (text(status?.message) ?? text(span.status_message) ?? exceptionIn(span.events) ?? "error")
          : undefined,
        events: objects(span.events),
        model: a["mlflow.llm.model"],
        tokens: { input: usage?.input_tokens, output: usage?.output_tokens },
        cost: cost?.total_cost,
        session: a["session.id"] ?? span.session,
        scores: object(span.scores),
      };
    },
  },
];

/** Exports of tracing tools whose records are steps of runs: LangSmith, Braintrust, Weave and MLflow. */
export const spanExports: readonly TraceFormat[] = EXPORTS.map((one) => ({
  name: one.name,
  kind: "traces",
  assembles: true,
  detect: (sample: Sample) => {
    const items = objects(sample.items.map(({ value }) => value));
    const fits = items.length > 0 && items.every((item) => one.fits(item));
    return fits ? { score: 0.96, why: one.why } : undefined;
  },
  open: (reading: Reading) =>
    spanConverter(reading, (value) => {
      const item = object(value);
      if (!item || !one.fits(item)) return undefined;
      return one.records(item).map((record) => spanOf(one.step(record, reading), reading));
    }),
}));

/** A step as the span that conventions of OpenTelemetry would have made of it. */
function spanOf(step: Step, reading: Reading): Span {
  const { kind, name, input, output, tokens } = step;
  const role = kind === "llm" ? "LLM" : kind === "tool" ? "TOOL" : isRoot(step) ? "AGENT" : undefined;
  const scores = Object.entries(step.scores ?? {}).flatMap(([key, value]) => {
    const told = label(value);
    if (told === undefined && value !== null) reading.lose("score");
    return told === undefined ? [] : [[`score.${key}`, told] as const];
  });
  const words: Record<string, Json | undefined> =
    role === "TOOL"
      ? {
          "gen_ai.tool.name": text(name),
          "gen_ai.tool.call.arguments": argumentsOf(input),
          "gen_ai.tool.call.result": resultOf(output),
        }
      : role === undefined
        ? { "step.input": argumentsOf(input), "step.output": resultOf(output) }
        : { "input.value": contentOf(input), "output.value": contentOf(output) };
  const counts = role === "LLM" || role === "AGENT";
  const failed = step.error !== undefined && step.error !== null && step.error !== "";
  return {
    trace: String(step.trace),
    id: String(step.id),
    name: text(name) ?? "",
    ...defined({
      parent: text(step.parent),
      start: seconds(step.start),
      end: seconds(step.end),
      message: text(step.error),
    }),
    attributes: defined({
      ...words,
      "openinference.span.kind": role,
      "gen_ai.request.model": text(step.model),
      "session.id": label(step.session),
      // Of a run its sums, which count where its model calls tell none.
      "gen_ai.usage.input_tokens": counts ? number(tokens?.input) : undefined,
      "gen_ai.usage.output_tokens": counts ? number(tokens?.output) : undefined,
      "llm.cost.total": counts ? number(step.cost) : undefined,
      ...Object.fromEntries(scores),
    }) as JsonObject,
    events: objects(step.events).map((event) => ({
      name: text(event.name) ?? "",
      attributes: object(event.attributes) ?? {},
    })),
    failed,
  };
}

function isRoot({ parent, id, trace }: Step): boolean {
  return text(parent) === undefined || id === trace;
}

function runsBelow(run: JsonObject | undefined): JsonObject[] {
  return run ? [run, ...list(run.child_runs).flatMap((each) => runsBelow(object(each)))] : [];
}

/** `{ key: { n, avg } }` as `{ key: avg }`. */
function averages(stats: JsonObject | undefined): JsonObject | undefined {
  if (!stats) return undefined;
  return Object.fromEntries(Object.entries(stats).map(([key, value]) => [key, (object(value)?.avg ?? null) as Json]));
}

/** The spans of a trace, the root with what is known of the whole. What people expected of it is no score. */
function mlflowSpans(item: JsonObject): JsonObject[] {
  const given = objects(object(fromJson(item.data))?.spans ?? item.spans ?? [item]);
  const spans = given.filter(
    (span) => object(span.attributes)?.["mlflow.spanType"] !== undefined || span.span_type !== undefined,
  );
  const info = object(item.info);
  const kept = object(info?.trace_metadata) ?? object(info?.request_metadata);
  // The sums of a whole count where no span tells its own.
  const sum = (own: string, key: string) =>
    spans.some((span) => object(span.attributes)?.[own] !== undefined) ? undefined : kept?.[key];
  const whole = defined({
    scores: assessed(objects(info?.assessments ?? item.assessments)),
    total_usage: sum("mlflow.chat.tokenUsage", "mlflow.trace.tokenUsage"),
    total_cost: sum("mlflow.llm.cost", "mlflow.trace.cost"),
    session: kept?.["mlflow.trace.session"],
  });
  const root = spans.find((span) => text(span.parent_span_id ?? span.parent_id) === undefined) ?? spans[0];
  return spans.map((span) => (span === root ? { ...span, ...whole } : span));
}

/** The message of the exception that a step was ended by. */
function exceptionIn(events: unknown): string | undefined {
  const last = objects(events).findLast(({ name }) => name === "exception");
  return text(object(last?.attributes)?.["exception.message"]);
}

/** Feedback by its name, and why it was given. */
function assessed(assessments: readonly JsonObject[]): JsonObject | undefined {
  const entries = assessments.flatMap((each): [string, Json][] => {
    const feedback = object(each.feedback);
    const name = text(each.assessment_name) ?? text(each.name);
    const noted = text(each.rationale);
    if (!feedback || name === undefined) return [];
    return [
      [name, feedback.value ?? null],
      ...(noted === undefined ? [] : [[`${name}.comment`, noted] as [string, Json]]),
    ];
  });
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

/** Braintrust's interface answers spans as `events`; its files hold them alone. */
function loggedSpans(item: JsonObject): readonly JsonObject[] {
  return Array.isArray(item.events) ? item.events.map((each) => object(each) ?? {}) : [item];
}

function isLoggedSpan(span: JsonObject): boolean {
  return span.root_span_id !== undefined && span.span_id !== undefined && object(span.span_attributes) !== undefined;
}

function isTool(call: JsonObject): boolean {
  return text(object(call.attributes)?.tool_name) !== undefined || /tool/i.test(String(call.op_name));
}

function withoutSelf(inputs: unknown): unknown {
  const { self: _self, ...rest } = object(inputs) ?? {};
  return object(inputs) ? rest : inputs;
}
