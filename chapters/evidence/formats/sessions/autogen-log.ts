import type { JsonObject } from "../../../../worlds/json.ts";
import { TraceBuilder } from "../builder.ts";
import type { Reading } from "../format.ts";
import { answersIn, offeredTools, readMessage } from "../messages.ts";
import { NewMessages } from "../new-messages.ts";
import { fromJson, labels, number, object, objects, text } from "../values.ts";

/** A session of the lines that AutoGen logs: requests to models, which repeat the conversation, and calls of tools. */
export function loggedTrace(session: string, events: readonly JsonObject[], reading: Reading) {
  const builder = new TraceBuilder(reading);
  const news = new NewMessages();
  // A streamed call has an event of its start, with its messages, and one of its end.
  const calls = events.filter(({ type }) => type !== "ToolCall");
  let model: string | undefined;
  let answers = 0;
  for (const event of calls) {
    const response = object(fromJson(event.response));
    const reply = response && replyIn(response);
    model ??= text(response?.model);
    for (const message of news.news([...objects(event.messages), ...(reply ? [reply] : [])])) {
      readMessage(builder, message, reading);
      answers += message.role === "tool" ? 1 : answersIn(message.content).length;
    }
  }
  // Results that no later request repeats stand in the log alone.
  const results = events.filter(({ type }) => type === "ToolCall");
  for (const { tool_name, result } of results.slice(answers)) builder.answer({ tool: String(tool_name), result });
  return builder.build({
    session,
    labels: labels({ model, agent: /^[^/]+/.exec(String(calls[0]?.agent_id ?? ""))?.[0] }),
    tools: calls.map(({ tools }) => offeredTools(tools)).find((tools) => tools),
    usage: {
      input_tokens: calls.reduce((sum, event) => sum + (number(event.prompt_tokens) ?? 0), 0),
      output_tokens: calls.reduce((sum, event) => sum + (number(event.completion_tokens) ?? 0), 0),
    },
  });
}

/** What a model replied, as providers answer it, or as AutoGen's own result of a call, whose content is words or calls. */
function replyIn(response: JsonObject): JsonObject | undefined {
  const message = object(objects(response.choices)[0]?.message) ?? object(response.message);
  if (message) return message;
  const { content } = response;
  const made = objects(content).filter(({ type, name }) => type === undefined && name !== undefined);
  if (made.length > 0) return { role: "assistant", content: text(response.thought) ?? null, tool_calls: made };
  return typeof content === "string" || Array.isArray(content) ? { role: "assistant", content } : undefined;
}
