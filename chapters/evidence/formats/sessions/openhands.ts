import type { JsonObject } from "../../../../worlds/json.ts";
import { TraceBuilder } from "../builder.ts";
import type { Reading, TraceFormat } from "../format.ts";
import { offeredTools } from "../messages.ts";
import { labels, number, object, objects, seconds, text } from "../values.ts";
import { readSdkEvent, type Seen } from "./openhands-sdk.ts";

/** OpenHands events, of its application (`action`, `observation`) and of its SDK (`kind`): lists, lines, evaluation rows. */
export const openhands: TraceFormat = {
  name: "openhands",
  kind: "traces",
  assembles: true,
  alone: (value) => eventsIn(object(value)) !== undefined,
  detect(sample) {
    const seen = sample.items.flatMap(({ value }) => eventsIn(object(value)) ?? objects([value]));
    const known = seen.slice(0, 20).filter(isEvent);
    const enough = known.length * 2 > Math.min(20, seen.length);
    return enough ? { score: 0.98, why: "events with source and action, observation or kind" } : undefined;
  },
  open(reading) {
    const loose: JsonObject[] = [];
    let first = 1;
    return {
      *item({ value, place }) {
        const row = object(value);
        const events = eventsIn(row);
        if (row && events) yield { trace: sessionTrace(events, row, `item-${place}`, reading), place };
        else if (row && isEvent(row)) {
          if (loose.length === 0) first = place;
          loose.push(row);
        } else reading.refuse(place, "no event of OpenHands");
      },
      *end() {
        if (loose.length === 1) reading.refuse(first, ALONE);
        else if (loose.length > 1) yield { trace: sessionTrace(loose, {}, `item-${first}`, reading), place: first };
      },
    };
  },
};

/** The SDK keeps each event in a file of its own. */
const ALONE = "one event by itself; put the events of a conversation into one file, one a line";
const KIND = /^[A-Z]\w*(?:Event|Observation|Condensation)$/;
/** What keeps a conversation going and says nothing in it. */
const BOOKKEEPING =
  /^(?:change_agent_state|agent_state_changed|recall|null|condensation|condensation_request|condense)$/;

function isEvent(value: JsonObject): boolean {
  if (text(value.source) === undefined) return false;
  if (KIND.test(String(value.kind))) return true;
  return (
    (text(value.action) !== undefined && object(value.args) !== undefined) || text(value.observation) !== undefined
  );
}

function eventsIn(row: JsonObject | undefined): JsonObject[] | undefined {
  const given = [row?.history, row?.trajectory, row?.events].find((each) => Array.isArray(each));
  const events = objects(given);
  return events.some(isEvent) ? events : undefined;
}

function sessionTrace(events: readonly JsonObject[], row: JsonObject, place: string, reading: Reading) {
  const builder = new TraceBuilder(reading);
  const seen: Seen = { ended: new Set(), tools: undefined, model: undefined, metrics: object(row.metrics) };
  for (const event of events) {
    if (typeof event.kind === "string") readSdkEvent(builder, event, seen, reading);
    else readEvent(builder, event, seen, reading);
  }
  const used = object(seen.metrics?.accumulated_token_usage);
  const resolved = row.resolved ?? object(object(row.test_result)?.report)?.resolved;
  return builder.build({
    session: text(row.conversation_id) ?? text(row.instance_id) ?? text(row.id) ?? text(events[0]?.id) ?? place,
    startedAt: seconds(events[0]?.timestamp),
    labels: labels({
      agent: "openhands",
      task_id: row.instance_id,
      model: seen.model ?? seen.metrics?.model_name ?? object(object(row.metadata)?.llm_config)?.model,
    }),
    tools: offeredTools(seen.tools),
    usage: used && {
      input_tokens: number(used.prompt_tokens) ?? 0,
      output_tokens: number(used.completion_tokens) ?? 0,
    },
    costUsd: number(seen.metrics?.accumulated_cost),
    outcome: typeof resolved === "boolean" ? { reward: Number(resolved), tier: "deterministic" } : undefined,
  });
}

function readEvent(into: TraceBuilder, event: JsonObject, seen: Seen, reading: Reading): void {
  const name = String(event.action ?? event.observation);
  const meta = object(event.tool_call_metadata);
  const response = object(meta?.model_response);
  seen.metrics = object(event.llm_metrics) ?? seen.metrics;
  seen.model ??= text(response?.model);
  if (BOOKKEEPING.test(name)) {
    reading.lose(`event_${name}`);
    return;
  }
  const at = seconds(event.timestamp);
  const args = object(event.args) ?? {};
  const { thought, ...rest } = args;
  const id = text(meta?.tool_call_id) ?? String(event.action === undefined ? event.cause : event.id);
  if (event.action === undefined) {
    const status = number(object(object(event.extras)?.metadata)?.exit_code) ?? number(object(event.extras)?.exit_code);
    const failed = name === "error" || event.success === false || (status !== undefined && status > 0);
    into.answer({ id, result: event.content ?? null, failed });
  } else if (name === "message")
    into.turn(event.source === "user" ? "user" : "assistant", text(args.content) ?? "", at);
  else if (name === "system") {
    seen.tools ??= args.tools;
    into.turn("system", text(args.content) ?? "", at);
  } else if (name === "finish")
    into.turn("assistant", text(args.final_thought) ?? text(thought) ?? text(event.message) ?? "", at);
  else {
    const made = objects(object(objects(response?.choices)[0]?.message)?.tool_calls).find((call) => call.id === id);
    const given = object(made?.function)?.arguments ?? rest;
    const user = event.source === "user";
    into.turn(user ? "user" : "assistant", text(thought) ?? "", at);
    into.call({ tool: text(meta?.function_name) ?? name, args: given, id, requestor: user ? "user" : undefined });
  }
}
