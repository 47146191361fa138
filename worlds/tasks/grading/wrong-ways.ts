import { isObject, type Json, type JsonObject } from "../../json.ts";
import { callable } from "../callable.ts";
import { sameData } from "../checks/data.ts";
import type { Kit } from "../kit.ts";
import type { Random } from "../random.ts";
import type { FinishedTrial, Script, Task } from "../schema.ts";
import { refOf, renderAnswer, resolveArgs, ScriptError } from "../script.ts";
import { playCall, playScript } from "../trial.ts";
import { declines, looked } from "./looked.ts";
import { lastText, playLoosely, playVariant, sameState, saying, type Variation } from "./variation.ts";

type Calls = Script["calls"];
type Rights = readonly [FinishedTrial, ...FinishedTrial[]];

/** How many of each kind are tried: tools of unrelated calls, rows of each key, other tasks. */
export interface Most {
  readonly unrelated: number;
  readonly rows: number;
  readonly others: number;
}

const DONE = "Done.";
export const REFUSAL = "I'm sorry, but I can't help with that.";
export const NOTHING = "I could not find any record of that.";

function wrong(name: string, detail: string, trial: FinishedTrial): Variation {
  return { name, detail, right: false, trial };
}

/** Whether a trial is not known to be wrong: it left the same change, or was shown what the right one was shown last. */
function isAlsoRight(trial: FinishedTrial, rights: Rights): boolean {
  if (endsRight(trial, rights)) return true;
  return rights.some(
    ({ calls, diff }) => diff.length === 0 && trial.diff.length === 0 && showsLast(calls, trial.calls),
  );
}

/** Whether calls were answered with what the last of others was answered with: the same record. */
function showsLast(calls: FinishedTrial["calls"], by: FinishedTrial["calls"]): boolean {
  const last = calls.at(-1);
  return (
    last !== undefined &&
    isObject(last.answer as Json) &&
    by.some((call) => call.answer_class === "data" && sameData(call.answer, last.answer))
  );
}

/** Whether a trial left the change behind that a right one leaves, in whatever way: it is not known to be wrong. */
function endsRight(trial: FinishedTrial, rights: Rights): boolean {
  return rights.some((right) => right.diff.length > 0 && sameState(trial, right));
}

/** Trials of an agent that makes no call and declines in plain words. */
export function declining(task: Task): Variation[] {
  const none = { calls: [], diff: [] };
  return [
    wrong("declines in words alone", REFUSAL, { ...none, answers: saying(task, REFUSAL) }),
    wrong("declines in words alone", NOTHING, { ...none, answers: saying(task, NOTHING) }),
  ];
}

/** Trials of one call that the task does not ask for, or that fails, after which the agent says that it is done. */
export function unrelated(kit: Kit, task: Task, rights: Rights, rng: Random, most: Most, others: readonly Task[]) {
  const out: Variation[] = [];
  const put = (name: string, tool: string, args: JsonObject) => {
    const world = kit.fork();
    const calls = playLoosely(world, [{ tool, args }]);
    const trial: FinishedTrial = { calls, answers: saying(task, DONE), diff: world.diff() };
    if (!endsRight(trial, rights)) out.push(wrong(name, `${tool} ${JSON.stringify(args).slice(0, 80)}`, trial));
  };
  const scripted = rights[0].calls;
  const known = callable(kit, others);
  for (const [tool, calls] of rng.shuffled([...known]).slice(0, most.unrelated)) {
    const beside = calls.filter((args) => !scripted.some((call) => call.tool === tool && sameData(call.args, args)));
    for (const args of beside.slice(0, 2)) put("one unrelated call", tool, args);
  }
  for (const { tool, args } of scripted) put("one failing call", tool, spoilt(args as JsonObject));
  return out;
}

/** Arguments of which each has a value that nothing has. */
function spoilt(args: JsonObject): JsonObject {
  const odd = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(odd);
    if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, own]) => [name, odd(own)]));
    return typeof value === "string" ? `${value}x` : typeof value === "number" ? -1 - Math.abs(value) : value;
  };
  return odd(args) as JsonObject;
}

/** Trials of a part of the script: each beginning of it, and each single call left out. */
export function partial(kit: Kit, task: Task): { detail: string; trial: FinishedTrial }[] {
  const { calls } = task.script;
  const parts = new Map<string, readonly boolean[]>();
  const put = (kept: readonly boolean[]) => parts.set(kept.join(), kept);
  for (let n = 1; n < calls.length; n += 1) put(calls.map((_, i) => i < n));
  calls.forEach((_, left) => {
    put(calls.map((_, i) => i !== left));
  });
  return [...parts.values()].map((kept) => ({
    detail: kept.map((made, i) => (made ? calls[i]?.tool : "-")).join(", "),
    trial: playPart(kit, task, kept),
  }));
}

/** Plays the calls that are kept, as far as their references resolve; the answer follows from what was found, or says that it is done. */
function playPart(kit: Kit, task: Task, kept: readonly boolean[]): FinishedTrial {
  const world = kit.fork();
  const results: Json[] = [];
  const calls: FinishedTrial["calls"] = [];
  task.script.calls.forEach(({ tool, args }, i) => {
    const made = kept[i] ? orUndefined(() => playCall(world, tool, resolveArgs(args, results))) : undefined;
    if (made) calls.push(made);
    results.push((made?.answer ?? null) as Json);
  });
  const answer = orUndefined(() => renderAnswer(task.script.answer, results));
  return { calls, answers: saying(task, answer ?? DONE, task.script.class), diff: world.diff() };
}

function orUndefined<T>(of: () => T): T | undefined {
  try {
    return of();
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    return undefined;
  }
}

/** Rows of a table that are looked through for those that would be answered alike. */
const LOOKED_THROUGH = 400;

/**
 * Trials of the whole script for another row or person: every key that it names is another one of its table, throughout.
 * Rows for which the answer would be the same words come first: by those a check is fooled.
 */
export function elsewhere(kit: Kit, task: Task, rights: Rights, rng: Random, most: Most): Variation[] {
  if (task.script.class !== "answered") return [];
  const out: Variation[] = [];
  for (const key of keysOf(kit, task.script.calls)) {
    const home = [...kit.anchors.values()].find((rows) => rows.some((row) => row.key === key)) ?? [];
    // By its words a change fools nobody: what counts is the row that was changed.
    const through = rights[0].diff.length > 0 ? most.rows : LOOKED_THROUGH;
    const others = rng.shuffled(home.filter((row) => row.key !== key)).slice(0, through);
    const trials = others.map((other) => {
      const calls = task.script.calls.map(({ tool, args }) => ({ tool, args: swapped(args, key, other.key) }));
      return wrong("the same for another row", `${key}: ${other.key}`, playVariant(kit, task, calls as Calls));
    });
    const said = lastText(rights[0]);
    const alike = trials.filter(({ trial }) => lastText(trial) === said);
    const rest = trials.filter(({ trial }) => lastText(trial) !== said);
    out.push(...[...alike, ...rest].slice(0, most.rows).filter(({ trial }) => !isAlsoRight(trial, rights)));
  }
  return out;
}

/** The keys of rows that a script names. */
function keysOf(kit: Kit, calls: Calls): string[] {
  const found = new Set<string>();
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) walk(item);
    else if (isObject(value)) for (const item of Object.values(value)) walk(item);
    else if (typeof value === "string" && !refOf(value)) found.add(value);
  };
  for (const { args } of calls) walk(args);
  const keys = new Set([...kit.anchors.values()].flatMap((rows) => rows.map((row) => row.key)));
  return [...found].filter((value) => keys.has(value)).slice(0, 3);
}

function swapped(value: unknown, from: string, to: string): unknown {
  if (value === from) return to;
  if (Array.isArray(value)) return value.map((item) => swapped(item, from, to));
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, own]) => [name, swapped(own, from, to)]))
    : value;
}

/** Trials of the scripts of other tasks, each with what it answers and no class of its own. */
export function scriptsOfOthers(
  kit: Kit,
  task: Task,
  rights: Rights,
  rng: Random,
  most: Most,
  others: readonly Task[],
) {
  const out: Variation[] = [];
  for (const other of rng.shuffled(others.filter((one) => one.id !== task.id)).slice(0, most.others)) {
    const played = orUndefined(() => playScript(kit.fork(), other.script, 1));
    if (!played) continue;
    const trial = { ...played, answers: saying(task, played.answers.at(-1)?.text ?? DONE) };
    if (!alsoRight(task, other, trial, rights)) out.push(wrong("another task's script", other.request, trial));
  }
  return out;
}

/** Whether another task's script may be as right: it ends alike, asks as this one does, or finds out all that this one has to. */
function alsoRight(task: Task, other: Task, trial: FinishedTrial, rights: Rights): boolean {
  if (isAlsoRight(trial, rights)) return true;
  if (rights.some((right) => right.diff.length > 0) || trial.diff.length > 0) return false;
  const { class: cls } = task.script;
  if (cls === "none") return other.script.class === "none";
  if (declines(cls)) return looked(task, trial);
  return rights.some((right) => covered(right.calls, trial.calls));
}

function covered(calls: FinishedTrial["calls"], by: FinishedTrial["calls"]): boolean {
  return calls.every(({ tool, args }) => by.some((call) => call.tool === tool && sameData(call.args, args)));
}
