import { classOf } from "./checks/answer-class.ts";
import { sameData } from "./checks/data.ts";
import { Reading } from "./checks/facts.ts";
import type { CheckVerdict, FinishedTrial, Task } from "./schema.ts";
import { refOf } from "./script.ts";
import { type ScriptCalls, type ScriptWrite, scriptCalls, undone } from "./script-calls.ts";

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

/** Whether a write should have read first what it gave as one of these arguments: the script reads it before. */
function readFirst(task: Task, calls: readonly Call[], { step }: ScriptWrite, names: readonly string[]): boolean {
  const changes = new Set(calls.filter((c) => c.changed).map((c) => c.tool));
  const steps = task.script.calls;
  const reads = steps.slice(0, steps.indexOf(step)).filter(({ tool }) => !changes.has(tool));
  const told = [task.request, ...task.turns].join("\n");
  return names.some((name) => {
    const value = step.args[name];
    if (JSON.stringify(value)?.includes('"$')) return true;
    if (typeof value !== "string" || !/\d/.test(value)) return false;
    return reads.some(({ args }) => Object.values(args).includes(value)) || (reads.length > 0 && !told.includes(value));
  });
}

/** The script's writes that a trial which changed something left out. */
function leftOut(task: Task, trial: FinishedTrial, held: ScriptCalls): readonly Call["tool"][] {
  const open = undone(task.checks, trial.diff);
  if (open.length === 0) return [];
  if (held.writes.every(({ differing }) => differing.length === 0)) return held.left.map(({ tool }) => tool);
  // A wrong row written leaves the right one as it was: only a step that acts on what is left, and is no read of it, counts.
  const wanted = JSON.stringify(open);
  const steps = task.script.calls;
  const reads = new Set(trial.calls.filter((c) => !c.is_error && !c.changed).map((c) => c.tool));
  return held.left
    .filter((step) => {
      const n = steps.indexOf(step) + 1;
      const others = JSON.stringify(steps.filter((s) => s !== step).map(({ args }) => Object.values(args)));
      const own = Object.values(step.args).map((value) => JSON.stringify(value));
      if (reads.has(step.tool) || new RegExp(`"\\$${n}\\b`).test(others)) return false;
      return own.some((value) => !others.includes(value)) && own.some((value) => wanted.includes(value));
    })
    .map(({ tool }) => tool);
}

/** Whether a call that gave an error was made again with the same arguments and gave none. */
function mended(calls: readonly Call[], at: number): boolean {
  const erred = calls[at];
  return calls.slice(at + 1).some((c) => !c.is_error && c.tool === erred?.tool && sameData(c.args, erred.args));
}

/** Why writes of the script were left out by a trial that made others: one gave an error, was called `wrongly`, or neither. */
function halfDone(said: string, text: string, erred: boolean, wrongly: boolean): RootCauseName {
  if (said === "refused") return erred || wrongly ? "wrong_argument" : "over_refusal";
  if (said === "said_no_data") return wrongly ? "wrong_argument" : "false_no_data";
  if (erred) return said === "answered" ? "tool_error_unhandled" : "wrong_argument";
  if (wrongly) return "wrong_argument";
  return said === "none" || /\?\s*$/.test(text) ? "stopped_early" : "missing_call";
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
  const held = scriptCalls(task.script, calls);
  if (stateFailed && writes.length > 0) {
    const foreign = writes.some(({ call }) => !scripted.some(({ tool }) => tool === call.tool));
    if (foreign)
      return kinds.has("no_state_change") || writes.some(({ call }) => held.isScripted(call))
        ? "extra_write"
        : "wrong_tool";
    const left = leftOut(task, trial, held);
    const erred = calls.some((c, at) => c.is_error && left.includes(c.tool) && !mended(calls, at));
    const wrongly = calls.some((c) => !c.is_error && left.includes(c.tool) && !held.isScripted(c));
    if (left.length > 0) return halfDone(said, last.text, erred, wrongly);
    if (held.extra.length > 0) return "extra_write";
    const off = held.writes.filter(({ differing }) => differing.length > 0);
    if (off.length > 0)
      return off.some((w) => readFirst(task, calls, w, w.differing) && unread(calls, w.at))
        ? "unverified_write"
        : "wrong_argument";
    if (held.writes.some((w) => readFirst(task, calls, w, Object.keys(w.step.args)) && unread(calls, w.at)))
      return "unverified_write";
    return /should have had/.test(failed[0]?.reason ?? "") && held.left.length > 0 ? "missing_call" : "wrong_argument";
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
  // Only a tool of the script that was called with other arguments, and not with the script's, was called wrongly.
  const wrongly = scripted.some(
    (s) => !held.made.has(s) && calls.some((c) => c.tool === s.tool && !held.isScripted(c)),
  );
  if (said === "said_no_data" && wanted === "answered")
    return wrongly || (calls.length > 0 && calls.every((c) => c.is_error)) ? "wrong_argument" : "false_no_data";
  if (said === "refused" && wanted !== "refused") return "over_refusal";
  if (kinds.has("calls_required")) return wrongly ? "wrong_argument" : "missing_call";
  if (kinds.has("call_order")) return "missing_call";
  if (wanted === "refused" || wanted === "said_no_data")
    return calls.some((c) => c.is_error)
      ? "tool_error_unhandled"
      : wanted === "refused"
        ? "policy_breach"
        : "invented_value";
  if (kinds.has("answer_excludes") && !kinds.has("answer_includes")) return "padded_answer";
  if (kinds.has("answer_includes")) {
    if (held.made.size === scripted.length) {
      const numbers = new Reading(last.text).numbers;
      const answers = JSON.stringify(calls.map((c) => c.answer));
      return numbers.some((n) => !answers.includes(String(Math.abs(n.value)))) ? "invented_value" : "format";
    }
    if (calls.length === 0) return "missing_call";
    if (calls.some((c) => c.is_error) && held.made.size === 0) return "tool_error_unhandled";
    const tools = new Set(calls.map((c) => c.tool));
    const missed = scripted.find((s) => !held.made.has(s));
    if (wrongly && missed && tools.has(missed.tool)) return "wrong_argument";
    if (calls.some((c) => c.is_error && held.isScripted(c))) return "tool_error_unhandled";
    return held.made.size > 0 ? "missing_call" : "wrong_tool";
  }
  if (kinds.has("max_calls")) return "loop";
  return "other";
}
