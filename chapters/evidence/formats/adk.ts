import type { JsonObject } from "../../../worlds/json.ts";
import { type CallAnswered, type CallMade, TraceBuilder, wordsOf } from "./builder.ts";
import type { Converted, Converter, Item, Reading, TraceFormat } from "./format.ts";
import { answersIn, callsIn, readMessage } from "./messages.ts";
import { label, labels, list, object, objects, seconds, sumOf, text } from "./values.ts";

/**
 * Agent Development Kit evaluation sets (`eval_cases`, one trace a case), their older form (a list of queries with the
 * tools expected), and recorded sessions (`events`). Field names in snake or camel case.
 */
export const adk: TraceFormat = {
  name: "adk",
  kind: "traces",
  alone: (value) => snakeObject(value)?.query === undefined,
  detect(sample) {
    const first = snakeObject(sample.items[0]?.value);
    if (!first) return undefined;
    if (Array.isArray(first.eval_cases)) return { score: 0.96, why: "an evaluation set with eval_cases" };
    if (isCase(first)) return { score: 0.95, why: "cases with eval_id and conversation" };
    if (isQuery(first) || list(first.data).some((each) => isQuery(snakeObject(each))))
      return { score: 0.9, why: "queries with expected_tool_use" };
    return isSession(first) ? { score: 0.9, why: "a session with events of authors" } : undefined;
  },
  open: adkConverter,
};

function isCase(value: JsonObject): boolean {
  return value.eval_id !== undefined && Array.isArray(value.conversation);
}

function isQuery(value: JsonObject | undefined): boolean {
  return typeof value?.query === "string" && Array.isArray(value.expected_tool_use);
}

function isSession(value: JsonObject): boolean {
  const events = list(value.events).map(snakeObject);
  return events.length > 0 && events.every((event) => event?.author !== undefined);
}

function adkConverter(reading: Reading): Converter {
  const queries: { readonly all: JsonObject[]; place: number } = { all: [], place: 1 };
  return {
    *item({ value, place }: Item): Iterable<Converted> {
      const given = snakeObject(value);
      const cases = given && isCase(given) ? [given] : list(given?.eval_cases).map(snakeObject);
      const asked = list(given?.data).map(snakeObject).filter(isQuery) as JsonObject[];
      if (cases.length > 0) {
        for (const each of cases)
          if (each && list(each.conversation).length > 0)
            yield { trace: caseTrace(each, given, place, reading), place };
          else reading.refuse(place, "a case without a conversation");
      } else if (given && isSession(given)) yield { trace: sessionTrace(given, place, reading), place };
      else if (asked.length > 0)
        yield { trace: queriesTrace(asked, text(given?.name) ?? `item-${place}`, reading), place };
      else if (given && isQuery(given)) {
        if (queries.all.length === 0) queries.place = place;
        queries.all.push(given);
      } else
        reading.refuse(place, given?.eval_cases ? "an evaluation set without cases" : "neither a case nor a session");
    },
    *end() {
      const { all, place } = queries;
      if (all.length > 0) yield { trace: queriesTrace(all, `item-${place}`, reading), place };
    },
  };
}

function caseTrace(given: JsonObject, set: JsonObject | undefined, place: number, reading: Reading) {
  const builder = new TraceBuilder(reading);
  const invocations = list(given.conversation).map(snakeObject);
  for (const invocation of invocations) if (invocation) readInvocation(builder, invocation, reading);
  const session = snakeObject(given.session_input);
  return builder.build({
    session: label(given.eval_id) ?? `item-${place}`,
    startedAt: seconds(given.creation_timestamp) ?? seconds(invocations[0]?.creation_timestamp),
    labels: labels({ task_id: given.eval_id, eval_set: set?.eval_set_id, agent: session?.app_name }),
  });
}

function readInvocation(builder: TraceBuilder, invocation: JsonObject, reading: Reading): void {
  const at = seconds(invocation.creation_timestamp);
  builder.turn("user", contentWords(invocation.user_content, reading), at);
  const between = snakeObject(invocation.intermediate_data) ?? {};
  for (const each of list(between.invocation_events)) readContent(builder, snakeObject(each), reading);
  // A response is a pair of author and parts.
  for (const each of list(between.intermediate_responses)) {
    const words = Array.isArray(each) ? contentWords({ parts: each[1] }, reading) : contentWords(each, reading);
    if (words !== "") builder.turn("assistant", words);
  }
  const made = list(between.tool_uses).flatMap((each): CallMade[] => {
    const use = object(each);
    const tool = text(use?.name);
    if (tool === undefined) reading.lose("call_without_a_name");
    return tool === undefined ? [] : [{ tool, args: use?.args, id: text(use?.id) }];
  });
  if (made.length > 0) builder.turn("assistant", "");
  for (const call of made) builder.call(call);
  const answers = list(between.tool_responses).flatMap((each): CallAnswered[] => {
    const answer = object(each);
    return answer ? [{ tool: text(answer.name), id: text(answer.id), result: answer.response ?? null }] : [];
  });
  for (const answer of answers) builder.answer(answer);
  if (made.length > answers.length) reading.lose("result_not_captured", made.length - answers.length);
  const final = contentWords(invocation.final_response, reading);
  if (final !== "") builder.turn("assistant", final);
}

function sessionTrace(session: JsonObject, place: number, reading: Reading) {
  const builder = new TraceBuilder(reading);
  const events = list(session.events).map(snakeObject);
  for (const event of events) {
    if (event?.partial === true) reading.lose("partial_event");
    else readContent(builder, event, reading);
  }
  return builder.build({
    session: label(session.id) ?? `item-${place}`,
    startedAt: seconds(events[0]?.timestamp) ?? seconds(session.last_update_time),
    labels: labels({ agent: session.app_name, user: session.user_id }),
    usage: usageOf(events),
  });
}

/** The tokens of a session's model calls, thoughts among what came out; parts of a streamed reply repeat them. */
function usageOf(events: readonly (JsonObject | undefined)[]) {
  const used = objects(events).flatMap((event) =>
    event.partial === true ? [] : [snakeObject(event.usage_metadata) ?? {}],
  );
  const input = sumOf(...used.map((each) => each.prompt_token_count));
  const output = sumOf(...used.flatMap((each) => [each.candidates_token_count, each.thoughts_token_count]));
  return input === undefined && output === undefined
    ? undefined
    : { input_tokens: input ?? 0, output_tokens: output ?? 0 };
}

/** An author's content: words, calls and answers in its parts. */
function readContent(builder: TraceBuilder, event: JsonObject | undefined, reading: Reading): void {
  const content = snakeObject(event?.content);
  const parts = list(content?.parts).map(snakeObject);
  if (parts.length === 0) return;
  const role = event?.author === "user" ? "user" : "assistant";
  const answers = answersIn(parts);
  const calls = callsIn(parts);
  const words = partWords(parts, reading);
  for (const answer of answers) builder.answer(answer);
  if (words !== "" || calls.length > 0) builder.turn(role, words, seconds(event?.timestamp));
  for (const call of calls) builder.call(call);
}

function contentWords(content: unknown, reading: Reading): string {
  return partWords(list(object(content)?.parts).map(snakeObject), reading);
}

/** The words of parts. A part names all its possible fields, most of them null; thoughts are counted. */
function partWords(parts: readonly (JsonObject | undefined)[], reading: Reading): string {
  const words = parts.flatMap((part) => {
    if (!part || part.function_call != null || part.function_response != null) return [];
    if (part.thought === true) {
      reading.lose("part_reasoning");
      return [];
    }
    if (typeof part.text === "string") return [part.text];
    reading.lose(part.inline_data != null || part.file_data != null ? "part_file" : "part_other");
    return [];
  });
  return wordsOf(words, reading);
}

function queriesTrace(queries: readonly JsonObject[], session: string, reading: Reading) {
  const builder = new TraceBuilder(reading);
  for (const query of queries) {
    readMessage(builder, { role: "user", content: query.query ?? "" }, reading);
    const made = list(query.expected_tool_use).flatMap((each): CallMade[] => {
      const use = object(each);
      const tool = text(use?.tool_name) ?? text(use?.name);
      return tool === undefined ? [] : [{ tool, args: use?.tool_input ?? use?.args }];
    });
    if (made.length > 0) builder.turn("assistant", "");
    for (const call of made) builder.call(call);
    reading.lose("result_not_captured", made.length);
    const reference = text(query.reference);
    if (reference !== undefined) builder.turn("assistant", reference);
  }
  return builder.build({ session, labels: {} });
}

/** The object with its own names in snake case; what they hold stays. */
function snakeObject(value: unknown): JsonObject | undefined {
  const given = object(value);
  if (!given || !Object.keys(given).some((name) => /[A-Z]/.test(name))) return given;
  return Object.fromEntries(
    Object.entries(given).map(([name, each]) => [name.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`), each]),
  );
}
