import type { JsonObject } from "../../../../worlds/json.ts";
import { TraceBuilder, wordsOf } from "../builder.ts";
import type { Reading, TraceFormat } from "../format.ts";
import { answersIn } from "../messages.ts";
import { label, labels, list, number, object, objects, seconds, text } from "../values.ts";

/**
 * Gemini CLI's saved chats: one session an object, calls with their results beside the words of a message. Newer ones
 * are lines that are appended: a session, its messages, each change of one whole, and what was set or taken back.
 */
export const geminiCli: TraceFormat = {
  name: "gemini-cli",
  kind: "traces",
  assembles: true,
  alone: (value) => Array.isArray(object(value)?.messages),
  detect(sample) {
    const first = object(sample.items[0]?.value);
    if (text(first?.sessionId) === undefined) return undefined;
    if (list(first?.messages).some((each) => object(each)?.type === "gemini"))
      return { score: 0.96, why: "a session with messages of type user and gemini" };
    return text(first?.projectHash) !== undefined
      ? { score: 0.96, why: "a session with projectHash, and its messages line by line" }
      : undefined;
  },
  open(reading) {
    const sessions = new Map<string, AppendedSession>();
    let current: AppendedSession | undefined;
    return {
      *item({ value, place }) {
        const line = object(value);
        const id = text(line?.sessionId);
        if (line && id !== undefined && Array.isArray(line.messages)) {
          if (line.messages.length > 0) yield { trace: sessionTrace(line, reading), place };
          else reading.refuse(place, "a session without messages");
        } else if (line && id !== undefined) {
          current = sessions.get(id) ?? { place, header: line, messages: new Map() };
          sessions.set(id, current);
        } else if (!line || !current || !append(current, line, reading))
          reading.refuse(place, "no session, no message and no change of one");
      },
      *end() {
        for (const { place, header, messages } of sessions.values())
          if (messages.size > 0)
            yield { trace: sessionTrace({ ...header, messages: [...messages.values()] }, reading), place };
          else reading.refuse(place, "a session without messages");
      },
    };
  },
};

/** A session that was written line by line, its messages by their ids. */
interface AppendedSession {
  readonly place: number;
  readonly header: JsonObject;
  readonly messages: Map<string, JsonObject>;
}

/** Does what a line says: takes messages back, replaces all of them, or adds or changes one. */
function append({ messages }: AppendedSession, line: JsonObject, reading: Reading): boolean {
  const id = text(line.id);
  const set = object(line.$set);
  if (typeof line.$rewindTo === "string") {
    const ids = [...messages.keys()];
    const undone = ids.slice(Math.max(0, ids.indexOf(line.$rewindTo)));
    for (const each of undone) messages.delete(each);
    reading.lose("message_taken_back", undone.length);
  } else if (set) {
    const whole = Array.isArray(set.messages) ? objects(set.messages) : undefined;
    if (whole) messages.clear();
    for (const each of whole ?? []) messages.set(text(each.id) ?? `message-${messages.size}`, each);
  } else if (id !== undefined) messages.set(id, line);
  return typeof line.$rewindTo === "string" || set !== undefined || id !== undefined;
}

function sessionTrace(session: JsonObject, reading: Reading) {
  const builder = new TraceBuilder(reading);
  const usage = { input_tokens: 0, output_tokens: 0 };
  let model: string | undefined;
  const ids = new Set(objects(session.messages).flatMap(({ toolCalls }) => objects(toolCalls).map(({ id }) => id)));
  for (const each of list(session.messages)) {
    const message = object(each);
    if (message?.type !== "user" && message?.type !== "gemini") {
      reading.lose(message ? `message_${label(message.type)?.slice(0, 40) ?? "of_no_type"}` : "message_not_an_object");
      continue;
    }
    model ??= text(message.model);
    const tokens = object(message.tokens);
    usage.input_tokens += number(tokens?.input) ?? 0;
    usage.output_tokens += (number(tokens?.output) ?? 0) + (number(tokens?.thoughts) ?? 0);
    reading.lose("part_reasoning", list(message.thoughts).length);
    const role = message.type === "user" ? "user" : "assistant";
    const words = wordsOf(withoutCalls(message.content, ids), reading);
    // A history that was compressed holds results as messages of the user: they stand with their calls.
    const onlyResults = words === "" && answersIn(message.content).length > 0;
    if (!onlyResults) builder.turn(role, words, seconds(message.timestamp));
    for (const call of list(message.toolCalls)) readCall(builder, object(call), reading);
  }
  return builder.build({
    session: text(session.sessionId) ?? "session",
    startedAt: seconds(session.startTime),
    labels: labels({ model, agent: "gemini-cli" }),
    usage: usage.input_tokens + usage.output_tokens > 0 ? usage : undefined,
  });
}

/** A message's content without the calls and results that stand in a list of calls. */
function withoutCalls(content: unknown, ids: ReadonlySet<unknown>): unknown {
  if (!Array.isArray(content)) return content ?? "";
  return content.filter((each) => {
    const part = object(object(each)?.functionCall) ?? object(object(each)?.functionResponse);
    return part === undefined || !ids.has(part.id);
  });
}

function readCall(into: TraceBuilder, call: JsonObject | undefined, reading: Reading): void {
  const tool = text(call?.name);
  if (!call || tool === undefined) {
    reading.lose("call_without_a_name");
    return;
  }
  const id = text(call.id);
  into.call({ tool, args: call.args, id });
  const [told] = answersIn(call.result);
  const shown = call.result ?? call.resultDisplay;
  if (shown === undefined) {
    reading.lose("result_not_captured");
    return;
  }
  // The answer is wrapped as the model reads it: `{ output }` or `{ error }`.
  const response = object(told?.result);
  const result = response?.output ?? response?.error ?? told?.result ?? shown;
  const failed = call.status === "error" || call.status === "cancelled" || response?.error !== undefined;
  into.answer({ id, tool, result, failed });
}
