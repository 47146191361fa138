import type { JsonObject } from "../../../../worlds/json.ts";
import { TraceBuilder } from "../builder.ts";
import type { Item, Reading, TraceFormat } from "../format.ts";
import { isMessage, readMessage } from "../messages.ts";
import { fromJson, label, labels, list, number, object, objects, seconds, text } from "../values.ts";

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
  else
    builder.turn(
      "assistant",
      typeof response.output === "string" ? response.output : JSON.stringify(response.output ?? ""),
    );
  const usage = object(response.tokenUsage) ?? object(row.tokenUsage);
  const test = object(row.testCase);
  const graded = object(row.gradingResult);
  const scores = Object.fromEntries(
    list(graded?.componentResults).flatMap((each) => {
      const part = object(each);
      const kind = label(object(part?.assertion)?.metric) ?? label(object(part?.assertion)?.type);
      return kind === undefined
        ? []
        : [
            [`score.${kind}`, part?.score ?? part?.pass],
            [`score.${kind}.comment`, part?.reason],
          ];
    }),
  );
  const named = object(row.namedScores) ?? object(graded?.namedScores) ?? {};
  const namedScores = Object.fromEntries(Object.entries(named).map(([name, score]) => [`score.${name}`, score]));
  const provider = object(row.provider);
  return builder.build({
    session: text(row.id) ?? `test-${label(row.testIdx) ?? index}-${label(row.promptIdx) ?? 0}`,
    labels: labels({
      ...namedScores,
      ...scores,
      task_id: test?.description ?? row.testIdx,
      model: text(provider?.label) ?? provider?.id,
      comment: graded?.reason,
    }),
    ...(usage
      ? { usage: { input_tokens: number(usage.prompt) ?? 0, output_tokens: number(usage.completion) ?? 0 } }
      : {}),
    costUsd: number(row.cost) ?? number(response.cost),
    // A judge may be among the assertions, and then the outcome is a model's.
    outcome: typeof row.success === "boolean" ? { reward: Number(row.success), tier: judged(graded) } : undefined,
  });
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
    const known = cases.some((one) => one.input !== undefined && (one.actualOutput ?? one.actual_output) !== undefined);
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
  const given = whole?.testCases ?? whole?.test_cases ?? whole?.test_results;
  if (Array.isArray(given)) return objects(given);
  return whole && (whole.actualOutput ?? whole.actual_output) !== undefined ? [whole] : [];
}

function deepevalTrace(one: JsonObject, index: number, reading: Reading) {
  const builder = new TraceBuilder(reading);
  builder.turn("user", text(one.input) ?? "");
  const called = objects(one.toolsCalled ?? one.tools_called);
  if (called.length > 0) builder.turn("assistant", "");
  for (const [i, call] of called.entries()) {
    const id = `call-${i + 1}`;
    builder.call({
      tool: text(call.name) ?? "unknown",
      args: call.inputParameters ?? call.input_parameters ?? call.input,
      id,
    });
    if (call.output === undefined || call.output === null) reading.lose("result_not_captured");
    else builder.answer({ id, result: call.output });
  }
  builder.turn("assistant", text(one.actualOutput) ?? text(one.actual_output) ?? "");
  if ((one.expectedOutput ?? one.expected_output ?? null) !== null) reading.lose("expected_output");
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
    startedAt: seconds(one.startTime),
    labels: labels({ ...scores, task_id: one.name }),
    costUsd: number(one.completionCost) ?? number(one.completion_cost) ?? number(one.tokenCost),
    outcome:
      typeof one.success === "boolean"
        ? { reward: Number(one.success), tier: tier ? "llm-derived" : "deterministic" }
        : undefined,
  });
}
