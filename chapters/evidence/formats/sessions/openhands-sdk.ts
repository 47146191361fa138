import type { Json, JsonObject } from "../../../../worlds/json.ts";
import { type TraceBuilder, wordsOf } from "../builder.ts";
import type { Reading } from "../format.ts";
import { readMessage } from "../messages.ts";
import { number, object, objects, seconds, text } from "../values.ts";

/** What events tell beside turns and calls: sums count all of the session so far, and the last one stands. */
export interface Seen {
  /** Calls that end the session, whose words are the answer. */
  readonly ended: Set<string>;
  tools: unknown;
  model: string | undefined;
  metrics: JsonObject | undefined;
}

/** Reads an event of the SDK, which says what it is by its `kind`. */
export function readSdkEvent(into: TraceBuilder, event: JsonObject, seen: Seen, reading: Reading): void {
  const id = text(event.tool_call_id);
  const at = seconds(event.timestamp);
  const message = object(event.llm_message);
  const observation = object(event.observation);
  if (message) {
    if (text(message.reasoning_content) !== undefined) reading.lose("part_reasoning");
    readMessage(into, { content: null, timestamp: event.timestamp ?? null, ...message }, reading);
  } else if (event.kind === "SystemPromptEvent") {
    seen.tools ??= objects(event.tools).map((tool) => ({ name: (tool.title ?? null) as Json, ...tool }));
    into.turn("system", wordsOf([event.system_prompt], reading), at);
  } else if (event.kind === "ActionEvent" && id !== undefined) {
    const words = wordsOf(event.thought, reading);
    const end = event.tool_name === "finish" ? text(object(event.action)?.message) : undefined;
    if (text(event.reasoning_content) !== undefined) reading.lose("part_reasoning");
    into.turn("assistant", end ?? words, at);
    if (end !== undefined) seen.ended.add(id);
    else
      into.call({
        tool: text(event.tool_name) ?? "unknown",
        args: object(event.tool_call)?.arguments ?? event.action,
        id,
      });
  } else if (id !== undefined && seen.ended.has(id)) return;
  else if (observation && id !== undefined) {
    const result = observation.content ?? observation.output ?? null;
    const words = Array.isArray(result) ? wordsOf(result, reading) : result;
    into.answer({
      id,
      result: words,
      failed: observation.is_error === true || (number(observation.exit_code) ?? 0) > 0,
    });
  } else if (id !== undefined && (event.error ?? event.rejection_reason) !== undefined)
    into.answer({ id, result: event.error ?? event.rejection_reason, failed: true });
  else {
    const state = object(event.value);
    const all = Object.values(object(state?.usage_to_metrics ?? object(state?.stats)?.usage_to_metrics) ?? {});
    // The agent's own sum is told first; those of what summarizes for it are others.
    seen.metrics = object(all[0]) ?? seen.metrics;
    if (all.length === 0) reading.lose(`event_${String(event.kind).slice(0, 40)}`);
  }
}
