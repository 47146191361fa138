import { withStart } from "../../starts.ts";
import type { Task } from "../schema.ts";
import { equalTrials } from "./equals.ts";
import type { GradeEnv } from "./grade.ts";
import { wrongTrials } from "./mutants.ts";
import { references, reviewKit, type Variation } from "./variation.ts";

/** Right and wrong trials to rehearse a task's checks, each on a fresh fork. Throws ScriptError where the script fails. */
export function rehearsals(task: Task, on: GradeEnv, others: readonly Task[] = []): Variation[] {
  const env = withStart(on, task);
  const kit = reviewKit(env);
  const rights = references(kit, task);
  const varied = wrongTrials(kit, task, env, rights, others);
  return [...equalTrials(kit, task, rights), ...varied.filter((v) => v.right), ...varied.filter((v) => !v.right)];
}
