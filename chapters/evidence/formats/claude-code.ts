import { TraceBuilder } from "./builder.ts";
import type { TraceFormat } from "./format.ts";
import { isMessage, readMessage } from "./messages.ts";
import { label, labels, number, object, seconds, text } from "./values.ts";

interface Session {
  readonly place: number;
  readonly builder: TraceBuilder;
  readonly startedAt: number | undefined;
  readonly usage: { input_tokens: number; output_tokens: number };
  model: string | undefined;
}

/** Claude Code session files: one event a line, traces put together by session; side chains are counted, not told. */
export const claudeCode: TraceFormat = {
  name: "claude-code",
  kind: "traces",
  assembles: true,
  detect(sample) {
    const first = sample.items.map(({ value }) => object(value)).find((event) => object(event?.message));
    return first && typeof first.sessionId === "string" && typeof first.uuid === "string"
      ? { score: 0.95, why: "events with sessionId, uuid and message" }
      : undefined;
  },
  open(reading) {
    const sessions = new Map<string, Session>();
    return {
      item({ value, place }) {
        const event = object(value);
        const id = text(event?.sessionId);
        if (!event || (id === undefined && event.type === undefined)) {
          reading.refuse(place, "an event without sessionId");
          return [];
        }
        const message = object(event.message);
        if (id === undefined || !isMessage(message)) {
          reading.lose("event_without_message");
          return [];
        }
        if (event.isSidechain === true) {
          reading.lose("side_chain_message");
          return [];
        }
        const known = sessions.get(id);
        const session: Session = known ?? {
          place,
          builder: new TraceBuilder(reading),
          startedAt: seconds(event.timestamp),
          usage: { input_tokens: 0, output_tokens: 0 },
          model: undefined,
        };
        if (!known) sessions.set(id, session);
        readMessage(session.builder, { timestamp: event.timestamp ?? null, ...message }, reading);
        const usage = object(message.usage);
        session.usage.input_tokens += number(usage?.input_tokens) ?? 0;
        session.usage.output_tokens += number(usage?.output_tokens) ?? 0;
        session.model ??= label(message.model);
        return [];
      },
      *end() {
        for (const [session, { place, builder, startedAt, usage, model }] of sessions) {
          const counted = usage.input_tokens + usage.output_tokens > 0 ? usage : undefined;
          yield { trace: builder.build({ session, startedAt, labels: labels({ model }), usage: counted }), place };
        }
      },
    };
  },
};
