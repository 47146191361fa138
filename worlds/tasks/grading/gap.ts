import type { BaseState, Bundle } from "../../bundle.ts";
import { isObject, type Json, type JsonObject } from "../../json.ts";
import { createWorld } from "../../world.ts";
import { sameData } from "../checks/data.ts";
import type { FinishedTrial, Script, Task } from "../schema.ts";
import { refOf } from "../script.ts";
import { userWords } from "../user/user-replies.ts";

type Call = FinishedTrial["calls"][number];
type Step = Script["calls"][number];
/** What of a task says which calls it needs. */
export type NeededCalls = Pick<Task, "request" | "script"> & Partial<Pick<Task, "turns" | "user" | "alternatives">>;

const NOT_SERVED = "error:not_served";

/** The world that a trial was played on. */
export interface PlayedOn {
  readonly bundle: Bundle;
  readonly base: BaseState;
  /** What decided the keys of the rows that were made. */
  readonly seed?: string | undefined;
}

/**
 * The tool of a call that the task needed and that the world did not serve: a script's own call, or one of a script's tool
 * whose arguments follow from what the user said and what the world answered to needed calls. A call that nobody asked for
 * proves nothing of the world, and neither does one beside a needed call of the same tool that was served, or one that
 * would have been served but for changes that nobody asked for. Pure.
 */
export function neededGap(task: NeededCalls, trial: FinishedTrial, world: PlayedOn): string | undefined {
  if (!trial.calls.some((call) => call.answer_class === NOT_SERVED)) return undefined;
  const steps = [task.script, ...(task.alternatives ?? [])].flatMap((script) => script.calls);
  const said = normal(userWords(task, trial));
  const returned = new Set<string>();
  const served = new Set<Step>();
  const missed: { readonly call: Call; readonly steps: readonly Step[]; readonly before: readonly Call[] }[] = [];
  const asked: Call[] = [];
  for (const call of trial.calls) {
    const fitting = steps.filter((step) => step.tool === call.tool && follows(call, step, said, returned));
    const needed = fitting.some((step) => !served.has(step));
    if (fitting.length > 0 && call.answer_class === NOT_SERVED)
      missed.push({ call, steps: fitting, before: [...asked] });
    if (needed || !mayChange(call, world.bundle)) asked.push(call);
    if (fitting.length === 0 || call.is_error) continue;
    for (const step of fitting) served.add(step);
    for (const leaf of leavesOf(call.answer as Json)) returned.add(leaf);
  }
  const open = missed.filter((one) => one.steps.some((step) => !served.has(step)));
  return open.find(({ call, before }) => {
    const all = trial.calls.indexOf(call);
    return before.length === all || !isServed(call, before, world);
  })?.call.tool;
}

/** Whether a call may have changed something, known to the world or not. */
function mayChange({ tool }: Call, { behaviours, footprints = {}, trust }: Bundle): boolean {
  if (Object.hasOwn(footprints, tool)) return true;
  if (Object.hasOwn(behaviours, tool) && behaviours[tool]?.effect === "write") return true;
  return trust !== undefined && !trust.reads.includes(tool);
}

/** Whether a fresh world serves a call after some others. */
function isServed({ tool, args }: Call, before: readonly Call[], { bundle, base, seed = "" }: PlayedOn): boolean {
  const world = createWorld(bundle, base, { seed });
  for (const call of before) world.call(call.tool, call.args as JsonObject, "user");
  return world.call(tool, args as JsonObject, "user").answerClass !== NOT_SERVED;
}

/** Whether a call is what a step asks for: every argument the step's own, or said by the user, or answered by the world. */
function follows({ args }: Call, step: Step, said: string, returned: ReadonlySet<string>): boolean {
  const known = (leaf: string) => returned.has(leaf) || holdsWord(said, leaf);
  const names = Object.keys(args);
  if (names.length === 0) return Object.keys(step.args).length === 0;
  return names.every((name) => {
    const given = args[name];
    const wanted = step.args[name];
    if (wanted !== undefined && !refers(wanted)) return sameData(given, wanted);
    const leaves = [...leavesOf(given as Json)];
    return leaves.length > 0 && leaves.every(known);
  });
}

function refers(value: unknown): boolean {
  if (refOf(value) !== undefined) return true;
  if (Array.isArray(value)) return value.some(refers);
  return isObject(value) && Object.values(value).some(refers);
}

/** Values as they are compared: what is written in a text and what stands in an answer look alike. */
function* leavesOf(value: Json): Generator<string> {
  if (Array.isArray(value)) for (const item of value) yield* leavesOf(item);
  else if (isObject(value)) for (const item of Object.values(value)) yield* leavesOf(item as Json);
  else if (value !== null) yield normal(String(value));
}

function normal(text: string): string {
  return text.normalize("NFKC").toLowerCase().trim();
}

/** Whether a text holds a value as a whole word. */
export function holdsWord(text: string, value: string): boolean {
  if (value === "") return false;
  for (let from = text.indexOf(value); from >= 0; from = text.indexOf(value, from + 1))
    if (!isWord(text[from - 1]) && !isWord(text[from + value.length])) return true;
  return false;
}

function isWord(char: string | undefined): boolean {
  return char !== undefined && /[\p{L}\p{N}]/u.test(char);
}
