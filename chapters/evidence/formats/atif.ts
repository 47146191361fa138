import type { JsonObject } from "../../../worlds/json.ts";
import { TraceBuilder, wordsOf } from "./builder.ts";
import type { Reading, TraceFormat } from "./format.ts";
import { offeredTools } from "./messages.ts";
import { label, labels, list, number, object, seconds, text } from "./values.ts";

const SOURCES: Readonly<Record<string, "system" | "user" | "assistant">> = {
  system: "system",
  user: "user",
  agent: "assistant",
};

/** ATIF trajectories of any version: steps of a user, an agent or the system, with calls and what was observed. */
export const atif: TraceFormat = {
  name: "atif",
  kind: "traces",
  alone: () => true,
  detect(sample) {
    const first = object(sample.items[0]?.value);
    if (/^ATIF/i.test(String(first?.schema_version ?? "")))
      return { score: 0.97, why: "a trajectory with schema_version ATIF" };
    const steps = list(first?.steps).map(object);
    const known = steps.filter((step) => step !== undefined && String(step.source) in SOURCES);
    return known.length * 2 > steps.length
      ? { score: 0.85, why: "steps with a source of user, agent or system" }
      : undefined;
  },
  open: (reading) => ({
    *item({ value, place }) {
      const trajectory = object(value);
      if (trajectory && list(trajectory.steps).length > 0)
        yield { trace: trajectoryTrace(trajectory, place, reading), place };
      else reading.refuse(place, "a trajectory without steps");
    },
    *end() {},
  }),
};

function trajectoryTrace(trajectory: JsonObject, place: number, reading: Reading) {
  const builder = new TraceBuilder(reading);
  const agent = object(trajectory.agent);
  const sums = { input_tokens: 0, output_tokens: 0, cost: 0 };
  const steps = list(trajectory.steps).flatMap((each) => {
    const step = object(each);
    if (!step) reading.lose("step_not_an_object");
    return step ? [step] : [];
  });
  for (const step of steps) {
    if (step.is_copied_context === true) reading.lose("copied_context_step");
    else readStep(builder, step, reading);
    const metrics = object(step.metrics);
    sums.input_tokens += number(metrics?.prompt_tokens) ?? 0;
    sums.output_tokens += number(metrics?.completion_tokens) ?? 0;
    sums.cost += number(metrics?.cost_usd) ?? 0;
  }
  if (trajectory.continued_trajectory_ref != null) reading.lose("continued_elsewhere");
  reading.lose("subagent_trajectory", list(trajectory.subagent_trajectories).length);
  const totals = object(trajectory.final_metrics);
  const usage = {
    input_tokens: number(totals?.total_prompt_tokens) ?? sums.input_tokens,
    output_tokens: number(totals?.total_completion_tokens) ?? sums.output_tokens,
  };
  const cost = number(totals?.total_cost_usd) ?? sums.cost;
  return builder.build({
    session: text(trajectory.session_id) ?? text(trajectory.trajectory_id) ?? `item-${place}`,
    startedAt: steps.map((step) => seconds(step.timestamp)).find((at) => at !== undefined),
    labels: labels({
      agent: agent?.name,
      agent_version: agent?.version,
      model: agent?.model_name ?? steps.map((step) => label(step.model_name)).find((name) => name !== undefined),
      version: trajectory.schema_version,
      trajectory_id: trajectory.trajectory_id,
    }),
    usage: usage.input_tokens + usage.output_tokens > 0 ? usage : undefined,
    costUsd: cost > 0 ? cost : undefined,
    tools: offeredTools(agent?.tool_definitions),
  });
}

function readStep(builder: TraceBuilder, step: JsonObject, reading: Reading): void {
  const role = SOURCES[String(step.source)];
  if (role === undefined) {
    reading.lose("step_of_unknown_source");
    return;
  }
  const words = wordsOf(step.message, reading);
  const calls = list(step.tool_calls).flatMap((each) => {
    const call = object(each);
    const tool = text(call?.function_name) ?? text(call?.name);
    if (!call || tool === undefined) reading.lose("call_without_a_name");
    return call && tool !== undefined ? [{ tool, args: call.arguments, id: text(call.tool_call_id) }] : [];
  });
  if (text(step.reasoning_content) !== undefined) reading.lose("part_reasoning");
  const results = list(object(step.observation)?.results).map(object);
  if (words !== "" || calls.length > 0 || results.length === 0) builder.turn(role, words, seconds(step.timestamp));
  for (const call of calls) builder.call(call);
  // Commands that stand in the words of a message have an observation and no call.
  if (calls.length === 0 && results.length > 0 && role === "assistant") reading.lose("commands_in_words");
  for (const result of results) {
    if (!result) continue;
    reading.lose("subagent_trajectory", result.subagent_trajectory_ref == null ? 0 : 1);
    const given = Array.isArray(result.content) ? wordsOf(result.content, reading) : (result.content ?? null);
    const id = text(result.source_call_id);
    const failed = object(result.extra)?.is_error === true;
    if (calls.length > 0)
      builder.answer({ id: id ?? (calls.length === 1 ? calls[0]?.id : undefined), result: given, failed });
    else if (given !== null) builder.turn("tool", typeof given === "string" ? given : JSON.stringify(given));
  }
}
