import type { JsonObject } from "../../../../worlds/json.ts";
import { TraceBuilder } from "../builder.ts";
import type { Reading } from "../format.ts";
import { readMessage } from "../messages.ts";
import { NewMessages } from "../new-messages.ts";
import { fromJson, labels, number, object, objects, text } from "../values.ts";

/** A session of the lines that AutoGen logs: requests to models, which repeat the conversation, and calls of tools. */
export function loggedTrace(session: string, events: readonly JsonObject[], reading: Reading) {
  const builder = new TraceBuilder(reading);
  const news = new NewMessages();
  const calls = events.filter(({ type }) => type === "LLMCall");
  let model: string | undefined;
  const told = new Map<string, number>();
  for (const event of calls) {
    const response = object(fromJson(event.response));
    const reply = object(objects(response?.choices)[0]?.message);
    model ??= text(response?.model);
    for (const message of news.news([...objects(event.messages), ...(reply ? [reply] : [])])) {
      readMessage(builder, message, reading);
      if (message.role !== "tool") continue;
      const tool = String(message.name ?? "");
      told.set(tool, (told.get(tool) ?? 0) + 1);
    }
  }
  // Results that no later request repeats stand in the log alone.
  const results = events.filter(({ type }) => type === "ToolCall");
  for (const { tool_name, result } of results.slice([...told.values()].reduce((sum, n) => sum + n, 0)))
    builder.answer({ tool: String(tool_name), result });
  return builder.build({
    session,
    labels: labels({ model, agent: /^[^/]+/.exec(String(calls[0]?.agent_id ?? ""))?.[0] }),
    usage: {
      input_tokens: calls.reduce((sum, event) => sum + (number(event.prompt_tokens) ?? 0), 0),
      output_tokens: calls.reduce((sum, event) => sum + (number(event.completion_tokens) ?? 0), 0),
    },
  });
}
