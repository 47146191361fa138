import type { Json, JsonObject } from "../../../../worlds/json.ts";
import { fromJson, list, object, text, writtenObject } from "../values.ts";

const ROLES: Readonly<Record<string, string>> = { human: "user", ai: "assistant" };

/**
 * The attributes of a span whose words stand in the body of an event, as CloudWatch's distribution of OpenTelemetry
 * prints it. LangChain's spans say no kind there: it is told by what the output holds. Undefined where no event has one.
 */
export function bodyAttributes(events: unknown): JsonObject | undefined {
  const first = list(events).find(holdsMessages);
  if (first === undefined) return undefined;
  const { input, output } = sidesOf(first);
  return langChain(input, output) ?? plain(input, output);
}

/** Whether the body of an event holds messages. */
export function holdsMessages(event: unknown): boolean {
  const { input, output } = sidesOf(event);
  return input.length + output.length > 0;
}

function sidesOf(event: unknown) {
  const body = object(object(event)?.body);
  return { input: messagesIn(body?.input), output: messagesIn(body?.output) };
}

function messagesIn(side: unknown): JsonObject[] {
  return list(object(side)?.messages).flatMap((each) => {
    const message = object(each);
    return message ? [message] : [];
  });
}

function langChain(input: readonly JsonObject[], output: readonly JsonObject[]): JsonObject | undefined {
  const said = object(fromJson(output[0]?.content));
  const generation = object(list(list(said?.generations)[0])[0]);
  if (generation)
    return kind("LLM", { "gen_ai.input.messages": [...input], "gen_ai.output.messages": [reply(generation)] });
  if (said?.type === "tool" && text(said.name) !== undefined) return tool(said, input);
  const given = object(fromJson(input[0]?.content));
  if (!given && !said) return undefined;
  // A step inside a graph: what it says, the model's span has said.
  const isWhole = Array.isArray(given?.messages) && Object.keys(given).length === 1;
  if (!isWhole) return {};
  const answer = roleMessages(said?.messages).filter(({ role }) => role === "assistant");
  return kind("AGENT", {
    "gen_ai.input.messages": roleMessages(given.messages),
    "gen_ai.output.messages": answer.slice(-1),
  });
}

function tool(said: JsonObject, input: readonly JsonObject[]): JsonObject {
  const given = input[0]?.content;
  const args = writtenObject(given);
  return kind("TOOL", {
    "gen_ai.tool.name": said.name as Json,
    "gen_ai.tool.call.result": said.content ?? null,
    ...(args === undefined ? {} : { "gen_ai.tool.call.arguments": args }),
    ...(text(said.tool_call_id) === undefined ? {} : { "gen_ai.tool.call.id": said.tool_call_id as Json }),
    ...(said.status === "error" ? { "error.type": "tool" } : {}),
  });
}

function reply(generation: JsonObject): JsonObject {
  const message = object(generation.message);
  const words = text(generation.text) ?? text(message?.content) ?? "";
  return { role: "assistant", content: words, tool_calls: [...list(message?.tool_calls)] as Json[] };
}

function roleMessages(messages: unknown): JsonObject[] {
  return list(messages).flatMap((each) => {
    const message = object(each);
    const role = message && (ROLES[String(message.type)] ?? text(message.role) ?? text(message.type));
    return role === undefined ? [] : [{ ...message, role }];
  });
}

/** Words of a span of no known framework; the mark that a graph has ended is none. */
function plain(input: readonly JsonObject[], output: readonly JsonObject[]): JsonObject {
  if (output.some(({ content }) => content === "__end__")) return {};
  return kind("CHAIN", { "gen_ai.input.messages": [...input], "gen_ai.output.messages": [...output] });
}

function kind(name: string, attributes: JsonObject): JsonObject {
  return { "openinference.span.kind": name, ...attributes };
}
