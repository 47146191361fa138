import type { JsonObject } from "../../../worlds/json.ts";
import { TraceBuilder } from "./builder.ts";
import { recordedBody } from "./captured-http.ts";
import type { Converted, Converter, Detection, Item, Reading, Sample, TraceFormat } from "./format.ts";
import { Growing, type MergedConversation } from "./growing.ts";
import { isMessage, offeredTools, readMessage } from "./messages.ts";
import {
  isBareItem,
  isResponse,
  ResponsesSoFar,
  type ResponsesTurn,
  readBareItem,
  responsesTurn,
  streamEvent,
} from "./responses.ts";
import { defined, fromJson, inputTokensOf, label, labels, list, number, object, seconds, text } from "./values.ts";

/** One conversation found in a record: its messages, and what the record says beside them. */
interface Conversation {
  readonly messages: readonly unknown[];
  readonly record: JsonObject;
  /** Where the record is of the Responses interface. */
  readonly turn?: ResponsesTurn;
}

/** OpenAI chat completions and responses: records with `messages`, request and response pairs, bare message lists, one message a line. */
export const openaiChat: TraceFormat = {
  name: "openai-chat",
  kind: "traces",
  alone: isAlone,
  bounded: isRequest,
  detect: (sample) =>
    detectResponses(sample) ??
    detectChat(sample, (message) => !hasAnthropicBlocks(message), "chat messages with roles, calls in tool_calls"),
  open: chatConverter,
};

/** Responses by themselves, whose tools would else look like a listing, and lists of items that hold more than messages. */
function detectResponses(sample: Sample): Detection | undefined {
  const items = sample.items.map(({ value }) => object(value));
  if (items.some(isResponse)) return { score: 0.96, why: "objects of the Responses interface" };
  if (items.some((item) => streamEvent(item) && isResponse(object(item?.response))))
    return { score: 0.96, why: "events of a streamed response" };
  // Rows of a table may be of a type that ends in `_call`, too.
  const bare = items.some(
    (item) =>
      isBareItem(item) &&
      (Array.isArray(item.summary) ||
        (text(item.call_id) !== undefined && (item.arguments ?? item.input ?? item.output) !== undefined)),
  );
  // A list that the interface answers (`data`) begins with the newest item: it is no conversation in order.
  const inOrder = sample.shape !== "object" && items.every((item) => isMessage(item) || isBareItem(item));
  return bare && inOrder ? { score: 0.7, why: "items of the Responses interface" } : undefined;
}

/** Whether an item is a whole conversation: no part of one, and no request that later ones may repeat. */
export function isAlone(value: unknown): boolean {
  const record = object(value);
  return !isMessage(value) && !isBareItem(record) && !streamEvent(record) && !isRequest(value);
}

/** What a record of a whole session names. */
const OF_A_SESSION = ["session", "session_id", "conversation_id", "task_id", "reward", "traj", "conversation", "turns"];

/** Whether a record is a request to a model, with its reply or without: the next one repeats it. */
export function isRequest(value: unknown): boolean {
  const record = object(value);
  if (record && responsesTurnIn(record)) return true;
  if (!record || OF_A_SESSION.some((name) => record[name] !== undefined)) return false;
  if (record.request !== undefined || object(record.body)?.messages !== undefined) return true;
  return typeof record.model === "string" && Array.isArray(record.messages);
}

/** Reads conversations of messages in any of the shapes that `readMessage` takes. */
export function chatConverter(reading: Reading): Converter {
  let loose: TraceBuilder | undefined;
  let loosePlace = 1;
  const growing = new Growing<JsonObject>();
  const soFar = new ResponsesSoFar();
  const streaming = new Set<string | undefined>();
  const grown = ({ messages, records, place }: MergedConversation<JsonObject>): Converted => ({
    trace: traceOf({ messages, record: joined(records) }, place, reading),
    place,
  });
  return {
    *item({ value, place, size = 0 }: Item): Iterable<Converted> {
      const event = streamEvent(object(value));
      if (event?.begins) streaming.add(event.id);
      else if (event?.ends) streaming.delete(event.id);
      // What the others hold stands in the response that ends the stream.
      if (event && !event.ends) return;
      if (isMessage(value) || isBareItem(object(value))) {
        if (loose === undefined) loosePlace = place;
        loose ??= new TraceBuilder(reading);
        if (isMessage(value)) readMessage(loose, value, reading);
        else readBareItem(loose, value as JsonObject, reading);
        return;
      }
      const found = conversationOf(value, reading);
      if (!found) {
        reading.refuse(place, "not a chat message and no record with messages");
        return;
      }
      if (!isRequest(value)) {
        yield { trace: traceOf(found, place, reading), place };
        return;
      }
      const given = found.turn ? soFar.whole(found.turn, reading) : found.messages;
      const messages = given.map(object).filter((message) => message !== undefined);
      reading.lose("message_not_an_object", given.length - messages.length);
      for (const told of growing.add(messages, found.record, place, size)) yield grown(told);
    },
    *end(): Iterable<Converted> {
      if (streaming.size > 0) reading.lose("response_not_ended", streaming.size);
      for (const told of growing.end()) yield grown(told);
      if (loose) yield { trace: loose.build({ session: `item-${loosePlace}`, labels: {} }), place: loosePlace };
    },
  };
}

/** Whether items hold chat messages whose first ones pass `fits`. */
export function detectChat(sample: Sample, fits: (message: JsonObject) => boolean, why: string) {
  if (sample.shape === "text") return undefined;
  const seen = sample.items
    .slice(0, 3)
    .map(({ value }) => (isMessage(value) ? [value] : (conversationOf(value)?.messages ?? [])));
  const messages = seen.flat().filter(isMessage);
  if (seen.filter((each) => each.length > 0).length * 2 <= seen.length) return undefined;
  return messages.every(fits) ? { score: 0.6, why } : undefined;
}

/** Whether a message carries blocks that only the Anthropic shape has. */
export function hasAnthropicBlocks(message: JsonObject): boolean {
  return list(message.content).some((part) => {
    const type = object(part)?.type;
    return type === "tool_use" || type === "tool_result";
  });
}

function conversationOf(value: unknown, reading?: Reading): Conversation | undefined {
  if (Array.isArray(value)) return value.some(isMessage) ? { messages: value, record: {} } : undefined;
  const record = object(value);
  if (!record) return undefined;
  const request = requestIn(record);
  const response = responseIn(record) ?? object(record.completion) ?? record;
  const turn = responsesTurn(request, response, reading);
  if (turn) {
    const usage = object(response.usage);
    const answered = response.object === "response" ? response : {};
    return {
      messages: turn.messages,
      record: { ...answered, ...record, ...request, ...(usage ? { usage } : {}) },
      turn,
    };
  }
  const system = request.system;
  const given = list(request.messages ?? record.messages ?? record.conversation ?? record.turns ?? record.traj);
  const messages = [
    ...(system === undefined ? [] : [{ role: "system", content: system }]),
    ...given,
    ...replyOf(response),
    ...replyInWords(record, given, reading),
  ];
  return messages.some(isMessage) ? { messages, record: { ...record, ...request } } : undefined;
}

function responsesTurnIn(record: JsonObject): ResponsesTurn | undefined {
  return responsesTurn(requestIn(record), responseIn(record) ?? record);
}

/** What a record asked for: itself, its request, or the body of a recorded HTTP request. */
export function requestIn(record: JsonObject): JsonObject {
  const given = object(fromJson(record.request));
  if (given && given.messages === undefined) return object(fromJson(given.body)) ?? given;
  return given ?? object(record.body) ?? record;
}

function responseIn(record: JsonObject): JsonObject | undefined {
  const given = object(fromJson(record.response));
  const body = given ? given.body : Array.isArray(record.response) ? record.response : undefined;
  return body === undefined ? given : object(recordedBody(body));
}

function replyOf(response: JsonObject): unknown[] {
  const choice = object(list(response.choices)[0]);
  if (choice?.message !== undefined) return [choice.message];
  return response.type === "message" && Array.isArray(response.content) ? [response] : [];
}

/** A reply that stands as plain words beside the messages, and not among them. One that is a printed object is counted. */
function replyInWords(record: JsonObject, messages: readonly unknown[], reading?: Reading): unknown[] {
  const words = [record.response, record.completion, record.output].map(text).find((each) => each !== undefined);
  if (words === undefined || messages.length === 0 || typeof fromJson(words) !== "string") return [];
  if (PRINTED_OBJECT.test(words)) {
    reading?.lose("reply_as_printed_object");
    return [];
  }
  return object(messages.at(-1))?.content === words ? [] : [{ role: "assistant", content: words }];
}

/** How Python prints an object of a client's library: AutoGen 0.2 logs replies so. */
const PRINTED_OBJECT = /^[A-Z]\w+\(\w+=/;

/** What the requests of one conversation say beside their messages: the first one's words, and what all of them used. */
function joined(records: readonly JsonObject[]): JsonObject {
  const [first = {}, ...rest] = records;
  if (rest.length === 0) return first;
  const counted = records.flatMap((record) => usageOf(usageIn(record)) ?? []);
  const sum = (name: "input_tokens" | "output_tokens") => counted.reduce((all, each) => all + (each[name] ?? 0), 0);
  const usage =
    counted.length === 0 ? {} : { usage: { input_tokens: sum("input_tokens"), output_tokens: sum("output_tokens") } };
  const costs = records.flatMap((record) => costIn(record) ?? []);
  const cost = costs.length === 0 ? {} : { cost_usd: costs.reduce((all, each) => all + each, 0) };
  return { ...first, ...usage, ...cost };
}

/** US dollars, as a record calls them. */
function costIn(record: JsonObject): number | undefined {
  const cost = number(record.cost_usd) ?? number(record.cost) ?? number(record.total_cost);
  return cost !== undefined && cost >= 0 ? cost : undefined;
}

function usageIn(record: JsonObject): JsonObject | undefined {
  return object(record.usage) ?? object(object(record.response)?.usage);
}

function traceOf({ messages, record }: Conversation, place: number, reading: Reading) {
  const builder = new TraceBuilder(reading);
  for (const message of messages) {
    const read = object(message);
    if (read) readMessage(builder, read, reading);
    else reading.lose("message_not_an_object");
  }
  const metadata = object(record.metadata);
  const usage = usageIn(record);
  const reward = number(record.reward) ?? number(record.score);
  return builder.build({
    session:
      text(record.session) ??
      text(record.session_id) ??
      text(record.conversation_id) ??
      text(record.trace_id) ??
      label(record.id) ??
      `item-${place}`,
    startedAt:
      seconds(record.started_at) ?? seconds(record.created) ?? seconds(record.created_at) ?? seconds(record.timestamp),
    labels: labels({
      task_id: record.task_id ?? metadata?.task_id,
      model: record.model,
      trial: record.trial,
      user: record.user,
    }),
    tools: offeredTools(record.tools),
    usage: usageOf(usage),
    costUsd: costIn(record),
    outcome: reward !== undefined && reward >= 0 && reward <= 1 ? { reward, tier: "deterministic" } : undefined,
  });
}

/** Tokens as either provider names them. */
export function usageOf(usage: JsonObject | undefined) {
  if (!usage) return undefined;
  const counted = defined({
    input_tokens: inputTokensOf(usage),
    output_tokens: number(usage.output_tokens) ?? number(usage.completion_tokens),
  });
  return Object.keys(counted).length > 0 ? counted : undefined;
}
