import type { BaseState, Bundle } from "../../../worlds/bundle.ts";
import { Beginnings } from "../../../worlds/starts.ts";
import type { FinishedTrial, Task } from "../../../worlds/tasks/schema.ts";
import { playScript } from "../../../worlds/tasks/trial.ts";
import type { ComputeTask } from "../../compute.ts";

interface TrialsInput {
  readonly bundle: Bundle;
  readonly base: BaseState;
  readonly seed: string;
  readonly tasks: readonly Task[];
}

/** What each task's reference script comes to, each on a world of its own. */
export const referenceTrials: ComputeTask<TrialsInput, FinishedTrial[]> = {
  name: "reference_trials",
  run: ({ bundle, base, seed, tasks }) => {
    const worlds = new Beginnings({ bundle, base, seed });
    return tasks.map((task) => playScript(worlds.fresh(task), task.script, task.turns.length + 1));
  },
};
