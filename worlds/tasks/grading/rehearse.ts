import { placeOf } from "../../starts.ts";
import type { Task } from "../schema.ts";
import { equalTrials } from "./equals.ts";
import type { GradeEnv } from "./grade.ts";
import { wrongTrials } from "./mutants.ts";
import { references, reviewKit, type Variation } from "./variation.ts";

/** The trials that a task's checks are rehearsed against: right ones and wrong ones, each on a fresh fork; `others` are tasks of its set. Throws ScriptError where the script leads nowhere. */
export function rehearsals(task: Task, on: GradeEnv, others: readonly Task[] = []): Variation[] {
  const env = placeOf(on, task);
  const kit = reviewKit(env);
  const rights = references(kit, task);
  const varied = wrongTrials(kit, task, env, rights, others);
  return [...equalTrials(kit, task, rights), ...varied.filter((v) => v.right), ...varied.filter((v) => !v.right)];
}
