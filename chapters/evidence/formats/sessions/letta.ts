import type { JsonObject } from "../../../../worlds/json.ts";
import { TraceBuilder, wordsOf } from "../builder.ts";
import type { Reading, TraceFormat } from "../format.ts";
import { callsOf, offeredTools, readMessage } from "../messages.ts";
import { fromJson, labels, list, object, objects, seconds, text } from "../values.ts";

/** Letta agent files (`.af`): one session for each agent in a file, with the tools that the file gives it. */
export const letta: TraceFormat = {
  name: "letta",
  kind: "traces",
  alone: () => true,
  detect(sample) {
    const agents = sample.items.flatMap(({ value }) => agentsOf(object(value)));
    return agents.length > 0 ? { score: 0.96, why: "agents with agent_type, system and messages" } : undefined;
  },
  open: (reading) => ({
    *item({ value, place }) {
      const file = object(value) ?? {};
      const agents = agentsOf(file);
      if (agents.length === 0) reading.refuse(place, "no agent with messages");
      for (const agent of agents) {
        const said = objects(agent.messages).some(({ role }) => role !== "system");
        if (said) yield { trace: agentTrace(agent, objects(file.tools), reading), place };
        else reading.refuse(place, "an agent that nobody has spoken to yet");
      }
    },
    *end() {},
  }),
};

/** The agents of a file; older files are one agent. */
function agentsOf(file: JsonObject | undefined): JsonObject[] {
  const given = Array.isArray(file?.agents) ? objects(file.agents) : file ? [file] : [];
  return given.filter((agent) => text(agent.agent_type) !== undefined && Array.isArray(agent.messages));
}

/** The tool by which older agents speak; what they write beside it, they think. */
const SPEAKS = "send_message";

function agentTrace(agent: JsonObject, tools: readonly JsonObject[], reading: Reading) {
  const builder = new TraceBuilder(reading);
  const messages = objects(agent.messages);
  const speaks = messages.some((message) => callsOf(message).some(({ tool }) => tool === SPEAKS));
  const spoken = new Set<string>();
  for (const message of messages) {
    const at = seconds(message.created_at);
    if (message.role === "user") readUser(builder, message, at, reading);
    else if (message.role === "tool") readReturns(builder, message, spoken, reading);
    else if (message.role === "assistant" && speaks) readSpeaker(builder, message, spoken, reading);
    else readMessage(builder, { ...message, timestamp: message.created_at ?? null }, reading);
  }
  const blocks = list(agent.block_ids).length;
  if (blocks > 0) reading.lose("memory_block", blocks);
  const own = new Set(list(agent.tool_ids));
  const offered = tools.filter(({ id }) => own.size === 0 || own.has(id as string));
  const [first] = messages;
  return builder.build({
    session: [text(agent.name), text(agent.id), text(first?.created_at)].filter(Boolean).join(" "),
    startedAt: seconds(first?.created_at),
    labels: labels({ agent: agent.name, model: object(agent.llm_config)?.model ?? agent.model }),
    tools: offeredTools(offered.map((tool) => tool.json_schema ?? tool)),
  });
}

/** What a user says; logins, heartbeats and alerts come in the user's name as objects with a type. */
function readUser(into: TraceBuilder, message: JsonObject, at: number | undefined, reading: Reading): void {
  const words = wordsOf(message.content ?? message.text ?? "", reading);
  const event = object(fromJson(words));
  if (text(event?.type) === undefined) into.turn("user", words, at);
  else if (event?.type === "user_message") into.turn("user", text(event.message) ?? words, at);
  else into.turn("system", words, at);
}

function readSpeaker(into: TraceBuilder, message: JsonObject, spoken: Set<string>, reading: Reading): void {
  const calls = callsOf(message);
  if (wordsOf(message.content ?? "", reading) !== "") reading.lose("part_reasoning");
  const at = seconds(message.created_at);
  for (const call of calls) {
    if (call.tool === SPEAKS) {
      into.turn("assistant", text(object(fromJson(call.args))?.message) ?? "", at);
      if (call.id !== undefined) spoken.add(call.id);
    } else {
      into.turn("assistant", "", at);
      into.call(call);
    }
  }
}

/** Results, each in a frame of status, message and time. */
function readReturns(into: TraceBuilder, message: JsonObject, spoken: ReadonlySet<string>, reading: Reading): void {
  const told = objects(message.tool_returns);
  const returns = told.length > 0 ? told : [message];
  for (const each of returns) {
    const id = text(each.tool_call_id) ?? text(message.tool_call_id);
    if (id !== undefined && spoken.has(id)) continue;
    // Older files keep what came of a call in the message alone, beside its status.
    const given = each.func_response ?? (returns.length === 1 ? wordsOf(message.content ?? "", reading) : null);
    const frame = object(fromJson(given));
    const framed = typeof frame?.status === "string" && frame.message !== undefined;
    const failed = /^(?:error|failed)$/i.test(String(framed ? frame.status : each.status));
    const logged = list(each.stdout).length + list(each.stderr).length;
    if (logged > 0) reading.lose("tool_log", logged);
    into.answer({ id, tool: text(message.name), result: framed ? frame.message : given, failed });
  }
}
