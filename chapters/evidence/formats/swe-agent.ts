import type { JsonObject } from "../../../worlds/json.ts";
import { TraceBuilder } from "./builder.ts";
import type { Converter, Item, Reading, Sample, TraceFormat } from "./format.ts";
import { callsOf, isMessage, readMessage } from "./messages.ts";
import { fromJson, inputTokensOf, label, labels, list, number, object, objects, sumOf, text } from "./values.ts";

/** A command in the words of an assistant, and what the shell made of it, as mini-swe-agent writes both. */
const COMMAND = /```(?:mswea_bash_command|bash|sh)\r?\n([\s\S]*?)\r?\n```/;
const SHELL_ANSWER = /^\s*<returncode>\s*(-?\d+)\s*<\/returncode>/;

/** SWE-agent trajectories (`trajectory` and `history`) and those of mini-swe-agent (messages with commands in their words). */
export const sweAgent: TraceFormat = {
  name: "swe-agent",
  kind: "traces",
  alone: (value) => !isMessage(value),
  detect(sample) {
    const first = object(sample.items[0]?.value);
    const step = object(list(first?.trajectory)[0]);
    if (step && ("action" in step || "observation" in step || "thought" in step))
      return { score: 0.96, why: "a trajectory of actions and observations" };
    if (/^mini-swe-agent/.test(String(first?.trajectory_format ?? "")))
      return { score: 0.96, why: "a trajectory_format of mini-swe-agent" };
    return commandsInWords(sample) ? { score: 0.75, why: "messages with commands and return codes" } : undefined;
  },
  open: sweConverter,
};

function commandsInWords(sample: Sample): boolean {
  const messages = sample.items.flatMap(({ value }) =>
    isMessage(value) ? [value] : list(Array.isArray(value) ? value : object(value)?.messages),
  );
  const said = (role: string, pattern: RegExp) =>
    messages.some((each) => {
      const message = object(each);
      return message?.role === role && pattern.test(text(message.content) ?? "");
    });
  return said("assistant", COMMAND) && said("user", SHELL_ANSWER);
}

function sweConverter(reading: Reading): Converter {
  const loose: { messages: unknown[]; place: number } = { messages: [], place: 1 };
  return {
    *item({ value, place }: Item) {
      if (isMessage(value)) {
        if (loose.messages.length === 0) loose.place = place;
        loose.messages.push(value);
        return;
      }
      const run: JsonObject = Array.isArray(value) ? { messages: value } : (object(value) ?? {});
      if (list(run.trajectory).length > 0) yield { trace: stepsTrace(run, place, reading), place };
      else if (list(run.messages).length > 0) yield { trace: messagesTrace(run, place, reading), place };
      else reading.refuse(place, "neither a trajectory nor messages");
    },
    *end() {
      const { messages, place } = loose;
      if (messages.length > 0) yield { trace: messagesTrace({ messages } as JsonObject, place, reading), place };
    },
  };
}

function stepsTrace(run: JsonObject, place: number, reading: Reading) {
  const builder = new TraceBuilder(reading);
  const history = list(run.history).flatMap((each) => {
    const message = object(each);
    if (message?.is_demo === true) reading.lose("demonstration_message");
    return message && message.is_demo !== true ? [message] : [];
  });
  if (history.some((message) => callsOf(message).length > 0)) {
    for (const message of history) {
      const id = text(list(message.tool_call_ids)[0]);
      readMessage(builder, id === undefined ? message : { ...message, tool_call_id: id }, reading);
    }
  } else {
    // Commands as text: what the agent was given stands in the history, what it did in the steps.
    const acted = history.findIndex((message) => message.role === "assistant");
    for (const message of history.slice(0, acted === -1 ? undefined : acted)) readMessage(builder, message, reading);
    for (const each of list(run.trajectory)) readStep(builder, object(each) ?? {}, reading);
  }
  return builder.build(factsOf(run, place));
}

function readStep(builder: TraceBuilder, step: JsonObject, reading: Reading): void {
  builder.turn("assistant", text(step.thought) ?? text(step.response) ?? "");
  const action = text(step.action)?.trim();
  if (action === undefined || action === "") {
    if (text(step.observation) !== undefined) reading.lose("observation_without_action");
    return;
  }
  const took = number(step.execution_time);
  builder.call({ tool: "shell", args: { command: action } });
  builder.answer({
    tool: "shell",
    result: step.observation ?? null,
    ...(took === undefined ? {} : { ms: took * 1000 }),
  });
}

function messagesTrace(run: JsonObject, place: number, reading: Reading) {
  const builder = new TraceBuilder(reading);
  let open = false;
  for (const each of list(run.messages)) {
    const message = object(each);
    if (!message) {
      reading.lose("message_not_an_object");
      continue;
    }
    // How it ended is told in `info`, as a rule. What was handed in answers the call that did so.
    if (message.role === "exit") {
      const { exit_status: ended, submission } = object(message.extra) ?? {};
      const handedIn = text(submission);
      if (handedIn !== undefined) builder.answer({ tool: "bash", result: handedIn });
      if (object(run.info)?.exit_status === undefined && (ended ?? text(message.content)) !== undefined)
        reading.lose("exit_message");
      continue;
    }
    const words = text(message.content) ?? "";
    if (open && message.role === "user") {
      const code = SHELL_ANSWER.exec(words)?.[1];
      builder.answer({ tool: "bash", result: words, failed: code !== undefined && code !== "0" });
      open = false;
      continue;
    }
    const code = number(object(message.extra)?.returncode);
    readMessage(builder, code === undefined || code === 0 ? message : { ...message, is_error: true }, reading);
    const command =
      message.role === "assistant" && callsOf(message).length === 0 ? COMMAND.exec(words)?.[1] : undefined;
    if (command === undefined) continue;
    builder.call({ tool: "bash", args: { command } });
    open = true;
  }
  return builder.build(factsOf(run, place));
}

function factsOf(run: JsonObject, place: number) {
  const info = object(run.info);
  const stats = object(info?.model_stats);
  const replay = object(fromJson(run.replay_config));
  const task = label(object(replay?.problem_statement)?.id) ?? label(info?.instance_id) ?? label(run.instance_id);
  const replies = objects(run.messages).map((message) => object(object(object(message.extra)?.response)?.usage));
  const usage = {
    input_tokens: number(stats?.tokens_sent) ?? sumOf(...replies.map(inputTokensOf)),
    output_tokens:
      number(stats?.tokens_received) ?? sumOf(...replies.map((used) => used?.output_tokens ?? used?.completion_tokens)),
  };
  const agent = object(replay?.agent) ?? object(object(info?.config)?.agent);
  const model = object(agent?.model) ?? object(object(info?.config)?.model);
  return {
    session: task ?? `item-${place}`,
    labels: labels({
      task_id: task,
      environment: run.environment,
      exit_status: info?.exit_status,
      model: model?.name ?? model?.model_name,
      version: info?.swe_agent_version ?? info?.mini_version,
    }),
    usage:
      usage.input_tokens === undefined && usage.output_tokens === undefined
        ? undefined
        : { input_tokens: usage.input_tokens ?? 0, output_tokens: usage.output_tokens ?? 0 },
    costUsd: number(stats?.instance_cost),
    // What was handed in is the answer, whatever was said before.
    finalAnswer: text(info?.submission),
  };
}
