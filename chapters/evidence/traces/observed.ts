import type { Json, JsonObject } from "../../../worlds/json.ts";
import type { ObservedTrace } from "../../../worlds/observation.ts";
import type { CanonicalTrace } from "../../records/evidence/evidence.ts";

/** How a simulated user ends a conversation; no words of a person. */
const SIMULATOR_SIGN = /###[A-Z-]+###/g;

/** Words of a source for a session that did not come to its own end. */
const CUT_OFF = /max|limit|timeout|timed|error|crash|abort|killed|unexpected/i;

/** What the user said after the request, in order, and what of it and of the request was met with silence. */
function followUps({ turns, calls }: CanonicalTrace): Pick<ObservedTrace, "turns" | "unanswered"> {
  const active = new Set(calls.flatMap(({ turn }) => (turn === undefined ? [] : [turn])));
  const placed = calls.every(({ turn }) => turn !== undefined);
  const said = turns.flatMap(({ role, text }, at) => (role === "user" ? [{ text, at }] : []));
  const kept = said.flatMap(({ text, at }, i) => {
    const next = said[i + 1]?.at ?? turns.length;
    const answered = turns.some(
      (turn, n) => n >= at && n < next && (active.has(n) || (n > at && turn.text.trim() !== "")),
    );
    const words = i === 0 ? text : text.replace(SIMULATOR_SIGN, "").trim();
    return i === 0 || words !== "" ? [{ words, answered }] : [];
  });
  const unanswered = kept.flatMap(({ answered }, i) => (answered ? [] : [i]));
  return {
    turns: kept.slice(1).map(({ words }) => words),
    ...(placed && unanswered.length > 0 ? { unanswered } : {}),
  };
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
    ...followUps(trace),
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
