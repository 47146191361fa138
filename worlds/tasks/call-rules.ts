import type { BaseState } from "../bundle.ts";
import { callOrder, callsForbidden, callsRequired, maxCalls } from "./checks/calls.ts";
import type { Judgement } from "./checks/judgement.ts";
import { playLoosely, type Variation } from "./grading/variation.ts";
import type { Kit } from "./kit.ts";
import type { CallPattern, Check, FinishedTrial, Task } from "./schema.ts";

/** What a check says of the calls alone; undefined for a check of anything else. */
function judged(check: Check, calls: FinishedTrial["calls"], base: BaseState): Judgement | undefined {
  switch (check.kind) {
    case "calls_required":
      return callsRequired(check.calls, calls, { ...check, tables: base.tables });
    case "calls_forbidden":
      return callsForbidden(check.calls, calls);
    case "call_order":
      return callOrder(check.calls, calls);
    case "max_calls":
      return maxCalls(check.n, calls);
    default:
      return undefined;
  }
}

/** Whether a trial keeps the task's rules about calls: one that ends like the reference and breaks one is no equal of it. */
export function keepsCallRules(task: Task, trial: FinishedTrial, { base }: Pick<Kit, "base">): boolean {
  return task.checks.every((check) => (judged(check, trial.calls, base)?.verdict ?? "met") === "met");
}

/** Trials that end as the reference does and break one of the task's rules about calls. */
export function ruleBreakers(kit: Kit, task: Task, right: FinishedTrial): Variation[] {
  const out: Variation[] = [];
  const put = (check: Check, before: Task["script"]["calls"], after: Task["script"]["calls"]) => {
    const world = kit.fork();
    const calls = playLoosely(world, [...before, ...after]);
    if (judged(check, calls, kit.base)?.verdict !== "not_met") return;
    const trial: FinishedTrial = { calls, answers: right.answers, diff: world.diff() };
    out.push({ name: "breaks a rule about calls", detail: check.kind, right: false, trial });
  };
  const script = right.calls.map(({ tool, args }) => ({ tool, args }));
  for (const check of task.checks) {
    if (check.kind === "calls_forbidden") for (const pattern of check.calls) put(check, script, callOf(kit, pattern));
    if (check.kind === "max_calls") put(check, reads(kit, check.n + 1), script);
    if (check.kind === "call_order") put(check, [...script].reverse(), []);
    if (check.kind === "calls_required")
      // Where one is enough, a trial breaks the rule that makes none of them.
      for (const tools of check.any ? [check.calls.map(({ tool }) => tool)] : check.calls.map(({ tool }) => [tool]))
        put(
          check,
          script.filter(({ tool }) => !tools.includes(tool)),
          [],
        );
  }
  return out;
}

/** A call that fits a pattern, with arguments that the tool is known to take; none where none is known. */
function callOf(kit: Kit, pattern: CallPattern): Task["script"]["calls"] {
  const fixed = Object.fromEntries(
    (pattern.args ?? []).flatMap(({ path, op, value }) =>
      op === "equals" && !path.includes(".") ? [[path, value]] : [],
    ),
  );
  const known = kit.bindings
    .filter(({ tool }) => tool === pattern.tool)
    .flatMap((binding) => kit.reads(binding, 1).map(({ args }) => args));
  const view = kit.tools.find(({ name }) => name === pattern.tool);
  const needed = view?.params.filter(({ required }) => required) ?? [];
  const args = { ...known[0], ...fixed };
  const filled = Object.fromEntries(
    needed.map(({ name, type, values }) => [
      name,
      args[name] ?? values?.[0] ?? (type === "string" ? "x" : type === "boolean" ? false : 0),
    ]),
  );
  return view ? [{ tool: view.name, args: { ...args, ...filled } }] : [];
}

function reads(kit: Kit, n: number): Task["script"]["calls"] {
  const all = kit.bindings.flatMap((binding) =>
    kit.reads(binding, n).map(({ args }) => ({ tool: binding.tool, args })),
  );
  const [first] = all;
  return first === undefined ? [] : Array.from({ length: n }, (_, i) => all[i] ?? first);
}
