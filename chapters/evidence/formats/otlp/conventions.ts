import type { Json, JsonObject } from "../../../../worlds/json.ts";
import { parsePythonLiteral } from "../../../../worlds/python-literal.ts";
import { fromJson, list, object, text } from "../values.ts";
import type { Span } from "./span.ts";

/** What a span is to a trace: a tool's execution, a model call, an agent or workflow, or none of ours. */
export type SpanRole = "tool" | "model" | "agent" | "other";

const MODEL_OPERATIONS = new Set(["chat", "generate_content", "text_completion", "completion"]);

/** The role of a span by the conventions of GenAI, OpenInference, MCP, OpenLLMetry and the AI SDK. */
export function roleOf(span: Span): SpanRole {
  const a = span.attributes;
  const kind = String(
    a["openinference.span.kind"] ?? a["traceloop.span.kind"] ?? a["langfuse.observation.type"] ?? "",
  ).toLowerCase();
  const operation = a["gen_ai.operation.name"];
  // One agent hands over to another: nobody calls a tool.
  if (kind === "tool" && /^handoff to /i.test(span.name) && a["tool.parameters"] === undefined) return "other";
  if (
    kind === "tool" ||
    operation === "execute_tool" ||
    a["mcp.method.name"] === "tools/call" ||
    a["ai.operationId"] === "ai.toolCall"
  )
    return "tool";
  if (kind === "llm" || kind === "generation" || (typeof operation === "string" && MODEL_OPERATIONS.has(operation)))
    return "model";
  if (
    kind === "agent" ||
    kind === "chain" ||
    kind === "workflow" ||
    operation === "invoke_agent" ||
    operation === "invoke_workflow" ||
    operation === "create_agent"
  )
    return "agent";
  if (a["gen_ai.tool.name"] !== undefined && a["gen_ai.request.model"] === undefined) return "tool";
  if (a["gcp.vertex.agent.tool_call_args"] !== undefined) return "tool";
  if (a["ai.operationId"] !== undefined)
    return String(a["ai.operationId"]).endsWith(".doGenerate") || String(a["ai.operationId"]).endsWith(".doStream")
      ? "model"
      : "agent";
  if (
    a["gen_ai.request.model"] !== undefined ||
    a["llm.model_name"] !== undefined ||
    a["llm.request.type"] !== undefined
  )
    return "model";
  return "other";
}

/** Name, arguments and result of a tool span; the latter two undefined where content was not captured. */
export function toolOf(span: Span) {
  const a = span.attributes;
  const named = a["gen_ai.tool.name"] ?? a["tool.name"] ?? a["ai.toolCall.name"] ?? a["traceloop.entity.name"];
  return {
    tool: text(named) ?? (span.name.replace(/^(?:execute_tool|tools\/call|running tool:?) /, "") || "unknown"),
    id: text(a["gen_ai.tool.call.id"]) ?? text(a["tool.id"]) ?? text(a["tool_call.id"]) ?? text(a["ai.toolCall.id"]),
    args: first(
      a,
      "gen_ai.tool.call.arguments",
      "gcp.vertex.agent.tool_call_args",
      "tool_arguments",
      "ai.toolCall.args",
      "input.value",
      "tool.parameters",
      "traceloop.entity.input",
      "langfuse.observation.input",
      "input",
    ),
    result: firstResult(
      a,
      "gen_ai.tool.call.result",
      "gcp.vertex.agent.tool_response",
      "tool_response",
      "ai.toolCall.result",
      "output.value",
      "traceloop.entity.output",
      "langfuse.observation.output",
      "output",
    ),
    failed: span.failed || a["error.type"] !== undefined,
  };
}

/** The result, out of the message that holds it where it is one. */
function firstResult(attributes: JsonObject, ...keys: readonly string[]): Json | undefined {
  const given = first(attributes, ...keys);
  const message = object(fromJson(given));
  return message && isConstructed(message) ? (object(message.kwargs)?.content as Json | undefined) : given;
}

function first(attributes: JsonObject, ...keys: readonly string[]): Json | undefined {
  for (const key of keys) if (attributes[key] !== undefined) return attributes[key];
  return undefined;
}

/** The messages that went into and came out of a span, in any of the recorded shapes. */
export function messagesOf(span: Span): { readonly input: JsonObject[]; readonly output: JsonObject[] } {
  const a = { ...span.attributes };
  for (const event of span.events)
    if (event.name === "gen_ai.client.inference.operation.details") Object.assign(a, event.attributes);
  const system = systemOf(a);
  const input = [...system, ...inputOf(a, span)];
  return { input, output: outputOf(a, span) };
}

function systemOf(a: JsonObject): JsonObject[] {
  const given = fromJson(a["gen_ai.system_instructions"]);
  if (given === undefined) return [];
  return [{ role: "system", content: (Array.isArray(given) ? given : String(given)) as Json }];
}

function inputOf(a: JsonObject, span: Span): JsonObject[] {
  const structured = asMessages(a["gen_ai.input.messages"], "user");
  if (structured.length > 0) return structured;
  const flat = [...flattened(a, "llm.input_messages."), ...flattened(a, "gen_ai.prompt.")];
  if (flat.length > 0) return flat;
  for (const key of [
    "gen_ai.prompt",
    "ai.prompt.messages",
    "gcp.vertex.agent.llm_request",
    "input.value",
    "langfuse.observation.input",
    "input",
  ]) {
    const read = asMessages(a[key], "user");
    if (read.length > 0) return read;
  }
  return eventMessages(span, false);
}

function outputOf(a: JsonObject, span: Span): JsonObject[] {
  const structured = asMessages(a["gen_ai.output.messages"], "assistant");
  if (structured.length > 0) return structured;
  const flat = [...flattened(a, "llm.output_messages."), ...flattened(a, "gen_ai.completion.")];
  if (flat.length > 0) return flat;
  if (a["ai.response.text"] !== undefined || a["ai.response.toolCalls"] !== undefined) return [aiSdkReply(a)];
  for (const key of [
    "gen_ai.completion",
    "gcp.vertex.agent.llm_response",
    "output.value",
    "langfuse.observation.output",
    "output",
  ]) {
    const read = asMessages(a[key], "assistant");
    if (read.length > 0) return read;
  }
  return eventMessages(span, true);
}

function aiSdkReply(a: JsonObject): JsonObject {
  const calls = list(fromJson(a["ai.response.toolCalls"])).flatMap((each) => {
    const call = object(each);
    return call
      ? [
          {
            type: "tool-call",
            toolCallId: call.toolCallId ?? null,
            toolName: call.toolName ?? null,
            input: (fromJson(call.input ?? call.args) ?? {}) as Json,
          },
        ]
      : [];
  });
  return { role: "assistant", content: [{ type: "text", text: text(a["ai.response.text"]) ?? "" }, ...calls] };
}

const EVENT_ROLES: Readonly<Record<string, string>> = {
  "gen_ai.system.message": "system",
  "gen_ai.user.message": "user",
  "gen_ai.assistant.message": "assistant",
  "gen_ai.tool.message": "tool",
};

function eventMessages(span: Span, output: boolean): JsonObject[] {
  return span.events.flatMap((event) => {
    const body = event.attributes;
    if (event.name === "gen_ai.choice") return output ? asMessages(body.message ?? body, "assistant") : [];
    const role = EVENT_ROLES[event.name];
    if (role === undefined || output) return [];
    return [
      {
        ...body,
        role,
        content: fromJson(body.content) as Json,
        ...(body.id === undefined ? {} : { tool_call_id: body.id }),
        ...(body.tool_calls === undefined ? {} : { tool_calls: fromJson(body.tool_calls) as Json }),
      },
    ];
  });
}

/** Messages in a value: a list of them, an object that holds a list, one message, or plain words said by `role`. */
function asMessages(given: unknown, role: string): JsonObject[] {
  const value = fromJson(given);
  if (value === undefined || value === null || value === "") return [];
  if (typeof value === "string") return asOne(value, role);
  if (Array.isArray(value)) return value.flatMap((each) => asOne(each, role));
  const record = object(value);
  if (!record) return [];
  const system = record.system ?? object(record.config)?.system_instruction ?? record.instructions;
  const before: JsonObject[] = typeof system === "string" ? [{ role: "system", content: system }] : [];
  if (isConstructed(record)) return asOne(record, role);
  const inner = record.messages ?? record.contents ?? record.input ?? record.choices ?? record.args;
  if (Array.isArray(inner)) return [...before, ...inner.flatMap((each) => asOne(each, role))];
  const output = record.output;
  if (Array.isArray(output)) return output.flatMap((each) => asOne(each, role));
  return asOne(
    record.content !== undefined && record.role === undefined && object(record.content) ? record.content : record,
    role,
  );
}

/** A message as LangChain serialises its objects. */
function isConstructed(value: JsonObject): boolean {
  return value.lc !== undefined && object(value.kwargs) !== undefined && Array.isArray(value.id);
}

const CONSTRUCTED: Readonly<Record<string, string>> = {
  HumanMessage: "user",
  AIMessage: "assistant",
  AIMessageChunk: "assistant",
  SystemMessage: "system",
  ToolMessage: "tool",
};

/** Such a message as one of ours, else the value itself. */
function plainMessage(value: JsonObject): JsonObject {
  if (!isConstructed(value)) return value;
  const { tool_calls: calls, ...kwargs } = object(value.kwargs) ?? {};
  const made = list(calls).length > 0 ? calls : object(kwargs.additional_kwargs)?.tool_calls;
  const role = CONSTRUCTED[String(list(value.id).at(-1))] ?? "assistant";
  return { ...kwargs, role, ...(made === undefined ? {} : { tool_calls: made }) } as JsonObject;
}

/** A call that an SDK wrote out as the text of its object. */
const WRITTEN = /^ResponseFunctionToolCall\(arguments='(.*?)', call_id='([^']*)', name='([^']*)'/s;

/** A message that was written out as the text of a Python object. */
const WRITTEN_MESSAGE = /^\{'role': '\w+', /;

/** The message, or the call or message that its words write out. */
function withoutWritten(message: JsonObject): JsonObject {
  const part = object(list(message.parts ?? message.content)[0]);
  const words = text(message.content) ?? text(part?.content) ?? text(part?.text);
  const inner = words && WRITTEN_MESSAGE.test(words) ? object(parsePythonLiteral(words.trim())) : undefined;
  if (inner) return { ...inner, content: inner.content ?? inner.text ?? null };
  const [, given, id, name] = (words && WRITTEN.exec(words)) || [];
  if (given === undefined || id === undefined || name === undefined) return message;
  return {
    role: "assistant",
    content: null,
    tool_calls: [{ id, type: "function", function: { name, arguments: given } }],
  };
}

function asOne(each: unknown, role: string): JsonObject[] {
  if (typeof each === "string") return [withoutWritten({ role, content: each })];
  const item = object(each);
  if (!item) return [];
  const message = withoutWritten(plainMessage(object(item.message) ?? item));
  if (typeof message.role === "string" || message.type === "function_call" || message.type === "function_call_output")
    return [message];
  if (message.content !== undefined || message.parts !== undefined || message.tool_calls !== undefined)
    return [{ role, ...message }];
  const words = text(message.text);
  return words === undefined ? [] : [{ role, content: words }];
}

/** Messages whose fields stand as attributes with indexes in their keys: `llm.input_messages.0.message.role`. */
function flattened(attributes: JsonObject, prefix: string): JsonObject[] {
  const tree: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith(prefix)) plant(tree, key.slice(prefix.length).split("."), value);
  }
  return indexed(tree).flatMap((each) => {
    const item = object(each);
    const message = object(item?.message) ?? item;
    if (!message || (message.role === undefined && message.content === undefined && message.tool_calls === undefined))
      return [];
    const blocks = indexed(message.contents);
    const contents = (blocks.length > 0 || !object(message.content) ? blocks : indexed(message.content)).map(
      (content) => object(content)?.message_content ?? content,
    );
    const content = contents.length > 0 ? contents : fromBlocks(message.content);
    return [
      {
        ...message,
        role: message.role ?? "assistant",
        content: (content ?? null) as Json,
        tool_calls: indexed(message.tool_calls) as Json[],
      },
    ];
  });
}

/** Content that is a JSON text of blocks, as blocks. */
function fromBlocks(content: unknown): unknown {
  const value = fromJson(content);
  return Array.isArray(value) && value.some((part) => object(part)?.type !== undefined) ? value : content;
}

function plant(tree: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let at = tree;
  path.forEach((key, i) => {
    if (key === "__proto__") return;
    if (i === path.length - 1) {
      at[key] = value;
      return;
    }
    const next = object(at[key]) ?? {};
    at[key] = next;
    at = next;
  });
}

/** The values of an object whose keys are indexes, in their order; a list as it is. */
function indexed(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  const entries = Object.entries(object(value) ?? {}).filter(([key]) => /^\d+$/.test(key));
  return entries.sort(([a], [b]) => Number(a) - Number(b)).map(([, each]) => each);
}

/** Tools offered, in any of the recorded shapes, as one list. */
export function toolsOffered(a: JsonObject): unknown {
  const listed = a["gen_ai.tool.definitions"] ?? a["ai.prompt.tools"];
  if (listed !== undefined) return fromJson(listed);
  const requested = object(fromJson(a.model_request_parameters))?.function_tools;
  if (requested !== undefined) return requested;
  const tree: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(a)) {
    const prefix = ["llm.tools.", "llm.request.functions."].find((each) => key.startsWith(each));
    if (prefix !== undefined) plant(tree, key.slice(prefix.length).split(/\.(?!json_schema)/), value);
  }
  const found = indexed(tree).map((each) =>
    fromJson(object(object(each)?.tool)?.json_schema ?? object(each)?.["tool.json_schema"] ?? each),
  );
  return found.length > 0 ? found : undefined;
}
