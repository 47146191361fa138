import type { TraceFormat } from "./format.ts";
import { chatConverter, detectChat, hasAnthropicBlocks, isAlone, isRequest, requestIn } from "./openai-chat.ts";
import { list, object } from "./values.ts";

/** Anthropic messages: calls and answers are blocks of a message's content, tools carry `input_schema`. */
export const anthropicMessages: TraceFormat = {
  name: "anthropic-messages",
  kind: "traces",
  alone: isAlone,
  bounded: isRequest,
  detect(sample) {
    const chat = detectChat(sample, () => true, "");
    if (!chat) return undefined;
    const records = sample.items.slice(0, 3).map(({ value }) => {
      const record = object(value);
      return record && requestIn(record);
    });
    const messages = records.flatMap((record) => (record?.role ? [record] : list(record?.messages))).map(object);
    const blocks = messages.some((message) => message !== undefined && hasAnthropicBlocks(message));
    if (blocks) return { score: 0.8, why: "messages with tool_use or tool_result blocks" };
    const tools = records.some((record) =>
      list(record?.tools).some((tool) => object(tool)?.input_schema !== undefined),
    );
    if (tools) return { score: 0.75, why: "messages beside tools with input_schema" };
    return records.some((record) => record?.system !== undefined && record.max_tokens !== undefined)
      ? { score: 0.7, why: "messages beside system and max_tokens" }
      : undefined;
  },
  open: chatConverter,
};
