import type { Json, JsonObject } from "../../worlds/json.ts";
import type { ObservedTrace } from "../../worlds/observation.ts";
import type { CanonicalTrace } from "./schema.ts";

/** A stored trace as the world compiler takes it. Traces of one task share a group; the reward is the source's own. */
export function toObserved(trace: CanonicalTrace, id: string): ObservedTrace {
  const { task_id: task, domain } = trace.labels;
  return {
    id,
    ...(task === undefined ? {} : { group: domain === undefined ? task : `${domain}/${task}` }),
    request: trace.request,
    ...(trace.started_at === undefined ? {} : { startedAt: trace.started_at }),
    calls: trace.calls.map((call) => ({
      tool: call.tool,
      args: call.args as JsonObject,
      result: (call.result ?? null) as Json,
      isError: call.is_error,
    })),
    finalAnswer: trace.final_answer,
    ...(trace.outcome === undefined ? {} : { reward: trace.outcome.reward }),
  };
}
