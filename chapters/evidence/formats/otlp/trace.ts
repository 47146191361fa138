import type { JsonObject } from "../../../../worlds/json.ts";
import type { CanonicalTrace } from "../../../records/evidence/evidence.ts";
import { TraceBuilder, wordsOf } from "../builder.ts";
import type { Reading } from "../format.ts";
import { answersIn, callsIn, callsOf, offeredTools, ROLES, readMessage, toolMessage } from "../messages.ts";
import { NewMessages } from "../new-messages.ts";
import { defined, labels, list, number, text } from "../values.ts";
import { messagesOf, roleOf, toolOf, toolsOffered } from "./conventions.ts";
import type { Span } from "./span.ts";
import { exceptionOf, isKept, withoutEvents } from "./span-events.ts";

/** Something that happened in a trace, in the order of time. */
type Event =
  | { readonly at: number; readonly kind: "messages"; readonly messages: readonly JsonObject[] }
  | { readonly at: number; readonly kind: "tool"; readonly span: Span };

/**
 * One canonical trace of the spans of one trace id: turns from the messages of its model spans, each counted once
 * though histories repeat; calls from its tool spans, or from the messages where there are none. Undefined when no
 * span is a model's, a tool's or an agent's with words.
 */
export function traceOfSpans(spans: readonly Span[], reading: Reading): CanonicalTrace | undefined {
  const ordered = withCalledTools([...withoutEvents(spans)].sort((a, b) => (a.start ?? 0) - (b.start ?? 0)));
  const models = outermostModels(ordered, reading);
  const tools = outermostTools(ordered, reading);
  const agents = ordered.filter((span) => roleOf(span) === "agent");
  const words = outermostWords(agents);
  const events = eventsOf(models.length > 0 ? models : agents, tools, { words, reading });
  if (events.length === 0) return undefined;
  const builder = new TraceBuilder(reading);
  play(events, tools.length > 0, builder, reading);
  if (builder.size === 0) return undefined;
  const seen = [...models, ...agents, ...tools];
  const dropped = ordered.flatMap((span) => span.events.filter((event) => !isKept(event, span)));
  if (dropped.length > 0) reading.lose("span_event", dropped.length);
  const unplaced = tokensInSumAlone(models);
  if (unplaced > 0) reading.lose("tokens_in_sum_alone", unplaced);
  return builder.build({
    session: attribute(seen, "gen_ai.conversation.id") ?? attribute(seen, "session.id") ?? spans[0]?.trace ?? "",
    startedAt: ordered.find((span) => span.start !== undefined)?.start,
    endedAt: lastEnd(ordered),
    labels: labels({
      ...scoresOf(ordered),
      trace_id: spans[0]?.trace,
      service: ordered.find((span) => span.service !== undefined)?.service,
      agent: attribute(agents, "gen_ai.agent.name") ?? attribute(seen, "agent.name"),
      version: attribute(agents, "gen_ai.agent.version") ?? ordered.find((span) => span.version !== undefined)?.version,
      model:
        attribute(models, "gen_ai.response.model") ??
        attribute(models, "gen_ai.request.model") ??
        attribute(models, "llm.model_name"),
      task_id: attribute(seen, "task_id") ?? attribute(seen, "langfuse.experiment.item.id"),
    }),
    ...defined({
      usage: usageOf(models) ?? usageOf(counting(agents)),
      costUsd: costOf(models) ?? costOf(counting(agents)),
    }),
    tools: firstTools(seen),
    finalAnswer: words,
    returned: returnedText(spans),
  });
}

/** Steps of no known kind that bear the name of a tool that a model called: they are that tool's, where no step says so. */
function withCalledTools(spans: readonly Span[]): readonly Span[] {
  const unknown = spans.filter(
    (span) => roleOf(span) === "other" && (span.attributes["step.output"] !== undefined || span.failed),
  );
  if (unknown.length === 0 || spans.some((span) => roleOf(span) === "tool")) return spans;
  const models = spans.filter((span) => roleOf(span) === "model");
  const messages = models.flatMap((span) => messagesOf(span).output);
  const called = new Set(
    messages.flatMap((message) => [...callsOf(message), ...callsIn(message.content)].map(({ tool }) => tool)),
  );
  return spans.map((span) => {
    if (!called.has(span.name) || !unknown.includes(span)) return span;
    const { "step.input": args, "step.output": result, ...rest } = span.attributes;
    const told = defined({ "gen_ai.tool.call.arguments": args, "gen_ai.tool.call.result": result });
    return {
      ...span,
      attributes: { ...rest, ...told, "openinference.span.kind": "TOOL", "gen_ai.tool.name": span.name },
    };
  });
}

/** What the traced program returned, where that is words and no structure. */
function returnedText(spans: readonly Span[]): string | undefined {
  const told = attribute(spans, "langfuse.trace.output");
  return told === undefined || /^\s*[[{]/.test(told) ? undefined : told;
}

/** When the last of the spans ended. */
function lastEnd(spans: readonly Span[]): number | undefined {
  const ends = spans.flatMap(({ end }) => (end === undefined ? [] : [end]));
  return ends.length === 0 ? undefined : ends.reduce((last, end) => Math.max(last, end));
}

/** Model spans that no other model span with words holds: a framework's and its provider's tell of one request. */
function outermostModels(spans: readonly Span[], reading: Reading): Span[] {
  const models = new Map(spans.filter((span) => roleOf(span) === "model").map((span) => [span.id, span]));
  const byId = new Map(spans.map((span) => [span.id, span]));
  return [...models.values()].filter((span) => {
    for (const up of above(span, byId)) {
      if (!models.has(up.id) || messagesOf(up).input.length === 0 || messagesOf(up).output.length === 0) continue;
      reading.lose("nested_model_span");
      return false;
    }
    return true;
  });
}

/** The spans that hold a span, the nearest first. */
function* above(span: Span, byId: ReadonlyMap<string, Span>): Generator<Span> {
  let up = span.parent === undefined ? undefined : byId.get(span.parent);
  for (let depth = 0; up !== undefined && depth < 100; depth++) {
    yield up;
    up = up.parent === undefined ? undefined : byId.get(up.parent);
  }
}

/** Tool spans that no other tool span of the same tool holds: a client and a server tell of one call. */
function outermostTools(spans: readonly Span[], reading: Reading): Span[] {
  const byId = new Map(spans.map((span) => [span.id, span]));
  return spans.filter((span) => {
    if (roleOf(span) !== "tool") return false;
    const { tool } = toolOf(span);
    for (const up of above(span, byId)) {
      if (roleOf(up) !== "tool" || toolOf(up).tool !== tool) continue;
      reading.lose("nested_tool_span");
      return false;
    }
    return true;
  });
}

/** What the outermost agent answered, where it is known, and where losses are counted. */
interface AnswerContext {
  readonly words: string | undefined;
  readonly reading: Reading;
}

function eventsOf(speakers: readonly Span[], tools: readonly Span[], beside: AnswerContext): Event[] {
  const events: Event[] = [];
  for (const span of speakers) {
    const { input, output: told } = messagesOf(span);
    const output = withoutParts(told, span, beside);
    if (input.length > 0) events.push({ at: span.start ?? 0, kind: "messages", messages: withAnswers(input) });
    if (output.length > 0) events.push({ at: span.end ?? span.start ?? 0, kind: "messages", messages: output });
  }
  for (const span of tools) events.push({ at: span.start ?? 0, kind: "tool", span });
  return events.sort((a, b) => a.at - b.at);
}

/** So short are the parts of a streamed answer that were written as messages, characters on average. */
const PART_LENGTH = 12;

/** Joins streamed parts of an answer into one message. The first parts are missing where a span's attributes were cut. */
function withoutParts(
  output: readonly JsonObject[],
  span: Span,
  { words, reading }: AnswerContext,
): readonly JsonObject[] {
  const parts = output.map((message) => (typeof message.content === "string" ? message.content : undefined));
  const isPart = (message: JsonObject) => ROLES[String(message.role)] === "assistant" && callsOf(message).length === 0;
  const joined = parts.join("");
  if (parts.length < 3 || parts.includes(undefined) || !output.every(isPart)) return output;
  if (joined.length > parts.length * PART_LENGTH) return output;
  const first = Math.min(
    ...Object.keys(span.attributes).flatMap(
      (key) => Number(/^llm\.output_messages\.(\d+)\./.exec(key)?.[1] ?? 0) || [],
    ),
  );
  const missing =
    Number.isFinite(first) && span.attributes["llm.output_messages.0.message.role"] === undefined ? first : 0;
  if (missing > 0) reading.lose("streamed_parts_missing", missing);
  const whole = missing > 0 && words?.trim().endsWith(joined.trim()) ? words : joined;
  return [{ role: "assistant", content: whole }];
}

/** A history in which a message of no known role that is called as a tool is that tool's answer. */
function withAnswers(messages: readonly JsonObject[]): JsonObject[] {
  const open: { readonly id: string | undefined; readonly tool: string }[] = [];
  return messages.map((message) => {
    for (const { id, tool } of callsOf(message)) open.push({ id, tool });
    const role = String(message.role);
    const at = ROLES[role] === undefined ? open.findIndex(({ tool }) => tool === role) : -1;
    const [call] = at < 0 ? [] : open.splice(at, 1);
    return call
      ? { ...message, role: "tool", name: role, ...(call.id === undefined ? {} : { tool_call_id: call.id }) }
      : message;
  });
}

function play(events: readonly Event[], toolSpans: boolean, builder: TraceBuilder, reading: Reading): void {
  const newMessages = new NewMessages();
  const fromMessages = new MessageCalls(events);
  for (const event of events) {
    if (event.kind === "tool") {
      playTool(event.span, fromMessages, builder, reading);
      continue;
    }
    for (const message of newMessages.news(event.messages)) {
      if (toolSpans) sayWords(message, builder, reading);
      else readMessage(builder, message, reading);
    }
  }
  if (toolSpans) reading.lose("call_without_span", fromMessages.unmatched());
}

function playTool(span: Span, fromMessages: MessageCalls, builder: TraceBuilder, reading: Reading): void {
  const made = toolOf(span);
  const told = fromMessages.take(made.id, made.tool);
  const args = made.args ?? told?.args;
  const result = made.result ?? told?.result;
  if (args === undefined) reading.lose("arguments_not_captured");
  builder.call({ tool: made.tool, args, id: made.id ?? span.id });
  // Nanoseconds since 1970 are held to a quarter of a microsecond: what is below a hundredth of a millisecond is noise.
  const ms =
    span.start !== undefined && span.end !== undefined
      ? Math.max(0, Math.round((span.end - span.start) * 1e5) / 100)
      : undefined;
  if (result === undefined && !made.failed) reading.lose("result_not_captured");
  else builder.answer({ id: made.id ?? span.id, result: result ?? exceptionOf(span) ?? null, failed: made.failed, ms });
}

/** Calls and answers that messages tell of, to fill what spans left out. */
class MessageCalls {
  readonly #calls = new Map<string, { tool: string; args: unknown; taken: boolean }>();
  readonly #results = new Map<string, unknown>();

  constructor(events: readonly Event[]) {
    for (const event of events) {
      if (event.kind !== "messages") continue;
      for (const message of event.messages) this.#read(message);
    }
  }

  #read(message: JsonObject): void {
    const content = message.content ?? message.parts;
    for (const call of [...callsOf(message), ...callsIn(content)]) {
      if (call.id !== undefined) this.#calls.set(call.id, { tool: call.tool, args: call.args, taken: false });
    }
    const answers =
      message.role === "tool" && answersIn(content).length === 0 ? [toolMessage(message)] : answersIn(content);
    for (const answer of answers) if (answer.id !== undefined) this.#results.set(answer.id, answer.result);
  }

  /** The call with that id, else the first one of that tool not taken yet. */
  take(id: string | undefined, tool: string) {
    const known = id === undefined ? undefined : this.#calls.get(id);
    const [foundId, call] = known
      ? [id as string, known]
      : ([...this.#calls].find(([, each]) => !each.taken && each.tool === tool) ?? []);
    if (call === undefined || foundId === undefined) return undefined;
    call.taken = true;
    return defined({ args: call.args, result: this.#results.get(foundId) });
  }

  unmatched(): number {
    return [...this.#calls.values()].filter((call) => !call.taken).length;
  }
}

function sayWords(message: JsonObject, builder: TraceBuilder, reading: Reading): void {
  const role = typeof message.role === "string" ? ROLES[message.role] : undefined;
  if (role === undefined || role === "tool") return;
  const content = message.content ?? message.parts;
  const said = wordsOf(content, reading);
  const calls = callsOf(message).length + callsIn(content).length;
  // Python's word for nothing, written out where a message only calls.
  const words = said === "None" && role === "assistant" ? "" : said;
  if (words !== "" || calls > 0) builder.turn(role, words);
}

const SILENT: Reading = { header: {}, lose() {}, refuse() {}, strip() {} };

/** The last words of the first agent span that has any: the outermost one begins first. */
function outermostWords(agents: readonly Span[]): string | undefined {
  for (const span of agents) {
    const last = messagesOf(span).output.findLast((message) => ROLES[String(message.role)] === "assistant");
    const words = last && text(wordsOf(last.content ?? last.parts, SILENT));
    if (words !== undefined) return words;
  }
  return undefined;
}

function attribute(spans: readonly Span[], key: string): string | undefined {
  for (const span of spans) {
    const value = text(span.attributes[key]);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** The first agent that says what it used: the ones inside it are in its sum. */
function counting(agents: readonly Span[]): Span[] {
  return agents.filter((span) => usageOf([span]) !== undefined || costOf([span]) !== undefined).slice(0, 1);
}

/** US dollars, where the spans say them. */
function costOf(spans: readonly Span[]): number | undefined {
  const costs = spans.flatMap(({ attributes: a }) => number(a["llm.cost.total"] ?? a["gen_ai.usage.cost"]) ?? []);
  return costs.length > 0 ? costs.reduce((sum, cost) => sum + cost, 0) : undefined;
}

/** What the tracing tool's scores, and the conventions' events of an evaluation, say of the trace. */
function scoresOf(spans: readonly Span[]): JsonObject {
  const all = spans.flatMap(({ attributes }) => Object.entries(attributes).filter(([key]) => key.startsWith("score.")));
  const events = spans.flatMap((span) => span.events.filter(({ name }) => name === "gen_ai.evaluation.result"));
  const evaluated = events.flatMap(({ attributes: a }) => {
    const name = text(a["gen_ai.evaluation.name"]);
    const value = a["gen_ai.evaluation.score.value"] ?? a["gen_ai.evaluation.score.label"];
    const said = a["gen_ai.evaluation.explanation"];
    if (name === undefined || value === undefined) return [];
    return Object.entries(defined({ [`score.${name}`]: value, [`score.${name}.comment`]: said }));
  });
  return Object.fromEntries([...evaluated, ...all]) as JsonObject;
}

function usageOf(models: readonly Span[]) {
  const sum = (...keys: readonly string[]) => {
    const counts = models.flatMap((span) => {
      const key = keys.find((each) => span.attributes[each] !== undefined);
      const count = key === undefined ? undefined : number(span.attributes[key]);
      return count === undefined ? [] : [count];
    });
    return counts.length > 0 ? counts.reduce((a, b) => a + b, 0) : undefined;
  };
  const usage = defined({
    input_tokens: sum("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt"),
    output_tokens: sum("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion"),
  });
  return Object.keys(usage).length > 0 ? usage : undefined;
}

/** Tokens that only a sum counts, such as those of thinking: neither direction holds them. */
function tokensInSumAlone(models: readonly Span[]): number {
  const apart = models.map((span) => {
    const a = span.attributes;
    const sum = number(a["llm.token_count.total"] ?? a["gen_ai.usage.total_tokens"]) ?? 0;
    const { input_tokens = 0, output_tokens = 0 } = usageOf([span]) ?? {};
    return Math.max(0, sum - input_tokens - output_tokens);
  });
  return apart.reduce((a, b) => a + b, 0);
}

function firstTools(spans: readonly Span[]): CanonicalTrace["tools"] {
  const byName = new Map<string, NonNullable<CanonicalTrace["tools"]>[number]>();
  for (const span of spans)
    for (const tool of offeredTools(list(toolsOffered(span.attributes))) ?? [])
      byName.set(tool.name, byName.get(tool.name) ?? tool);
  return byName.size > 0 ? [...byName.values()] : undefined;
}
