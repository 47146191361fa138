import type { Json, JsonObject } from "../../../worlds/json.ts";
import type { ObservedTrace } from "../../../worlds/observation.ts";
import type { CanonicalTrace } from "../../records/evidence/evidence.ts";

/** How a simulated user ends a conversation; no words of a person. */
const SIMULATOR_SIGN = /###[A-Z-]+###/g;

/** Words of a source for a session that did not come to its own end. */
const CUT_OFF = /max|limit|timeout|timed|error|crash|abort|killed|unexpected/i;

/** What the user said after the request, in order. */
function followUps(trace: CanonicalTrace): string[] {
  const said = trace.turns.filter(({ role }) => role === "user").map(({ text }) => text);
  return said
    .slice(1)
    .map((text) => text.replace(SIMULATOR_SIGN, "").trim())
    .filter((text) => text !== "");
}

/** What the agent said to the user, in order. Kept apart: compiling needs none of it, and it is most of a trace. */
export function answersOf(trace: CanonicalTrace): string[] {
  return trace.turns.filter(({ role, text }) => role === "assistant" && text.trim() !== "").map(({ text }) => text);
}

/** A stored trace as the world compiler takes it. Traces of one task share a group; the reward is the source's own. */
export function toObserved(trace: CanonicalTrace, id: string): ObservedTrace {
  const { task_id: task, domain, termination_reason: ended } = trace.labels;
  return {
    id,
    ...(task === undefined ? {} : { group: domain === undefined ? task : `${domain}/${task}` }),
    request: trace.request,
    turns: followUps(trace),
    ...(trace.started_at === undefined ? {} : { startedAt: trace.started_at }),
    calls: trace.calls.map((call) => ({
      tool: call.tool,
      args: call.args as JsonObject,
      result: (call.result ?? null) as Json,
      isError: call.is_error,
      ...(call.requestor === "user" ? { by: "user" as const } : {}),
    })),
    finalAnswer: trace.final_answer,
    ...(ended !== undefined && CUT_OFF.test(ended) ? { cutOff: true } : {}),
    ...(trace.outcome === undefined ? {} : { reward: trace.outcome.reward }),
  };
}
