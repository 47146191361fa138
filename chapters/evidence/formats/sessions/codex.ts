import type { JsonObject } from "../../../../worlds/json.ts";
import { TraceBuilder } from "../builder.ts";
import type { Converter, Reading, TraceFormat } from "../format.ts";
import { readMessage } from "../messages.ts";
import { labels, list, number, object, objects, seconds, text } from "../values.ts";

/** Codex CLI rollouts: one session a file, a line for each item of the conversation; events repeat what items say. */
export const codex: TraceFormat = {
  name: "codex",
  kind: "traces",
  assembles: true,
  detect(sample) {
    const lines = objects(sample.items.map(({ value }) => value));
    const known = lines.some((line) => line.type === "session_meta" || line.type === "response_item");
    return known && lines.every((line) => object(line.payload))
      ? { score: 0.96, why: "lines of session_meta and response_item with payload" }
      : undefined;
  },
  open: codexConverter,
};

function codexConverter(reading: Reading): Converter {
  const builder = new TraceBuilder(reading);
  let meta: JsonObject = {};
  let model: string | undefined;
  let usage: { input_tokens: number; output_tokens: number } | undefined;
  let startedAt: number | undefined;
  return {
    item({ value, place }) {
      const line = object(value);
      const payload = object(line?.payload);
      if (!line || !payload) {
        reading.refuse(place, "a line without a payload");
        return [];
      }
      startedAt ??= seconds(line.timestamp);
      if (line.type === "session_meta") meta = payload;
      else if (line.type === "turn_context") model ??= text(payload.model);
      else if (line.type === "response_item") readItem(builder, payload, line.timestamp, reading);
      else if (line.type === "event_msg" && payload.type === "token_count") {
        // A sum over the session so far: the last one counts.
        const total = object(object(payload.info)?.total_token_usage);
        if (total)
          usage = { input_tokens: number(total.input_tokens) ?? 0, output_tokens: number(total.output_tokens) ?? 0 };
      } else if (line.type !== "event_msg") reading.lose(`line_${String(line.type).slice(0, 40)}`);
      return [];
    },
    *end() {
      const session = text(meta.id) ?? text(meta.session_id) ?? "rollout";
      const facts = { session, startedAt: seconds(meta.timestamp) ?? startedAt, usage };
      const named = labels({ model, agent: "codex", version: meta.cli_version });
      if (builder.size > 0) yield { trace: builder.build({ ...facts, labels: named }), place: 1 };
    },
  };
}

/** What the program puts before a conversation in the user's name. */
const CONTEXT =
  /^\s*(?:<(?:user_instructions|environment_context|permissions|INSTRUCTIONS|skill)[\s>]|# AGENTS\.md instructions for )/;

function readItem(into: TraceBuilder, item: JsonObject, at: unknown, reading: Reading): void {
  switch (item.type) {
    case "message": {
      const words = list(item.content)
        .map((part) => text(object(part)?.text) ?? "")
        .join("\n");
      const role = item.role === "user" && CONTEXT.test(words) ? "system" : (item.role ?? "assistant");
      readMessage(into, { role, content: item.content ?? null, timestamp: (at ?? null) as string }, reading);
      return;
    }
    case "function_call":
    case "custom_tool_call":
      into.call({
        tool: text(item.name) ?? "unknown",
        args: item.arguments ?? { input: item.input ?? null },
        id: text(item.call_id),
      });
      return;
    case "local_shell_call":
      into.call({ tool: "local_shell", args: item.action, id: text(item.call_id) ?? text(item.id) });
      return;
    case "function_call_output":
    case "custom_tool_call_output":
      into.answer(answerOf(item));
      return;
    case "reasoning":
      reading.lose("part_reasoning");
      return;
    default:
      reading.lose(`item_${String(item.type).slice(0, 40)}`);
  }
}

/** How a command ended: in JSON behind its output, or in the lines before it. */
const EXIT_IN_JSON = /"exit_code":\s*(-?\d+)/;
const EXIT_IN_LINES =
  /^(?:Exit code:|(?:(?:Command|Chunk ID|Wall time):.*\n){1,3}Process exited with code)\s*(-?\d+)\n/;

/** An output is a text, or an object of a text and whether it went well; a command's holds its exit status. */
function answerOf(item: JsonObject) {
  const output = object(item.output);
  const result = output?.content ?? output?.body ?? item.output ?? null;
  const written = typeof result === "string" ? result : "";
  const status = EXIT_IN_JSON.exec(written.slice(-400))?.[1] ?? EXIT_IN_LINES.exec(written.slice(0, 400))?.[1];
  return {
    id: text(item.call_id),
    result,
    failed: output?.success === false || (status !== undefined && status !== "0"),
  };
}
