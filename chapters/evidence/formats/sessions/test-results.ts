import type { JsonObject } from "../../../../worlds/json.ts";
import { TraceBuilder } from "../builder.ts";
import type { Item, Reading, TraceFormat } from "../format.ts";
import { isMessage, readMessage } from "../messages.ts";
import { fromJson, label, labels, list, number, object, objects, seconds, sumOf, text } from "../values.ts";

/** promptfoo results: a test with what a provider answered, its assertions as scores and whether it passed as the outcome. */
export const promptfoo: TraceFormat = {
  name: "promptfoo",
  kind: "traces",
  alone: () => true,
  detect(sample) {
    const rows = rowsOf(sample.items[0], sample.header);
    const known = rows.some((row) => object(row.response) && row.success !== undefined && (row.vars ?? row.prompt));
    return known ? { score: 0.95, why: "results with prompt, response and success" } : undefined;
  },
  open: (reading) => ({
    *item(item) {
      const rows = rowsOf(item, {});
      if (rows.length === 0) reading.refuse(item.place, "no results");
      for (const [i, row] of rows.entries()) yield { trace: promptfooTrace(row, i, reading), place: item.place };
    },
    *end() {},
  }),
};

function rowsOf(item: Item | undefined, _header: JsonObject): JsonObject[] {
  const whole = object(item?.value);
  const results = object(whole?.results)?.results ?? whole?.results;
  return Array.isArray(results) ? objects(results) : whole?.response ? [whole] : [];
}

function promptfooTrace(row: JsonObject, index: number, reading: Reading) {
  const builder = new TraceBuilder(reading);
  const raw = fromJson(text(object(row.prompt)?.raw) ?? text(row.prompt) ?? "");
  const messages = list(raw).filter(isMessage);
  for (const message of messages) readMessage(builder, message, reading);
  if (messages.length === 0) builder.turn("user", typeof raw === "string" ? raw : JSON.stringify(raw));
  const response = object(row.response) ?? {};
  const output = fromJson(response.output);
  const replies = objects(Array.isArray(output) ? output : [output]);
  const calls = replies.filter((each) => each.type === "function");
  const spoken = replies.filter((each) => isMessage(each));
  if (calls.length > 0) readMessage(builder, { role: "assistant", content: null, tool_calls: calls }, reading);
  else if (spoken.length > 0) for (const each of spoken) readMessage(builder, each, reading);
  else {
    playCalls(builder, objects(object(response.metadata)?.toolCalls).map(promptfooCall), reading);
    // A provider that failed has said nothing.
    if ((response.output ?? null) !== null)
      builder.turn(
        "assistant",
        typeof response.output === "string" ? response.output : JSON.stringify(response.output),
      );
  }
  const usage = object(response.tokenUsage) ?? object(row.tokenUsage);
  const test = object(row.testCase);
  const graded = object(row.gradingResult);
  const known = new Map<string, number>();
  const scores = Object.fromEntries(
    objects(graded?.componentResults).flatMap((part) => {
      const kind = label(object(part.assertion)?.metric) ?? label(object(part.assertion)?.type);
      if (kind === undefined) return [];
      // A test may assert the same kind of thing several times.
      const n = (known.get(kind) ?? 0) + 1;
      known.set(kind, n);
      const name = n === 1 ? kind : `${kind} ${n}`;
      return [
        [`score.${name}`, part.score ?? part.pass],
        [`score.${name}.comment`, part.reason],
      ];
    }),
  );
  const named = object(row.namedScores) ?? object(graded?.namedScores) ?? {};
  const namedScores = Object.fromEntries(Object.entries(named).map(([name, score]) => [`score.${name}`, score]));
  const provider = object(row.provider);
  const passed = typeof row.success === "boolean" ? Number(row.success) : undefined;
  return builder.build({
    session: text(row.id) ?? `test-${label(row.testIdx) ?? index}-${label(row.promptIdx) ?? 0}`,
    labels: labels({
      ...namedScores,
      ...scores,
      // What a test came to in all says more than whether it passed, where it is between.
      ...(row.score === passed ? {} : { score: row.score }),
      task_id: test?.description ?? row.testIdx,
      model: text(provider?.label) ?? provider?.id,
      comment: graded?.reason ?? row.error,
      latency_ms: row.latencyMs ?? response.latencyMs,
    }),
    ...(usage
      ? { usage: { input_tokens: number(usage.prompt) ?? 0, output_tokens: number(usage.completion) ?? 0 } }
      : {}),
    costUsd: number(row.cost) ?? number(response.cost),
    // A judge may be among the assertions, and then the outcome is a model's.
    outcome: passed === undefined ? undefined : { reward: passed, tier: judged(graded) },
  });
}

/** A call as providers of agents report it beside what the agent said. */
function promptfooCall(call: JsonObject): CalledTool {
  const blocks = objects(call.output);
  const words = blocks.length > 0 && list(call.output).every((each) => object(each)?.type === "text");
  return {
    id: text(call.id),
    tool: text(call.name),
    args: call.input ?? call.args ?? call.arguments,
    result: words ? blocks.map((block) => block.text).join("\n") : call.output,
    failed: call.is_error === true,
  };
}

interface CalledTool {
  readonly id?: string | undefined;
  readonly tool: string | undefined;
  readonly args: unknown;
  readonly result: unknown;
  readonly failed?: boolean;
}

/** Calls of one turn that says nothing, each with its result where that was kept. */
function playCalls(builder: TraceBuilder, calls: readonly CalledTool[], reading: Reading): void {
  if (calls.length > 0) builder.turn("assistant", "");
  for (const [i, { id = `call-${i + 1}`, tool = "unknown", args, result, failed }] of calls.entries()) {
    builder.call({ tool, args, id });
    if (result === undefined || result === null) reading.lose("result_not_captured");
    else builder.answer({ id, result, failed });
  }
}

const JUDGES = /llm-rubric|model-graded|factuality|answer-relevance|context-|g-eval|similar|closedqa/;

function judged(graded: JsonObject | undefined): "llm-derived" | "deterministic" {
  const kinds = list(graded?.componentResults).map((each) => String(object(object(each)?.assertion)?.type ?? ""));
  return kinds.some((kind) => JUDGES.test(kind)) ? "llm-derived" : "deterministic";
}

/** DeepEval test runs: a test case with the tools that were called, its metrics as scores and whether all passed as the outcome. */
export const deepeval: TraceFormat = {
  name: "deepeval",
  kind: "traces",
  alone: () => true,
  detect(sample) {
    const cases = casesOf(sample.items[0]);
    const known = cases.some((one) => isConversation(one) || (one.input !== undefined && outputOf(one) !== undefined));
    return known ? { score: 0.94, why: "test cases with input and actualOutput" } : undefined;
  },
  open: (reading) => ({
    *item(item) {
      const cases = casesOf(item);
      if (cases.length === 0) reading.refuse(item.place, "no test cases");
      for (const [i, one] of cases.entries()) yield { trace: deepevalTrace(one, i, reading), place: item.place };
    },
    *end() {},
  }),
};

function casesOf(item: Item | undefined): JsonObject[] {
  const whole = object(item?.value);
  const given = [
    whole?.testCases ?? whole?.test_cases ?? whole?.test_results,
    whole?.conversationalTestCases ?? whole?.conversational_test_cases,
  ];
  if (given.some(Array.isArray)) return given.flatMap(objects);
  return whole && outputOf(whole) !== undefined ? [whole] : [];
}

function outputOf(one: JsonObject): unknown {
  return one.actualOutput ?? one.actual_output;
}

/** A test case of several turns. */
function isConversation(one: JsonObject): boolean {
  return objects(one.turns).length > 0 && (one.metricsData ?? one.metrics_data) !== undefined;
}

function deepevalTrace(one: JsonObject, index: number, reading: Reading) {
  const builder = new TraceBuilder(reading);
  const steps = deepevalSteps(object(one.trace) ?? {}, reading);
  const turns = objects(one.turns);
  for (const { role, content, ...turn } of turns) {
    playCalls(builder, objects(turn.toolsCalled ?? turn.tools_called).map(deepevalCall), reading);
    builder.turn(role === "user" ? "user" : "assistant", text(content) ?? "");
  }
  if (turns.length === 0) {
    builder.turn("user", text(one.input) ?? "");
    const called = objects(one.toolsCalled ?? one.tools_called).map(deepevalCall);
    // The spans hold what came of the calls; a test case may name its calls without having been traced.
    playCalls(builder, steps.calls.length >= called.length ? steps.calls : called, reading);
    builder.turn("assistant", text(outputOf(one)) ?? "");
  }
  const expected = [one.expectedOutput, one.expected_output, one.expectedOutcome, one.expected_outcome];
  if (expected.some((each) => (each ?? null) !== null)) reading.lose("expected_output");
  const retrieved = list(one.retrievalContext ?? one.retrieval_context).length + list(one.context).length;
  if (retrieved > 0) reading.lose("retrieval_context", retrieved);
  const metrics = objects(one.metricsData ?? one.metrics_data);
  const scores = Object.fromEntries(
    metrics.flatMap((metric) => {
      const name = text(metric.name);
      return name === undefined
        ? []
        : [
            [`score.${name}`, metric.score],
            [`score.${name}.comment`, metric.reason],
          ];
    }),
  );
  const costs = metrics.flatMap((metric) => number(metric.evaluationCost ?? metric.evaluation_cost) ?? []);
  // What grading cost is none of the agent's.
  if (costs.length > 0) reading.lose("grading_cost", costs.length);
  const tier = metrics.some((metric) => (metric.evaluationModel ?? metric.evaluation_model ?? null) !== null);
  return builder.build({
    session: text(one.name) ?? `case-${index + 1}`,
    startedAt: seconds(one.startTime) ?? steps.startedAt,
    endedAt: steps.endedAt,
    labels: labels({ ...scores, task_id: one.name, model: steps.model }),
    usage: steps.usage,
    costUsd: number(one.completionCost) ?? number(one.completion_cost) ?? number(one.tokenCost) ?? steps.costUsd,
    outcome:
      typeof one.success === "boolean"
        ? { reward: Number(one.success), tier: tier ? "llm-derived" : "deterministic" }
        : undefined,
  });
}

function deepevalCall(call: JsonObject): CalledTool {
  return {
    tool: text(call.name),
    args: call.inputParameters ?? call.input_parameters ?? call.input,
    result: call.output,
  };
}

/** What the trace of a test case tells: its tools' spans as calls, and what its models' spans used. */
function deepevalSteps(trace: JsonObject, reading: Reading) {
  const spansOf = (kind: string) => objects(trace[`${kind}Spans`] ?? trace[`${kind}_spans`]);
  const of = (span: JsonObject, name: string) =>
    span[name] ?? span[name.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`)];
  const tools = spansOf("tool").sort((a, b) => startOf(a) - startOf(b));
  const models = spansOf("llm");
  const lost = { retriever_span: spansOf("retriever").length, span_of_model: models.length };
  for (const [name, n] of Object.entries(lost)) if (n > 0) reading.lose(name, n);
  const graded = ["base", "agent", "llm", "retriever", "tool"].flatMap(spansOf);
  const scores = graded.reduce((n, span) => n + objects(of(span, "metricsData")).length, 0);
  if (scores > 0) reading.lose("score_of_step", scores);
  const [input, output] = ["inputTokenCount", "outputTokenCount"].map((name) =>
    sumOf(...models.map((span) => of(span, name))),
  );
  const costs = models.map((span) =>
    (["Input", "Output"] as const).map((side) => {
      const tokens = number(of(span, `${side.toLowerCase()}TokenCount`)) ?? 0;
      return tokens === 0 ? 0 : (number(of(span, `costPer${side}Token`)) ?? Number.NaN) * tokens;
    }),
  );
  // The sum of some would be taken for that of all.
  const unpriced = costs.filter((each) => each.some(Number.isNaN)).length;
  if (unpriced > 0 && unpriced < models.length) reading.lose("cost_of_some_models", models.length - unpriced);
  return {
    calls: tools.map((span): CalledTool => {
      const failed = span.status === "ERRORED";
      return { tool: text(span.name), args: span.input, result: span.output ?? (failed ? span.error : null), failed };
    }),
    usage:
      input === undefined && output === undefined
        ? undefined
        : { input_tokens: input ?? 0, output_tokens: output ?? 0 },
    costUsd: unpriced > 0 ? undefined : sumOf(...costs.flat()),
    model: text(models.map(({ model }) => model).find((model) => text(model) !== undefined)),
    startedAt: seconds(of(trace, "startTime")),
    endedAt: seconds(of(trace, "endTime")),
  };
}

function startOf(span: JsonObject): number {
  return seconds(span.startTime ?? span.start_time) ?? 0;
}
