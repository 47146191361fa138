import type { JsonObject } from "../../../../worlds/json.ts";
import { TraceBuilder, wordsOf } from "../builder.ts";
import type { Reading, TraceFormat } from "../format.ts";
import { answersIn } from "../messages.ts";
import { label, labels, list, number, object, seconds, text } from "../values.ts";

/** Gemini CLI's saved chats: one session an object, calls with their results beside the words of a message. */
export const geminiCli: TraceFormat = {
  name: "gemini-cli",
  kind: "traces",
  alone: () => true,
  detect(sample) {
    const first = object(sample.items[0]?.value);
    const types = list(first?.messages).map((each) => object(each)?.type);
    return text(first?.sessionId) !== undefined && types.includes("gemini")
      ? { score: 0.96, why: "a session with messages of type user and gemini" }
      : undefined;
  },
  open: (reading) => ({
    *item({ value, place }) {
      const session = object(value);
      if (session && list(session.messages).length > 0) yield { trace: sessionTrace(session, reading), place };
      else reading.refuse(place, "a session without messages");
    },
    *end() {},
  }),
};

function sessionTrace(session: JsonObject, reading: Reading) {
  const builder = new TraceBuilder(reading);
  const usage = { input_tokens: 0, output_tokens: 0 };
  let model: string | undefined;
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
    builder.turn(role, wordsOf(message.content ?? "", reading), seconds(message.timestamp));
    for (const call of list(message.toolCalls)) readCall(builder, object(call), reading);
  }
  return builder.build({
    session: text(session.sessionId) ?? "session",
    startedAt: seconds(session.startTime),
    labels: labels({ model, agent: "gemini-cli" }),
    usage: usage.input_tokens + usage.output_tokens > 0 ? usage : undefined,
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
