import { classOf } from "./checks/answer-class.ts";
import { sameData } from "./checks/data.ts";
import { Reading } from "./checks/facts.ts";
import type { CheckVerdict, FinishedTrial, Task } from "./schema.ts";
import { refOf } from "./script.ts";

/** Why a trial failed, as a name. */
export type RootCauseName =
  | "wrong_tool"
  | "wrong_argument"
  | "missing_call"
  | "extra_write"
  | "unverified_write"
  | "stopped_early"
  | "false_no_data"
  | "invented_value"
  | "padded_answer"
  | "over_refusal"
  | "policy_breach"
  | "loop"
  | "tool_error_unhandled"
  | "format"
  | "timeout"
  | "crash"
  | "other";

type Call = FinishedTrial["calls"][number];
const LOOP = 4;

/** Whether one call was made over and over: the same tool with the same arguments. */
export function isLoop(calls: readonly Call[]): boolean {
  const counts = new Map<string, number>();
  for (const call of calls) {
    const name = `${call.tool} ${JSON.stringify(call.args)}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts.values()].some((n) => n >= LOOP);
}

/** Whether a call is the script's: the same tool, and every literal argument equal. References match anything. */
export function isScripted(call: Call, step: Task["script"]["calls"][number], loosely = false): boolean {
  if (call.tool !== step.tool) return false;
  if (loosely) return true;
  return Object.entries(step.args).every(
    ([name, value]) =>
      JSON.stringify(value).includes('"$') || refOf(value) !== undefined || sameData(call.args[name], value),
  );
}

function unread(calls: readonly Call[], at: number): boolean {
  const write = calls[at];
  const ids = Object.values(write?.args ?? {}).filter((v) => typeof v === "string" && /\d/.test(v));
  const before = calls.slice(0, at).filter((c) => !c.changed && !c.is_error);
  return (
    ids.length > 0 &&
    !before.some((c) => ids.some((id) => JSON.stringify([c.args, c.answer]).includes(JSON.stringify(id))))
  );
}

/**
 * The root cause of a failed trial, by rule from the script, the calls and the checks that were not met. `timeout` and
 * `crash` are told by how the process ended and never by this.
 */
export function rootCause(
  task: Task,
  trial: FinishedTrial,
  verdicts: readonly Pick<CheckVerdict, "kind" | "verdict" | "reason">[],
): RootCauseName {
  const failed = verdicts.filter((v) => v.verdict === "not_met");
  const kinds = new Set(failed.map((v) => v.kind));
  if (failed.length === 0) return "other";
  const { calls } = trial;
  const last = trial.answers.findLast((a) => a.text.trim() !== "" || a.class !== undefined);
  const said = last === undefined ? "none" : (last.class ?? classOf(last.text) ?? "answered");
  const wanted = task.checks.find((c) => c.kind === "answer_class")?.class ?? task.script.class;
  const stateFailed = kinds.has("state") || kinds.has("no_state_change");
  const writes = calls.flatMap((call, at) => (call.changed ? [{ call, at }] : []));
  const scripted = task.script.calls;
  const lastStep = scripted.at(-1);
  if (isLoop(calls)) return "loop";
  if (kinds.has("calls_forbidden")) return "policy_breach";
  if (last === undefined || (said === "none" && last.text.trim() === ""))
    return calls.length === 0 || calls.at(-1)?.is_error !== true ? "stopped_early" : "tool_error_unhandled";
  if (wanted === "refused" && writes.length > 0) return "policy_breach";
  if (stateFailed && writes.length > 0) {
    const foreign = writes.filter(({ call }) => !scripted.some((step) => isScripted(call, step, true)));
    if (foreign.length > 0)
      return kinds.has("no_state_change") || scripted.some((s) => calls.some((c) => isScripted(c, s) && c.changed))
        ? "extra_write"
        : "wrong_tool";
    const exact = writes.filter(({ call }) => scripted.some((step) => isScripted(call, step)));
    if (exact.length < writes.length) {
      const blind = writes.find(
        ({ call, at }) => !scripted.some((step) => isScripted(call, step)) && unread(calls, at),
      );
      const wroteAll = scripted.filter((s) => writes.some(({ call }) => isScripted(call, s))).length;
      const dueWrites = new Set(writes.map(({ call }) => call.tool)).size;
      if (wroteAll >= dueWrites && writes.length > wroteAll) return "extra_write";
      return blind && scripted.length > 1 ? "unverified_write" : "wrong_argument";
    }
    if (writes.length > scripted.length) return "extra_write";
    if (scripted.length > 1 && writes.some(({ at }) => unread(calls, at))) return "unverified_write";
    return exact.length < new Set(scripted.map((s) => s.tool)).size && /should have had/.test(failed[0]?.reason ?? "")
      ? "missing_call"
      : "wrong_argument";
  }
  if (stateFailed && writes.length === 0) {
    const tried = calls.filter((c) => scripted.some((s) => isScripted(c, s, true) && s === lastStep));
    const errors = calls.filter((c) => c.is_error);
    if (said === "refused") return tried.length > 0 && errors.length > 0 ? "wrong_argument" : "over_refusal";
    if (said === "said_no_data") return "false_no_data";
    if (tried.some((c) => c.is_error)) return said === "answered" ? "tool_error_unhandled" : "wrong_argument";
    if (calls.length > 0 && lastStep && !calls.some((c) => c.tool === lastStep.tool))
      return said === "none" || /\?\s*$/.test(last.text) ? "stopped_early" : "missing_call";
    return calls.length === 0 && said === "none" ? "stopped_early" : "missing_call";
  }
  if (kinds.has("asks")) return writes.length > 0 ? "extra_write" : "missing_call";
  if (said === "said_no_data" && wanted === "answered")
    return calls.length > 0 && calls.every((c) => c.is_error) ? "wrong_argument" : "false_no_data";
  if (said === "refused" && wanted !== "refused") return "over_refusal";
  if (kinds.has("calls_required") || kinds.has("call_order")) return "missing_call";
  if (wanted === "refused" || wanted === "said_no_data")
    return calls.some((c) => c.is_error)
      ? "tool_error_unhandled"
      : wanted === "refused"
        ? "policy_breach"
        : "invented_value";
  if (kinds.has("answer_excludes") && !kinds.has("answer_includes")) return "padded_answer";
  if (kinds.has("answer_includes")) {
    const steps = scripted.filter((s) => calls.some((c) => isScripted(c, s) && !c.is_error));
    if (steps.length === scripted.length) {
      const numbers = new Reading(last.text).numbers;
      const held = JSON.stringify(calls.map((c) => c.answer));
      return numbers.some((n) => !held.includes(String(Math.abs(n.value)))) ? "invented_value" : "format";
    }
    if (calls.length === 0) return "missing_call";
    if (calls.some((c) => c.is_error) && steps.length === 0) return "tool_error_unhandled";
    const tools = new Set(calls.map((c) => c.tool));
    const missed = scripted.find((s) => !calls.some((c) => isScripted(c, s)));
    if (missed && tools.has(missed.tool)) return "wrong_argument";
    return missed && steps.length > 0 ? "missing_call" : "wrong_tool";
  }
  if (kinds.has("max_calls")) return "loop";
  return "other";
}
