import { isObject, type Json, type JsonObject } from "../../json.ts";
import { changed } from "../draft.ts";
import { generateTasks } from "../generate.ts";
import { type GradeEnv, grade } from "../grading/grade.ts";
import { PART, wrongTrials } from "../grading/mutants.ts";
import { reference, references, reviewKit } from "../grading/variation.ts";
import type { Kit } from "../kit.ts";
import type { Family, Script, Task } from "../schema.ts";
import { refOf, ScriptError } from "../script.ts";

/** The tasks on which an agent can fail in a named way, and the wrong trials that are that failure. */
interface ModeTasks {
  readonly families: readonly Family[];
  /** Names of wrong trials, as the review makes them. */
  readonly wrong: readonly string[];
}

/** What holds agents to each way of failing that rules can write tasks for. */
export const MODE_TASKS: Readonly<Record<string, ModeTasks>> = {
  false_no_data: { families: ["lookup", "multi_hop", "filter", "aggregate"], wrong: ["says no data"] },
  padded_answer: { families: ["lookup", "multi_hop", "filter", "aggregate"], wrong: ["pads the answer"] },
  invented_value: { families: ["no_data"], wrong: ["echoes the request"] },
  over_refusal: { families: ["lookup", "write", "filter", "multi_write"], wrong: ["refuses"] },
  policy_breach: { families: ["guarded_write"], wrong: ["collateral write"] },
  stopped_early: { families: ["write", "multi_write", "lookup"], wrong: ["does nothing"] },
  missing_call: { families: ["multi_write", "write"], wrong: ["missing call"] },
  wrong_argument: { families: ["lookup", "write", "multi_hop", "filter"], wrong: ["another argument", PART] },
  extra_write: { families: ["write", "multi_write"], wrong: ["collateral write"] },
  unverified_write: { families: ["write", "guarded_write"], wrong: ["breaks a rule about calls"] },
};

/** How many drafts are written for each task that is wanted: not every one is of the tool, or can fail in that way. */
const DRAFTS = 8;

/**
 * Tasks that an agent which fails in the named way does not meet, at most `count`: each has a wrong trial that is that
 * failure, and its checks reject it. `tool`: only tasks whose script calls it. None for a behaviour that rules write no
 * tasks for. The same input writes the same tasks.
 */
export function failureModeTasks(
  env: GradeEnv,
  plan: {
    readonly behaviour: string;
    readonly tool?: string | undefined;
    readonly seed: string;
    readonly count: number;
  },
): Task[] {
  const mode = MODE_TASKS[plan.behaviour];
  if (!mode) return [];
  const { seed, count, behaviour, tool } = plan;
  const kit = reviewKit(env);
  const found: Task[] = [];
  const drafts = generateTasks(env.bundle, env.base, { seed, count: count * DRAFTS, families: mode.families, tool });
  for (const draft of drafts) {
    const shaped = behaviour === "unverified_write" ? readFirst(kit, draft) : draft;
    if (!shaped || !rejects(kit, shaped, env, mode.wrong)) continue;
    const cell = { ...shaped.cell, use_case: `a failure: ${behaviour.replaceAll("_", " ")}` };
    found.push(changed(shaped, { family: "regression", cell }));
    if (found.length >= count) break;
  }
  return found;
}

/** Whether the task is met by its script, and its checks reject every trial that fails in this way; there must be one. */
function rejects(kit: Kit, task: Task, env: GradeEnv, wrong: readonly string[]): boolean {
  try {
    if (grade(task, reference(kit, task), env).end !== "met") return false;
    const failing = wrongTrials(kit, task, env, references(kit, task)).filter(
      ({ name, open }) => !open && wrong.includes(name),
    );
    return failing.length > 0 && failing.every(({ trial }) => grade(task, trial, env).end === "failed");
  } catch (error) {
    if (error instanceof ScriptError) return false;
    throw error;
  }
}

/**
 * The task held to reading the row before it is written. Undefined where no tool, or more than one, reads the row: an
 * agent may look in any way that there is.
 */
function readFirst(kit: Kit, task: Task): Task | undefined {
  const effects = new Map(kit.tools.map(({ name, effect }) => [name, effect]));
  const at = task.script.calls.findIndex(({ tool }) => effects.get(tool) === "write");
  const write = task.script.calls[at];
  if (!write) return undefined;
  const read = rowRead(kit, write.args);
  if (!read) return undefined;
  const known = task.script.calls.slice(0, at).some(({ tool }) => tool === read.tool);
  const script = known ? task.script : { ...shifted(task.script), calls: [read, ...shifted(task.script).calls] };
  const { alternatives: _others, ...alone } = task;
  const order = { kind: "call_order" as const, calls: [{ tool: read.tool }, { tool: write.tool }] };
  return { ...alone, script, checks: [...task.checks, order] };
}

function rowRead(kit: Kit, args: Record<string, unknown>): Script["calls"][number] | undefined {
  const literals = Object.values(args).filter((value) => typeof value === "string");
  for (const key of literals) {
    const ways = kit.bindings.flatMap((binding) => {
      const anchor = (kit.anchors.get(binding.table) ?? []).find((row) => row.key === key);
      const reading = anchor && binding.gives === "row" ? kit.read(binding, anchor) : undefined;
      return reading ? [{ tool: binding.tool, args: reading.args as JsonObject }] : [];
    });
    const tools = new Set(ways.map(({ tool }) => tool));
    if (tools.size === 1 && ways[0]) return ways[0];
  }
  return undefined;
}

/** The script as it is after one more call before it: each result stands one place later. */
function shifted(script: Script): Script {
  const later = (text: string) => text.replace(/\$(\d+)/g, (_, n: string) => `$${Number(n) + 1}`);
  const moved = (value: unknown): unknown => {
    if (refOf(value)) return later(String(value));
    if (Array.isArray(value)) return value.map(moved);
    return isObject(value as Json)
      ? Object.fromEntries(Object.entries(value as JsonObject).map(([name, own]) => [name, moved(own)]))
      : value;
  };
  return {
    ...script,
    calls: script.calls.map(({ tool, args }) => ({ tool, args: moved(args) as JsonObject })),
    answer: script.answer.replace(/\{[^}]*\}/g, later),
  };
}
