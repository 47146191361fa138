import type { JsonObject } from "../../../worlds/json.ts";
import { TraceBuilder, wordsOf } from "./builder.ts";
import type { Reading, TraceFormat } from "./format.ts";
import { readMessage, toolMessage } from "./messages.ts";
import { label, labels, list, object, seconds, text } from "./values.ts";

/** AgentDojo runs: one user task of a suite, with the attack it ran under; utility is the outcome, security a label. */
export const agentdojo: TraceFormat = {
  name: "agentdojo",
  kind: "traces",
  alone: () => true,
  detect(sample) {
    const first = object(sample.items[0]?.value);
    const known =
      Array.isArray(first?.messages) &&
      first.suite_name !== undefined &&
      (first.user_task_id !== undefined || first.pipeline_name !== undefined);
    return known ? { score: 0.96, why: "a run with suite_name, user_task_id and messages" } : undefined;
  },
  open: (reading) => ({
    *item({ value, place }) {
      const run = object(value);
      if (run && list(run.messages).length > 0) yield { trace: runTrace(run, reading), place };
      else reading.refuse(place, "a run without messages");
    },
    *end() {},
  }),
};

function runTrace(run: JsonObject, reading: Reading) {
  const builder = new TraceBuilder(reading);
  for (const each of list(run.messages)) {
    const message = object(each);
    if (!message) reading.lose("message_not_an_object");
    else if (message.role === "tool") builder.answer(answerOf(message, reading));
    else readMessage(builder, message, reading);
  }
  const injections = Object.keys(object(run.injections) ?? {}).length;
  if (injections > 0) reading.lose("injection_text", injections);
  if (text(run.error) !== undefined) reading.lose("run_error");
  const task = text(run.user_task_id);
  const injected = text(run.injection_task_id);
  return builder.build({
    session: [run.pipeline_name, run.suite_name, task, run.attack_type ?? "none", injected ?? "none"]
      .map((part) => label(part) ?? "unknown")
      .join("/"),
    startedAt: seconds(run.evaluation_timestamp),
    labels: labels({
      task_id: task,
      suite: run.suite_name,
      pipeline: run.pipeline_name,
      injection_task: injected,
      attack: run.attack_type,
      security: run.security,
      version: run.benchmark_version,
    }),
    outcome: typeof run.utility === "boolean" ? { reward: Number(run.utility), tier: "deterministic" } : undefined,
  });
}

/** A tool message's answer as text: its content is a list of parts. The call it answers may stand beside it whole. */
function answerOf(message: JsonObject, reading: Reading) {
  const content = Array.isArray(message.content) ? wordsOf(message.content, reading) : (message.content ?? null);
  const call = object(message.tool_call);
  const answer = toolMessage({ ...message, content });
  return { ...answer, id: answer.id ?? text(call?.id), tool: answer.tool ?? text(call?.function) };
}
