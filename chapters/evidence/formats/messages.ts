import type { JsonObject } from "../../../worlds/json.ts";
import type { CanonicalTrace } from "../../records/evidence/evidence.ts";
import { type CallAnswered, type CallMade, type TraceBuilder, wordsOf } from "./builder.ts";
import type { Reading } from "./format.ts";
import { defined, fromJson, list, object, seconds, text } from "./values.ts";

/** Role words of every shape, as the canonical four. */
export const ROLES: Readonly<Record<string, "system" | "user" | "assistant" | "tool">> = {
  system: "system",
  developer: "system",
  user: "user",
  human: "user",
  assistant: "assistant",
  model: "assistant",
  ai: "assistant",
  agent: "assistant",
  tool: "tool",
  function: "tool",
};

/** Whether a value is a chat message of any of the shapes that `readMessage` takes. */
export function isMessage(value: unknown): value is JsonObject {
  const message = object(value);
  return (
    message !== undefined &&
    typeof message.role === "string" &&
    message.role in ROLES &&
    ("content" in message || "parts" in message || "tool_calls" in message || "function_call" in message)
  );
}

/**
 * Reads one chat message into a trace: the OpenAI, Anthropic, GenAI and Google shapes differ only in where they put
 * words, calls and answers. A message of an unknown role is counted.
 */
export function readMessage(into: TraceBuilder, message: JsonObject, reading: Reading): void {
  if (readItem(into, message)) return;
  const role = typeof message.role === "string" ? ROLES[message.role] : undefined;
  const at = seconds(message.timestamp);
  const content = message.content ?? message.parts ?? null;
  if (role === "tool") {
    const blocks = answersIn(content);
    if (blocks.length > 0) for (const block of blocks) into.answer(block);
    else into.answer(toolMessage(message));
    return;
  }
  if (role === undefined) {
    reading.lose("message_of_unknown_role");
    return;
  }
  const answers = answersIn(content);
  for (const answer of answers) into.answer(answer);
  const calls = callsOf(message);
  for (const call of callsIn(content)) calls.push(call);
  const words = wordsOf(content, reading) || (text(message.refusal) ?? "");
  if (words !== "" || calls.length > 0 || answers.length === 0) into.turn(role, words, at);
  const requestor = role === "user" ? "user" : undefined;
  for (const call of calls) into.call({ ...call, requestor: call.requestor ?? requestor });
}

/** Items of the OpenAI Responses list, which stand beside messages. */
function readItem(into: TraceBuilder, item: JsonObject): boolean {
  if (item.type === "function_call" && typeof item.name === "string") {
    into.call({ tool: item.name, args: item.arguments, id: text(item.call_id) ?? text(item.id) });
    return true;
  }
  if (item.type === "function_call_output") {
    into.answer({ id: text(item.call_id), result: item.output });
    return true;
  }
  return false;
}

/** What a message of role `tool` answers. */
export function toolMessage(message: JsonObject): CallAnswered {
  const error = message.error;
  const flagged =
    error === true ||
    (object(error) !== undefined && Object.keys(error as JsonObject).length > 0) ||
    (typeof error === "string" && error !== "");
  const answer = message.content ?? message.parts ?? null;
  const errorText = object(error)?.message ?? (typeof error === "string" ? error : undefined);
  return {
    id: text(message.tool_call_id) ?? text(message.id),
    tool: text(message.name) ?? text(message.function),
    result: flagged && (answer === null || answer === "") ? (errorText ?? answer) : answer,
    failed: flagged || message.is_error === true || message.isError === true || message.status === "error",
  };
}

/** The calls that a message holds beside its content. */
export function callsOf(message: JsonObject): CallMade[] {
  const calls: CallMade[] = [];
  const given = list(message.tool_calls);
  for (const each of given.length > 0 ? given : list(object(message.additional_kwargs)?.tool_calls)) {
    const outer = object(each);
    const call = object(outer?.tool_call) ?? outer;
    const inner = object(call?.function);
    const tool = text(inner?.name) ?? text(call?.name) ?? text(call?.function);
    if (!call || tool === undefined) continue;
    const args = inner ? (inner.arguments ?? inner.args) : (call.arguments ?? call.args ?? call.input);
    const requestor = call.requestor === "user" || call.requestor === "assistant" ? call.requestor : undefined;
    calls.push({ tool, args, id: text(call.id) ?? text(call.tool_id) ?? text(call.tool_call_id), requestor });
  }
  const legacy = object(message.function_call);
  const name = text(legacy?.name);
  if (name !== undefined) calls.push({ tool: name, args: legacy?.arguments });
  return calls;
}

/** The calls among the parts of a content. */
export function callsIn(content: unknown): CallMade[] {
  return list(content).flatMap((each): CallMade[] => {
    const part = object(each);
    if (!part) return [];
    const google = object(part.functionCall) ?? object(part.function_call);
    if (google && typeof google.name === "string")
      return [{ tool: google.name, args: google.args, id: text(google.id) }];
    if (part.type !== "tool_use" && part.type !== "tool_call" && part.type !== "tool-call") return [];
    const tool = text(part.name) ?? text(part.toolName);
    const args = part.input ?? part.arguments ?? part.args;
    return tool === undefined ? [] : [{ tool, args, id: text(part.id) ?? text(part.toolCallId) }];
  });
}

/** The tool answers among the parts of a content. */
export function answersIn(content: unknown): CallAnswered[] {
  return list(content).flatMap((each): CallAnswered[] => {
    const part = object(each);
    if (!part) return [];
    const google = object(part.functionResponse) ?? object(part.function_response);
    if (google && typeof google.name === "string")
      return [{ tool: google.name, id: text(google.id), result: google.response }];
    if (part.type !== "tool_result" && part.type !== "tool_call_response" && part.type !== "tool-result") return [];
    const result = part.content ?? part.response ?? part.result ?? part.output ?? null;
    const id = text(part.tool_use_id) ?? text(part.id) ?? text(part.toolCallId);
    return [{ id, result, failed: part.is_error === true || part.isError === true }];
  });
}

/** Tools offered to the agent, of any provider's shape; what is no tool is left out. */
export function offeredTools(value: unknown): CanonicalTrace["tools"] {
  const tools = list(fromJson(value)).flatMap((each) => {
    const outer = object(fromJson(each));
    const tool = object(outer?.function) ?? object(outer?.toolSpec) ?? outer;
    const name = text(tool?.name);
    if (!tool || name === undefined) return [];
    const schema =
      tool.parameters ?? tool.input_schema ?? tool.inputSchema ?? tool.parameters_json_schema ?? tool.schema;
    return [defined({ name, description: text(tool.description), input_schema: schema })];
  });
  return tools.length > 0 ? tools : undefined;
}
