import { LRUCache } from "lru-cache";
import type { Json, JsonObject } from "../../../worlds/json.ts";
import type { TraceBuilder } from "./builder.ts";
import type { Reading } from "./format.ts";
import { callsOf, ROLES, toolMessage } from "./messages.ts";
import { list, object, text } from "./values.ts";

/** One exchange of the Responses interface: what was new in it, and what it goes on from. */
export interface ResponsesTurn {
  readonly messages: readonly JsonObject[];
  readonly before?: string | undefined;
  readonly ids: readonly string[];
}

/** So many responses are known by their id, for the requests that go on from them. */
const MOST_KNOWN = 10_000;
const ITEM =
  /^(?:reasoning|item_reference|compaction|mcp_(?:list_tools|approval_re(?:quest|sponse))|[a-z_]{1,40}_call(?:_output)?)$/;

/** The exchange of a request and its response, or of a response alone; `reading` counts what of it is not kept. */
export function responsesTurn(request: JsonObject, response: JsonObject, reading?: Reading): ResponsesTurn | undefined {
  const output = list(response.output).map(object);
  const input = typeof request.input === "string" ? [{ role: "user", content: request.input }] : list(request.input);
  const items = input.map(object);
  // A response as the interface gives it back by its id: what was asked stands in no such object.
  const named = response.object === "response";
  const alone = input.length === 0 && named;
  if (request.messages !== undefined || (input.length === 0 && !alone)) return undefined;
  if (!Array.isArray(response.output)) return undefined;
  // New types of items come with each year: in what is surely a response they are counted.
  const fits = (item: JsonObject | undefined) => item && (isItem(item) || (named && typeof item.type === "string"));
  if (![...items, ...output].every(fits)) return undefined;
  if (!named && output.length === 0) return undefined;
  const system = text(request.instructions);
  const conversation = text(request.conversation) ?? text(object(request.conversation)?.id);
  const kept = [...items, ...output] as JsonObject[];
  if (alone) reading?.lose("request_not_captured");
  // What a request repeats was counted with the response that made it; answers come with requests alone.
  const answers = items.filter((item) => String(item?.type).endsWith("_output"));
  if (reading) for (const item of [...answers, ...output]) countLost(item as JsonObject, reading);
  return {
    messages: [...(system === undefined ? [] : [{ role: "system", content: system }]), ...asMessages(kept)],
    before: text(request.previous_response_id) ?? conversation,
    ids: [text(response.id), conversation].filter((id) => id !== undefined),
  };
}

function isItem(item: JsonObject): boolean {
  if (typeof item.role === "string") return item.role in ROLES && item.content !== undefined;
  return typeof item.type === "string" && ITEM.test(item.type);
}

/** Whether a record is a response of the interface, with what was asked or without. */
export function isResponse(record: JsonObject | undefined): boolean {
  return record?.object === "response" && Array.isArray(record.output);
}

/** Events of a stream whose response is whole. */
const ENDS = new Set(["response.completed", "response.incomplete", "response.failed"]);

/** Whether a record is an event of a streamed response, and which response it begins or ends. */
export function streamEvent(record: JsonObject | undefined) {
  const type = text(record?.type) ?? "";
  if (!type.startsWith("response.")) return undefined;
  const response = object(record?.response);
  return { id: text(response?.id), begins: type === "response.created", ends: isResponse(response) && ENDS.has(type) };
}

/** Whether a value is a call, an answer or a thought that stands beside messages in a list of the interface's items. */
export function isBareItem(value: JsonObject | undefined): value is JsonObject {
  return value !== undefined && value.role === undefined && isItem(value);
}

/** Counts what of an item no message holds. */
function countLost(item: JsonObject, reading: Reading): void {
  if (item.type === "reasoning") reading.lose("part_reasoning");
  else if (typeof item.role === "string") return;
  else if (asMessages([item]).length === 0) reading.lose(`item_${String(item.type).slice(0, 40)}`);
  else if (hostedCall(item)?.result === null) reading.lose("result_not_captured");
}

/** Items as chat messages: calls that follow each other, or what was said with them, are one message. */
function asMessages(items: readonly JsonObject[]): JsonObject[] {
  const messages: JsonObject[] = [];
  for (const item of items) {
    const hosted = hostedCall(item);
    if (typeof item.role === "string") messages.push({ role: item.role, content: item.content ?? null });
    else if (item.type === "function_call" || item.type === "custom_tool_call" || item.type === "mcp_call") {
      const id = item.call_id ?? item.id ?? null;
      const call = {
        id,
        type: "function",
        function: { name: item.name, arguments: item.arguments ?? { input: item.input } },
      };
      addCall(messages, call as JsonObject);
      if (item.type === "mcp_call" && (item.output ?? item.error ?? null) !== null)
        messages.push({ role: "tool", tool_call_id: id, content: item.output ?? null, error: item.error ?? null });
    } else if (hosted) {
      const id = item.call_id ?? item.id ?? null;
      addCall(messages, {
        id,
        type: "function",
        function: { name: hosted.tool, arguments: hosted.args },
      } as JsonObject);
      const status = item.status === "failed" ? "error" : null;
      if ((hosted.result ?? null) !== null)
        messages.push({ role: "tool", tool_call_id: id, content: hosted.result as Json, status });
    } else if (ANSWERS.has(item.type))
      messages.push({
        role: "tool",
        tool_call_id: item.call_id ?? item.id ?? null,
        content: item.output ?? null,
        status: item.status === "failed" ? "error" : null,
      });
  }
  return messages;
}

const ANSWERS = new Set<unknown>(
  ["function", "custom_tool", "shell", "local_shell", "apply_patch"].map((tool) => `${tool}_call_output`),
);

/** What an item says of a call of one of the provider's own tools; a result is null where it was left out of the item. */
function hostedCall(item: JsonObject) {
  const tool = String(item.type).replace(/_call$/, "");
  const { sources, ...action } = object(item.action) ?? {};
  switch (item.type) {
    case "web_search_call":
      return { tool, args: action, result: sources ?? null };
    case "file_search_call":
      return { tool, args: { queries: item.queries }, result: item.results ?? null };
    case "code_interpreter_call":
      return { tool, args: { code: item.code }, result: item.outputs ?? null };
    // Their answers are items of their own.
    case "shell_call":
    case "local_shell_call":
      return { tool, args: action, result: undefined };
    case "apply_patch_call":
      return { tool, args: item.operation, result: undefined };
    default:
      return undefined;
  }
}

/** Reads an item that stands by itself into a trace. */
export function readBareItem(into: TraceBuilder, item: JsonObject, reading: Reading): void {
  countLost(item, reading);
  for (const message of asMessages([item])) {
    for (const call of callsOf(message)) into.call(call);
    if (message.role === "tool") into.answer(toolMessage(message));
  }
}

function addCall(messages: JsonObject[], call: JsonObject): void {
  const last = messages.at(-1);
  if (last?.role === "assistant") last.tool_calls = [...list(last.tool_calls), call] as JsonObject[];
  else messages.push({ role: "assistant", content: null, tool_calls: [call] });
}

/** What was said up to each response, so that a request which only names the one before it goes on from there. */
export class ResponsesSoFar {
  /** Made when first needed: its lists are as long as it may grow, and most bodies hold no response. */
  #known: LRUCache<string, readonly JsonObject[]> | undefined;

  /** The whole conversation of an exchange; one that names a response nobody sent is counted. */
  whole({ messages, before, ids }: ResponsesTurn, reading: Reading): readonly JsonObject[] {
    const known = before === undefined ? undefined : this.#known?.get(before);
    if (before !== undefined && known === undefined && !ids.includes(before)) reading.lose("response_before_not_sent");
    const said = known === undefined ? messages : [...known, ...messages.filter(({ role }) => role !== "system")];
    if (ids.length > 0) this.#known ??= new LRUCache({ max: MOST_KNOWN });
    for (const id of ids) this.#known?.set(id, said);
    return said;
  }
}
