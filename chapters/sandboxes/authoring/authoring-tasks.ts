import { z } from "zod";
import type { BaseState, Bundle } from "../../../worlds/bundle.ts";
import { audit } from "../../../worlds/draw/index.ts";
import type { Json } from "../../../worlds/json.ts";
import { beginning } from "../../../worlds/starts.ts";
import { grade } from "../../../worlds/tasks/grading/grade.ts";
import { rekeyTask } from "../../../worlds/tasks/grading/rekey.ts";
import { playLoosely } from "../../../worlds/tasks/grading/variation.ts";
import { makeKit } from "../../../worlds/tasks/kit.ts";
import type { Check, CheckVerdict, FinishedTrial, Script, Task } from "../../../worlds/tasks/schema.ts";
import { renderAnswer, resolveArgs, ScriptError } from "../../../worlds/tasks/script.ts";
import { playCall, saysBefore } from "../../../worlds/tasks/trial.ts";
import { createWorld } from "../../../worlds/world.ts";
import type { ComputeTask } from "../../compute.ts";
import { misfits, type Paths } from "./shape-of-answers.ts";

interface World {
  readonly bundle: Bundle;
  readonly base: BaseState;
}

/** Audits a drawn state: rows that contradict the observed ones, and rows that look made up. */
export const auditState: ComputeTask<World, ReturnType<typeof audit>> = {
  name: "audit_state",
  run: ({ bundle, base }) => audit(bundle, base),
};

interface RekeyInput extends World {
  /** The world that the keys were made on, where it is kept. */
  readonly before: World | undefined;
  readonly tasks: readonly Task[];
}

/** Recomputes the keys of tasks from the world served now. */
export const rekeyTasks: ComputeTask<RekeyInput, ReturnType<typeof rekeyTask>[]> = {
  name: "rekey_tasks",
  run: ({ bundle, base, before, tasks }) => tasks.map((task) => rekeyTask(task, { bundle, base }, before)),
};

interface DryRunInput extends World {
  readonly seed: string;
  readonly script: Script;
  readonly task: Task | undefined;
  readonly checks: readonly Check[];
}

/** Plays a script on a fresh fork, call by call: what could not be made ends it, and what was made before is told. */
export const dryRunScript: ComputeTask<DryRunInput, ReturnType<typeof dryRun>> = {
  name: "dry_run_script",
  run: dryRun,
};

function dryRun({ bundle, base: drawn, seed, script, task, checks }: DryRunInput) {
  const base = beginning(drawn, task?.start);
  const world = createWorld(bundle, base, { seed });
  const calls: FinishedTrial["calls"] = [];
  const results = () => calls.map((call) => call.answer as Json);
  try {
    for (const { tool, args } of script.calls) calls.push(playCall(world, tool, resolveArgs(args, results())));
    const answer = renderAnswer(script.answer, results());
    const waiting = saysBefore(script, (task?.turns.length ?? 0) + 1);
    const trial = { calls, answers: [...waiting, { text: answer, class: script.class }], diff: world.diff() };
    const { request = "", turns = [], user } = task ?? {};
    const graded = grade({ script, request, turns, user, checks: [...checks] }, trial, { bundle, base });
    return { calls, answer, diff: trial.diff, failedAt: undefined, ...graded };
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    const failedAt = calls.length < script.calls.length ? calls.length + 1 : undefined;
    const none: CheckVerdict[] = [];
    return {
      calls,
      answer: null,
      diff: world.diff(),
      failedAt,
      verdicts: none,
      end: "did_not_run" as const,
      cause: error.message,
    };
  }
}

interface ShapesInput extends World {
  readonly shapes: Readonly<Record<string, Paths>>;
  /** What is played to hear answers, besides a read of each row that can be read. */
  readonly scripts: readonly Script[];
}

/** How many answers of a tool keep to its shape, and the paths that do not. */
export const ShapeFit = z.object({
  answers: z.number().int().describe("Answers of the world that were held to it."),
  fit: z.number().int(),
  misfits: z.array(z.object({ path: z.string(), expected: z.string(), found: z.string(), n: z.number().int() })),
});
export type ShapeFit = z.infer<typeof ShapeFit>;

/** Holds the answers of a drawn world to expected shapes: those of every script's calls, each on a fresh fork, and of reads of its rows. */
export const checkShapes: ComputeTask<ShapesInput, Record<string, ShapeFit>> = {
  name: "check_shapes",
  run: ({ bundle, base, shapes, scripts }) => {
    const kit = makeKit(bundle, base, "shapes");
    const found = new Map(Object.keys(shapes).map((tool) => [tool, new ShapeCount(shapes[tool]!)]));
    for (const binding of kit.bindings)
      for (const { answer } of kit.reads(binding, READINGS)) found.get(binding.tool)?.hear(answer);
    for (const script of scripts)
      for (const { tool, answer, answer_class } of playLoosely(kit.fork(), script.calls))
        if (answer_class === "data") found.get(tool)?.hear(answer as Json);
    return Object.fromEntries([...found].map(([tool, count]) => [tool, count.told()]));
  },
};

/** Rows read of each kind at most. */
const READINGS = 100;

class ShapeCount {
  readonly #shape: Paths;
  readonly #wrong = new Map<string, ShapeFit["misfits"][number]>();
  #answers = 0;
  #fit = 0;

  constructor(shape: Paths) {
    this.#shape = shape;
  }

  hear(answer: Json): void {
    const wrong = misfits(this.#shape, answer);
    this.#answers++;
    if (wrong.length === 0) this.#fit++;
    for (const row of wrong) {
      const name = `${row.path}\n${row.found}`;
      this.#wrong.set(name, { ...row, n: (this.#wrong.get(name)?.n ?? 0) + 1 });
    }
  }

  told(): ShapeFit {
    const misfits = [...this.#wrong.values()].sort((a, b) => b.n - a.n).slice(0, 20);
    return { answers: this.#answers, fit: this.#fit, misfits };
  }
}
