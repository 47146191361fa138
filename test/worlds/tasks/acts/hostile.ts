import { isObject, type Json, type JsonObject } from "../../../../worlds/json.ts";
import type { ObservedTrace } from "../../../../worlds/observation.ts";
import { type GradeEnv, grade } from "../../../../worlds/tasks/grading/grade.ts";
import type { FinishedTrial, Script, Task } from "../../../../worlds/tasks/schema.ts";
import { refOf, resolveArgs } from "../../../../worlds/tasks/script.ts";
import { playCall } from "../../../../worlds/tasks/trial.ts";
import { createWorld } from "../../../../worlds/world.ts";

type Calls = Script["calls"];
/** An agent's trial with what it stands for. */
export type Tried = readonly [name: string, trial: FinishedTrial];

/** Plays calls as an agent would on a world of its own, and says something. */
export function trial(env: GradeEnv, calls: Calls, text: string): FinishedTrial {
  const world = createWorld(env.bundle, env.base, { seed: "agent" });
  const made: FinishedTrial["calls"] = [];
  for (const { tool, args } of calls)
    made.push(
      playCall(
        world,
        tool,
        resolveArgs(
          args,
          made.map((call) => call.answer as Json),
        ),
      ),
    );
  return { calls: made, answers: [{ text }], diff: world.diff() };
}

const shifted = (calls: Calls, by: number): Calls =>
  JSON.parse(JSON.stringify(calls).replace(/"\$(\d+)(?=[.["])/g, (_, n: string) => `"$${Number(n) + by}`)) as Calls;

/** Agents that none of a task's checks may let pass. */
export function wrongTrials(
  env: GradeEnv,
  task: Task,
  others: readonly Task[],
  traces: readonly ObservedTrace[],
): Tried[] {
  const { calls } = task.script;
  const writes = (tool: string) => env.bundle.behaviours[tool]?.effect === "write";
  const refuses = task.script.class === "refused";
  const out: Tried[] = ["", "Done.", "I cannot help with that.", "All done, it worked!"].map((text) => [
    `only says ${text}`,
    trial(env, [], text),
  ]);
  for (const call of seen(traces).slice(0, 12)) {
    if (calls.some(({ tool }) => tool === call.tool)) continue;
    out.push(["one other call and Done", trial(env, [call], "Done.")]);
    if (!refuses) out.push(["one other call and cannot", trial(env, [call], "I cannot help with that.")]);
  }
  calls.forEach((call, i) => {
    if (!writes(call.tool) || (refuses && i === calls.length - 1)) return;
    const half = calls.slice(0, i);
    out.push(["stops half way", trial(env, half, said(task))]);
    for (const [path, other] of otherLiterals(call.args as JsonObject, call.tool, traces)) {
      const args = { ...call.args, [path]: other };
      out.push([
        `another ${path}`,
        trial(
          env,
          calls.map((one, k) => (k === i ? { tool: one.tool, args } : one)),
          said(task),
        ),
      ]);
    }
  });
  for (const other of others)
    if (JSON.stringify(other.script.calls) !== JSON.stringify(calls))
      out.push(["another task's script", trial(env, other.script.calls, said(other))]);
  out.push(
    refuses
      ? ["claims what was refused", trial(env, calls, "Done: everything has been carried out.")]
      : ["does it and declines", trial(env, calls, "I'm sorry, but I can't do that.")],
  );
  return out;
}

const said = ({ script }: Task): string => (/\{/.test(script.answer) ? "Done." : script.answer);

function seen(traces: readonly ObservedTrace[]): Calls {
  const found = new Map<string, Calls[number]>();
  for (const { calls } of traces)
    for (const { tool, args } of calls) found.set(tool + JSON.stringify(args), { tool, args });
  return [...found.values()];
}

function* otherLiterals(args: JsonObject, tool: string, traces: readonly ObservedTrace[]): Generator<[string, Json]> {
  for (const [name, value] of Object.entries(args)) {
    if (refOf(value) || isObject(value) || Array.isArray(value)) continue;
    const others = traces
      .flatMap(({ calls }) => calls)
      .flatMap((call) => (call.tool === tool && !call.isError ? [call.args[name]] : []))
      .filter((other) => other !== undefined && other !== value && String(other).trim() !== String(value));
    for (const other of [...new Set(others)].slice(0, 3)) yield [name, other as Json];
  }
}

/** Agents that do the same by other calls or say it in other words. */
export function equalTrials(env: GradeEnv, task: Task, traces: readonly ObservedTrace[]): Tried[] {
  const { calls } = task.script;
  const { answer } = task.script;
  if (task.checks.some(({ kind }) => kind === "answer_includes")) return [];
  const reads = seen(traces)
    .filter(({ tool }) => /^(?:get|list|read|show|level)/.test(tool))
    .slice(0, 3);
  const words =
    task.script.class === "refused"
      ? ["That wasn't possible, so I left it as it is.", "I couldn't do the last part: it was refused."]
      : ["All set!", "DONE: EVERYTHING HAS BEEN CARRIED OUT.", "Done. Anything else?"];
  const last = calls.at(-1) as Calls[number];
  const slip = Object.fromEntries(
    Object.entries(last.args).map(([name, value]) => [name, typeof value === "string" ? "nothing-9" : value]),
  );
  const failed = trial(env, [{ tool: last.tool, args: slip }], "");
  return [
    ...words.map((text): Tried => [`says ${text}`, trial(env, calls, text)]),
    ["reads before", trial(env, [...reads, ...shifted(calls, reads.length)], answer)],
    ...(failed.calls.some(({ changed, answer_class }) => changed || answer_class === "error:not_served")
      ? []
      : [["fails first", trial(env, [{ tool: last.tool, args: slip }, ...shifted(calls, 1)], answer)] as Tried]),
  ];
}

/** What of the trials a task's checks judge otherwise than they should. */
export const judgedWrongly = (env: GradeEnv, task: Task, trials: readonly Tried[], right: boolean): string[] =>
  trials.flatMap(([name, one]) => {
    const { end, cause } = grade(task, one, env);
    return (end === "met") === right ? [] : [`${name} is ${end} (${cause}): ${task.request}`];
  });
