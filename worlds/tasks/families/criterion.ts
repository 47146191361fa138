import { changed } from "../draft.ts";
import { type GenerateOptions, generateTasks } from "../generate.ts";
import { type GradeEnv, grade } from "../grading/grade.ts";
import { rehearsals } from "../grading/rehearse.ts";
import { reviewKit } from "../grading/variation.ts";
import type { Check, Family, Task } from "../schema.ts";
import { playScript } from "../trial.ts";

/** A rule in a person's words, with the check that measures it. */
export interface Criterion {
  readonly text: string;
  readonly check: Exclude<Check, { kind: "judged" }>;
}

/** Tasks of a criterion; without any, why there are none. */
export interface CriterionTasks {
  readonly tasks: readonly Task[];
  /** Tasks tried whose own script breaks the rule. */
  readonly broken: number;
  /** Tasks tried on which the rule decides nothing that their other checks do not decide. */
  readonly idle: number;
}

const SOURCES: readonly Family[] = [
  "write",
  "lookup",
  "multi_write",
  "multi_hop",
  "guarded_write",
  "ambiguous",
  "filter",
  "aggregate",
  "no_data",
];
/** How many tasks are tried for each that is asked for. */
const TRIED = 6;

/**
 * Tasks that hold agents to a criterion: tasks by rule that its check is added to, where their script keeps it and some
 * wrong trial breaks it that no other check of theirs rejects. The criterion's words are the task's `policy`. The same
 * inputs and seed give the same tasks.
 */
export function criterionTasks(
  env: GradeEnv,
  criterion: Criterion,
  options: Pick<GenerateOptions, "seed" | "count" | "families">,
): CriterionTasks {
  const { seed, count, families = SOURCES } = options;
  const tasks: Task[] = [];
  let broken = 0;
  let idle = 0;
  for (const source of generateTasks(env.bundle, env.base, { seed, count: count * TRIED, families })) {
    if (tasks.length >= count) break;
    const task = changed(source, {
      family: "criterion",
      cell: { ...source.cell, policy: criterion.text },
      checks: [...source.checks, criterion.check],
    });
    if (!keeps(env, task)) broken += 1;
    else if (!decides(env, task, source)) idle += 1;
    else tasks.push(task);
  }
  return { tasks, broken, idle };
}

function keeps(env: GradeEnv, task: Task): boolean {
  const trial = playScript(reviewKit(env).fork(), task.script, task.turns.length + 1);
  return grade(task, trial, env).end === "met";
}

/** Whether the rule rejects a wrong trial that the task without it lets pass. */
function decides(env: GradeEnv, task: Task, without: Task): boolean {
  return rehearsals(task, env).some(
    ({ right, trial }) =>
      !right && grade(without, trial, env).end === "met" && grade(task, trial, env).end === "failed",
  );
}
