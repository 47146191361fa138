import type { JsonObject } from "../../../worlds/json.ts";
import { TraceBuilder } from "./builder.ts";
import type { Reading, TraceFormat } from "./format.ts";
import { isMessage, readMessage } from "./messages.ts";
import { inputTokensOf, label, labels, list, number, object, objects, seconds, text } from "./values.ts";

interface OpenSession {
  readonly place: number;
  readonly builder: TraceBuilder;
  readonly startedAt: number | undefined;
  /** What each message used, by its id: its parts are events of their own, each with the count so far. */
  readonly usage: Map<string, { input: number; output: number }>;
  /** Events, and parts of messages, that were told: a session that goes on begins with copies, and streams tell messages again. */
  readonly told: Set<string>;
  model: string | undefined;
  cost: number | undefined;
}

/** Claude Code: its files, exports, its SDK's stream and recordings of that, joined by session. Side chains are counted. */
export const claudeCode: TraceFormat = {
  name: "claude-code",
  kind: "traces",
  assembles: true,
  detect(sample) {
    if (sample.shape === "text")
      return PRINTED.every((mark) => mark.test(sample.text))
        ? { score: 0.9, why: "a transcript as it is printed" }
        : undefined;
    const events = sample.items.flatMap(({ value, place }) => eventsOf(object(value), place));
    if (sample.items.some(({ value }) => list(object(value)?.loglines).some(isLogLine)))
      return { score: 0.95, why: "loglines with type and message" };
    const first = events.find((event) => object(event.message));
    if (first && typeof first.sessionId === "string" && typeof first.uuid === "string")
      return { score: 0.95, why: "events with sessionId, uuid and message" };
    const streamed = events.some(
      (event) =>
        typeof event.session_id === "string" &&
        (event.type === "assistant" || (event.type === "system" && event.subtype === "init")),
    );
    return streamed ? { score: 0.95, why: "stream events with session_id and type" } : undefined;
  },
  open(reading) {
    const sessions = new Sessions(reading);
    let items = 0;
    return {
      item({ value, place }) {
        items++;
        const events = eventsOf(object(value), place);
        if (events.length === 0) reading.refuse(place, "an event without sessionId");
        for (const event of events) sessions.read(event, place);
        return [];
      },
      *end() {
        if (items === 0) reading.refuse(1, AS_PRINTED);
        yield* sessions.told();
      },
    };
  },
};

/** What the program's own export to a text begins calls and their results with. */
const PRINTED = [/^[⏺●] \S/m, /^\s+⎿ /m];
const AS_PRINTED =
  "a transcript as it is printed, which cuts arguments and results; send the session's own file, ~/.claude/projects/*/*.jsonl";

/** What exports of sessions in a browser call an event, which names no session. */
function isLogLine(value: unknown): boolean {
  return isMessage(object(object(value)?.message));
}

/** The events that an item holds: one, an export's, or those that a recording of the stream wraps with their direction. */
function eventsOf(value: JsonObject | undefined, place: number): JsonObject[] {
  if (!value) return [];
  if (Array.isArray(value.loglines)) {
    const session_id = sessionOf(value) ?? text(value.id) ?? `item-${place}`;
    return objects(value.loglines).map((line) => ({ session_id, ...line }));
  }
  const recorded = list(value.messages).flatMap((each) => {
    const frame = object(each);
    const event = object(frame?.message);
    return frame?.direction !== undefined && event ? [event] : [];
  });
  if (recorded.length > 0) return recorded;
  return sessionOf(value) === undefined && value.type === undefined ? [] : [value];
}

function sessionOf(event: JsonObject): string | undefined {
  return text(event.sessionId) ?? text(event.session_id);
}

class Sessions {
  readonly #reading: Reading;
  readonly #sessions = new Map<string, OpenSession>();
  /** What a client sends before it knows its session. */
  #before: JsonObject[] = [];

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  read(event: JsonObject, place: number): void {
    const id = sessionOf(event);
    if (id === "default") {
      if (isMessage(object(event.message))) this.#before.push(event);
      return;
    }
    if (id !== undefined && event.type === "result") this.#result(id, event);
    const message = object(event.message);
    if (id === undefined || !isMessage(message)) {
      this.#reading.lose("event_without_message");
      return;
    }
    if (event.isSidechain === true || text(event.parent_tool_use_id) !== undefined) {
      this.#reading.lose("side_chain_message");
      return;
    }
    const session = this.#session(id, event, place);
    const news = newsOf(message, text(event.uuid), session.told);
    if (news === undefined) return;
    readMessage(session.builder, { timestamp: event.timestamp ?? null, ...news }, this.#reading);
    const usage = object(message.usage);
    const counted = { input: inputTokensOf(usage) ?? 0, output: number(usage?.output_tokens) ?? 0 };
    if (usage) session.usage.set(text(message.id) ?? `event-${session.usage.size}`, counted);
    session.model ??= label(message.model);
  }

  *told() {
    for (const event of this.#before.splice(0)) this.read({ ...event, session_id: "unnamed" }, 1);
    for (const [session, { place, builder, startedAt, usage, model, cost }] of this.#sessions) {
      const used = [...usage.values()];
      const sums = {
        input_tokens: used.reduce((sum, { input }) => sum + input, 0),
        output_tokens: used.reduce((sum, { output }) => sum + output, 0),
      };
      const counted = sums.input_tokens + sums.output_tokens > 0 ? sums : undefined;
      const facts = { session, startedAt, labels: labels({ model }), usage: counted, costUsd: cost };
      yield { trace: builder.build(facts), place };
    }
  }

  #session(id: string, event: JsonObject, place: number): OpenSession {
    const known = this.#sessions.get(id);
    if (known) return known;
    const session: OpenSession = {
      place,
      builder: new TraceBuilder(this.#reading),
      startedAt: seconds(event.timestamp),
      usage: new Map(),
      told: new Set(),
      model: undefined,
      cost: undefined,
    };
    this.#sessions.set(id, session);
    for (const sent of this.#before.splice(0)) this.read({ ...sent, session_id: id }, place);
    return session;
  }

  #result(id: string, event: JsonObject): void {
    const session = this.#sessions.get(id);
    if (session) session.cost = number(event.total_cost_usd) ?? session.cost;
  }
}

/** What of a message was not told before, by the event's id and by the parts under the message's own; undefined where all was. */
function newsOf(message: JsonObject, uuid: string | undefined, told: Set<string>): JsonObject | undefined {
  if (uuid !== undefined) {
    const event = `${uuid} ${JSON.stringify(message)}`;
    if (told.has(event)) return undefined;
    told.add(event);
  }
  const { id, content } = message;
  if (typeof id !== "string" || !Array.isArray(content)) return message;
  const parts = content.filter((part) => {
    const key = `${id} ${JSON.stringify(part)}`;
    if (told.has(key)) return false;
    told.add(key);
    return true;
  });
  return parts.length === 0 && content.length > 0 ? undefined : { ...message, content: parts };
}
