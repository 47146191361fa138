import { answerClass, type ErrorShape, errorShape, type ParsedResult, parseResult } from "../answers.ts";
import type { Json, JsonObject } from "../json.ts";
import { type ObservedTrace, startOf } from "../observation.ts";
import { byText } from "./values.ts";

/** One observed call as the compiler sees it: result parsed and classed, with its place. */
export interface Call {
  readonly tool: string;
  readonly args: JsonObject;
  readonly parsed: ParsedResult;
  readonly value: Json;
  readonly answerClass: string;
  /** A success: data or an empty answer. */
  readonly ok: boolean;
  /** Whether the protocol's own error flag was set. */
  readonly flagged: boolean;
  /** A refusal that the protocol calls a success: taken for one while programs are learnt, and answered as a success. */
  readonly unmarked?: true;
  /** Who called, where it was not the agent. */
  readonly by?: "user";
  readonly trace: number;
  readonly index: number;
}

/** One trace's calls in order; `at` orders traces from old to new. */
export interface Session {
  readonly id: string;
  readonly group: string;
  readonly at: number;
  readonly calls: readonly Call[];
}

/** A session without its name: its calls in order. */
export type SessionCalls = Session["calls"];

/** Canonical observations: traces sorted by start and id, so that their given order never matters; results without a value dropped. */
export function observe(traces: readonly ObservedTrace[]): Session[] {
  const sorted = [...traces].sort(
    (a, b) =>
      (startOf(a) ?? 0) - (startOf(b) ?? 0) ||
      byText(a.id, b.id) ||
      byText(JSON.stringify(a.calls), JSON.stringify(b.calls)),
  );
  const parsed = sorted.map((trace) => trace.calls.map((call) => parseResult(call.result)));
  const shapes = learnShapes(sorted, parsed);
  return sorted.map((trace, t) => ({
    id: trace.id,
    group: trace.group ?? trace.id,
    at: startOf(trace) ?? 0,
    calls: trace.calls.flatMap((call, index) => {
      const result = parsed[t]?.[index] as ParsedResult;
      const shape = shapes.get(call.tool);
      const name = answerClass(result, call.isError, shape ? { shape } : {});
      if (name === "pending") return [];
      const ok = name === "data" || name === "empty";
      return [
        {
          tool: call.tool,
          args: call.args,
          parsed: result,
          value: result.value,
          answerClass: name,
          ok,
          flagged: call.isError || result.flagged,
          ...(call.by === undefined ? {} : { by: call.by }),
          trace: t,
          index,
        },
      ];
    }),
  }));
}

function learnShapes(traces: readonly ObservedTrace[], parsed: readonly ParsedResult[][]): Map<string, ErrorShape> {
  const results = new Map<string, { parsed: ParsedResult; isError: boolean }[]>();
  traces.forEach((trace, t) => {
    trace.calls.forEach((call, index) => {
      const list = results.get(call.tool) ?? [];
      list.push({ parsed: parsed[t]?.[index] as ParsedResult, isError: call.isError });
      results.set(call.tool, list);
    });
  });
  return new Map([...results].map(([tool, list]) => [tool, errorShape(list)]));
}

/** Every call of every session, in order. */
export function allCalls(sessions: readonly Session[]): Call[] {
  return sessions.flatMap((session) => session.calls);
}

/** Calls grouped by tool, tools by name. */
export function callsByTool(sessions: readonly Session[]): Map<string, Call[]> {
  const out = new Map<string, Call[]>();
  for (const call of allCalls(sessions)) {
    const list = out.get(call.tool);
    if (list) list.push(call);
    else out.set(call.tool, [call]);
  }
  return new Map([...out].sort(([a], [b]) => byText(a, b)));
}
