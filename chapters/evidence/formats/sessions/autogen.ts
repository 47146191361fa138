import type { JsonObject } from "../../../../worlds/json.ts";
import { TraceBuilder, wordsOf } from "../builder.ts";
import type { Item, Reading, TraceFormat } from "../format.ts";
import { readMessage } from "../messages.ts";
import { fromJson, labels, number, object, objects, seconds, text } from "../values.ts";
import { loggedTrace } from "./autogen-log.ts";

/** AutoGen: messages of a team (`TaskResult`, saved or line by line), chat results of 0.2, and lines of its event log. */
export const autogen: TraceFormat = {
  name: "autogen",
  kind: "traces",
  assembles: true,
  detect(sample) {
    const items = objects(sample.items.map(({ value }) => value));
    if (items.some((item) => messagesIn(item).some(isTeamMessage)) || items.some(isTeamMessage))
      return { score: 0.95, why: "messages with source, content and a type of AutoGen" };
    if (items.some(isChatResult)) return { score: 0.9, why: "a chat_history with its cost and human_input" };
    const logged = items.some((item) => isLogged(item) && (item.agent_id !== undefined || item.type !== "ToolCall"));
    return logged ? { score: 0.95, why: "events of type LLMCall and ToolCall" } : undefined;
  },
  open(reading) {
    const loose: JsonObject[] = [];
    const logs = new Map<string, { place: number; events: JsonObject[] }>();
    let first = 1;
    return {
      *item({ value, place }: Item) {
        const item = object(value);
        const said = item ? messagesIn(item) : [];
        if (item && said.length > 0) yield { trace: teamTrace(said, item, `item-${place}`, reading), place };
        else if (item && isLogged(item)) {
          // Agents of one team share what stands behind the stroke.
          const key = /\/(.+)$/.exec(String(item.agent_id))?.[1] ?? "log";
          const known = logs.get(key) ?? { place, events: [] };
          known.events.push(item);
          logs.set(key, known);
        } else if (item && text(item.source) !== undefined && text(item.type) !== undefined) {
          if (loose.length === 0) first = place;
          loose.push(item);
        } else if (item && OF_RUNTIME.test(String(item.type))) reading.lose(`event_${item.type}`);
        else reading.refuse(place, "no message and no event of AutoGen");
      },
      *end() {
        if (loose.length > 0) yield { trace: teamTrace(loose, {}, `item-${first}`, reading), place: first };
        for (const [key, { place, events }] of logs) yield { trace: loggedTrace(key, events, reading), place };
      },
    };
  },
};

const TYPE =
  /^(?:(?:Text|MultiModal|Stop|Handoff|Structured|ToolCallSummary)Message|ToolCall(?:Request|Execution)Event|ThoughtEvent)(?:\W|$)/;

function isTeamMessage(value: JsonObject): boolean {
  return text(value.source) !== undefined && TYPE.test(String(value.type)) && value.content !== undefined;
}

/** What a chat of 0.2 ends with. */
function isChatResult(item: JsonObject): boolean {
  return Array.isArray(item.chat_history) && (object(item.cost) !== undefined || "human_input" in item);
}

function messagesIn(item: JsonObject): JsonObject[] {
  if (isChatResult(item)) return objects(item.chat_history);
  const result = object(item.task_result) ?? item;
  const messages = objects(result.messages);
  return messages.some(isTeamMessage) ? messages : [];
}

function isLogged({ type, messages, response, ...item }: JsonObject): boolean {
  if (type === "LLMCall" || type === "LLMStreamStart") return Array.isArray(messages);
  return type === "LLMStreamEnd"
    ? object(fromJson(response)) !== undefined
    : type === "ToolCall" && "tool_name" in item;
}

/** What the runtime logs of itself: messages on their way between agents, and what went wrong in it. */
const OF_RUNTIME = /^(?:Message|MessageDropped|MessageHandlerException|AgentConstructionException)$/;

/** Who stands for the user: the name is the developer's, these are the library's and its documentation's. */
const USER = /^user(?:[_-]?proxy)?(?:[_-]?agent)?$/i;

function teamTrace(said: readonly JsonObject[], item: JsonObject, place: string, reading: Reading) {
  const builder = new TraceBuilder(reading);
  const usage = { input_tokens: 0, output_tokens: 0 };
  for (const message of said) {
    const used = object(message.models_usage);
    usage.input_tokens += number(used?.prompt_tokens) ?? 0;
    usage.output_tokens += number(used?.completion_tokens) ?? 0;
    if (typeof message.type === "string") readTeamMessage(builder, message, reading);
    else readChatMessage(builder, message, reading);
  }
  const cost = object(object(item.cost)?.usage_including_cached_inference);
  const models = Object.entries(cost ?? {}).flatMap(([model, each]) =>
    object(each) ? [[model, each as JsonObject]] : [],
  );
  for (const [, each] of models as [string, JsonObject][]) {
    usage.input_tokens += number(each.prompt_tokens) ?? 0;
    usage.output_tokens += number(each.completion_tokens) ?? 0;
  }
  const agent = said.find(({ source, name }) => !USER.test(String(source ?? name ?? "user")));
  return builder.build({
    session: text(item.id) ?? text(item.chat_id) ?? text(said[0]?.id) ?? place,
    startedAt: seconds(said[0]?.created_at),
    labels: labels({ agent: agent?.source ?? agent?.name, model: models[0]?.[0], stop_reason: item.stop_reason }),
    usage: usage.input_tokens + usage.output_tokens > 0 ? usage : undefined,
    costUsd: number(cost?.total_cost),
  });
}

function readTeamMessage(into: TraceBuilder, message: JsonObject, reading: Reading): void {
  const type = String(message.type);
  const at = seconds(message.created_at);
  if (type === "ToolCallRequestEvent") {
    into.turn("assistant", "", at);
    for (const { name, arguments: args, id } of objects(message.content))
      into.call({ tool: text(name) ?? "unknown", args, id: text(id) });
  } else if (type === "ToolCallExecutionEvent")
    for (const each of objects(message.content))
      into.answer({
        id: text(each.call_id),
        tool: text(each.name),
        result: each.content ?? null,
        failed: each.is_error === true,
      });
  else if (type === "ThoughtEvent") reading.lose("part_reasoning");
  else if (TYPE.test(type)) {
    const { content } = message;
    const words =
      typeof content === "string" || Array.isArray(content) ? wordsOf(content, reading) : JSON.stringify(content);
    into.turn(USER.test(String(message.source)) ? "user" : "assistant", words, at);
  } else reading.lose(`event_${type.slice(0, 40)}`);
}

/** A message of 0.2: its role is as its owner saw it, so who spoke is told by the name. */
function readChatMessage(into: TraceBuilder, message: JsonObject, reading: Reading): void {
  const answers = objects(message.tool_responses);
  for (const answer of answers) readMessage(into, { ...answer, role: "tool" }, reading);
  if (answers.length > 0) return;
  const name = text(message.name);
  const role =
    name === undefined || message.role === "tool" ? (message.role ?? null) : USER.test(name) ? "user" : "assistant";
  readMessage(into, { ...message, role }, reading);
}
