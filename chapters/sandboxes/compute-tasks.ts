import type { BaseState, Bundle, ToolDefinition } from "../../worlds/bundle.ts";
import { compile } from "../../worlds/compile/index.ts";
import { audit, draw } from "../../worlds/draw/index.ts";
import { type FidelityReport, measureFidelity } from "../../worlds/fidelity/index.ts";
import type { ObservedTrace } from "../../worlds/observation.ts";
import type { Given } from "../../worlds/propose/way.ts";
import type { Demand } from "../../worlds/tasks/demand.ts";
import { generateTasks, type Selection } from "../../worlds/tasks/generate.ts";
import { grade } from "../../worlds/tasks/grade.ts";
import { rehearsals } from "../../worlds/tasks/rehearse.ts";
import { reviewTask } from "../../worlds/tasks/review.ts";
import type { Check, Family, Task } from "../../worlds/tasks/schema.ts";
import type { Persona } from "../../worlds/tasks/voices.ts";
import type { ComputeTask } from "../compute.ts";
import { compileNewest } from "./compile-newest.ts";
import { trainingOf } from "./training.ts";

interface CompileInput {
  readonly name: string;
  readonly traces: readonly ObservedTrace[];
  readonly tools: readonly ToolDefinition[] | undefined;
  readonly records: Record<string, unknown> | undefined;
  readonly seed: string;
  readonly proposal?: Given | undefined;
}

/**
 * Compiles a bundle from all traces of the newest deployment. Its fidelity is that of the same compiler on three quarters of them, replayed
 * on the quarter it did not see; absent when there are too few.
 */
export const compileSurface: ComputeTask<CompileInput, ReturnType<typeof compiled>> = {
  name: "compile_surface",
  run: compiled,
};

function compiled({ name, traces: given, tools, records, seed, proposal }: CompileInput) {
  const options = {
    name,
    ...(tools === undefined ? {} : { tools }),
    ...(records === undefined ? {} : { records }),
    ...(proposal === undefined ? {} : { proposal }),
  };
  const { traces, ...made } = compileNewest(given, options);
  return { ...made, fidelity: heldOutFidelity(traces, options, seed) };
}

function heldOutFidelity(
  traces: readonly ObservedTrace[],
  options: Parameters<typeof compile>[1],
  seed: string,
): FidelityReport | undefined {
  const { train, heldOut } = trainingOf(traces, seed);
  if (heldOut.length === 0) return undefined;
  return measureFidelity(compile(train, options), heldOut, train);
}

interface DrawInput {
  readonly bundle: Bundle;
  readonly base: BaseState;
  readonly seed: string;
  readonly augment: boolean;
}

/** Draws an initial state and audits it. The same seed draws the same bytes. */
export const drawState: ComputeTask<DrawInput, { base: BaseState; audit: ReturnType<typeof audit> }> = {
  name: "draw_state",
  run: ({ bundle, base, seed, augment }) => {
    const drawn = draw(bundle, base, { seed, augment });
    return { base: drawn, audit: audit(bundle, drawn) };
  },
};

interface WriteInput {
  readonly bundle: Bundle;
  readonly base: BaseState;
  readonly seed: string;
  readonly count: number;
  readonly families: readonly Family[] | undefined;
  readonly selection?: Selection | undefined;
  /** How much each use case is asked for. */
  readonly demand?: readonly Demand[] | undefined;
  readonly mined: readonly ObservedTrace[];
  /** Who asks, in turn; the usual personas when none is stated. */
  readonly personas?: readonly Persona[] | undefined;
}

/** Writes tasks by rule, as they will be stored: reviewed is what JSON keeps of a task. The same inputs and seed write the same tasks. */
export const writeTasks: ComputeTask<WriteInput, Task[]> = {
  name: "write_tasks",
  run: ({ bundle, base, seed, count, families, selection, demand, mined, personas }) =>
    asStored(
      generateTasks(bundle, base, {
        seed,
        count,
        mined,
        ...(families === undefined ? {} : { families }),
        ...(selection === undefined ? {} : { selection }),
        ...(demand === undefined ? {} : { demand }),
        ...(personas === undefined ? {} : { personas }),
      }),
    ),
};

function asStored<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** Reviews tasks on the world they are served by. */
export const reviewTasks: ComputeTask<
  { bundle: Bundle; base: BaseState; tasks: readonly Task[] },
  ReturnType<typeof reviewTask>[]
> = {
  name: "review_tasks",
  run: ({ bundle, base, tasks }) => tasks.map((task) => reviewTask(task, { bundle, base })),
};

interface RehearseInput {
  readonly bundle: Bundle;
  readonly base: BaseState;
  readonly task: Task;
  readonly check: Check;
}

/** Runs one check of a task against the right trials and the wrong ones, each made on a fresh fork. */
export const rehearse: ComputeTask<RehearseInput, ReturnType<typeof rehearsed>> = {
  name: "rehearse_check",
  run: rehearsed,
};

function rehearsed({ bundle, base, task, check }: RehearseInput) {
  const alone: Task = { ...task, checks: [check] };
  return rehearsals(task, { bundle, base }).flatMap(({ name, right, trial }) =>
    grade(alone, trial, { bundle, base }).verdicts.map(({ verdict, reason }) => ({ name, right, verdict, reason })),
  );
}
