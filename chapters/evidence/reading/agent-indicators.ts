import { isObject, type JsonObject } from "../../../worlds/json.ts";

/** What of an agent's sessions a content shows, counted as far as it was looked at. */
export interface AgentIndicators {
  /** Messages of conversations: both sides speak. */
  readonly messages: number;
  /** Tool calls, and answers to them. */
  readonly calls: number;
  /** Spans of traces. */
  readonly spans: number;
  /** Events of an agent's run. */
  readonly events: number;
}

/** So many values are looked at; what is left of a large content is judged by them. */
const MOST_VALUES = 100_000;
const MOST_ITEMS = 400;
const DEEPEST = 16;
/** Texts that hold JSON are looked into up to this length. */
const MOST_TEXT = 256 * 1024;

/** The signs in values that follow each other, as the items of a content do. */
export function indicatorsIn(items: readonly unknown[]): AgentIndicators {
  const step = Math.max(1, Math.ceil(items.length / MOST_ITEMS));
  const look = new Look();
  look.list(
    items.filter((_, i) => i % step === 0),
    0,
  );
  return look.found;
}

/** Whether the signs are enough to say that a content is an agent's record. */
export function showAgent({ messages, calls, spans, events }: AgentIndicators): boolean {
  return messages >= 2 || calls >= 1 || spans >= 1 || events >= 3;
}

type Side = "user" | "agent" | "system";

/** Who speaks, by the word that says so. */
const SIDES: Readonly<Record<string, Side>> = {
  system: "system",
  developer: "system",
  user: "user",
  human: "user",
  humanmessage: "user",
  assistant: "agent",
  model: "agent",
  ai: "agent",
  aimessage: "agent",
  gpt: "agent",
  chatgpt: "agent",
  bot: "agent",
  tool: "agent",
  toolmessage: "agent",
  function: "agent",
};
const ROLE_KEY = /^(?:role|from|sender|author|speaker|source|type|kind|user_?type|message_?type)$/i;
const WORDS_KEY = /^(?:content|contents|parts|text|message|value|body|tool_?calls|tool_?call_?id)$/i;
const CALLS_KEY =
  /^(?:tool_?calls?|tool_?uses?|tool_?invocations?|tool_?results?|tool_?(?:call|use)_?id|function_?calls?|function_?call_?output|function_?response)$/i;
const CALL_TYPE =
  /^(?:(?:server|mcp|custom|dynamic)[-_])?(?:tool|function)[-_]?(?:use|call|result|invocation|response|output)(?:[-_](?:output|response|result|request))?$|^mcp_call$|^(?:computer|local_shell|web_search)_call$/i;
const NAME_KEY = /^(?:name|tool|tool_?name|function|function_?name|action)$/i;
const TOOL_KEY = /^(?:tool|tool_?name|function_?name)$/i;
const ARGS_KEY = /^(?:args|arguments|kwargs|tool_?input|tool_?args)$/i;
const INPUT_KEY = /^(?:input|inputs|parameters|params|action_?input)$/i;
const RESULT_KEY = /^(?:result|results|output|outputs|observation|response|tool_?output|return_?value|error)$/i;
const TRACE_KEY = /^(?:trace_?id|root_?(?:span|run)_?id|dotted_?order)$/i;
const SPAN_KEY = /^(?:span_?id|parent_?(?:span|run|observation)_?id)$/i;
const TIME_KEY =
  /^(?:(?:start|end)(?:ed)?(?:_?time|_?at|_?ns|_?timestamp)?(?:_?unix)?(?:_?nano)?|duration(?:_?(?:ms|ns|nano))?)$/i;
const SPAN_WORDS_KEY = /^(?:name|operation_?name|span_?name|attributes|tags|span_?kind|run_?type|inputs|outputs)$/i;
const EVENT_KEY = /^(?:type|event|kind|event_?type)$/i;
const PAYLOAD_KEY = /^(?:payload|data|message|content|body|item|part|input|output|args|text|params|delta)$/i;
const EVENT_TYPE =
  /tool|assistant|llm|completion|thought|thinking|reasoning|response_item|turn_context|generation|function_?call|(?:agent|model)[._ -]?(?:message|step|action|call|response|start|end|finish)/i;
const BESIDE_TYPE = /user|human|message|session|turn|prompt|agent|model|system|result|step|run|event_msg/i;

class Look {
  #left = MOST_VALUES;
  #messages = 0;
  #calls = 0;
  #spans = 0;
  #events = 0;

  get found(): AgentIndicators {
    return { messages: this.#messages, calls: this.#calls, spans: this.#spans, events: this.#events };
  }

  list(values: readonly unknown[], depth: number): void {
    const objects = values.filter(isObject);
    const sides = objects.flatMap((value) => sideOf(value) ?? []);
    if (sides.includes("agent") && new Set(sides).size > 1) this.#messages += sides.length;
    this.#events += eventsIn(objects);
    for (const value of values) this.#value(value, depth + 1);
  }

  #value(value: unknown, depth: number): void {
    if (--this.#left < 0 || depth > DEEPEST) return;
    if (typeof value === "string") this.#text(value, depth);
    else if (Array.isArray(value)) this.list(value, depth);
    else if (isObject(value)) {
      if (isCall(value)) this.#calls++;
      if (isSpan(value)) this.#spans++;
      for (const each of Object.values(value)) this.#value(each, depth + 1);
    }
  }

  #text(value: string, depth: number): void {
    const first = value.trimStart()[0];
    if ((first !== "{" && first !== "[") || value.length > MOST_TEXT) return;
    try {
      this.#value(JSON.parse(value), depth + 1);
    } catch {
      // No JSON: words.
    }
  }
}

/** Who speaks in a message; undefined where the value is none. One of the two names that it is known by may be another. */
function sideOf(value: JsonObject): Side | undefined {
  const inner = isObject(value.message) ? value.message : isObject(value.data) ? value.data : undefined;
  const keys = Object.keys(value);
  const words = keys.some((key) => WORDS_KEY.test(key) && holdsWords(value[key]));
  for (const key of keys) {
    const said = value[key];
    const side = typeof said === "string" ? SIDES[said.toLowerCase()] : undefined;
    if (side === undefined) continue;
    // Both names as usual; or the role under its own name, beside what may be words.
    if (words && (ROLE_KEY.test(key) || side === "agent" || side === "user")) return side;
    if (key === "role" && keys.some((other) => other !== key && mayBeWords(value[other]))) return side;
    if (ROLE_KEY.test(key) && inner !== undefined) return side;
  }
  return inner === undefined || inner === value ? undefined : sideOf(inner);
}

function holdsWords(value: unknown): boolean {
  return typeof value === "string" || Array.isArray(value) || isObject(value) || value === null;
}

function mayBeWords(value: unknown): boolean {
  return (typeof value === "string" && value.length > 60 && value.includes(" ")) || isPartList(value);
}

function isPartList(value: unknown): boolean {
  return (
    Array.isArray(value) && value.some((part) => isObject(part) && (typeof part.text === "string" || isCall(part)))
  );
}

function isCall(value: JsonObject): boolean {
  if (value.jsonrpc !== undefined && value.method === "tools/call") return true;
  const keys = Object.keys(value);
  if (keys.some((key) => CALLS_KEY.test(key) && isFilled(value[key]) && !isSchema(value[key]))) return true;
  if (typeof value.type === "string" && CALL_TYPE.test(value.type) && keys.length > 1) return true;
  if (!keys.some((key) => NAME_KEY.test(key) && typeof value[key] === "string")) return false;
  const tool = keys.some((key) => TOOL_KEY.test(key) && typeof value[key] === "string");
  const given = keys.find((key) => (ARGS_KEY.test(key) || (tool && INPUT_KEY.test(key))) && isArguments(value[key]));
  if (given === undefined) return false;
  return keys.some((key) => RESULT_KEY.test(key) || /^(?:id|call_?id)$/i.test(key));
}

/** A call's own value: an id, a call, a list of calls; no schema of them and no number. */
function isFilled(value: unknown): boolean {
  if (typeof value === "string") return value.length > 2;
  if (Array.isArray(value)) return value.some((each) => isObject(each) || (typeof each === "string" && each !== ""));
  return isObject(value) && Object.keys(value).length > 0;
}

function isSchema(value: unknown): boolean {
  return (
    isObject(value) &&
    (isObject(value.properties) ||
      value.$ref !== undefined ||
      typeof value.type === "string" ||
      value.items !== undefined)
  );
}

function isArguments(value: unknown): boolean {
  if (typeof value === "string") return value.trimStart().startsWith("{");
  return isObject(value) && !isSchema(value);
}

/** Names that only spans of agents carry, as members or as keys of attributes. */
const ATTRIBUTE =
  /^(?:gen_ai\.(?:tool|operation|request|response|input|output|prompt|completion)|openinference\.span|llm\.(?:input|output)_messages)/;

function isSpan(value: JsonObject): boolean {
  const keys = Object.keys(value);
  if (keys.some((key) => ATTRIBUTE.test(key)) || (typeof value.key === "string" && ATTRIBUTE.test(value.key)))
    return true;
  const context = isObject(value.context) ? Object.keys(value.context) : [];
  const has = (pattern: RegExp) => keys.some((key) => pattern.test(key)) || context.some((key) => pattern.test(key));
  if (!has(TRACE_KEY) && !has(SPAN_KEY)) return has(/^run_?type$/i) && has(TIME_KEY);
  const both = has(TRACE_KEY) && has(SPAN_KEY);
  return both ? has(TIME_KEY) || has(SPAN_WORDS_KEY) : has(TIME_KEY) && has(SPAN_WORDS_KEY);
}

/** How many values are events of an agent's run, where most are and they are of several types. */
function eventsIn(values: readonly JsonObject[]): number {
  const types = values.flatMap((value) => {
    const key = Object.keys(value).find((name) => EVENT_KEY.test(name) && typeof value[name] === "string");
    const payload = Object.keys(value).some((name) => name !== key && PAYLOAD_KEY.test(name));
    return key !== undefined && payload ? [String(value[key])] : [];
  });
  const own = types.filter((type) => EVENT_TYPE.test(type));
  const known = types.filter((type) => EVENT_TYPE.test(type) || BESIDE_TYPE.test(type));
  return own.length > 0 && new Set(known).size > 1 && known.length * 2 > values.length ? known.length : 0;
}
