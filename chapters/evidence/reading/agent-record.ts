import { type AppError, unprocessable } from "../../errors.ts";
import type { CapturedHttp, DocumentContent, Item } from "../formats/format.ts";
import { object } from "../formats/values.ts";
import { type AgentIndicators, indicatorsIn, showAgent } from "./agent-indicators.ts";
import { indicatorsInText, indicatorsOfColumns } from "./agent-text.ts";
import type { Source } from "./source.ts";

/** What a content looks like that no reader of traces takes. */
export interface AgentRecord {
  /** What was seen, in words. */
  readonly seen: string;
  /** The formats of traces that come nearest, each with what its reader needs. */
  readonly nearest: string;
}

/** What the readers that come nearest look for. */
const NEEDS = {
  "openai-chat": "records with `messages`, each with `role` and `content`, calls in `tool_calls`",
  "anthropic-messages": "`messages` whose `content` holds `tool_use` and `tool_result` blocks",
  otlp: "`resourceSpans`, or spans with `trace_id`, `span_id` and `attributes`",
  trace_store: "a trace with `observations`, or observations with `traceId`, `type` and `startTime`",
  "claude-code": "events with `sessionId`, `uuid` and `message`",
  atif: "`steps` with `tool_calls` and `observation`",
} as const;

/** An agent's record among items and header members of a content. */
export function recordIn(items: readonly Item[], source: Pick<Source, "header" | "text">): AgentRecord | undefined {
  const header = Object.keys(source.header).length > 0 ? [source.header] : [];
  if (source.text !== "") return told(indicatorsInText(source.text));
  return told(indicatorsIn([...items.map(({ value }) => value), ...header]));
}

/** An agent's record that was read as rows. */
export function recordInTables({ tables }: DocumentContent): AgentRecord | undefined {
  for (const { columns, rows } of tables) {
    const found = told(indicatorsOfColumns(columns, rows)) ?? told(indicatorsIn(rows));
    if (found) return found;
  }
  return undefined;
}

/** An agent's calls of its model, where most exchanges of a capture are that. */
export function recordInExchanges(exchanges: readonly CapturedHttp[]): AgentRecord | undefined {
  const signs = exchanges.map(({ request, response }) => ({
    ...indicatorsIn([request.body, response.body]),
    asks: asksModel(request.body),
  }));
  const own = signs.filter(({ messages, calls, asks }) => asks || messages > 1 || calls > 0);
  if (own.length === 0 || own.length * 2 <= exchanges.length) return undefined;
  const calls = own.reduce((sum, each) => sum + each.calls, 0);
  return told({ messages: Math.max(2, own.length), calls, spans: 0, events: 0 });
}

/** Whether a request is one to a model, as every provider takes it: a model's name, and what is said to it. */
function asksModel(body: unknown): boolean {
  const fields = object(body);
  if (typeof fields?.model !== "string") return false;
  return Array.isArray(fields.messages) || Array.isArray(fields.input) || Array.isArray(fields.contents);
}

function told(signs: AgentIndicators): AgentRecord | undefined {
  if (!showAgent(signs)) return undefined;
  const { messages, calls, spans, events } = signs;
  const seen = [
    ...(messages > 0 ? ["chat messages"] : []),
    ...(calls > 0 ? ["tool calls"] : []),
    ...(spans > 0 ? ["spans"] : []),
    ...(events > 0 ? ["events of a run"] : []),
  ];
  const names: (keyof typeof NEEDS)[] =
    spans > 0
      ? ["otlp", "trace_store"]
      : events > 0
        ? ["claude-code", "atif", "openai-chat"]
        : ["openai-chat", "anthropic-messages", "atif"];
  return { seen: seen.join(", "), nearest: names.map((name) => `${name} (${NEEDS[name]})`).join("; ") };
}

/** The 422 of an agent's record that would be kept as something else than traces. */
export function unreadRecord({ seen, nearest }: AgentRecord, kind: string): AppError {
  return unprocessable(
    `The content looks like an agent's record (${seen}), and no format reads it as traces. Nearest: ${nearest}. Send it whole in one of these, or with kind=${kind} to keep it as that; nothing was stored.`,
  );
}

/** What is said of an agent's record that is kept as something else, since the caller asked for that. */
export function keptAs({ seen }: AgentRecord, kind: string): string {
  return `It looks like an agent's record (${seen}) and is kept as ${kind} because that was asked for: no trace is read from it.`;
}
