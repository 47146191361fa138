import type { World } from "../world-api.ts";
import type { FinishedTrial, Script } from "./schema.ts";
import { renderAnswer, resolveArgs } from "./script.ts";

type Call = FinishedTrial["calls"][number];

/** Calls one tool on a world and records it as grading sees it. */
export function playCall(world: World, tool: string, args: Call["args"]): Call {
  const answer = world.call(tool, args as Parameters<World["call"]>[1]);
  return {
    tool,
    args,
    answer: answer.value,
    answer_class: answer.answerClass,
    is_error: answer.isError,
    changed: answer.changes.length > 0,
    ...(answer.changes.length > 0 ? { changes: [...answer.changes] } : {}),
  };
}

/** What the reference says before its answer: nothing to the turns that follow another one, then its questions to the user. */
export function saysBefore({ questions = [] }: Pick<Script, "questions">, turns: number): { text: string }[] {
  const waiting = Array.from({ length: Math.max(0, turns - 1) }, () => "");
  return [...waiting, ...questions].map((text) => ({ text }));
}

/**
 * The `reference` harness: plays a script on a world as it stands, one answer at the end of `turns` user turns and of its questions.
 * Throws ScriptError where a reference leads nowhere.
 */
export function playScript(world: World, script: Script, turns = 1): FinishedTrial {
  const calls: Call[] = [];
  for (const { tool, args } of script.calls) {
    const results = calls.map((call) => call.answer as Parameters<typeof resolveArgs>[1][number]);
    calls.push(playCall(world, tool, resolveArgs(args, results)));
  }
  const text = renderAnswer(
    script.answer,
    calls.map((call) => call.answer as Parameters<typeof resolveArgs>[1][number]),
  );
  return { calls, answers: [...saysBefore(script, turns), { text, class: script.class }], diff: world.diff() };
}

/** The `null` harness: no call, and an empty answer to each turn. */
export function playNothing(turns = 1): FinishedTrial {
  return { calls: [], answers: Array.from({ length: Math.max(1, turns) }, () => ({ text: "" })), diff: [] };
}
