import type { Json } from "../../json.ts";
import type { World } from "../../world-api.ts";
import { asksForFacts } from "../checks/fact-checks.ts";
import { type Kit, makeKit } from "../kit.ts";
import type { FinishedTrial, Script, Task } from "../schema.ts";
import { renderAnswer, resolveArgs, ScriptError } from "../script.ts";
import { playCall, playScript, saysBefore } from "../trial.ts";
import type { GradeEnv } from "./grade.ts";

/** A trial made to prove the checks: one that must be rejected, or one that must be spared. */
export interface Variation {
  readonly name: string;
  readonly detail: string;
  readonly right: boolean;
  /** Nobody can tell whether the trial is wrong: it must not pass, and may stay undecided. */
  readonly open?: true;
  readonly trial: FinishedTrial;
}

const kits = new WeakMap<object, WeakMap<object, Kit>>();

/** The kit of a drawn surface, made once: what reviews try collateral calls with. */
export function reviewKit(env: GradeEnv): Kit {
  let byBase = kits.get(env.bundle);
  if (!byBase) {
    byBase = new WeakMap();
    kits.set(env.bundle, byBase);
  }
  let kit = byBase.get(env.base);
  if (!kit) {
    kit = makeKit(env.bundle, env.base, "review");
    byBase.set(env.base, kit);
  }
  return kit;
}

/** Answers of a trial that asks what the reference asks, and says `text` at its last turn. */
export function saying(task: Task, text: string, cls?: Script["class"]): FinishedTrial["answers"] {
  const waiting = saysBefore(task.script, task.turns.length + 1);
  return [...waiting, cls === undefined ? { text } : { text, class: cls }];
}

/** Plays calls as far as their references resolve; a call that cannot be made is left out. */
export function playLoosely(world: World, calls: Script["calls"]): FinishedTrial["calls"] {
  const played: FinishedTrial["calls"] = [];
  const results: Json[] = [];
  for (const { tool, args } of calls) {
    try {
      const call = playCall(world, tool, resolveArgs(args, results));
      played.push(call);
      results.push(call.answer as Json);
    } catch (error) {
      if (!(error instanceof ScriptError)) throw error;
      results.push(null);
    }
  }
  return played;
}

/** Plays a changed script: its answer follows its own results, or is that nothing was found where they give none. */
export function playVariant(kit: Kit, task: Task, calls: Script["calls"]): FinishedTrial {
  const world = kit.fork();
  const played = playLoosely(world, calls);
  const diff = world.diff();
  try {
    if (played.length < calls.length) throw new ScriptError("a reference of the changed script leads nowhere");
    const results = played.map((call) => call.answer as Json);
    return { calls: played, answers: saying(task, renderAnswer(task.script.answer, results), task.script.class), diff };
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    const constant = !task.script.answer.includes("{$") && !/\{(?:sum|count|min|max) /.test(task.script.answer);
    return {
      calls: played,
      answers: constant
        ? saying(task, task.script.answer, task.script.class)
        : saying(task, "I could not find it.", "said_no_data"),
      diff,
    };
  }
}

/** The reference trial on a fresh fork. Throws ScriptError where the script leads nowhere. */
export function reference(kit: Kit, task: Task): FinishedTrial {
  return playScript(kit.fork(), task.script, task.turns.length + 1);
}

/** The trials of a task's script and its alternatives, each on a fresh fork: the right ends. Throws ScriptError on a failure. */
export function references(kit: Kit, task: Task): [FinishedTrial, ...FinishedTrial[]] {
  const turns = task.turns.length + 1;
  const others = (task.alternatives ?? []).map((script) => playScript(kit.fork(), script, turns));
  return [reference(kit, task), ...others];
}

/** The text of a trial's last answer. */
export function lastText(trial: FinishedTrial): string {
  return trial.answers.at(-1)?.text ?? "";
}

/** Whether two trials leave the same world behind. */
export function sameState(a: FinishedTrial, b: FinishedTrial): boolean {
  const view = (t: FinishedTrial) => JSON.stringify(t.diff.map((c) => [c.table, c.key, c.after ?? null]));
  return view(a) === view(b);
}

/** Whether a task is decided by words: by its checks, or since it needs no action. Then trials with other words differ. */
function asksForWords(task: Task, right: FinishedTrial): boolean {
  if (task.script.class === "answered" && right.diff.length === 0) return true;
  return task.checks.some(
    (c) => asksForFacts(c) || (c.kind === "asks" && task.user === undefined) || c.kind === "judged",
  );
}

/** Whether a trial cannot be told from one of the right ones by anything that the task is about. */
export function sameOutcome(task: Task, trial: FinishedTrial, rights: readonly FinishedTrial[]): boolean {
  return rights.some((right) => sameAs(task, trial, right));
}

function sameAs(task: Task, trial: FinishedTrial, right: FinishedTrial): boolean {
  if (!sameState(trial, right) || trial.answers.at(-1)?.class !== right.answers.at(-1)?.class) return false;
  return !asksForWords(task, right) || lastText(trial) === lastText(right);
}
