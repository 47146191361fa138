import { classOf } from "../checks/answer-class.ts";
import { sameData } from "../checks/data.ts";
import { Reading } from "../checks/facts.ts";
import type { CheckVerdict, FinishedTrial, Task } from "../schema.ts";
import { refOf } from "../script.ts";
import { type ScriptCalls, type ScriptWrite, scriptCalls, undone } from "../script-calls.ts";
import { userWords } from "../user/user-replies.ts";
import { holdsWord } from "./gap.ts";

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
  | "flood"
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

/** Whether nothing before a write showed what it gives as these arguments: no reading, and no answer to what made it. */
function unread(calls: readonly Call[], at: number, names: readonly string[]): boolean {
  const ids = names.map((name) => calls[at]?.args[name]).filter((value) => typeof value === "string");
  const before = calls.slice(0, at).filter((c) => !c.is_error);
  const shown = JSON.stringify(before.map((c) => (c.changed ? [c.answer] : [c.args, c.answer])));
  const isShown = (id: string) => holdsWord(shown, JSON.stringify(id).slice(1, -1));
  const rows = calls[at]?.changes ?? [];
  // What was changed of rows that were shown is another matter than which rows they are.
  if (rows.length > 0 && rows.every(({ key, before }) => before !== undefined && isShown(key))) return false;
  return ids.length > 0 && !ids.some(isShown);
}

/** Which of these arguments of a write name what should have been read first: the script reads it before. */
function readFirst(task: Task, trial: FinishedTrial, { step }: ScriptWrite, names: readonly string[]): string[] {
  const { calls } = trial;
  const changes = new Set(calls.filter((c) => c.changed).map((c) => c.tool));
  const steps = task.script.calls;
  const reads = steps.slice(0, steps.indexOf(step)).filter(({ tool }) => !changes.has(tool));
  const told = userWords(task, trial);
  const keys = new Set(task.checks.flatMap((c) => (c.kind === "state" ? c.changes.map(({ key }) => key) : [])));
  return names.filter((name) => {
    const value = step.args[name];
    if (JSON.stringify(value)?.includes('"$')) return true;
    if (typeof value !== "string") return false;
    if (reads.some(({ args }) => Object.values(args).includes(value))) return true;
    return (/\d/.test(value) || keys.has(value)) && reads.length > 0 && !told.includes(value);
  });
}

/** Whether a write that gave these arguments otherwise, or all of them rightly, went to a row that should have been read first. */
function isBlind(task: Task, trial: FinishedTrial, write: ScriptWrite, names: readonly string[]): boolean {
  const first = readFirst(task, trial, write, names);
  return first.length > 0 && unread(trial.calls, write.at, first);
}

/** Whether a call stands wrongly for a step that was not made: one that no step asks for, or one that another step asks for, made twice. */
function calledWrongly(step: Task["script"]["calls"][number], task: Task, calls: readonly Call[], held: ScriptCalls) {
  const own = calls.filter(({ tool }) => tool === step.tool);
  const steps = task.script.calls.filter(({ tool }) => tool === step.tool);
  if (held.made.has(step)) return false;
  return own.some((c) => !held.isScripted(c)) || (!held.called.has(step) && own.length >= steps.length);
}

/** The script's writes that a trial which changed something left out. */
function omittedWrites(task: Task, trial: FinishedTrial, held: ScriptCalls): readonly Call["tool"][] {
  const open = undone(task.checks, trial.diff);
  const exact = held.writes.every(({ differing }) => differing.length === 0);
  // Where each row that had to change did, what is left out was to change one of them again.
  if (exact && (open.length > 0 || held.extra.length === 0)) return held.left.map(({ tool }) => tool);
  if (open.length === 0) return [];
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
 * Whether a call is by a step's tool, and about what the step names, or what a call that made it named: where nothing tells
 * what that is, any such call is.
 */
function onSameRow(call: Call, step: Task["script"]["calls"][number] | undefined, made: readonly Call[]): boolean {
  if (step?.tool !== call.tool) return false;
  const named = Object.entries(step.args).filter(([, v]) => typeof v === "string" && /\d/.test(v) && !refOf(v));
  const refers = Object.values(step.args).some((v) => refOf(v));
  const own = made.filter(({ tool }) => tool === step.tool);
  if (refers ? own.length === 0 : named.length === 0) return named.every(([name, v]) => call.args[name] === v);
  const values = new Set([...named.map(([, v]) => v), ...own.flatMap(({ args }) => Object.values(args))]);
  const { changes = [] } = call;
  if (changes.length > 0) return changes.some(({ key }) => values.has(key));
  return named.some(([name, v]) => call.args[name] === v);
}

/** What was done where the user was to be asked. */
function insteadOfAsking(said: string, wrote: boolean): RootCauseName {
  if (wrote) return "extra_write";
  return said === "refused" ? "over_refusal" : said === "said_no_data" ? "false_no_data" : "missing_call";
}

/** What a trial shows that called none of the script's tools. */
function otherTool(calls: readonly Call[]): RootCauseName {
  return calls.every((c) => c.is_error) ? "tool_error_unhandled" : "wrong_tool";
}

/** Whether a change by a tool that is not the script's stands for one that the script makes: the same row, and that one left as it was. */
function wrongToolFor(task: Task, { calls, diff }: FinishedTrial, held: ScriptCalls): boolean {
  if (undone(task.checks, diff).length === 0 || held.left.length === 0) return false;
  const others = calls.filter((c) => c.changed && !task.script.calls.some(({ tool }) => tool === c.tool));
  const keys = new Set(
    undone(task.checks, diff).flatMap(({ key, fields }) => [
      ...(key === undefined ? [] : [key]),
      ...Object.values(fields),
    ]),
  );
  return others.some((c) => Object.values(c.args).some((value) => keys.has(value)));
}

/** Whether an answer says a number, a day, an id or a name that neither the user nor any answer of a tool said. */
function invents(task: Task, text: string, trial: FinishedTrial): boolean {
  const said = new Reading(text);
  const source = [userWords(task, trial), ...trial.calls.map((c) => JSON.stringify(c.answer))].join("\n");
  const known = new Reading(source);
  const numbers = new Set(known.numbers.map(({ value }) => Math.abs(value)));
  const days = new Set(known.dates.map(({ month, day }) => `${month}-${day}`));
  const words = new Set(known.words.map((word) => word.text));
  return (
    said.numbers.some(({ value }) => !numbers.has(Math.abs(value))) ||
    said.dates.some(({ month, day }) => !days.has(`${month}-${day}`)) ||
    [...text.matchAll(ID)].some(([id]) => /\d/.test(id) && !source.toLowerCase().includes(id.toLowerCase())) ||
    [...text.matchAll(NAME)].some(([name]) => new Reading(name).words.some((word) => !words.has(word.text)))
  );
}
/** Letters and digits in one word, or words joined by a hyphen or a low line. */
const ID = /[\p{L}\p{N}]+(?:[-_][\p{L}\p{N}]+)+|\p{L}+\d[\p{L}\p{N}]*/gu;
/** A capital letter that does not begin a sentence. */
const NAME = /(?<=[\p{L}\p{N},] )\p{Lu}[\p{L}\p{N}]{2,}/gu;

/**
 * The root cause of a failed trial, by rule from the script, the calls and the checks that were not met. `timeout` and
 * `crash` are told by how the process ended and never by this.
 */
export function rootCause(
  task: Task,
  trial: FinishedTrial,
  verdicts: readonly Pick<CheckVerdict, "kind" | "verdict" | "missing">[],
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
  const held = scriptCalls(task.script, calls);
  if (wanted === "refused" && stateFailed && writes.length > 0) {
    const made = calls.filter((call) => held.isScripted(call));
    const isAsked = (call: Call) =>
      onSameRow(call, lastStep, made) || (call.tool === lastStep?.tool && made.includes(call));
    if (writes.some(({ call }) => isAsked(call))) return "policy_breach";
    // Who refused what was asked, and changed something else, did not break the policy.
    const due = task.checks.some((c) => c.kind === "state" && c.changes.some(({ required }) => required));
    if (!due) return said === "refused" ? "extra_write" : "policy_breach";
  }
  if (stateFailed && writes.length > 0) {
    const foreign = writes.some(({ call }) => !scripted.some(({ tool }) => tool === call.tool));
    if (foreign && wrongToolFor(task, trial, held)) return "wrong_tool";
    if (foreign)
      return kinds.has("no_state_change") ||
        writes.some(({ call }) => held.isScripted(call)) ||
        held.called.size === scripted.length
        ? "extra_write"
        : "wrong_tool";
    const left = omittedWrites(task, trial, held);
    const erred = calls.some((c, at) => c.is_error && left.includes(c.tool) && !mended(calls, at));
    const served = calls.filter((c) => !c.is_error && left.includes(c.tool));
    const wrongly = scripted.some((s) => calledWrongly(s, task, served, held));
    const off = held.writes.filter(({ differing }) => differing.length > 0);
    const blind = off.filter((w) => isBlind(task, trial, w, w.differing));
    // What the script reads before a write to a row that nothing read is left out with the reading.
    const reading = (tool: string) =>
      blind.some((w) => scripted.findIndex((s) => s.tool === tool) < scripted.indexOf(w.step));
    if (blind.length > 0 && left.every(reading)) return "unverified_write";
    if (left.length > 0) return halfDone(said, last.text, erred, wrongly);
    if (held.extra.length > 0) return "extra_write";
    if (off.length > 0) return "wrong_argument";
    if (held.writes.some((w) => isBlind(task, trial, w, Object.keys(w.step.args)))) return "unverified_write";
    return failed[0]?.missing && held.left.length > 0 ? "missing_call" : "wrong_argument";
  }
  if (stateFailed && writes.length === 0) {
    const tried = calls.filter((c) => c.tool === lastStep?.tool);
    const errors = calls.filter((c) => c.is_error);
    if (said === "refused") return tried.length > 0 && errors.length > 0 ? "wrong_argument" : "over_refusal";
    if (said === "said_no_data") return "false_no_data";
    if (tried.some((c) => c.is_error)) return said === "answered" ? "tool_error_unhandled" : "wrong_argument";
    // A service may answer without a mark of error that what was named is not there.
    const toolsOf = new Set(calls.map(({ tool }) => tool));
    if (scripted.every(({ tool }) => toolsOf.has(tool)) && scripted.some((s) => !held.called.has(s)))
      return "wrong_argument";
    if (calls.length > 0 && lastStep && !calls.some((c) => c.tool === lastStep.tool))
      return said === "none" || /\?\s*$/.test(last.text) ? "stopped_early" : "missing_call";
    return calls.length === 0 && said === "none" ? "stopped_early" : "missing_call";
  }
  // Where the user can be asked, a change without it is a guess.
  if (kinds.has("asks") && task.user !== undefined && writes.length > 0) return "unverified_write";
  if (kinds.has("asks")) return insteadOfAsking(said, writes.length > 0);
  // Only a tool of the script that was called with other arguments, and not with the script's, was called wrongly.
  const wrongly = scripted.some((s) => calledWrongly(s, task, calls, held));
  if (said === "said_no_data" && wanted === "refused") return "false_no_data";
  if (said === "said_no_data" && wanted === "answered")
    return wrongly || (calls.length > 0 && calls.every((c) => c.is_error)) ? "wrong_argument" : "false_no_data";
  if (said === "refused" && wanted !== "refused") return "over_refusal";
  if (kinds.has("calls_required")) {
    const left = new Set(scripted.filter((s) => !held.made.has(s)).map(({ tool }) => tool));
    const erred = calls.some((c, at) => c.is_error && left.has(c.tool) && !mended(calls, at));
    if (held.made.size > 0 && left.size > 0) return halfDone(said, last.text, erred, wrongly);
    return wrongly ? "wrong_argument" : calls.length > 0 && held.made.size === 0 ? otherTool(calls) : "missing_call";
  }
  if (kinds.has("call_order")) return "missing_call";
  if (wanted === "refused" || wanted === "said_no_data")
    return calls.some((c) => c.is_error)
      ? "tool_error_unhandled"
      : wanted === "refused"
        ? "policy_breach"
        : "invented_value";
  if (held.made.size > 0 && held.left.length > 0 && (said === "none" || /\?\s*$/.test(last.text)))
    return "stopped_early";
  if (kinds.has("answer_excludes") && !kinds.has("answer_includes")) return "padded_answer";
  if (kinds.has("answer_includes")) {
    if (held.made.size === scripted.length) return invents(task, last.text, trial) ? "invented_value" : "format";
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
