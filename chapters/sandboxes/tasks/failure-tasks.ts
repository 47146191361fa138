import { type Criterion, type CriterionTasks, criterionTasks } from "../../../worlds/tasks/families/criterion.ts";
import { failureModeTasks } from "../../../worlds/tasks/families/failure-mode.ts";
import {
  type ConfirmedFailure,
  type NoRegression,
  regressionTask,
  type StatedTask,
  statedTask,
} from "../../../worlds/tasks/families/regression.ts";
import { type Hardened, hardenTask } from "../../../worlds/tasks/grading/harden.ts";
import type { Task } from "../../../worlds/tasks/schema.ts";
import type { ComputeTask } from "../../compute.ts";
import { type DrawnWorld, onKeptWorld } from "./kept-worlds.ts";

/** Writes a task from each confirmed failure, or says why it gives none; in the order given. They go through review like any other. */
export const writeRegressions: ComputeTask<
  DrawnWorld & { readonly failures: readonly ConfirmedFailure[] },
  (Task | NoRegression)[]
> = {
  name: "write_regressions",
  run: onKeptWorld(({ failures, ...env }) => failures.map((failure) => regressionTask(env, failure))),
};

/** Writes a task from each request with what is right, or says why it gives none; in the order given. */
export const writeStated: ComputeTask<
  DrawnWorld & { readonly stated: readonly StatedTask[] },
  (Task | NoRegression)[]
> = {
  name: "write_stated",
  run: onKeptWorld(({ stated, ...env }) => stated.map((each) => statedTask(env, each))),
};

/** Writes tasks that hold agents to a criterion, with how many were tried in vain. They go through review like any other. */
export const writeCriterion: ComputeTask<
  DrawnWorld & { readonly criterion: Criterion; readonly seed: string; readonly count: number },
  CriterionTasks
> = {
  name: "write_criterion",
  run: onKeptWorld(({ criterion, seed, count, ...env }) => criterionTasks(env, criterion, { seed, count })),
};

/** Writes tasks that an agent which fails in a named way does not meet. They go through review like any other. */
export const writeModeTasks: ComputeTask<
  DrawnWorld & { readonly plan: Parameters<typeof failureModeTasks>[1] },
  Task[]
> = {
  name: "write_mode_tasks",
  run: onKeptWorld(({ plan, ...env }) => failureModeTasks(env, plan)),
};

/** Holds tasks' answers to their own rows, each tried on the right answer and on wrong ones. */
export const hardenTasks: ComputeTask<DrawnWorld & { readonly tasks: readonly Task[] }, Hardened[]> = {
  name: "harden_tasks",
  run: onKeptWorld(({ tasks, ...env }) => tasks.map((task) => hardenTask(task, env))),
};
