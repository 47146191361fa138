import type { JsonObject } from "../../../../worlds/json.ts";
import { TraceBuilder, wordsOf } from "../builder.ts";
import type { Reading, TraceFormat } from "../format.ts";
import { readMessage } from "../messages.ts";
import { NewMessages } from "../new-messages.ts";
import { attributesOf } from "../otlp/span.ts";
import { fromJson, label, labels, list, number, object, objects, seconds, text } from "../values.ts";

const DETAILS = "gen_ai.client.inference.operation.details";
const OWN = /^gemini_cli\./;
/** What is logged when a call of a model ends. */
const ENDS = new Set<unknown>(["gemini_cli.api_response", "gemini_cli.api_error"]);
/** What the program says of itself and its folder before the first words of the user. */
const CONTEXT = /^<session_context>/;

/** Gemini CLI's telemetry: log records in its file or in OTLP, joined by session. Results stand where messages are logged. */
export const geminiTelemetry: TraceFormat = {
  name: "gemini-telemetry",
  kind: "traces",
  assembles: true,
  detect(sample) {
    const names = sample.items.flatMap(({ value }) => recordsOf(object(value)).map((record) => record["event.name"]));
    return names.some((name) => OWN.test(String(name)))
      ? { score: 0.97, why: "log records of gemini_cli events" }
      : undefined;
  },
  open(reading) {
    const sessions = new Map<string, { place: number; records: JsonObject[] }>();
    return {
      item({ value, place }) {
        const records = recordsOf(object(value));
        // Metrics and spans are written to the same file.
        if (records.length === 0) reading.lose("record_of_another_signal");
        for (const record of records) {
          const id = text(record["session.id"]) ?? "session";
          const known = sessions.get(id) ?? { place, records: [] };
          known.records.push(record);
          sessions.set(id, known);
        }
        return [];
      },
      *end() {
        for (const [id, { place, records }] of sessions) yield { trace: sessionTrace(id, records, reading), place };
      },
    };
  },
};

/** The attributes of the log records that an item holds. */
function recordsOf(item: JsonObject | undefined): JsonObject[] {
  const exported = objects(item?.resourceLogs).flatMap((each) => {
    const resource = attributesOf(object(each.resource)?.attributes);
    const records = objects(each.scopeLogs).flatMap((scope) => objects(scope.logRecords));
    return records.map((record) => ({ ...resource, ...attributesOf(record.attributes) }));
  });
  const one = object(item?.attributes);
  const records = one ? [...exported, one] : exported;
  return records.filter((record) => text(record["event.name"]) !== undefined);
}

function sessionTrace(session: string, records: readonly JsonObject[], reading: Reading) {
  const builder = new TraceBuilder(reading);
  const responses = records.filter((record) => record["event.name"] === "gemini_cli.api_response");
  // What the program asks models for itself (routing, summaries) is no part of the conversation.
  const isAside = ({ role }: JsonObject) => role !== undefined && role !== "main";
  const main = responses.filter((record) => !isAside(record));
  reading.lose("model_call_beside", responses.length - main.length);
  const timesOf = (some: readonly JsonObject[]) => new Set(some.map((record) => record["event.timestamp"] ?? ""));
  const ends = records.filter((record) => ENDS.has(record["event.name"]));
  const asides = timesOf(ends.filter(isAside));
  const ended = timesOf(ends.filter((record) => !isAside(record)));
  // The messages of a call are a record of their own, of the time of its end, and one of its start that holds no reply.
  const lastDetails = records.findLast((record) => record["event.name"] === DETAILS);
  const isDetails = (record: JsonObject) => {
    const at = record["event.timestamp"] ?? "";
    if (record["event.name"] !== DETAILS || asides.has(at)) return false;
    return ended.has(at) || record["gen_ai.output.messages"] !== undefined || record === lastDetails;
  };
  const whole = records.some((record) => isDetails(record) && record["gen_ai.input.messages"] !== undefined);
  const news = new NewMessages();
  for (const record of records) {
    const name = String(record["event.name"]);
    if (name === DETAILS) {
      if (!whole || !isDetails(record)) continue;
      const given = [...messagesIn(record["gen_ai.input.messages"]), ...messagesIn(record["gen_ai.output.messages"])];
      for (const message of news.news(given)) readMessage(builder, message, reading);
    } else if (name === "gemini_cli.user_prompt" || name === "gemini_cli.tool_call") {
      if (whole) continue;
      if (name === "gemini_cli.tool_call") readCall(builder, record, reading);
      else if (text(record.prompt) === undefined) reading.lose("request_not_captured");
      else builder.turn("user", String(record.prompt), seconds(record["event.timestamp"]));
    } else if (name === "gemini_cli.api_response") {
      if (isAside(record)) continue;
      const words = whole ? "" : wordsIn(record.response_text, reading);
      if (words !== "") builder.turn("assistant", words, seconds(record["event.timestamp"]));
    } else reading.lose(`event_${name.replace(OWN, "").slice(0, 40)}`);
  }
  const sum = (...keys: readonly string[]) =>
    main.reduce((all, record) => keys.reduce((so, key) => so + (number(record[key]) ?? 0), all), 0);
  const usage = {
    input_tokens: sum("input_token_count"),
    output_tokens: sum("output_token_count", "thoughts_token_count"),
  };
  return builder.build({
    session,
    startedAt: seconds(records[0]?.["event.timestamp"]),
    labels: labels({ agent: "gemini-cli", model: main.map(({ model }) => label(model)).find((model) => model) }),
    usage: main.length > 0 ? usage : undefined,
  });
}

/** Logged messages. The model's own have the role `system` here, since instructions stand in an attribute of their own. */
function messagesIn(given: unknown): JsonObject[] {
  return objects(fromJson(given)).flatMap((message) => {
    const role = message.role === "system" ? "assistant" : (message.role ?? "assistant");
    const parts = objects(message.parts).map(partOf);
    const context = parts.filter((part) => role === "user" && CONTEXT.test(text(part.content) ?? ""));
    if (context.length === 0) return [{ ...message, role, parts }];
    const own = parts.filter((part) => !context.includes(part));
    return [{ role: "system", parts: context }, ...(own.length === 0 ? [] : [{ ...message, role, parts: own }])];
  });
}

function partOf(part: JsonObject): JsonObject {
  // A call that is being made has its tool before its id; in the history it has the id alone.
  const prefix = `${text(part.name)}__`;
  if (part.type === "tool_call")
    return text(part.id)?.startsWith(prefix) ? { ...part, id: String(part.id).slice(prefix.length) } : part;
  const response = object(part.type === "tool_call_response" ? fromJson(part.response) : undefined);
  if (response?.error !== undefined) return { ...part, response: response.error, is_error: true };
  return response?.output === undefined ? part : { ...part, response: response.output };
}

function readCall(into: TraceBuilder, record: JsonObject, reading: Reading): void {
  const tool = text(record.function_name) ?? "unknown";
  const id = `call-${into.size}`;
  into.call({ tool, args: record.function_args, id });
  const error = text(record.error) ?? text(record["error.message"]);
  const failed = String(record.success) === "false";
  if (error !== undefined || failed)
    into.answer({ id, tool, result: error ?? null, failed: true, ms: number(record.duration_ms) });
  else reading.lose("result_not_captured");
}

/** The words of a logged response: its chunks, without thoughts; calls are events of their own. */
function wordsIn(given: unknown, reading: Reading): string {
  const value = fromJson(given);
  if (typeof value === "string") return value;
  const parts = (Array.isArray(value) ? value : [value]).flatMap((chunk) =>
    objects(object(object(list(object(chunk)?.candidates)[0])?.content)?.parts),
  );
  const thoughts = parts.filter(({ thought }) => thought === true);
  reading.lose("part_reasoning", thoughts.length);
  const said = parts.filter((part) => part.thought !== true && text(part.text) !== undefined);
  return said.map((part) => wordsOf([part], reading)).join("");
}
