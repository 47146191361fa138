import type { BaseState, ToolDefinition } from "../../../worlds/bundle.ts";
import { compile } from "../../../worlds/compile/index.ts";
import type { OutOfFold } from "../../../worlds/compile/out-of-fold.ts";
import { audit, draw } from "../../../worlds/draw/index.ts";
import { type FidelityReport, measureFidelity } from "../../../worlds/fidelity/index.ts";
import type { ObservedTrace } from "../../../worlds/observation.ts";
import type { Given } from "../../../worlds/propose/way.ts";
import { withStart } from "../../../worlds/starts.ts";
import type { Demand } from "../../../worlds/tasks/demand.ts";
import { generateTasks, type Selection } from "../../../worlds/tasks/generate.ts";
import { gradeMade } from "../../../worlds/tasks/grading/grade.ts";
import { rehearsals } from "../../../worlds/tasks/grading/rehearse.ts";
import { reviewTask, withoutJudged } from "../../../worlds/tasks/grading/review.ts";
import { type Losses, type Obstacle, obstacles, type Unused, unusedTools } from "../../../worlds/tasks/losses.ts";
import type { Check, Family, FinishedTrial, Task } from "../../../worlds/tasks/schema.ts";
import { corpusOf } from "../../../worlds/tasks/words/corpus.ts";
import type { Persona } from "../../../worlds/tasks/words/voices.ts";
import type { ComputeKit, ComputeTask } from "../../compute.ts";
import { compileNewest } from "../surfaces/compile-newest.ts";
import { trainingOf } from "../surfaces/training.ts";
import { type DrawnWorld, onKeptWorld } from "./kept-worlds.ts";

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

/** What part of the whole the first compile takes, and where the second ends: as measured on seven services, about. */
const [FIRST, BOTH] = [0.6, 0.95] as const;

function compiled({ name, traces: given, tools, records, seed, proposal }: CompileInput, { tell }: ComputeKit) {
  const options = {
    name,
    ...(tools === undefined ? {} : { tools }),
    ...(records === undefined ? {} : { records }),
    ...(proposal === undefined ? {} : { proposal }),
  };
  const { traces, ...made } = compileNewest(given, { ...options, tell: (share) => tell(share * FIRST) });
  const second = (share: number) => tell(FIRST + share * (BOTH - FIRST));
  return { ...made, fidelity: heldOutFidelity(traces, { ...options, tell: second }, seed) };
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

interface DrawInput extends DrawnWorld {
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

interface WriteInput extends DrawnWorld {
  readonly seed: string;
  readonly count: number;
  readonly families: readonly Family[] | undefined;
  readonly selection?: Selection | undefined;
  /** How much each use case is asked for. */
  readonly demand?: readonly Demand[] | undefined;
  readonly mined: readonly ObservedTrace[];
  /** Who asks, in turn; the usual personas when none is stated. */
  readonly personas?: readonly Persona[] | undefined;
  /** Texts of the documents pushed. */
  readonly documents?: readonly string[] | undefined;
  /** How the world answers held-out sessions. */
  readonly measured?: OutOfFold | undefined;
}

/** What was written, why no task needs some tools, and where fewer were written than were asked for what stood in the way of more. */
interface Written {
  readonly tasks: Task[];
  readonly lost?: Obstacle[];
  readonly unused: Unused[];
}

/** Writes tasks by rule, as they will be stored: reviewed is what JSON keeps of a task. The same inputs and seed write the same tasks. */
export const writeTasks: ComputeTask<WriteInput, Written> = {
  name: "write_tasks",
  run: onKeptWorld(
    ({ bundle, base, seed, count, families, selection, demand, mined, personas, documents, measured }) => {
      const losses: Losses = new Map();
      const tasks = generateTasks(bundle, base, {
        seed,
        count,
        mined,
        measured,
        losses,
        ...(families === undefined ? {} : { families }),
        ...(selection === undefined ? {} : { selection }),
        ...(demand === undefined ? {} : { demand }),
        ...(personas === undefined ? {} : { personas }),
        ...(documents === undefined ? {} : { documents }),
      });
      const names = bundle.tools.map(({ name }) => name);
      const unused = unusedTools(losses, names, tasks);
      return asStored({ tasks, unused, ...(tasks.length < count ? { lost: obstacles(losses, names) } : {}) });
    },
  ),
};

function asStored<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

interface ReviewInput extends DrawnWorld {
  readonly tasks: readonly Task[];
  /** All tasks of their set; these where it is absent. */
  readonly others?: readonly Task[];
  /** How the world answers held-out sessions. */
  readonly measured?: OutOfFold;
  /** Turns of the evidence's users. */
  readonly userTurns?: readonly string[] | undefined;
}

/** Reviews tasks on the world they are served by, their words against what users of the evidence were heard to say. */
export const reviewTasks: ComputeTask<ReviewInput, ReturnType<typeof reviewTask>[]> = {
  name: "review_tasks",
  run: onKeptWorld(({ bundle, base, tasks, others = tasks, measured, userTurns }) => {
    const corpus = userTurns && corpusOf([{ id: "heard", turns: userTurns, calls: [] }]);
    return tasks.map((task) => reviewTask(task, { bundle, base, corpus }, others, measured));
  }),
};

/** Trials that a judge is asked of at most, right and wrong ones. */
const MOST_JUDGED = { right: 4, wrong: 20 } as const;

/** Of the trials that a task is rehearsed with those that its other checks leave open, one of each name first. */
export const openTrials: ComputeTask<
  DrawnWorld & { readonly task: Task },
  { name: string; right: boolean; trial: FinishedTrial }[]
> = {
  name: "open_trials",
  run: onKeptWorld(({ bundle, base, task }) => {
    const code = withoutJudged(task);
    const open = rehearsals(task, { bundle, base })
      .filter((made) => gradeMade(code, made, { bundle, base }).end === "met")
      .map(({ name, right, trial }) => ({ name, right, trial }));
    const seen = new Map<string, number>();
    const turn = ({ name, right }: (typeof open)[number]) => {
      const n = seen.get(`${right} ${name}`) ?? 0;
      seen.set(`${right} ${name}`, n + 1);
      return n;
    };
    const ordered = open.map((one) => ({ one, turn: turn(one) })).sort((a, b) => a.turn - b.turn);
    const of = (right: boolean) => ordered.flatMap(({ one }) => (one.right === right ? [one] : []));
    return [...of(true).slice(0, MOST_JUDGED.right), ...of(false).slice(0, MOST_JUDGED.wrong)];
  }),
};

interface RehearseInput extends DrawnWorld {
  readonly task: Task;
  readonly check: Check;
}

/** Runs one check of a task against the right trials and the wrong ones, each made on a fresh fork. */
export const rehearse: ComputeTask<RehearseInput, ReturnType<typeof rehearsed>> = {
  name: "rehearse_check",
  run: onKeptWorld(rehearsed),
};

function rehearsed({ bundle, base, task, check }: RehearseInput) {
  const alone: Task = { ...task, checks: [check] };
  const env = withStart({ bundle, base }, task);
  return rehearsals(task, env).flatMap((made) =>
    gradeMade(alone, made, env).verdicts.map(({ verdict, reason }) => {
      const { name, right } = made;
      return { name, right, verdict, reason };
    }),
  );
}
